// Patterns that need no regular-expression engine: one set of characters, once or repeated, or a literal text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace stringops {

// A set of ASCII characters, and of all others or none.
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

  // Row c & 15 has bit c >> 4 for each ASCII character c of the set: what a byte shuffle looks up.
  const std::array<uint8_t, 16>& rows() const { return rows_; }

  bool beyond_ascii = false;  // all code points from U+0080 on

 private:
  std::array<uint8_t, 16> rows_{};
};

struct SetPattern {
  CharSet set;
  bool repeated;  // "+": a run of them; otherwise one
};

// The pattern as a set: [...], [^...], \d \w \s \D \W \S, an ordinary character, each alone or with "+". Nothing where
// it is more than that, or where a character beyond ASCII is named: those are for the engine.
std::optional<SetPattern> parse_set_pattern(std::string_view pattern);

// The characters with which a match can begin, where each alternative plainly begins with a set that is not optional.
std::optional<CharSet> parse_first_chars(std::string_view pattern);

// The text that the pattern matches, if it is one text and not empty: ordinary characters and escaped punctuation.
std::optional<std::string> parse_literal_pattern(std::string_view pattern);

}  // namespace stringops
