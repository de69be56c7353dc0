// The lengths of strings in code points. A byte that is not part of a code point counts as one.
#pragma once

#include <array>
#include <cstdint>

#include "core/bits.h"
#include "core/string_span.h"
#include "split/blocks.h"

namespace stringops::kernels {

int64_t length_in_codepoints(StringView in);

// The code points of each string of a block.
class BlockLengths {
 public:
  // Returns false if a string is not UTF-8.
  bool count(const Block& block);

  int64_t operator[](int64_t k) const { return counts_[k] - before(k); }

  // The code points of string k before its byte `position`, where one begins.
  int64_t count_before(const Block& block, int64_t k, int64_t position) const {
    if (counts_ != counted_.data()) return position;  // all ASCII
    const int64_t at = block.begin(k) + position;
    const auto w = static_cast<size_t>(at / kWordBits);
    return prefix_[w] + popcount(ends_[w] & low_bits(at % kWordBits)) - before(k);
  }

 private:
  static constexpr int64_t kWords = words_for(kBlockBytes) + 1;

  int64_t before(int64_t k) const { return k == 0 ? 0 : counts_[k - 1]; }

  const int32_t* counts_ = nullptr;  // of strings 0..k
  std::array<uint64_t, kWords> ends_;
  std::array<int32_t, kWords> prefix_;
  std::array<int32_t, kBlockStrings> counted_;
};

}  // namespace stringops::kernels
