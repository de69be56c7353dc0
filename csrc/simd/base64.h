// base64, three bytes at a time: the reference implementation, with which AVX2 finishes texts near the end of a buffer.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/narrow.h"
#include "simd/compare_strings.h"
#include "simd/primitives.h"

namespace stringops::simd {

// Writes a text by the characters of an alphabet, up to the first four that do not fit. Returns its end.
inline uint8_t* write_base64(StringView text, const char* characters, uint8_t* out, const uint8_t* out_end) {
  const auto write_group = [&](uint32_t bits) {
    for (int i = 0; i < 4; ++i) *out++ = static_cast<uint8_t>(characters[bits >> (18 - 6 * i) & 63]);
  };
  const uint8_t* p = text.begin;
  for (; text.end - p >= 3 && out_end - out >= 4; p += 3) {
    write_group(uint32_t{p[0]} << 16 | uint32_t{p[1]} << 8 | p[2]);
  }
  if (p == text.end || out_end - out < 4) return out;
  const bool has_two = text.end - p == 2;
  write_group(uint32_t{p[0]} << 16 | (has_two ? uint32_t{p[1]} << 8 : 0));
  out[-1] = '=';
  if (!has_two) out[-2] = '=';
  return out;
}

inline void base64(const StringRun& strings, int64_t count, std::string_view alphabet, uint8_t* out,
                   const uint8_t* out_end, int32_t* ends) {
  const uint8_t* const begin = out;
  for (int64_t i = 0; i < count; ++i) {
    out = write_base64(string_at(strings, i), alphabet.data(), out, out_end);
    ends[i] = narrow<int32_t>(out - begin);
  }
}

}  // namespace stringops::simd
