// The sink of byte spans: the begin and end of each piece in its string, and row splits. It takes whole strings.
#pragma once

#include <cstdint>

#include "core/string_span.h"
#include "driver/cut.h"

namespace stringops::kernels {

struct Span {
  int64_t begin;
  int64_t end;
};

struct SpansOutput {
  Span* spans;
  int64_t* row_splits;  // as in RaggedOutput
};

class SpansSink {
 public:
  SpansSink(const SpansOutput& out, const OutputRange& range, int64_t first_string)
      : spans_(out.spans), row_ends_(out.row_splits + 1), at_(range.pieces), end_(range.pieces_end) {
    row_ends_ += first_string;
  }

  void span(PackedRange range) {
    if (at_ < end_) spans_[at_] = {range.begin, range.end};
    ++at_;  // beyond the end, complete() is false
  }
  void end_string() { *row_ends_++ = at_; }
  bool complete() const { return at_ == end_; }

 private:
  Span* const spans_;
  int64_t* row_ends_;
  int64_t at_;
  const int64_t end_;
};

// allocate(num_pieces) -> SpansOutput.
template <class Cutter, class Allocate>
void cut_spans(const char* op, const Runner& runner, const StringSpan& in, const Cutter& cutter, Allocate&& allocate) {
  Cut<Cutter> cut(op, runner, in, cutter, cutter.cost(), kCutSpans, nullptr);
  const SpansOutput out = allocate(cut.num_pieces());
  out.row_splits[0] = 0;
  cut.write([&](Position begin, Position, const OutputRange& range, OpenPieces) {
    return SpansSink(out, range, begin.index);
  });
}

}  // namespace stringops::kernels
