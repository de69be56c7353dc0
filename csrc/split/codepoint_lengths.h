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

  int64_t operator[](int64_t k) const { return k == 0 ? counts_[0] : counts_[k] - counts_[k - 1]; }

 private:
  static constexpr int64_t kWords = words_for(kBlockBytes) + 1;

  const int32_t* counts_ = nullptr;  // of strings 0..k
  std::array<uint64_t, kWords> ends_;
  std::array<int32_t, kWords> prefix_;
  std::array<int32_t, kBlockStrings> counted_;
};

}  // namespace stringops::kernels
