// A map from code points to small numbers in two stages, as tools/write_unicode_tables.py writes it: the high bits of a
// code point select a block, and blocks with the same entries are stored once.
#pragma once

#include <cstdint>

namespace stringops {

// Blocks have 1 << kBits entries. With 6 bits, the last byte of a code point in UTF-8 selects the entry, and the bytes
// before it select the block.
template <int kBits, class Block, class Entry>
struct TwoStages {
  const Block* blocks;
  const Entry* entries;
  uint32_t limit;  // the first code point of which, and after which, all entries are 0

  Entry operator[](uint32_t codepoint) const {
    constexpr uint32_t kLow = (1u << kBits) - 1;
    return codepoint < limit ? entries[uint32_t{blocks[codepoint >> kBits]} << kBits | (codepoint & kLow)] : Entry{0};
  }
};

}  // namespace stringops
