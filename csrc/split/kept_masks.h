// The masks of the blocks of a task, which the first pass keeps for the second: of each block whether it has a piece,
// and if so a quarter of its bytes. If a block of the second pass is another one (race), its masks are arbitrary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/bits.h"

namespace stringops::kernels {

struct KeptMasks {
  std::vector<uint64_t>* keep_in = nullptr;
  const std::vector<uint64_t>* take_from = nullptr;

  static size_t words_of(int64_t num_bytes) { return static_cast<size_t>(2 * words_for(num_bytes)); }  // about

  // The masks of the next block of so many bytes. Returns whether it has a piece.
  bool keep(const uint64_t* kept, const uint64_t* ends, int64_t num_bytes) const;
  bool take(uint64_t* kept, uint64_t* ends, int64_t num_bytes);

 private:
  void take_words(int64_t num_bytes, uint64_t* out);

  size_t taken_ = 0;
};

}  // namespace stringops::kernels
