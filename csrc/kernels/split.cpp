#include "kernels/split.h"

#include "split/divide.h"

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

}  // namespace

SplitCutter::SplitCutter(const Splitter& by) : by_(by), rule_(block_rule(by)) {}

Partition SplitCutter::divide(const StringSpan& in, int64_t tasks) const {
  return cuts_blocks() ? divide_inside_strings(in, tasks, rule_) : divide_evenly(in, tasks, false);
}

}  // namespace stringops::kernels
