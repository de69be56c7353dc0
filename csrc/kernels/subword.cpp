#include "kernels/subword.h"

#include <algorithm>

#include "core/rows.h"
#include "kernels/subword_text.h"

namespace stringops::kernels {

using namespace subword;

void SubwordCutter::count(const StringSpan& in, Position begin, Position end, PieceCounter& counter, Task* task) const {
  std::vector<uint32_t>& ids = task->ids;
  SubwordText text(table_, ids, options_.spans ? &task->spans : nullptr);
  const std::vector<uint32_t>& around = table_.template_ids;
  const auto before = around.begin() + table_.header.before;
  const auto add_template = [&](auto first, auto last) {
    if (!options_.add_special_tokens) return;
    ids.insert(ids.end(), first, last);
    if (options_.spans) task->spans.resize(ids.size(), {0, 0});
  };
  const int64_t constants = options_.add_special_tokens ? static_cast<int64_t>(around.size()) : 0;
  const int64_t room = options_.max_length < 0 ? INT64_MAX : std::max<int64_t>(options_.max_length - constants, 0);
  for_each_string(in, begin.index, end.index, [&](int64_t, ByteRange range) {
    const size_t row = ids.size();
    add_template(around.begin(), before);
    const size_t first = ids.size();
    text.encode(in.view(range));
    const auto kept = static_cast<size_t>(std::min(static_cast<int64_t>(ids.size() - first), room));
    ids.resize(first + kept);
    if (options_.spans) task->spans.resize(ids.size());
    add_template(before, around.end());
    const auto num_ids = static_cast<int64_t>(ids.size() - row);
    counter.string(0, num_ids);
    task->counts.push_back(num_ids);
  });
}

void SubwordSink::take(const SubwordCutter::Task& task) {
  int64_t at = range_.pieces;
  for (const uint32_t id : task.ids) out_.ids[at++] = id;
  if (out_.begins) {
    at = range_.pieces;
    for (const PackedRange span : task.spans) {
      out_.begins[at] = span.begin;
      out_.ends[at++] = span.end;
    }
  }
  int64_t* split = out_.row_splits + 1 + first_string_;
  int64_t end = range_.pieces;
  for (const int64_t count : task.counts) *split++ = end += count;
}

}  // namespace stringops::kernels
