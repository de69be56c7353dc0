#include "kernels/split.h"

#include "core/narrow.h"
#include "split/divide.h"

namespace stringops::kernels {
namespace {

CharSet space() {
  CharSet set;
  set.add(' ');
  return set;
}

}  // namespace

BlockRule SplitCutter::rule() const {
  if (by_.whitespace())
    return by_.onnxruntime ? set_words(space(), by_.maxsplit, true) : whitespace_words(by_.maxsplit);
  if (by_.skip_empty) return delimiter_words(by_.delimiter, by_.maxsplit);
  return delimited_fields(by_.delimiter, !by_.onnxruntime, by_.maxsplit);
}

Partition SplitCutter::divide(const StringSpan& in, int64_t tasks) const {
  return cuts_blocks() ? divide_inside_strings(in, tasks, rule()) : divide_evenly(in, tasks, false);
}

void SplitCutter::count(const StringSpan& in, Position begin, Position end, PieceCounter& counter, Task* task) const {
  if (cuts_blocks() && !has_few_cuts(in, begin, end)) return cut_blocks(in, rule(), begin, end, counter);
  TextFinder delimiters(by_.delimiter);
  task->ranges.reserve(static_cast<size_t>(end.index - begin.index));
  task->counts.reserve(static_cast<size_t>(end.index - begin.index));
  for_each_string(in, begin.index, end.index, [&](int64_t, ByteRange range) {
    const StringView string = in.view(range);
    const auto position = [&](const uint8_t* p) { return narrow<int32_t>(p - string.begin); };
    for_each_field(by_, delimiters, string,
                   [&](StringView piece) { task->ranges.push_back({position(piece.begin), position(piece.end)}); });
    task->end_string(counter);
  });
}

}  // namespace stringops::kernels
