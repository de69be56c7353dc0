// Replaces a string by another in each string: the occurrences that do not overlap, from left to right.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "driver/map.h"
#include "driver/runner.h"

namespace stringops::kernels {

// Replaces the first `max_count` occurrences in each string; a negative number replaces all.
struct Replacement {
  std::string_view old;
  std::string_view by;
  int64_t max_count;

  int64_t num_replaced(int64_t count) const { return max_count < 0 ? count : std::min(count, max_count); }
};

// Replaces "", by inserting before each code point and at the end of the string, where a byte that is not part of a
// code point counts as one; and strings that are too long to be found in blocks.
struct ReplaceOneByOne {
  using Driver = StringMap;
  static constexpr Cost kCost{15, 3};

  Replacement of;

  int64_t size(StringView in) const;
  uint8_t* write(StringView in, uint8_t* out, uint8_t* out_end) const;
};

// Replaces other texts, in blocks of strings.
struct ReplaceInBlocks {
  using Driver = TaskMap;

  Replacement of;

  Cost cost() const { return {5, 0.3}; }

  class Worker {
   public:
    explicit Worker(const ReplaceInBlocks& f);

    // Returns a part of the bytes if they are far too many.
    int64_t measure(const StringSpan& in, int64_t first, int64_t last) const;
    bool write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at,
               int64_t limit) const;

   private:
    const Replacement of_;
    const int64_t old_size_, by_size_;
    const std::string padded_by_;  // bytes after `by` can be read, so that it is copied fast
  };
};

bool is_replaced_in_blocks(const Replacement& of);

// allocate(num_bytes) -> MapOutput.
template <class Allocate>
void replace_strings(const char* op, const Runner& runner, const Replacement& of, const StringSpan& in,
                     Allocate&& allocate) {
  is_replaced_in_blocks(of) ? map_strings(op, runner, ReplaceInBlocks{of}, in, allocate)
                            : map_strings(op, runner, ReplaceOneByOne{of}, in, allocate);
}

}  // namespace stringops::kernels
