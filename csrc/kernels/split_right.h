// The cutter of string_rsplit_ragged: cuts each string at a delimiter or at whitespace from its end, as str.rsplit
// does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/narrow.h"
#include "core/poll.h"
#include "core/strings.h"
#include "core/whitespace_set.h"
#include "driver/cut.h"
#include "driver/piece_ranges.h"
#include "kernels/text_finder.h"

namespace stringops::kernels {

class RightSplitCutter {
 public:
  // Cuts at runs of whitespace if `delimiter` is empty. `maxsplit` is the maximum number of cuts of a string; negative
  // for no limit.
  RightSplitCutter(std::string_view delimiter, int64_t maxsplit) : delimiter_(delimiter), maxsplit_(maxsplit) {}

  using Task = PieceRanges;

  Cost cost() const { return {20, 1}; }
  Partition divide(const StringSpan& in, int64_t tasks) const { return divide_evenly(in, tasks, false); }

  void count(const StringSpan& in, Position begin, Position end, PieceCounter& counter, Task* task) const {
    TextFinder finder(delimiter_);
    std::vector<PackedRange>& pieces = task->ranges;
    for_each_string(in, begin.index, end.index, [&](int64_t, ByteRange range) {
      const StringView text = in.view(range);
      const auto first = static_cast<int64_t>(pieces.size());
      find_pieces(text, finder, [&](StringView piece) {
        pieces.push_back({narrow<int32_t>(piece.begin - text.begin), narrow<int32_t>(piece.end - text.begin)});
      });
      std::reverse(pieces.begin() + first, pieces.end());
      task->end_string(counter);
    });
  }
  void check(const char*, const Task&) const {}
  template <class Sink>
  bool write(const StringSpan& in, Position begin, Position end, const Task& task, Sink& sink) const {
    return task.write(in, begin, end, sink);
  }

 private:
  // Calls emit(piece) for each piece of a string, from the last one to the first.
  template <class Emit>
  void find_pieces(StringView text, TextFinder& finder, Emit&& emit) const {
    delimiter_.empty() ? find_words(text, emit) : find_fields(text, finder, emit);
  }

  template <class Emit>
  void find_fields(StringView text, TextFinder& finder, Emit& emit) const {
    for (int64_t cuts = 0; maxsplit_ < 0 || cuts < maxsplit_; ++cuts) {
      const int64_t at = finder.find_last(text);
      if (at < 0) break;
      emit(StringView{text.begin + at + delimiter_.size(), text.end});
      text.end = text.begin + at;
    }
    emit(text);
  }

  template <class Emit>
  void find_words(StringView text, Emit& emit) const {
    Pace pace;
    // Returns the number of bytes of the whitespace character before `end`, or 0.
    const auto space_before = [&](const uint8_t* end) -> int64_t {
      pace.spend(1);
      return end > text.begin && whitespace_.bytes.last[end[-1]] ? whitespace_.last(text.begin, end) : 0;
    };
    const auto trim = [&] {
      while (const int64_t length = space_before(text.end)) text.end -= length;
    };
    trim();
    for (int64_t cuts = 0; text.size() > 0; ++cuts) {
      const bool may_cut = maxsplit_ < 0 || cuts < maxsplit_;
      const uint8_t* begin = may_cut ? text.end - 1 : text.begin;
      while (begin > text.begin && space_before(begin) == 0) --begin;
      emit(StringView{begin, text.end});
      text.end = begin;
      trim();
    }
  }

  const std::string_view delimiter_;
  const int64_t maxsplit_;
  const WhitespaceSet whitespace_;
};

}  // namespace stringops::kernels
