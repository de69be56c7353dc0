// The cutter of string_split, string_split_ragged and split_encode. Spec: ONNX StringSplit-20; the rules of a single
// string are in splitter.h.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/rows.h"
#include "driver/cut.h"
#include "kernels/splitter.h"

namespace stringops::kernels {

class SplitCutter {
 public:
  explicit SplitCutter(const Splitter& by);

  struct Task {
    std::vector<uint16_t> delimiters;
  };

  Cost cost() const { return cuts_blocks() ? Cost{4, 0.2} : Cost{5, 3}; }

  Partition divide(const StringSpan& in, int64_t tasks) const;

  template <class Sink>
  void count(const StringSpan& in, Position begin, Position end, Sink& sink, Task* task) const {
    std::vector<uint16_t> delimiters;  // local, so that tasks share no cache line
    cut(in, begin, end, sink, {&delimiters});
    task->delimiters = std::move(delimiters);
  }
  void check(const char*, const Task&) const {}
  template <class Sink>
  bool write(const StringSpan& in, Position begin, Position end, const Task& task, Sink& sink) const {
    cut(in, begin, end, sink, {nullptr, &task.delimiters});
    return true;
  }

  // In one pass.
  template <class Sink>
  bool pass(const TextPart& text, Position begin, Position end, Sink& sink, Task*) const {
    cut(text.strings, begin, end, sink, {});
    return true;
  }

  // Whether whole blocks are cut by masks, which needs a short delimiter.
  bool cuts_blocks() const { return static_cast<int64_t>(by_.delimiter.size()) <= kMaxBlockDelimiter; }

 private:
  template <class Sink>
  void cut(const StringSpan& in, Position begin, Position end, Sink& sink, const KeptDelimiters& kept) const {
    if (cuts_blocks()) return cut_blocks(in, rule_, begin, end, sink, kept);
    const uint8_t* const in_end = in.data + in.num_bytes;
    for_each_string(in, begin.index, end.index, [&](int64_t, ByteRange string) {
      for_each_piece(by_, in.data + string.begin, in.data + string.end,
                     [&](const uint8_t* piece, const uint8_t* piece_end) { sink.piece({piece, piece_end}, in_end); });
      sink.end_string();
    });
  }

  const Splitter by_;
  const BlockRule rule_;
};

}  // namespace stringops::kernels
