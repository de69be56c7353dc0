// Writes results of which most are strings of the input: runs of adjacent strings are copied at once, with their
// offsets.
#pragma once

#include <cstdint>
#include <vector>

#include "core/narrow.h"
#include "driver/gather_writer.h"

namespace stringops::kernels {

// Appends strings of a span, parts of them, and other texts.
class ChangesWriter {
 public:
  ChangesWriter(const StringSpan& in, const GatherOutput& out, const OutputRange& range)
      : in_(in), parts_{in.data, in.num_bytes, ranges_, 2 * kMaxRuns - 1}, writer_(out, range) {}
  ChangesWriter(const ChangesWriter&) = delete;
  ChangesWriter& operator=(const ChangesWriter&) = delete;

  // Strings [first, last).
  void append_whole(int64_t first, int64_t last) {
    if (first < last) append(run_of(in_, first, last - first));
  }

  void append_part(StringView part) {
    int32_t* const range = ranges_ + 2 * num_runs_;
    range[0] = stringops::narrow<int32_t>(part.begin - in_.data);
    range[1] = stringops::narrow<int32_t>(part.end - in_.data);
    append({&parts_, range, 1});
  }

  // A text of at most kMaxBytes, which may change afterwards.
  void append_text(const std::vector<uint8_t>& text) {
    const auto size = static_cast<int64_t>(text.size());
    const int32_t offsets[] = {0, stringops::narrow<int32_t>(size)};
    const StringSpan span{text.data(), size, offsets, 1};
    append({&span, offsets, 1});
    flush();
  }

  // Whether the strings fill the range.
  bool finish() {
    flush();
    return writer_.complete();
  }

 private:
  void append(const AdjacentRun& run) {
    runs_[num_runs_++] = run;
    if (num_runs_ == kMaxRuns) flush();
  }
  void flush() {
    if (num_runs_ > 0) writer_.append(runs_, num_runs_);
    num_runs_ = 0;
  }

  const StringSpan& in_;
  AdjacentRun runs_[kMaxRuns];
  int64_t num_runs_ = 0;
  int32_t ranges_[2 * kMaxRuns];  // of the parts among the runs
  const StringSpan parts_;
  GatherWriter writer_;
};

}  // namespace stringops::kernels
