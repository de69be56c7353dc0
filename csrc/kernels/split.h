// The cutter of string_split, string_split_ragged and split_encode. Spec: ONNX StringSplit-20.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/find_text.h"
#include "core/strings.h"
#include "driver/cut.h"

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

// Calls emit(begin, end) for each piece between delimiters of the string [p, end), in order. Runs of whitespace are cut
// by masks only (split/words.cpp).
template <class F>
void for_each_field(const Splitter& by, const uint8_t* p, const uint8_t* end, F&& emit) {
  if (p == end && by.onnxruntime) return;
  const uint8_t* begin = p;
  for (int64_t cuts = 0; by.maxsplit < 0 || cuts < by.maxsplit; ++cuts) {
    if (end - begin < static_cast<int64_t>(by.delimiter.size())) break;
    const uint8_t* const at = find_text({begin, end}, by.delimiter);
    if (at == end) break;
    if (at > begin || !by.skip_empty) emit(begin, at);
    begin = at + by.delimiter.size();
  }
  if (end > begin || !by.skip_empty) emit(begin, end);
}

class SplitCutter {
 public:
  explicit SplitCutter(const Splitter& by) : by_(by) {}

  struct Task {};

  Cost cost() const { return cuts_blocks() ? Cost{4, 0.2} : Cost{5, 3}; }

  Partition divide(const StringSpan& in, int64_t tasks) const;

  template <class Sink>
  void count(const StringSpan& in, Position begin, Position end, Sink& sink, Task*) const {
    cut(in, begin, end, sink);
  }
  void check(const char*, const Task&) const {}
  template <class Sink>
  bool write(const StringSpan& in, Position begin, Position end, const Task&, Sink& sink) const {
    cut(in, begin, end, sink);
    return true;
  }

  // Whether whole blocks are cut by masks, which needs a short delimiter.
  bool cuts_blocks() const { return static_cast<int64_t>(by_.delimiter.size()) <= kMaxBlockDelimiter; }

 private:
  BlockRule rule() const;

  template <class Sink>
  void cut(const StringSpan& in, Position begin, Position end, Sink& sink) const {
    if (cuts_blocks()) return cut_blocks(in, rule(), begin, end, sink);
    const uint8_t* const in_end = in.data + in.num_bytes;
    for_each_string(in, begin.index, end.index, [&](int64_t, ByteRange string) {
      for_each_field(by_, in.data + string.begin, in.data + string.end,
                     [&](const uint8_t* piece, const uint8_t* piece_end) { sink.piece({piece, piece_end}, in_end); });
      sink.end_string();
    });
  }

  const Splitter by_;
};

}  // namespace stringops::kernels
