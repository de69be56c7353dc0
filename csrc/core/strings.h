// Iterates over strings [first, last) of a span, and writes the offsets of results.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/narrow.h"
#include "core/string_span.h"

namespace stringops {

// Returns the number of bytes of strings [first, last), which is 0 or more for any offsets.
inline int64_t count_bytes(const StringSpan& s, int64_t first, int64_t last) {
  return first < last ? std::max<int64_t>(0, int64_t{s.offsets[last]} - s.offsets[first]) : 0;
}

// Calls f(index, range) for each string; ranges are within the data for any offsets.
template <class F>
inline void for_each_string(const StringSpan& s, int64_t first, int64_t last, F&& f) {
  const int32_t* const offsets = s.offsets;
  for (int64_t i = first; i < last; ++i) f(i, s.clamped(offsets[i], offsets[i + 1]));
}

// Calls f(index, text) for each string until it returns false. `text` is a copy.
template <class F>
inline void for_each_copy(const StringSpan& s, int64_t first, int64_t last, F&& f) {
  std::string copy;
  bool more = true;
  for_each_string(s, first, last, [&](int64_t i, ByteRange range) {
    if (!more) return;
    copy.assign(reinterpret_cast<const char*>(s.data) + range.begin, static_cast<size_t>(range.size()));
    more = f(i, std::string_view(copy));
  });
}

// Writes the offsets of strings from string `first` on. The offset where that one begins is written already.
class OffsetsWriter {
 public:
  explicit OffsetsWriter(int32_t* offsets, int64_t first = 0) : at_(offsets + first + 1) {}

  // Appends a string, which begins where the one before it ends.
  void push(int64_t end) { *at_++ = narrow<int32_t>(end); }

  // Appends `count` strings. String i ends at base + ends[i].
  void append(const int32_t* ends, int64_t count, int64_t base) {
    const auto shift = static_cast<uint32_t>(narrow<int32_t>(base));
    for (int64_t k = 0; k < count; ++k) at_[k] = static_cast<int32_t>(static_cast<uint32_t>(ends[k]) + shift);
    at_ += count;
  }

 private:
  int32_t* at_;  // the end of the next string
};

}  // namespace stringops
