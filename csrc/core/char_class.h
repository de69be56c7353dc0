// Patterns that need no regular expression engine: a set of characters, possibly repeated, or a literal text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stringops {

// A set of ASCII characters, with all other characters or without any.
class CharSet {
 public:
  bool contains(uint8_t byte) const { return byte < 0x80 ? rows_[byte & 15] >> (byte >> 4) & 1 : beyond_ascii; }
  void add(uint8_t ascii) { rows_[ascii & 15] = static_cast<uint8_t>(rows_[ascii & 15] | 1 << (ascii >> 4)); }
  void add(uint8_t first, uint8_t last) {
    for (int c = first; c <= last; ++c) add(static_cast<uint8_t>(c));
  }
  void add(const CharSet& other) {
    for (size_t i = 0; i < rows_.size(); ++i) rows_[i] = static_cast<uint8_t>(rows_[i] | other.rows_[i]);
    beyond_ascii |= other.beyond_ascii;
  }
  void invert() {
    for (uint8_t& row : rows_) row = static_cast<uint8_t>(~row);
    beyond_ascii = !beyond_ascii;
  }

  // Row c & 15 has bit c >> 4 for each ASCII character c of the set: a table for byte shuffles.
  const std::array<uint8_t, 16>& rows() const { return rows_; }

  bool beyond_ascii = false;  // all code points from U+0080 on

 private:
  std::array<uint8_t, 16> rows_{};
};

struct SetPattern {
  CharSet set;
  bool repeated;  // "+": a run of them; otherwise one
};

// The pattern as a set: [...], [^...], \d \w \s \D \W \S or an ordinary character, with or without "+". Nothing if it
// is anything else, or names a character beyond ASCII.
std::optional<SetPattern> parse_set_pattern(std::string_view pattern);

// The characters that a match can begin with, if each alternative begins with a set that is not optional.
std::optional<CharSet> parse_first_chars(std::string_view pattern);

// What every match of a pattern begins with: characters of a set, then an ASCII character that is not in it. So a match
// can be looked for by that character.
struct RunPrefix {
  CharSet run;
  int64_t count;  // of the characters, all ASCII; 0: one or more
  uint8_t after;
};

std::optional<RunPrefix> parse_run_prefix(std::string_view pattern);

// The text that the pattern matches, if it is one text and not empty: ordinary characters and escaped punctuation.
std::optional<std::string> parse_literal_pattern(std::string_view pattern);

}  // namespace stringops
