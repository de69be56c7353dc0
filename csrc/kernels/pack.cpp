#include "kernels/pack.h"

#include <algorithm>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "core/offsets.h"
#include "core/rows.h"
#include "core/testing.h"
#include "simd/primitives.h"
#include "split/row_copies.h"

namespace stringops::kernels {

template <class Index>
PackMeasure measure_pack(const PackInput<Index>& in, int64_t first, int64_t last) {
  int64_t num_bytes = 0;
  bool bad = false;
  for (int64_t i = first; i < last; ++i) {
    const int64_t begin = in.begins[i], end = in.ends[i];
    bad |= begin < 0 || end < begin || end > in.num_symbols;
    // The sum is unsigned, because malformed ranges may overflow before they are rejected.
    num_bytes = static_cast<int64_t>(static_cast<uint64_t>(num_bytes) + static_cast<uint64_t>(end) -
                                     static_cast<uint64_t>(begin));
  }
  if (!bad) return {num_bytes, std::nullopt};
  for (int64_t i = first;; ++i) {
    const int64_t begin = in.begins[i], end = in.ends[i];
    if (i == last - 1 || begin < 0 || end < begin || end > in.num_symbols) return {0, i};
  }
}

template <class Index>
bool write_pack(const PackInput<Index>& in, int64_t first, int64_t last, const PackOutput& out, int64_t at,
                int64_t limit) {
  constexpr int64_t kRun = 256;
  OffsetsWriter offsets(out.offsets, in.cols, first);
  int32_t ends[kRun];
  for (int64_t i = first; i < last; i += kRun) {
    const int64_t count = std::min(kRun, last - i), base = at;
    for (int64_t k = 0; k < count; ++k) {
      // They are clamped before they are subtracted, because they may be any number by now (race).
      const auto begin = std::clamp<int64_t>(in.begins[i + k], 0, in.num_symbols);
      const auto end = std::clamp<int64_t>(in.ends[i + k], begin, in.num_symbols);
      at = append_range(out.data, at, limit, in.symbols, in.num_symbols, begin, end);
      ends[k] = narrow<int32_t>(at - base);
    }
    offsets.append(ends, count, base);
  }
  return at == limit;
}

template PackMeasure measure_pack(const PackInput<int32_t>&, int64_t, int64_t);
template PackMeasure measure_pack(const PackInput<int64_t>&, int64_t, int64_t);
template bool write_pack(const PackInput<int32_t>&, int64_t, int64_t, const PackOutput&, int64_t, int64_t);
template bool write_pack(const PackInput<int64_t>&, int64_t, int64_t, const PackOutput&, int64_t, int64_t);

namespace {

// Writes where the strings of a run that is copied to `at` begin and end there; [run.begin, run.end) are the run's
// bytes in the source. Returns the bitwise or of all lengths: negative if one is.
int32_t write_positions(const int32_t* offsets, int64_t count, ByteRange run, int64_t at, int32_t* begins,
                        int32_t* ends) {
  constexpr int64_t kBlock = block_size(1024, 6);  // which is in the L1 cache when the lengths are taken
  const auto low = narrow<int32_t>(run.begin), high = narrow<int32_t>(run.end);
  const auto origin = narrow<int32_t>(run.begin - at);
  const auto clamp_offsets = simd::primitives().clamp_offsets;
  int32_t signs = 0;
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t n = std::min(kBlock, count - i);
    clamp_offsets(offsets + i, n, low, high, origin, begins + i);
    clamp_offsets(offsets + i + 1, n, low, high, origin, ends + i);
    for (int64_t k = i; k < i + n; ++k) signs |= ends[k] - begins[k];
  }
  return signs;
}

// Writes strings of rows of few strings that need not be adjacent.
class RowsWriter {
 public:
  RowsWriter(const StringSpan& in, const UnpackOutput& out, int64_t at, int64_t limit)
      : in_(in), out_(out), at_(at), limit_(limit) {}

  // Writes strings [first, last), the whole rows among them with one copy each.
  void write(int64_t first, int64_t last) {
    if (first >= last) return;  // as of rows without strings
    const int64_t first_row = (first + in_.cols - 1) / in_.cols, last_row = last / in_.cols;
    if (!out_.symbols || first_row >= last_row) return write_strings(first, last);
    write_strings(first, first_row * in_.cols);
    for (int64_t row = first_row; row < last_row;) {
      const int64_t rows = std::min(kRows, last_row - row), copied = copy_rows(row, rows);
      row += copied;
      if (copied == rows) continue;
      write_strings(row * in_.cols, (row + 1) * in_.cols);
      ++row;
    }
    write_strings(last_row * in_.cols, last);
  }

  int64_t at() const { return at_; }

 private:
  static constexpr int64_t kRows = block_size(256, 3);  // at once, so that their ends are in the first-level cache

  // Returns how many rows it has written.
  int64_t copy_rows(int64_t row, int64_t rows) {
    const int64_t i = row * in_.cols;
    int32_t *const begins = out_.begins + i, *const ends = out_.ends + i;
    const int64_t copied = copies_.copy(in_, row, row + rows, {out_.symbols, limit_}, at_, ends);
    if (copied == 0) return 0;
    const int64_t count = copied * in_.cols;
    begins[0] = narrow<int32_t>(at_);
    std::copy_n(ends, count - 1, begins + 1);
    at_ = ends[count - 1];
    return copied;
  }

  void write_strings(int64_t first, int64_t last) {
    for_each_ranges(in_, first, last, [&](int64_t i, const int32_t* begins, const int32_t* ends, int64_t count) {
      // These are local variables, because the compiler must assume that storing bytes changes members.
      const StringSpan strings = in_;
      int32_t *const out_begins = out_.begins + i, *const out_ends = out_.ends + i;
      uint8_t* const symbols = out_.symbols;
      const int64_t end = limit_;
      int64_t to = at_;
      for (int64_t k = 0; k < count; ++k) {
        out_begins[k] = narrow<int32_t>(to);
        if (symbols) {
          to = append_range(symbols, to, end, strings.data, strings.num_bytes, begins[k], ends[k]);
        } else {
          to += std::min(strings.clamped(begins[k], ends[k]).size(), end - to);
        }
        out_ends[k] = narrow<int32_t>(to);
      }
      at_ = to;
    });
  }

  const StringSpan in_;
  const UnpackOutput out_;
  int64_t at_;
  const int64_t limit_;
  RowCopies copies_;
};

}  // namespace

std::optional<std::vector<int64_t>> measure_adjacent(const StringSpan& in, const EvenTasks& tasks) {
  constexpr int64_t kRows = block_size(1024, 3);
  if (in.size() == 0 || have_gap(in.offsets, in.cols + 1, 1, std::min(in.rows, kRows))) return std::nullopt;
  std::vector<int64_t> first_bytes(static_cast<size_t>(tasks.tasks) + 1);
  const int64_t base = in.offsets[0];
  for (int64_t t = 1; t <= tasks.tasks; ++t) {
    const int64_t last = tasks.begin(t) - 1;  // of the strings before the task
    if (last < 0) continue;
    const auto i = static_cast<size_t>(t);
    first_bytes[i] = in.row_offsets(last / in.cols)[last % in.cols + 1] - base;
    if (first_bytes[i] < first_bytes[i - 1] || first_bytes[i] > in.num_bytes) return std::nullopt;
  }
  return first_bytes;
}

bool write_unpack(const StringSpan& in, bool rows_are_adjacent, int64_t first, int64_t last, const UnpackOutput& out,
                  int64_t at, int64_t limit) {
  const bool is_narrow = JoinedRows::serve(in);
  if (is_narrow && !rows_are_adjacent) {
    RowsWriter rows(in, out, at, limit);
    rows.write(first, last);
    return rows.at() == limit;
  }
  RangeCopier copier(in.data, in.num_bytes, out.symbols, at, limit);
  const int64_t base = rows_are_adjacent ? in.offsets[0] : 0;
  bool has_gap = false;
  int32_t signs = 0;
  const auto write_run = [&](int64_t index, const int32_t* offsets, int64_t count) {
    const int64_t begin = copier.at(), first_offset = offsets[0];
    has_gap |= rows_are_adjacent && first_offset != base + begin;
    if (has_gap) return;
    const ByteRange run = copier.take(first_offset, offsets[count]);
    signs |= write_positions(offsets, count, run, begin, out.begins + index, out.ends + index);
  };
  if (is_narrow) {
    JoinedRows rows;
    for (int64_t i = first; i < last && !has_gap;) {
      const int64_t count = rows.take(in, i, last);
      write_run(i, rows.offsets(), count);
      i += count;
    }
  } else {
    for_each_row(in, first, last, write_run);
  }
  return !has_gap && copier.finish() && signs >= 0;
}

}  // namespace stringops::kernels
