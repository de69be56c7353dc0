// The rules of ONNX StringSplit-20, and the cutting of a single string by them.
//
// `for_each_piece` is the reference implementation. BlockSplitter (split/block_splitter.h) gives the same pieces for
// many strings at once.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/whitespace.h"

namespace stringops::kernels {

struct Splitter {
  // Empty: cut at runs of whitespace, trimming both ends.
  std::string_view delimiter;
  // Maximum number of cuts per string; negative: no limit.
  int64_t maxsplit = -1;
  // Deviations of onnxruntime's StringSplit: whitespace is the byte 0x20 alone; the rest after the last cut is stripped
  // of trailing spaces; with a delimiter, "" has no pieces instead of one.
  bool onnxruntime = false;
  // Whether empty pieces are left out. Their delimiters still count as cuts.
  bool skip_empty = false;

  bool whitespace() const { return delimiter.empty(); }

  // The size of the separator at p in bytes, or 0 if there is none.
  int64_t separator_at(const uint8_t* p, const uint8_t* end) const {
    if (!whitespace()) {
      const auto size = static_cast<int64_t>(delimiter.size());
      return end - p >= size && std::memcmp(p, delimiter.data(), delimiter.size()) == 0 ? size : 0;
    }
    return onnxruntime ? (p < end && *p == ' ') : whitespace_length(p, end);
  }
};

namespace detail {

template <class F>
void for_each_word(const Splitter& by, const uint8_t* p, const uint8_t* end, F&& emit) {
  const auto skip_separators = [&] {
    while (const int64_t length = by.separator_at(p, end)) p += length;
  };
  skip_separators();
  for (int64_t cuts = 0; p < end; ++cuts) {
    if (by.maxsplit >= 0 && cuts == by.maxsplit) {
      if (by.onnxruntime) {
        while (end[-1] == ' ') --end;
      }
      emit(p, end);
      return;
    }
    const uint8_t* const begin = p;
    while (p < end && by.separator_at(p, end) == 0) ++p;
    emit(begin, p);
    skip_separators();
  }
}

template <class F>
void for_each_field(const Splitter& by, const uint8_t* p, const uint8_t* end, F&& emit) {
  if (p == end && by.onnxruntime) return;
  const uint8_t* begin = p;
  for (int64_t cuts = 0; by.maxsplit < 0 || cuts < by.maxsplit; ++cuts) {
    if (end - begin < static_cast<int64_t>(by.delimiter.size())) break;
    const auto* at = static_cast<const uint8_t*>(
        memmem(begin, static_cast<size_t>(end - begin), by.delimiter.data(), by.delimiter.size()));
    if (at == nullptr) break;
    if (at > begin || !by.skip_empty) emit(begin, at);
    begin = at + by.delimiter.size();
  }
  if (end > begin || !by.skip_empty) emit(begin, end);
}

}  // namespace detail

// Calls emit(begin, end) for each piece of the string [p, end), in order.
template <class F>
void for_each_piece(const Splitter& by, const uint8_t* p, const uint8_t* end, F&& emit) {
  by.whitespace() ? detail::for_each_word(by, p, end, emit) : detail::for_each_field(by, p, end, emit);
}

}  // namespace stringops::kernels
