// The large values of a tokenizer.json or tekken.json: vocabularies and merges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "convert/json_number.h"
#include "convert/json_text.h"
#include "convert/read_strings.h"

namespace stringops::convert {

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
