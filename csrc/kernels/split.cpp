#include "kernels/split.h"

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

}  // namespace stringops::kernels
