// The limit of cuts per string, on masks of one bit per byte.
//
//   bytes    a = b = c | d | e = = f      at most one cut per string
//   cuts     0 1 0 1 0   0   0 1 1 0
//   beyond   0 0 0 1 0   0   0 0 1 0      left by drop_allowed
#pragma once

#include <cstdint>

#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

class CutLimit {
 public:
  // `max_cuts` is the maximum number of cuts per string; negative: no limit. If the first block begins inside a string,
  // then after `cuts` cuts of that string.
  CutLimit(int64_t max_cuts, int64_t cuts, const simd::Primitives& simd)
      : simd_(simd), max_cuts_(max_cuts), cuts_(cuts) {}

  bool exists() const { return max_cuts_ >= 0; }
  int64_t max_cuts() const { return max_cuts_; }

  // For the string that goes on in the next block: its cuts so far, whether they have reached the limit, and whether
  // they have exceeded it.
  int64_t cuts() const { return cuts_; }
  bool is_reached() const { return exists() && cuts_ >= max_cuts_; }
  bool is_exceeded() const { return exists() && cuts_ > max_cuts_; }

  void begin_string() { cuts_ = 0; }

  // Whether a string of the block has more bytes than allowed cuts, or began in an earlier block.
  bool may_be_exceeded(const Block& block) const;

  // Clears the first max_cuts bits of each string, and returns true; some may be left. Returns false if no string has
  // more cuts, and then `cuts` is unspecified. `string_starts` is that of mark_string_starts. The blocks of a long
  // string must come in order.
  bool drop_allowed(const Block& block, const uint64_t* string_starts, uint64_t* cuts);

  // Instead, clears the other bits: those of cuts beyond the limit. `scratch` has room for as many words.
  void drop_beyond(const Block& block, const uint64_t* string_starts, uint64_t* cuts, uint64_t* scratch);

  // Whether cutting the strings of the block one by one (simd::LimitedCuts) is faster than masks. Those take time by
  // the byte, and less if no string is longer than its limit; cutting strings takes time by the string.
  bool suits_strings(const Block& block) const;

 private:
  const simd::Primitives& simd_;
  const int64_t max_cuts_;
  int64_t cuts_;
};

}  // namespace stringops::kernels
