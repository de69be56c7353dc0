// The lines of a text: line ends are LF, CR LF and CR, as in Python's universal newlines.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace stringops::convert {

// Bit i is set if byte i of 64 is LF or CR.
inline uint64_t line_end_bits(const uint8_t* p) {
  uint64_t bits = 0;
#ifdef __SSE2__
  const __m128i lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
  for (int i = 0; i < 64; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + i));
    const __m128i equal = _mm_or_si128(_mm_cmpeq_epi8(bytes, lf), _mm_cmpeq_epi8(bytes, cr));
    bits |= uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(equal))} << i;
  }
#else
  for (int i = 0; i < 64; ++i) bits |= uint64_t{p[i] == '\n' || p[i] == '\r'} << i;
#endif
  return bits;
}

struct LineRanges {
  const uint8_t* data;
  int64_t size;
  bool is_last;      // the text ends at `size`; otherwise, a line without an end is not complete
  int64_t limit;     // lines that begin here or after are not listed
  int32_t* out;      // begin and end of each line, without the line end
  int64_t capacity;  // in lines
  int64_t count = 0;
  int64_t begin = 0;  // begin of the line that is not complete

  void find() {
    uint8_t last[64];
    for (int64_t at = 0; at < size; at += 64) {
      const int64_t n = std::min<int64_t>(size - at, 64);
      const uint8_t* block = data + at;
      if (n < 64) {
        std::memset(last, 0, sizeof last);
        std::memcpy(last, block, static_cast<size_t>(n));
        block = last;
      }
      for (uint64_t bits = line_end_bits(block); bits != 0; bits &= bits - 1) {
        if (!end_at(at + __builtin_ctzll(bits))) return;
      }
    }
    if (is_last && begin < size && add(size)) begin = size;
  }

 private:
  // Handles the LF or CR at `at`; returns false to stop.
  bool end_at(int64_t at) {
    if (at < begin) return true;  // the LF of CR LF
    int64_t next = at + 1;
    if (data[at] == '\r') {
      if (next == size && !is_last) return false;  // LF may follow
      if (next < size && data[next] == '\n') ++next;
    }
    if (!add(at)) return false;
    begin = next;
    return true;
  }

  bool add(int64_t end) {
    if (count == capacity || begin >= limit) return false;
    out[2 * count] = static_cast<int32_t>(begin);
    out[2 * count + 1] = static_cast<int32_t>(end);
    ++count;
    return true;
  }
};

}  // namespace stringops::convert
