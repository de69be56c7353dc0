// The cutter of string_split, string_split_ragged and split_encode. Spec: ONNX StringSplit-20.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/strings.h"
#include "driver/cut.h"
#include "driver/piece_ranges.h"
#include "kernels/text_finder.h"

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
};

// Calls emit(piece) for each piece of a string between delimiters, in order. Runs of whitespace are cut by the rules of
// split/words.cpp instead.
template <class F>
void for_each_field(const Splitter& by, TextFinder& delimiters, StringView in, F&& emit) {
  if (in.size() == 0 && by.onnxruntime) return;
  for (int64_t cuts = 0; by.maxsplit < 0 || cuts < by.maxsplit; ++cuts) {
    const int64_t at = delimiters.find_first(in);
    if (at < 0) break;
    if (at > 0 || !by.skip_empty) emit(StringView{in.begin, in.begin + at});
    in.begin += at + static_cast<int64_t>(by.delimiter.size());
  }
  if (in.size() > 0 || !by.skip_empty) emit(in);
}

class SplitCutter {
 public:
  explicit SplitCutter(const Splitter& by) : by_(by) {}

  using Task = PieceRanges;  // the pieces if they are searched for; empty if blocks are cut, which `write` cuts again

  Cost cost() const { return cuts_blocks() ? Cost{4, 0.2} : Cost{5, 3}; }

  Partition divide(const StringSpan& in, int64_t tasks) const;

  void count(const StringSpan& in, Position begin, Position end, PieceCounter& counter, Task* task) const;
  void check(const char*, const Task&) const {}
  template <class Sink>
  bool write(const StringSpan& in, Position begin, Position end, const Task& task, Sink& sink) const {
    if (!cuts_blocks() || !task.counts.empty()) return task.write(in, begin, end, sink);
    cut_blocks(in, rule(), begin, end, sink);
    return true;
  }

  // Whether whole blocks are cut by masks, which needs a short delimiter.
  bool cuts_blocks() const { return static_cast<int64_t>(by_.delimiter.size()) <= kMaxBlockDelimiter; }

 private:
  BlockRule rule() const;

  // Whether few cuts of long strings are searched for, as the search ends at the last one.
  bool has_few_cuts(const StringSpan& in, Position begin, Position end) const {
    const int64_t bytes_per_cut = by_.delimiter.size() == 1 ? 256 : 96;  // masks of one byte take less time
    if (by_.maxsplit < 0 || by_.maxsplit >= kBlockBytes || by_.whitespace() || begin.skip > 0 || end.skip > 0)
      return false;
    return count_bytes(in, begin.index, end.index) > (end.index - begin.index) * (by_.maxsplit + 1) * bytes_per_cut;
  }

  const Splitter by_;
};

}  // namespace stringops::kernels
