#include "kernels/pack.h"

#include <algorithm>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "core/rows.h"

namespace stringops::kernels {

template <class Index>
PackMeasure measure_pack(const PackInput<Index>& in, int64_t first, int64_t last) {
  int64_t num_bytes = 0;
  bool bad = false;
  for (int64_t i = first; i < last; ++i) {
    const int64_t begin = in.begins[i], end = in.ends[i];
    bad |= begin < 0 || end < begin || end > in.num_symbols;
    // Unsigned, as malformed ranges may overflow before they are rejected.
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
  RangeCopier copier(in.symbols, in.num_symbols, out.data, at, limit);
  OffsetsWriter offsets(out.offsets, in.cols, first);
  for (int64_t i = first; i < last; ++i) {
    const int64_t begin = copier.at();
    copier.take(in.begins[i], in.ends[i]);
    offsets.push(begin, copier.at());
  }
  return copier.finish();
}

template PackMeasure measure_pack(const PackInput<int32_t>&, int64_t, int64_t);
template PackMeasure measure_pack(const PackInput<int64_t>&, int64_t, int64_t);
template bool write_pack(const PackInput<int32_t>&, int64_t, int64_t, const PackOutput&, int64_t, int64_t);
template bool write_pack(const PackInput<int64_t>&, int64_t, int64_t, const PackOutput&, int64_t, int64_t);

namespace {

// Writes where the strings of a run that is copied to `at` begin and end there; low and high are the run's first and
// last byte in the source. Returns the bitwise or of all lengths: negative if one is. A function of its own, so that
// both loops are vectorized.
[[gnu::noinline]] int32_t write_positions(const int32_t* offsets, int64_t count, int32_t low, int32_t high, int32_t at,
                                          int32_t* begins, int32_t* ends) {
  const auto position = [&](int32_t offset) { return std::clamp(offset, low, high) - low + at; };
  int32_t signs = 0;
  for (int64_t i = 0; i < count; ++i) begins[i] = position(offsets[i]);
  for (int64_t i = 0; i < count; ++i) {
    const int32_t end = position(offsets[i + 1]);
    signs |= end - begins[i];
    ends[i] = end;
  }
  return signs;
}

}  // namespace

bool write_unpack(const StringSpan& in, bool rows_are_adjacent, int64_t first, int64_t last, const UnpackOutput& out,
                  int64_t at, int64_t limit) {
  RangeCopier copier(in.data, in.num_bytes, out.symbols, at, limit);
  if (RowRanges::serve(in) && !rows_are_adjacent) {  // a row is not worth two loops
    for_each_string(in, first, last, [&](int64_t i, ByteRange string) {
      out.begins[i] = narrow<int32_t>(copier.at());
      copier.take(string.begin, string.end);
      out.ends[i] = narrow<int32_t>(copier.at());
    });
    return copier.finish();
  }
  int32_t signs = 0;
  const auto write_run = [&](int64_t index, const int32_t* offsets, int64_t count) {
    const auto begin = narrow<int32_t>(copier.at());
    const ByteRange run = copier.take(offsets[0], offsets[count]);
    signs |= write_positions(offsets, count, narrow<int32_t>(run.begin), narrow<int32_t>(run.end), begin,
                             out.begins + index, out.ends + index);
  };
  RowRanges::serve(in) ? for_each_joined(in, first, last, write_run) : for_each_row(in, first, last, write_run);
  return copier.finish() && signs >= 0;
}

}  // namespace stringops::kernels
