// Converts NumPy's fixed-width strings (dtypes U and S), which are padded with zeros; trailing zeros are lost. It takes
// two passes, as for lists. The first pass keeps the lengths, so that the padding, often most of the array, is read
// once. A concurrent write may change the array, so both passes keep to their bounds.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

#include "core/codepoints.h"
#include "core/copy_bytes.h"
#include "core/narrow.h"

namespace stringops::convert {

// An array of `count` elements of `width` units: code points (U) or bytes (S).
template <class Unit>
struct FixedWidth {
  const Unit* units;
  int64_t count;
  int64_t width;
  int32_t* lengths;  // the length of each element, in units: set by `measure`

  const Unit* element(int64_t i) const { return units + i * width; }
  const Unit* end() const { return units + count * width; }

  int64_t length(int64_t i) const {
    constexpr auto kUnit = static_cast<int64_t>(sizeof(Unit));
    return (without_zeros(reinterpret_cast<const uint8_t*>(element(i)), width * kUnit) + kUnit - 1) / kUnit;
  }

  // Whether element i may still have n units, judged by the two around its end.
  bool may_have_length(int64_t i, int64_t n) const {
    if (n < 0 || n > width) return false;
    const Unit* const e = element(i);
    return (n == 0 || e[n - 1] != 0) && (n == width || e[n] == 0);
  }

 private:
  // Returns the number of bytes up to the last one that is not zero. The padding is read in steps of 64 and then of 8
  // bytes.
  static int64_t without_zeros(const uint8_t* bytes, int64_t n) {
    uint64_t words[8];
    for (; n >= 64; n -= 64) {
      std::memcpy(words, bytes + n - 64, 64);
      uint64_t any = 0;
      for (const uint64_t word : words) any |= word;
      if (any != 0) break;
    }
    for (; n >= 8; n -= 8) {
      std::memcpy(words, bytes + n - 8, 8);
      if (words[0] != 0) return n - __builtin_clzll(words[0]) / 8;
    }
    while (n > 0 && bytes[n - 1] == 0) --n;
    return n;
  }
};

// The total number of bytes, or the first element that is not valid Unicode, and the position of its invalid unit.
struct FixedWidthSize {
  int64_t num_bytes = 0;
  int64_t bad_element = -1;
  int64_t bad_unit = 0;
};

inline FixedWidthSize measure(const FixedWidth<uint8_t>& in) {
  FixedWidthSize size;
  for (int64_t i = 0; i < in.count; ++i) {
    const int64_t n = in.length(i);
    in.lengths[i] = static_cast<int32_t>(n);  // a length that does not fit belongs to a result that is too large
    size.num_bytes += n;
  }
  return size;
}

inline FixedWidthSize measure(const FixedWidth<uint32_t>& in) {
  FixedWidthSize size;
  for (int64_t i = 0; i < in.count; ++i) {
    const uint32_t* const e = in.element(i);
    const int64_t n = in.length(i);
    in.lengths[i] = static_cast<int32_t>(n);
    uint32_t greatest = 0;
    for (int64_t k = 0; k < n; ++k) greatest = greatest > e[k] ? greatest : e[k];
    const int64_t bytes = utf8_size(e, n);
    if (bytes < 0 || greatest > 0x10FFFF) {
      size.bad_element = i;
      while (size.bad_unit < n - 1 && e[size.bad_unit] <= 0x10FFFF && !is_surrogate(e[size.bad_unit])) {
        ++size.bad_unit;
      }
      return size;
    }
    size.num_bytes += bytes;
  }
  return size;
}

// Writes element `i` at `out` and advances `out`. Returns false if it would pass `end`, or if the element has changed
// and has another length. Bytes after it, which are written later, may be overwritten.
inline bool write_element(const FixedWidth<uint8_t>& in, int64_t i, uint8_t*& out, uint8_t* end) {
  const int64_t n = in.lengths[i];
  if (!in.may_have_length(i, n) || n > end - out) return false;
  copy_short(out, end, in.element(i), in.end(), n);
  out += n;
  return true;
}

inline bool write_element(const FixedWidth<uint32_t>& in, int64_t i, uint8_t*& out, uint8_t* end) {
  const uint32_t* const e = in.element(i);
  const int64_t n = in.lengths[i];
  if (!in.may_have_length(i, n)) return false;
  if (n <= (end - out) / 4) {
    out = write_utf8(e, n, out);
    return true;
  }
  for (int64_t k = 0; k < n; ++k) {
    uint8_t bytes[4];
    const int64_t size = write_utf8(e + k, 1, bytes) - bytes;
    if (size > end - out) return false;
    std::memcpy(out, bytes, static_cast<size_t>(size));
    out += size;
  }
  return true;
}

// Writes rows of `cols` strings. Returns false if the array has changed since it was measured.
template <class Array>
bool write(const Array& in, int64_t cols, uint8_t* data, int64_t num_bytes, int32_t* offsets) {
  uint8_t* at = data;
  uint8_t* const end = data + num_bytes;
  for (int64_t i = 0, col = 0; i < in.count; ++i) {
    if (col == 0) *offsets++ = narrow<int32_t>(at - data);
    if (!write_element(in, i, at, end)) return false;
    *offsets++ = narrow<int32_t>(at - data);
    col = col + 1 < cols ? col + 1 : 0;
  }
  return at == end;
}

}  // namespace stringops::convert
