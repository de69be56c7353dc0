// The order of strings by their bytes; for UTF-8, this is the order of code points.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/string_span.h"

namespace stringops {

constexpr int64_t kPrefixBytes = 8;

namespace detail {
// All ones in the first n bytes of a number whose first byte is its highest one.
constexpr uint64_t kFirstBytes[kPrefixBytes + 1] = {0,
                                                    0xFF00000000000000,
                                                    0xFFFF000000000000,
                                                    0xFFFFFF0000000000,
                                                    0xFFFFFFFF00000000,
                                                    0xFFFFFFFFFF000000,
                                                    0xFFFFFFFFFFFF0000,
                                                    0xFFFFFFFFFFFFFF00,
                                                    0xFFFFFFFFFFFFFFFF};
}  // namespace detail

// Same as load_prefix, but eight bytes at `begin` must be readable.
inline uint64_t load_whole_prefix(const uint8_t* begin, int64_t size) {
  uint64_t word;
  std::memcpy(&word, begin, kPrefixBytes);
  return __builtin_bswap64(word) & detail::kFirstBytes[std::min(size, kPrefixBytes)];
}

// Returns the first eight bytes as a number whose order is that of the bytes. Shorter strings are padded with zeros, so
// that "a" and "a\0" differ only in their sizes. Bytes up to `readable_end` may be read. Sizes are unpredictable, so
// there is no branch on them, unless the string is near the end.
inline uint64_t load_prefix(StringView text, const uint8_t* readable_end) {
  const int64_t size = text.size();
  uint64_t word = 0;
  if (readable_end - text.begin >= kPrefixBytes) {
    std::memcpy(&word, text.begin, kPrefixBytes);
  } else if (size > 0) {
    std::memcpy(&word, text.begin, static_cast<size_t>(size));
  }
  return __builtin_bswap64(word) & detail::kFirstBytes[std::min(size, kPrefixBytes)];
}

// Returns a negative number, 0 or a positive number if a is less than, equal to or greater than b.
inline int64_t compare_bytes(StringView a, StringView b) {
  const int64_t shared = std::min(a.size(), b.size());
  const int order = shared > 0 ? std::memcmp(a.begin, b.begin, static_cast<size_t>(shared)) : 0;
  return order != 0 ? order : a.size() - b.size();
}

// Same as above for strings whose prefixes are known; these decide most comparisons.
inline int64_t compare_bytes(StringView a, uint64_t a_prefix, StringView b, uint64_t b_prefix) {
  if (a_prefix != b_prefix) return a_prefix < b_prefix ? -1 : 1;
  if (std::min(a.size(), b.size()) <= kPrefixBytes) return a.size() - b.size();
  return compare_bytes({a.begin + kPrefixBytes, a.end}, {b.begin + kPrefixBytes, b.end});
}

}  // namespace stringops
