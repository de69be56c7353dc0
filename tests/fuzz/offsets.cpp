// Validation of offsets and row splits, including the position of the first invalid one; and the division of spans
// among tasks.
#include "core/offsets.h"

#include "core/reshape_offsets.h"
#include "core/row_splits.h"
#include "core/strided_offsets.h"
#include "fuzz.h"
#include "ragged.h"
#include "split/partition.h"

namespace stringops::fuzz {
namespace {

// Tasks of about equal size: if the rows are contiguous, one begins in the string that holds the byte there.
void check_partition(const StringSpan& span, bool contiguous, int64_t tasks, bool inside_strings) {
  const kernels::Partition partition = kernels::divide_evenly(span, tasks, inside_strings);
  REQUIRE(partition.tasks == tasks && partition.begin(0).index == 0 && partition.begin(0).skip == 0);
  for (int64_t t = 0; t < tasks; ++t) REQUIRE(!(partition.end(t) < partition.begin(t)));
  REQUIRE(partition.end(tasks - 1).index == span.size() && partition.end(tasks - 1).skip == 0);
  if (span.size() == 0) return;
  const int64_t first = span.range(0, 0).begin, total = span.range(span.rows - 1, span.cols - 1).end - first;
  for (int64_t t = 1; t < tasks; ++t) {
    const kernels::Position at = partition.begin(t);
    if (!contiguous) {
      REQUIRE(at.index == span.size() * t / tasks && at.skip == 0);
      continue;
    }
    const int64_t target = first + total * t / tasks;
    const ByteRange range = span.range(at.index / span.cols, at.index % span.cols);
    REQUIRE(range.begin <= target && (target < range.end || at.index + 1 == span.size()));
    const bool inside = inside_strings && range.size() >= 8 * kernels::kBlockBytes;
    REQUIRE(at.skip == (inside ? std::min(target - range.begin, range.size() - 1) : 0));
  }
}

// The offsets of the same strings in other rows, whatever the offsets are, or none if the strings of a new row are not
// adjacent.
void check_reshape(const StringSpan& s, int64_t factor) {
  if (s.size() == 0) return;
  int64_t cols = factor;
  while (s.size() % cols != 0) --cols;
  Exact<int32_t> out(s.size() / cols * (cols + 1));
  bool adjacent = true;
  for (int64_t i = 1; i < s.size(); ++i) {
    const bool inside = i % cols != 0 && i % s.cols == 0;
    adjacent &= !inside || s.row_offsets(i / s.cols)[0] == s.row_offsets(i / s.cols)[-1];
  }
  REQUIRE(reshape_offsets(s, out.data(), cols) == adjacent);
  for (int64_t i = 0; adjacent && i < s.size(); ++i) {
    const int32_t *const from = s.row_offsets(i / s.cols) + i % s.cols, *const to =
                                                                            &out[i / cols * (cols + 1) + i % cols];
    REQUIRE(from[0] == to[0] && from[1] == to[1]);
  }
}

// The same offsets in a tensor [rows, 3, cols + 1] of which the second dimension is expanded.
void check_expanded(const StringSpan& s, const std::optional<BadOffset>& bad) {
  const StridedOffsets offsets{s.offsets, {s.rows, 3, s.cols + 1}, {s.cols + 1, 0, 1}};
  const auto found = find_bad_offset(offsets, s.num_bytes);
  REQUIRE(found.has_value() == bad.has_value());
  if (bad) REQUIRE(found->row == 3 * bad->row && found->col == bad->col && found->value == bad->value);
  const bool all_empty = std::all_of(s.offsets, s.offsets + s.rows * (s.cols + 1), [](int32_t at) { return at == 0; });
  if (!bad) REQUIRE(stringops::is_compact(offsets, s.num_bytes) == (all_empty && s.num_bytes == 0));
  const StridedOffsets rows{s.offsets, {s.rows, s.cols + 1}, {s.cols + 1, 1}};
  REQUIRE(stringops::is_compact(rows, s.num_bytes) == stringops::is_compact(s));
}

void check_offsets(Input& in) {
  const Shape shape = take_shape(in, 90);
  const bool huge = in.below(8) == 0;  // offsets up to 2^31 - 1 into a buffer that need not exist, as it is never read
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 24);
  const Arguments args = take_strings(in, text, shape);
  const Exact<int32_t>& offsets = args.strings.offsets;
  for (int64_t i = in.below(4); i > 0 && offsets.size() > 0; --i) offsets[in.below(offsets.size())] = in.any<int32_t>();
  StringSpan span = args.strings.span;
  if (huge) span.num_bytes = kMaxBytes - in.below(3);
  check_reshape(span, 1 + in.below(40));

  const auto bad = find_bad_offset(span);
  check_expanded(span, bad);
  for (int64_t r = 0; r < shape.rows; ++r) {
    for (int64_t c = 0; c <= shape.cols; ++c) {
      const int64_t value = offsets[r * (shape.cols + 1) + c];
      const int64_t previous = c ? offsets[r * (shape.cols + 1) + c - 1] : 0;
      if (value >= previous && value <= span.num_bytes) continue;
      REQUIRE(bad && bad->row == r && bad->col == c && bad->value == value && bad->previous == previous);
      return;
    }
  }
  REQUIRE(!bad);
  bool contiguous = true;
  for (int64_t r = 1; r < shape.rows; ++r) {
    contiguous &= offsets[r * (shape.cols + 1)] == offsets[r * (shape.cols + 1) - 1];
  }
  REQUIRE(has_contiguous_offsets(span) == contiguous);
  check_partition(span, contiguous, 1 + in.below(20), in.flag());
}

void check_row_splits(Input& in) {
  Ragged ragged = take_ragged(in);
  if (in.flag()) ragged.damage(in);
  const RowSplits& s = ragged.rows;
  const auto bad = find_bad_row_split(s);
  for (int64_t r = 0; r <= s.rows; ++r) {
    const int64_t value = ragged.splits[r], previous = r ? ragged.splits[r - 1] : 0;
    const bool ends_right = (r > 0 || value == 0) && (r < s.rows || value == s.num_values);
    if (ends_right && value >= previous) continue;
    REQUIRE(bad && bad->position == r && bad->value == value && bad->previous == previous);
    return;
  }
  REQUIRE(!bad);
}

// Covers _check_strings, _ragged_lengths.
FUZZ_TARGET(offsets) {
  in.below(4) ? check_offsets(in) : check_row_splits(in);
}

}  // namespace
}  // namespace stringops::fuzz
