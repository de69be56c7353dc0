// equal_strings for tiers without masked loads. Each tier inlines it into a function of its own, with its own
// comparison of 16 bytes.
#pragma once

#include <algorithm>
#include <cstring>

#include "core/narrow.h"
#include "simd/primitives.h"

namespace stringops::simd {

// Strings per block. The block is so small that the results of one pass are still in the first-level cache in the next
// one.
constexpr int64_t kEqualBlock = 4096;

// Sets out[i] if the lengths at i are equal, as unsigned numbers. The loop is vectorized.
[[gnu::always_inline]] inline void equal_lengths(const uint32_t* a, const uint32_t* a_end, const uint32_t* b,
                                                 const uint32_t* b_end, int64_t count, bool* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = a_end[i] - a[i] == b_end[i] - b[i];
}
[[gnu::always_inline]] inline void equal_lengths(const uint32_t* a, const uint32_t* a_end, uint32_t length,
                                                 int64_t count, bool* out) {
  for (int64_t i = 0; i < count; ++i) out[i] = a_end[i] - a[i] == length;
}

// equal_16(p, q, n) returns whether the first n <= 16 bytes at p and q are equal; 16 may be read of both.
template <class Equal16>
[[gnu::always_inline]] inline void equal_listed(const StringRun& a, const StringRun& b, int64_t count, bool* out,
                                                const Equal16& equal_16) {
  const auto* x = reinterpret_cast<const uint32_t*>(a.begins);
  const auto* x_end = reinterpret_cast<const uint32_t*>(a.ends);
  // A short single string is copied to a buffer of which 16 bytes can be read, because the end of its data is often too
  // near.
  uint8_t scalar[16] = {};
  uint32_t scalar_offsets[2];
  const uint8_t* b_data = b.data;
  int64_t b_bytes = b.num_bytes;
  if (b.is_broadcast) {
    scalar_offsets[0] = static_cast<uint32_t>(*b.begins);
    scalar_offsets[1] = static_cast<uint32_t>(*b.ends);
    asm volatile("" ::: "memory");  // the offsets are not read again in place of the copies
    const int64_t begin = scalar_offsets[0], size = scalar_offsets[1] - scalar_offsets[0];
    if (size <= 16 && begin + size <= b_bytes) {
      if (size) std::memcpy(scalar, b_data + begin, static_cast<size_t>(size));
      b_data = scalar;
      b_bytes = 16;
      scalar_offsets[0] = 0;
      scalar_offsets[1] = narrow<uint32_t>(size);
    }
  }
  const auto* y = b.is_broadcast ? scalar_offsets : reinterpret_cast<const uint32_t*>(b.begins);
  const auto* y_end = b.is_broadcast ? scalar_offsets + 1 : reinterpret_cast<const uint32_t*>(b.ends);
  const int64_t y_step = b.is_broadcast ? 0 : 1;

  uint16_t listed[kEqualBlock];
  for (; count > 0; count -= kEqualBlock) {
    const int64_t here = std::min(count, kEqualBlock);
    if (b.is_broadcast)
      equal_lengths(x, x_end, y_end[0] - y[0], here, out);
    else
      equal_lengths(x, x_end, y, y_end, here, out);
    // It is unpredictable which lengths are equal, so these strings are listed before they are compared.
    int64_t num_listed = 0;
    for (int64_t i = 0; i < here; ++i) {
      listed[num_listed] = narrow<uint16_t>(i);
      num_listed += out[i];
    }
    for (int64_t k = 0; k < num_listed; ++k) {
      const int64_t i = listed[k];
      // The offsets are read again, so they are bounded.
      const uint32_t p = x[i], q = y[i * y_step], n = x_end[i] - p;
      const int64_t a_left = a.num_bytes - p, b_left = b_bytes - q;
      if (n <= 16 && a_left >= 16 && b_left >= 16) {
        out[i] = equal_16(a.data + p, b_data + q, n);
      } else {
        out[i] = a_left >= n && b_left >= n && (n == 0 || std::memcmp(a.data + p, b_data + q, n) == 0);
      }
    }
    x += kEqualBlock;
    x_end += kEqualBlock;
    y += kEqualBlock * y_step;
    y_end += kEqualBlock * y_step;
    out += kEqualBlock;
  }
}

}  // namespace stringops::simd
