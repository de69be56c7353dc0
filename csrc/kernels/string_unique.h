// Distinct strings, numbered in order of first appearance. No torch here.
#pragma once

#include <cstdint>
#include <vector>

#include "core/string_span.h"

namespace stringops::kernels {

struct UniqueStrings {
  // Of each distinct string: where it appeared first, a private copy, and how many equal it.
  struct Range {
    int32_t begin;
    int32_t end;
  };
  std::vector<Range> ranges;
  std::vector<uint32_t> counts;
  int64_t num_bytes = 0;  // of all distinct strings
};

// Numbers every string, of at most 2^31 - 1, to inverse[0, in.size()).
UniqueStrings measure_unique(const StringSpan& in, int64_t* inverse);

// Writes the distinct strings: data of unique.num_bytes, offsets of unique.ranges.size() + 1.
void write_unique(const StringSpan& in, const UniqueStrings& unique, uint8_t* data, int32_t* offsets);

}  // namespace stringops::kernels
