// One line of the text of a tokenizer's settings: a directive and its arguments, which are read with errors that name
// the operator and the line.
#pragma once

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/fail.h"
#include "core/quote.h"
#include "subword/spec/spec.h"

namespace stringops::subword {

using Fields = std::vector<std::string_view>;

inline Fields split_at(std::string_view text, char separator) {
  Fields fields;
  for (size_t at = 0; at <= text.size();) {
    const size_t end = std::min(text.find(separator, at), text.size());
    fields.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return fields;
}

// One directive: its line number, for errors, and its words.
class Line {
 public:
  Line(const char* op, int64_t number, std::string_view text) : op_(op), number_(number), words_(split_at(text, ' ')) {}

  std::string_view name() const { return words_[0]; }
  size_t size() const { return words_.size() - 1; }

  [[noreturn]] void fail(const std::string& expected) const {
    const std::string_view got = words_[0];
    stringops::fail(op_, ": expected ", expected, " in line ", number_, " of `spec`, got ",
                    quoted(got.data(), got.size()), " with ", size(), size() == 1 ? " argument" : " arguments");
  }

  std::string_view word(size_t i) const {
    if (i >= size()) fail("more arguments");
    return words_[i + 1];
  }

  void check_size(size_t count) const {
    if (size() != count) fail(std::to_string(count) + (count == 1 ? " argument" : " arguments"));
  }

  int64_t number(size_t i, int64_t least, int64_t most) const { return parse_number(word(i), least, most); }
  int64_t parse_number(std::string_view text, int64_t least, int64_t most) const {
    int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < least || value > most) {
      fail("a number within [" + std::to_string(least) + ", " + std::to_string(most) + "]");
    }
    return value;
  }

  std::string bytes(size_t i) const {
    const std::string_view text = word(i);
    if (text == "-") return {};
    const auto digit = [&](char c) {
      if (c >= '0' && c <= '9') return c - '0';
      if (c >= 'a' && c <= 'f') return c - 'a' + 10;
      fail("bytes in hexadecimal");
    };
    if (text.empty() || text.size() % 2 != 0) fail("bytes in hexadecimal");
    std::string bytes;
    for (size_t at = 0; at < text.size(); at += 2)
      bytes += static_cast<char>(digit(text[at]) * 16 + digit(text[at + 1]));
    return bytes;
  }

  uint8_t choice(std::string_view word, std::initializer_list<std::string_view> choices) const {
    std::string expected = "one of";
    uint8_t index = 0;
    for (const std::string_view choice : choices) {
      if (choice == word) return index;
      expected += std::string(index++ ? ", " : " ") + std::string(choice);
    }
    fail(expected);
  }

 private:
  const char* op_;
  int64_t number_;
  Fields words_;
};

// Each adds the steps of a line.
void parse_normalizer(const Line& line, Spec& spec);
void parse_split(const Line& line, Spec& spec);
void parse_decoder(const Line& line, Spec& spec);

}  // namespace stringops::subword
