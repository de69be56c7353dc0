// The large values of a tokenizer.json or tekken.json: vocabularies and merges. The text is read value by value, with
// the grammar of Python's json module, which also knows NaN and Infinity.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "convert/json_number.h"
#include "convert/read_strings.h"
#include "core/codepoints.h"
#include "core/json_escape.h"
#include "core/string_span.h"

namespace stringops::convert {

// The text is not JSON, or a value is not of the expected kind.
struct JsonError {};

// A position in the text. Each function skips whitespace, then reads what its name says, or throws JsonError.
class JsonText {
 public:
  explicit JsonText(StringView text) : at_(text.begin), end_(text.end) {}

  // The next character, or 0 at the end.
  char peek() {
    while (at_ < end_ && (*at_ == ' ' || *at_ == '\n' || *at_ == '\t' || *at_ == '\r')) ++at_;
    return at_ < end_ ? static_cast<char>(*at_) : '\0';
  }

  // Skips the character if it is the next one; returns whether it was.
  bool take(char c) {
    if (peek() != c || at_ == end_) return false;
    ++at_;
    return true;
  }

  void expect(char c) {
    if (!take(c)) throw JsonError();
  }

  void expect_end() {
    if (peek() != '\0' || at_ < end_) throw JsonError();
  }

  // Calls read() at each item of a list, which it must read, or at the key of each member of an object.
  template <class Read>
  void items(char open, char close, Read&& read) {
    expect(open);
    if (take(close)) return;
    do {
      read();
    } while (take(','));
    expect(close);
  }

  // Appends the UTF-8 of a string. A lone surrogate has three bytes, as with Python's error handler "surrogatepass".
  void string(std::string& out) {
    expect('"');
    for (;;) {
      const uint8_t* const begin = at_;
      while (at_ < end_ && *at_ >= ' ' && *at_ != '"' && *at_ != '\\') ++at_;
      out.append(reinterpret_cast<const char*>(begin), static_cast<size_t>(at_ - begin));
      const uint8_t last = next();
      if (last == '"') return;
      if (last != '\\') throw JsonError();
      escape(out);
    }
  }

  // The text of a number.
  std::string_view number() {
    peek();
    const uint8_t* const begin = at_;
    if (!take_word("NaN")) {
      take_word("-");
      if (!take_word("Infinity")) digits_of_number();
    }
    return {reinterpret_cast<const char*>(begin), static_cast<size_t>(at_ - begin)};
  }

  // An integer; one beyond int64 is the nearest int64.
  int64_t integer() {
    const std::string_view text = number();
    const bool minus = text[0] == '-';
    int64_t value = 0;
    for (const char c : text.substr(minus ? 1 : 0)) {
      if (c < '0' || c > '9') throw JsonError();
      const int64_t digit = minus ? '0' - c : c - '0';
      if (__builtin_mul_overflow(value, int64_t{10}, &value) || __builtin_add_overflow(value, digit, &value)) {
        return minus ? INT64_MIN : INT64_MAX;
      }
    }
    return value;
  }

  // Skips a value of any kind. Of lists and objects, only strings and the number of brackets are checked.
  StringView value() {
    peek();
    const uint8_t* const begin = at_;
    int64_t depth = 0;
    do {
      const char c = peek();
      if (c == '"') {
        skip_string();
      } else if (c == '{' || c == '[' || c == '}' || c == ']' || (depth > 0 && (c == ',' || c == ':'))) {
        depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        if (depth < 0) throw JsonError();
        ++at_;
      } else {
        skip_word();
      }
    } while (depth > 0);
    return {begin, at_};
  }

 private:
  uint8_t next() {
    if (at_ == end_) throw JsonError();
    return *at_++;
  }

  bool take_word(std::string_view word) {
    if (static_cast<size_t>(end_ - at_) < word.size()) return false;
    if (std::string_view(reinterpret_cast<const char*>(at_), word.size()) != word) return false;
    at_ += word.size();
    return true;
  }

  static bool is_digit(uint8_t c) { return c >= '0' && c <= '9'; }

  int64_t skip_digits() {
    const uint8_t* const begin = at_;
    while (at_ < end_ && is_digit(*at_)) ++at_;
    return at_ - begin;
  }

  // A fraction or an exponent without digits does not belong to the number.
  void digits_of_number() {
    if (!take_word("0") && skip_digits() == 0) throw JsonError();
    const uint8_t* const whole = at_;
    if (take_word(".") && skip_digits() == 0) at_ = whole;
    const uint8_t* const fraction = at_;
    if (!take_word("e") && !take_word("E")) return;
    if (!take_word("+")) take_word("-");
    if (skip_digits() == 0) at_ = fraction;
  }

  void skip_string() {
    ++at_;
    for (;;) {
      const uint8_t c = next();
      if (c == '"') return;
      if (c == '\\') next();
    }
  }

  void skip_word() {
    const uint8_t* const begin = at_;
    while (at_ < end_ && std::string_view(" \t\n\r,:\"[]{}").find(static_cast<char>(*at_)) == std::string_view::npos) {
      ++at_;
    }
    if (at_ == begin) throw JsonError();
  }

  // What follows a backslash.
  void escape(std::string& out) {
    const Codepoint escape = read_json_escape(at_ - 1, end_);
    if (escape.length == 0) throw JsonError();
    at_ += escape.length - 1;
    uint8_t bytes[4];
    out.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(write_utf8(&escape.value, 1, bytes) - bytes));
  }

  const uint8_t* at_;
  const uint8_t* end_;
};

// A document without the values of `vocab` and `merges`, which are its members, or those of its member `model`. Their
// places have their positions in `values`.
struct JsonCut {
  std::string rest;
  std::vector<StringView> values;

  explicit JsonCut(StringView text) : copied_(text.begin) {
    JsonText json(text);
    cut_members(json, true);
    json.expect_end();
    copy(text.end);
  }

 private:
  void copy(const uint8_t* end) {
    rest.append(reinterpret_cast<const char*>(copied_), static_cast<size_t>(end - copied_));
  }

  void cut_members(JsonText& json, bool is_document) {
    std::string key;
    json.items('{', '}', [&] {
      key.clear();
      json.string(key);
      json.expect(':');
      if (is_document && key == "model" && json.peek() == '{') return cut_members(json, false);
      const StringView value = json.value();
      if (key != "vocab" && key != "merges") return;
      copy(value.begin);
      copied_ = value.end;
      rest += std::to_string(values.size());
      values.push_back(value);
    });
  }

  const uint8_t* copied_;
};

// An object of token -> id.
struct JsonVocabulary {
  ReadStrings tokens;
  std::vector<int64_t> ids;

  explicit JsonVocabulary(StringView text) : tokens(static_cast<size_t>(text.size())) {
    JsonText json(text);
    tokens.mark();
    json.items('{', '}', [&] {
      json.string(tokens.data);
      tokens.mark();
      json.expect(':');
      ids.push_back(json.integer());
    });
    json.expect_end();
  }
};

// A list of [piece, score]. The strings of scores are their digits.
struct JsonPieces {
  ReadStrings pieces, scores;
  std::vector<double> imprecise_scores;

  explicit JsonPieces(StringView text)
      : pieces(static_cast<size_t>(text.size())), scores(static_cast<size_t>(text.size())) {
    JsonText json(text);
    pieces.mark();
    scores.mark();
    json.items('[', ']', [&] {
      json.expect('[');
      json.string(pieces.data);
      pieces.mark();
      json.expect(',');
      const std::string_view score = json.number();
      scores.data += score;
      scores.mark();
      imprecise_scores.push_back(imprecise_number(score));
      json.expect(']');
    });
    json.expect_end();
  }
};

// A list of "left right" or [left, right], as rows of two strings. The left one begins where the right one before it
// ends, so that the offsets of a row are those of the two tokens, and the first and last one those of their sum.
struct JsonMerges {
  ReadStrings tokens;
  StringView bad{};  // the first item that is something else, or null; `tokens` are those before it

  explicit JsonMerges(StringView text) : tokens(static_cast<size_t>(text.size())) {
    JsonText json(text);
    json.items('[', ']', [&] {
      const JsonText before = json;
      const size_t size = tokens.data.size();
      if (!bad.begin && (json.peek() == '"' ? read_text(json) : read_list(json))) return;
      json = before;
      tokens.data.resize(size);
      const StringView item = json.value();
      if (!bad.begin) bad = item;
    });
    json.expect_end();
  }

 private:
  bool read_text(JsonText& json) {
    std::string& data = tokens.data;
    const size_t begin = data.size();
    json.string(data);
    const size_t space = data.find(' ', begin);
    if (space == std::string::npos || data.find(' ', space + 1) != std::string::npos) return false;
    data.erase(space, 1);
    for (const size_t offset : {begin, space, data.size()}) tokens.offsets.push_back(static_cast<int32_t>(offset));
    return true;
  }

  bool read_list(JsonText& json) {
    const auto begin = static_cast<int32_t>(tokens.data.size());
    if (!json.take('[') || json.peek() != '"') return false;
    json.string(tokens.data);
    const auto middle = static_cast<int32_t>(tokens.data.size());
    if (!json.take(',') || json.peek() != '"') return false;
    json.string(tokens.data);
    if (!json.take(']')) return false;
    tokens.offsets.insert(tokens.offsets.end(), {begin, middle});
    tokens.mark();
    return true;
  }
};

// A list of objects, of which the first `count` have a string `token_bytes`; the strings of those before the first that
// does not.
struct JsonTokens {
  ReadStrings tokens;
  int64_t size = 0;  // of the list

  JsonTokens(StringView text, int64_t count) : tokens(static_cast<size_t>(text.size())) {
    JsonText json(text);
    bool is_valid = true;
    tokens.mark();
    json.items('[', ']', [&] {
      if (size++ >= count || !is_valid || json.peek() != '{') {
        is_valid &= size > count;
        json.value();
        return;
      }
      is_valid = read_token(json);
      if (is_valid) tokens.mark();
    });
    json.expect_end();
  }

 private:
  // Reads an object, and appends the string `token_bytes`, the last one if there are several. Returns whether it is
  // one.
  bool read_token(JsonText& json) {
    const size_t begin = tokens.data.size();
    bool is_found = false;
    json.items('{', '}', [&] {
      key_.clear();
      json.string(key_);
      json.expect(':');
      if (key_ != "token_bytes") {
        json.value();
        return;
      }
      is_found = json.peek() == '"';
      tokens.data.resize(begin);
      is_found ? json.string(tokens.data) : void(json.value());
    });
    return is_found;
  }

  std::string key_;
};

}  // namespace stringops::convert
