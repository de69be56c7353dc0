#include "driver/flatten.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "core/copy_bytes.h"
#include "core/fail.h"
#include "core/offsets.h"
#include "driver/two_pass.h"
#include "simd/primitives.h"

namespace stringops::kernels {
namespace {

// Copies rows to one buffer: one copy for each row, whose strings are adjacent. The copies are within their bounds for
// any offsets, also if a concurrent write changes them: those of the first and the last byte are read once.
class RowCopier {
 public:
  RowCopier(const StringRows& in, uint8_t* out, int64_t limit) : in_(in), out_(out), limit_(limit) {}

  // Copies rows [first, last) to byte `at` of the buffer and the bytes after it, and writes where each string ends
  // there. Returns whether they end at the limit; if not, the ends are undefined.
  bool copy(int64_t first, int64_t last, int64_t at, int32_t* ends) const {
    const RowCopier self = *this;  // a local variable, because storing bytes may change others
    const int32_t* row = in_.row_offsets(first);
    for (int64_t r = first; r < last; ++r, row += self.in_.stride, ends += self.in_.cols) {
      if (!self.copy_one(row, &at, ends)) return false;
    }
    return at == self.limit_;
  }

 private:
  static int32_t read_once(const int32_t* offset) { return *static_cast<const volatile int32_t*>(offset); }

  bool copy_one(const int32_t* row, int64_t* at, int32_t* __restrict ends) const {
    const int64_t cols = in_.cols, begin = read_once(row), size = read_once(row + cols) - begin;
    const int64_t left = in_.num_bytes - begin - size, room = limit_ - *at - size;
    if ((begin | size | left | room) < 0) return false;
    const auto shift = static_cast<uint32_t>(*at - begin);
    for (int64_t c = 0; c < cols - 1; ++c) ends[c] = static_cast<int32_t>(static_cast<uint32_t>(row[c + 1]) + shift);
    copy_short(out_ + *at, out_ + limit_, in_.data + begin, in_.data + in_.num_bytes, size);
    *at += size;
    ends[cols - 1] = static_cast<int32_t>(*at);
    return true;
  }

  const StringRows in_;
  uint8_t* const out_;
  const int64_t limit_;
};

// Estimates the number of bytes from some of the rows.
double estimate_bytes(const StringRows& in) {
  constexpr int64_t kSamples = 64;
  const int64_t step = std::max<int64_t>(1, in.rows / kSamples);
  double bytes = 0;
  for (int64_t row = 0; row < in.rows; row += step) {
    bytes += double{0} + in.row_offsets(row)[in.cols] - in.row_offsets(row)[0];
  }
  return bytes * static_cast<double>(step);
}

}  // namespace

int64_t count_row_bytes(const StringRows& in, int64_t first, int64_t last) {
  const int32_t* at = in.row_offsets(first);
  const auto high = static_cast<uint32_t>(in.num_bytes);
  uint64_t bytes = 0;
  uint32_t signs = 0;  // the first bit is set if a number has it
  for (int64_t row = first; row < last; ++row, at += in.stride) {
    const auto begin = static_cast<uint32_t>(at[0]), end = static_cast<uint32_t>(at[in.cols]);
    signs |= begin | end | (end - begin) | (high - end);
    bytes += end - begin;
  }
  return signs >> 31 != 0 ? -1 : static_cast<int64_t>(bytes);
}

std::optional<StringSpan> flatten(const char* op, const char* name, const Runner& runner, const StringRows& in,
                                  int32_t* offsets, const std::function<uint8_t*(int64_t)>& allocate) {
  const int64_t count = in.size();
  StringSpan flat{in.data, in.num_bytes, offsets, count};
  offsets[0] = 0;
  if (count == 0) return find_bad_offset(in) ? std::nullopt : std::optional(flat);

  const auto is_valid = [&] {
    return offsets[0] >= 0 && offsets[count] <= flat.num_bytes && simd::primitives().ascend(offsets, count + 1);
  };
  std::atomic<bool> joined{true};
  runner.run_ranges(in.rows, 0.3 * static_cast<double>(count + in.rows), [&](int64_t first, int64_t last) {
    if (joined && !join_row_offsets(in, first, last, offsets)) joined = false;
  });
  if (joined) return is_valid() ? std::optional(flat) : std::nullopt;

  const EvenTasks tasks{in.rows, runner.choose_tasks(static_cast<double>(count) + 0.05 * estimate_bytes(in))};
  std::vector<int64_t> first_bytes(static_cast<size_t>(tasks.tasks) + 1, 0);
  runner.run(tasks.tasks, [&](int64_t t) {
    first_bytes[static_cast<size_t>(t) + 1] = count_row_bytes(in, tasks.begin(t), tasks.begin(t + 1));
  });
  for (size_t t = 1; t < first_bytes.size(); ++t) {
    if (first_bytes[t] < 0) return std::nullopt;
    first_bytes[t] += first_bytes[t - 1];
  }
  STRINGOPS_CHECK(first_bytes.back() <= kMaxBytes, op, ": expected `", name, "` of strings of at most ", kMaxBytes,
                  " bytes in all, got ", first_bytes.back(), " (pass fewer or shorter strings)");
  flat.num_bytes = first_bytes.back();
  uint8_t* const data = allocate(flat.num_bytes);
  flat.data = data;
  offsets[0] = 0;
  const bool complete = try_write_tasks(runner, first_bytes, [&](int64_t t, int64_t at, int64_t limit) {
    const int64_t first = tasks.begin(t);
    return RowCopier(in, data, limit).copy(first, tasks.begin(t + 1), at, offsets + first * in.cols + 1);
  });
  return complete && is_valid() ? std::optional(flat) : std::nullopt;
}

}  // namespace stringops::kernels
