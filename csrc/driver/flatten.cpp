#include "driver/flatten.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <vector>

#include "core/copy_bytes.h"
#include "core/fail.h"
#include "core/offsets.h"
#include "core/row_offsets.h"
#include "driver/two_pass.h"
#include "simd/primitives.h"

namespace stringops::kernels {
namespace {

// Copies rows to one buffer: one copy for each row, whose strings are adjacent. The copies are within their bounds for
// any offsets, also if a concurrent write changes them: those of the first and the last byte are read once.
//
// kCols is the number of columns, or 0. Of most rows, kCopy bytes are copied, without a branch on their size.
template <int64_t kCols, int64_t kCopy>
class RowCopier {
 public:
  RowCopier(const StringRows& in, uint8_t* out, int64_t limit)
      : in_(in), cols_(kCols > 0 ? kCols : in.cols), out_(out), limit_(limit) {}

  // Copies rows [first, last) to byte `at` of the buffer and the bytes after it, and writes where each string ends
  // there. Returns whether they end at the limit.
  bool copy(int64_t first, int64_t last, int64_t at, int32_t* ends) const {
    const RowCopier self = *this;  // a local variable, because storing bytes may change others
    const int32_t* row = in_.row_offsets(first);
    for (int64_t r = first; r < last;) {
      for (; last - r > kGroup && self.limit_ - at >= kGroup * kCopy; r += kGroup) {
        if (!self.copy_group(row, &at, ends)) break;
        row += kGroup * self.in_.stride;
        ends += kGroup * self.cols_;
      }
      for (const int64_t stop = std::min(r + kGroup, last); r < stop; ++r) {
        if (!self.copy_one(row, r + 1 < last, &at, ends)) return false;
        row += self.in_.stride;
        ends += self.cols_;
      }
    }
    return at == self.limit_;
  }

 private:
  static constexpr int64_t kGroup =
      kCols == 1 ? 2 : 1;              // rows with one branch; more need more registers than there are
  static constexpr int64_t kStep = 4;  // offsets at once

  static int32_t read_once(const int32_t* offset) { return *static_cast<const volatile int32_t*>(offset); }

  // Copies kGroup rows with one branch for all conditions of a copy of kCopy bytes each. Returns false, after which
  // nothing counts as written, unless all rows are valid, shorter than kCopy, and not among the last bytes of the data.
  // There is room for kCopy bytes of each, and a row after them.
  bool copy_group(const int32_t* row, int64_t* at, int32_t* __restrict ends) const {
    static_assert((kCopy & (kCopy - 1)) == 0);
    // Negative offsets are beyond all data as unsigned numbers, and negative sizes are longer than all copies.
    uint64_t begins[kGroup], sizes[kGroup];
    uint64_t longest = 0;  // at least kCopy if one of the sizes is
    int64_t rest = 0;      // negative if one of the differences is
    for (int64_t k = 0; k < kGroup; ++k) {
      begins[k] = static_cast<uint32_t>(read_once(row + k * in_.stride));
      sizes[k] = static_cast<uint32_t>(read_once(row + k * in_.stride + cols_)) - begins[k];
      longest |= sizes[k];
      rest |= in_.num_bytes - kCopy - static_cast<int64_t>(begins[k]);
    }
    if (longest >= kCopy || rest < 0) return false;
    int64_t to = *at;
    for (int64_t k = 0; k < kGroup; ++k, row += in_.stride, ends += cols_) {
      const auto begin = static_cast<int64_t>(begins[k]);
      std::memcpy(out_ + to, in_.data + begin, kCopy);
      write_ends(row, to - begin, true, ends);
      to += static_cast<int64_t>(sizes[k]);
      ends[cols_ - 1] = static_cast<int32_t>(to);
    }
    *at = to;
    return true;
  }

  bool copy_one(const int32_t* row, bool has_next, int64_t* at, int32_t* __restrict ends) const {
    const int64_t begin = read_once(row), size = read_once(row + cols_) - begin;
    if ((begin | size | (in_.num_bytes - begin - size) | (limit_ - *at - size)) < 0) return false;
    write_ends(row, *at - begin, has_next, ends);
    copy_short(out_ + *at, out_ + limit_, in_.data + begin, in_.data + in_.num_bytes, size);
    *at += size;
    ends[cols_ - 1] = static_cast<int32_t>(*at);
    return true;
  }

  // Writes the ends of the strings of a row, except the last one. `has_next`: the row is not the last one, so that the
  // ends after it may be overwritten.
  void write_ends(const int32_t* row, int64_t shift, bool has_next, int32_t* __restrict ends) const {
    const auto write = [&](int64_t c) {
      ends[c] = static_cast<int32_t>(static_cast<uint32_t>(row[c + 1]) + static_cast<uint32_t>(shift));
    };
    if (kCols == 0 && has_next && cols_ >= kStep && in_.stride > cols_) {
      for (int64_t c = 0; c < cols_ - 1; c += kStep) {
        for (int64_t i = c; i < c + kStep; ++i) write(i);
      }
    } else {
      for (int64_t c = 0; c < cols_ - 1; ++c) write(c);
    }
  }

  const StringRows in_;
  const int64_t cols_;
  uint8_t* const out_;
  const int64_t limit_;
};

// Copies rows [first, last) to out[at, limit). Returns false if they do not fill it; their ends are then undefined.
template <int64_t kCopy>
bool copy_rows(const StringRows& in, int64_t first, int64_t last, uint8_t* out, int64_t at, int64_t limit,
               int32_t* ends) {
  return in.cols == 1   ? RowCopier<1, kCopy>(in, out, limit).copy(first, last, at, ends)
         : in.cols == 2 ? RowCopier<2, kCopy>(in, out, limit).copy(first, last, at, ends)
         : in.cols == 3 ? RowCopier<3, kCopy>(in, out, limit).copy(first, last, at, ends)
                        : RowCopier<0, kCopy>(in, out, limit).copy(first, last, at, ends);
}

bool copy_rows(const StringRows& in, int64_t first, int64_t last, uint8_t* out, int64_t at, int64_t limit,
               int32_t* ends) {
  constexpr int64_t kSmallCopy = 16, kLineCopy = 64;
  const auto fits_twice = [&](int64_t size) { return 2 * (limit - at) <= (last - first) * size; };
  return fits_twice(kSmallCopy)   ? copy_rows<kSmallCopy>(in, first, last, out, at, limit, ends)
         : fits_twice(kShortCopy) ? copy_rows<kShortCopy>(in, first, last, out, at, limit, ends)
         : fits_twice(kLineCopy)  ? copy_rows<kLineCopy>(in, first, last, out, at, limit, ends)
                                  : copy_rows<kMediumCopy>(in, first, last, out, at, limit, ends);
}

// Same as count_row_bytes. kStride is the stride of rows of one string, or 0.
template <int64_t kStride>
int64_t count_bytes(const StringRows& in, int64_t first, int64_t last) {
  const int64_t stride = kStride > 0 ? kStride : in.stride, cols = kStride > 0 ? 1 : in.cols;
  const int32_t* at = in.row_offsets(first);
  const auto high = static_cast<uint32_t>(in.num_bytes);
  uint64_t bytes = 0;
  uint32_t signs = 0;  // the first bit is set if a number has it
  for (int64_t row = first; row < last; ++row, at += stride) {
    const auto begin = static_cast<uint32_t>(at[0]), end = static_cast<uint32_t>(at[cols]);
    signs |= begin | end | (end - begin) | (high - end);
    bytes += end - begin;
  }
  return signs >> 31 != 0 ? -1 : static_cast<int64_t>(bytes);
}

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
  return in.cols == 1 && in.stride == 2 ? count_bytes<2>(in, first, last) : count_bytes<0>(in, first, last);
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
    return copy_rows(in, first, tasks.begin(t + 1), data, at, limit, offsets + first * in.cols + 1);
  });
  return complete && is_valid() ? std::optional(flat) : std::nullopt;
}

}  // namespace stringops::kernels
