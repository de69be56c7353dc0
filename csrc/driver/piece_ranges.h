// The pieces that a cutter found, which it keeps for writing (cut.h) if finding them takes most of the time, as by
// regular expressions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/narrow.h"
#include "core/strings.h"
#include "driver/cut.h"

namespace stringops::kernels {

// Whether the sink takes pieces as spans of bytes: sink.span(PackedRange).
template <class Sink, class = void>
inline constexpr bool kTakesSpans = false;
template <class Sink>
inline constexpr bool kTakesSpans<Sink, std::void_t<decltype(std::declval<Sink&>().span(PackedRange()))>> = true;

// The Task of such a cutter.
struct PieceRanges {
  // Pieces in bytes from the start of their string; {-1, -1} for an empty one that is nowhere.
  std::vector<PackedRange> ranges;
  std::vector<int32_t> counts;  // of the pieces of each string

  // The ranges that were added after the previous call are those of the next string.
  void end_string(PieceCounter& counter) {
    int64_t bytes = 0;
    for (size_t i = counted_; i < ranges.size(); ++i) {
      ranges[i].end = std::max(ranges[i].begin, ranges[i].end);  // if the string changed while it was searched
      bytes += ranges[i].end - ranges[i].begin;
    }
    const auto pieces = static_cast<int64_t>(ranges.size() - counted_);
    counted_ = ranges.size();
    counter.string(bytes, pieces);
    counts.push_back(narrow<int32_t>(pieces));
  }

  // Passes the pieces of the task's strings to the sink. Returns false if a string has become shorter.
  template <class Sink>
  bool write(const StringSpan& in, Position begin, Position end, Sink& sink) const {
    const PackedRange* piece = ranges.data();
    const int32_t* count = counts.data();
    bool fits = true;
    const uint8_t* const in_end = in.data + in.num_bytes;
    for_each_string(in, begin.index, end.index, [&](int64_t, ByteRange string) {
      const uint8_t* const text = in.data + string.begin;
      for (const PackedRange* const last = piece + *count++; piece < last; ++piece) {
        if constexpr (kTakesSpans<Sink>) {
          sink.span(*piece);
        } else if (piece->end > string.size()) {
          fits = false;
        } else {
          sink.piece({text + std::max(piece->begin, 0), text + std::max(piece->end, 0)}, in_end);
        }
      }
      sink.end_string();
    });
    return fits;
  }

 private:
  size_t counted_ = 0;
};

}  // namespace stringops::kernels
