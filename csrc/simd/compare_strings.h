// compare_strings without vectors; tiers with vectors use it for single strings.
#pragma once

#include <algorithm>
#include <cstring>

#include "core/byte_order.h"
#include "simd/primitives.h"

namespace stringops::simd {

inline StringView string_at(const StringRun& run, int64_t i) {
  const int64_t at = run.is_broadcast ? 0 : i;
  const StringSpan span{run.data, run.num_bytes, nullptr, 0};
  return span.view(span.clamped(run.begins[at], run.ends[at]));
}

inline int8_t compare_at(const StringRun& a, const StringRun& b, int64_t i) {
  const int64_t order = compare_bytes(string_at(a, i), string_at(b, i));
  return static_cast<int8_t>((order > 0) - (order < 0));
}

inline void compare_each(const StringRun& a, const StringRun& b, int64_t count, int8_t* order) {
  for (int64_t i = 0; i < count; ++i) {
    const StringView x = string_at(a, i), y = string_at(b, i);
    const uint64_t left = load_prefix(x, a.data + a.num_bytes), right = load_prefix(y, b.data + b.num_bytes);
    // It is unpredictable which string is less, so there is no branch but the one for equal prefixes.
    const int prefixes = (left > right) - (left < right), sizes = (x.size() > y.size()) - (x.size() < y.size());
    order[i] = static_cast<int8_t>(prefixes != 0 ? prefixes : sizes);
    if (left == right && std::min(x.size(), y.size()) > kPrefixBytes) order[i] = compare_at(a, b, i);
  }
}

}  // namespace stringops::simd
