// The masks of runs before a character (RunBefore).
//
//   bytes    f ( 1 0 , g _ 2 ( x        [a-z_]\w*\(
//   runs     1 0 1 1 0 1 1 1 0 1
//   kept     1 1 0 0 0 1 1 1 1 0
#pragma once

#include <array>
#include <cstdint>

#include "core/bits.h"
#include "regex/simple_patterns.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

class RunMasks {
 public:
  RunMasks(const RunBefore& rule, const simd::Primitives& simd) : rule_(rule), simd_(simd) {}

  void split(const Block& block, uint64_t* kept, uint64_t* ends);

 private:
  static constexpr int64_t kWords = words_for(kBlockBytes);
  using PaddedMask = std::array<uint64_t, kWords + 2>;

  int64_t first_in_run(int64_t begin, int64_t end) const;
  int64_t begin_of_run(int64_t last) const;
  int64_t continue_run(const Block& block, uint64_t* kept, uint64_t* ends);
  void open_run(const Block& block, uint64_t* kept);

  const RunBefore& rule_;
  const simd::Primitives& simd_;
  // For a run that the next block continues: how many bytes of it are left, whether the character is after them, and
  // whether a piece has begun.
  struct {
    bool exists = false, matches = false, has_begun = false;
    int64_t left = 0;
  } open_;
  PaddedMask runs_, firsts_, begins_, after_, starts_;
};

}  // namespace stringops::kernels
