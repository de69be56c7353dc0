#include "kernels/split.h"

#include <algorithm>

namespace stringops::kernels {
namespace {

BlockRule block_rule(const Splitter& by) {
  BlockRule rule{BlockRule::Kind::kWhitespaceWords};
  rule.max_cuts = by.maxsplit;
  if (!by.whitespace()) {
    rule.kind = by.skip_empty ? BlockRule::Kind::kDelimiterWords : BlockRule::Kind::kFields;
    rule.delimiter = by.delimiter;
    rule.empty_strings_have_a_field = !by.onnxruntime;
  } else if (by.onnxruntime) {
    rule.kind = BlockRule::Kind::kSetWords;
    rule.set.add(' ');
    rule.trims_rest = true;
  }
  return rule;
}

// The first position at or after `from` in (begin, end) at which a string may be divided between tasks, or `end`: after
// a separator, so that no piece is divided.
const uint8_t* find_boundary(const Splitter& by, const uint8_t* begin, const uint8_t* from, const uint8_t* end) {
  if (by.whitespace()) {
    while (from < end && !(by.onnxruntime ? from[-1] == ' ' : is_ascii_whitespace(from[-1]))) ++from;
    return from;
  }
  const auto length = static_cast<int64_t>(by.delimiter.size());
  while (end - from >= length) {
    const auto* at = static_cast<const uint8_t*>(
        memmem(from, static_cast<size_t>(end - from), by.delimiter.data(), by.delimiter.size()));
    if (at == nullptr) return end;
    // Which of several overlapping matches count depends on the first of them, so the match must overlap no other.
    bool overlaps = false;
    for (const uint8_t* p = std::max(begin, at - length + 1); p < at + length && !overlaps; ++p) {
      overlaps = p != at && by.separator_at(p, end) != 0;
    }
    if (!overlaps) return at + length;
    from = at + 1;
  }
  return end;
}

}  // namespace

SplitCutter::SplitCutter(const Splitter& by) : by_(by), rule_(block_rule(by)) {}

Partition SplitCutter::divide(const StringSpan& in, int64_t tasks) const {
  Partition partition = divide_evenly(in, tasks, cuts_blocks());
  for (int64_t task = 1; task < partition.tasks; ++task) {
    Position& at = partition.positions[static_cast<size_t>(task)];
    const Position before = partition.begin(task - 1);
    // The previous position may have moved past this one.
    if (!(before < at)) {
      at = before;
      continue;
    }
    if (at.skip == 0) continue;
    const ByteRange range = in.range(at.index / in.cols, at.index % in.cols);
    const uint8_t* const begin = in.data + range.begin;
    const uint8_t* const end = in.data + range.end;
    const int64_t skip = find_boundary(by_, begin, begin + std::min(at.skip, range.size()), end) - begin;
    at = skip < range.size() ? Position{at.index, skip} : Position{at.index + 1, 0};
    if (at.skip == 0 || by_.maxsplit < 0) continue;
    at.cuts = count_cuts(in, before.index == at.index ? before : Position{at.index}, at);
    if (at.cuts >= by_.maxsplit) at = {at.index + 1, 0};  // the rest of the string is one piece
  }
  return partition;
}

// The cuts from the beginning of the string of both positions to `end`; those before `begin` are known. Stops at the
// limit.
int64_t SplitCutter::count_cuts(const StringSpan& in, Position begin, Position end) const {
  BlockReader reader(in, begin, end);
  BlockSplitter masks(rule_, simd::primitives(), begin.cuts);
  Block block;
  int64_t cuts = begin.cuts;
  while (cuts < by_.maxsplit && reader.next(block)) {
    masks.split(block);
    cuts = masks.cuts();
  }
  return cuts;
}

}  // namespace stringops::kernels
