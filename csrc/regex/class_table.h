// Maps code points to the numbers of classes, in two stages.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/codepoint_set.h"
#include "core/two_stages.h"

namespace stringops {

class ClassTable {
 public:
  static constexpr int kBits = 6;
  explicit ClassTable(const std::vector<CodepointSet>& classes);

  // The table of the classes that `class_of` gives the entries of another one, which are below `num_entries`.
  template <class Block, class Entry, class ClassOf>
  ClassTable(const TwoStages<kBits, Block, Entry>& stages, size_t num_entries, const ClassOf& class_of) {
    std::vector<uint8_t> classes(num_entries);
    for (size_t i = 0; i < num_entries; ++i) classes[i] = class_of(static_cast<Entry>(i));
    const Block* const known_end = stages.blocks + (stages.limit >> kBits);
    const size_t num_known = (*std::max_element(stages.blocks, known_end) + size_t{1}) << kBits;
    entries_.assign(num_known + (size_t{1} << kBits), classes[0]);
    for (size_t i = 0; i < num_known; ++i) entries_[i] = classes[stages.entries[i]];
    blocks_.assign(stages.blocks, known_end);
    blocks_.resize((kMaxCodepoint >> kBits) + 1, static_cast<uint16_t>(num_known >> kBits));
  }

  // Sets the class of each code point of a range to change(class).
  template <class Change>
  void change(CodepointRange range, const Change& change) {
    constexpr uint32_t kSize = 1u << kBits;
    for (uint32_t at = range.first; at <= range.last; ++at) {
      uint16_t& block = blocks_[at >> kBits];
      if (at == range.first || at % kSize == 0) {  // the blocks of the range are its own
        const size_t begin = size_t{block} << kBits;
        block = static_cast<uint16_t>(entries_.size() >> kBits);
        for (size_t i = 0; i < kSize; ++i) entries_.push_back(entries_[begin + i]);
      }
      uint8_t& entry = entries_[size_t{block} << kBits | at % kSize];
      entry = change(entry);
    }
  }

  // The number of the class of the code point with these bits above the low ones, and with the low ones of `last`, the
  // last byte of its UTF-8; the number of classes if it has none.
  uint8_t at(uint32_t high, uint8_t last) const {
    return entries_[size_t{blocks_[high]} << kBits | (last & ((1u << kBits) - 1))];
  }

  // Returns the class of the code point beyond ASCII at p, where 4 bytes can be read; any class if it is not UTF-8.
  uint8_t at(const uint8_t* p) const {
    const uint32_t second = p[1] & 0x3Fu;
    if (p[0] < 0xE0) return at(p[0] & 0x1Fu, p[1]);
    if (p[0] < 0xF0) return at((p[0] & 0xFu) << 6 | second, p[2]);
    return at(std::min((p[0] & 7u) << 12 | second << 6 | (p[2] & 0x3Fu), kMaxCodepoint >> kBits), p[3]);
  }
  // Same as above, but reads no byte at `end`.
  uint8_t at(const uint8_t* p, const uint8_t* end) const {
    if (end - p >= 4) return at(p);
    uint8_t copy[4] = {};
    std::copy(p, end, copy);
    return at(copy);
  }

 private:
  std::vector<uint16_t> blocks_;
  std::vector<uint8_t> entries_;
};

}  // namespace stringops
