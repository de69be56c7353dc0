// Positions of set bits, for tiers that compress bytes by a lookup.
#pragma once

#include <cstdint>

namespace stringops::simd {

// Row m holds the positions of m's set bits, for a lookup that moves those of eight bytes to the front.
struct CompressTable {
  alignas(64) uint8_t positions[256][8];
};

constexpr CompressTable make_compress_table() {
  CompressTable table{};
  for (int mask = 0; mask < 256; ++mask) {
    int at = 0;
    for (int bit = 0; bit < 8; ++bit) {
      if (mask >> bit & 1) table.positions[mask][at++] = static_cast<uint8_t>(bit);
    }
  }
  return table;
}

constexpr CompressTable kCompress = make_compress_table();

}  // namespace stringops::simd
