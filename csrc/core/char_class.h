// Sets of ASCII characters, as tables for byte shuffles.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace stringops {

// A set of ASCII characters, which may also contain all other characters.
class CharSet {
 public:
  bool contains(uint8_t byte) const { return byte < 0x80 ? rows_[byte & 15] >> (byte >> 4) & 1 : beyond_ascii; }
  void add(uint8_t ascii) { rows_[ascii & 15] = static_cast<uint8_t>(rows_[ascii & 15] | 1 << (ascii >> 4)); }
  void remove(uint8_t ascii) { rows_[ascii & 15] = static_cast<uint8_t>(rows_[ascii & 15] & ~(1 << (ascii >> 4))); }
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

  bool operator==(const CharSet& other) const { return rows_ == other.rows_ && beyond_ascii == other.beyond_ascii; }
  bool operator!=(const CharSet& other) const { return !(*this == other); }

  // Row c & 15 has bit c >> 4 for each ASCII character c of the set: a table for byte shuffles.
  const std::array<uint8_t, 16>& rows() const { return rows_; }

  bool beyond_ascii = false;  // all code points from U+0080 on

 private:
  std::array<uint8_t, 16> rows_{};
};

}  // namespace stringops
