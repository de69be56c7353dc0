#include "kernels/string_tensor_unpack.h"

#include <algorithm>

#include "core/copy_bytes.h"
#include "core/narrow.h"

namespace stringops::kernels {
namespace {

// Calls f(offsets, count, index) for each run of strings of one row in [first, last): `offsets` has count + 1 values.
template <class F>
void for_each_run(const StringSpan& in, int64_t first, int64_t last, F&& f) {
  while (first < last) {
    const int64_t col = first % in.cols;
    const int64_t count = std::min(last - first, in.cols - col);
    f(in.row_offsets(first / in.cols) + col, count, first);
    first += count;
  }
}

}  // namespace

int64_t measure_unpack(const StringSpan& in, int64_t first, int64_t last) {
  int64_t num_bytes = 0;
  for_each_run(in, first, last, [&](const int32_t* offsets, int64_t count, int64_t) {
    num_bytes += std::max<int64_t>(0, int64_t{offsets[count]} - offsets[0]);
  });
  return num_bytes;
}

bool write_unpack(const StringSpan& in, int64_t first, int64_t last, const UnpackOutput& out, int64_t base,
                  int64_t limit) {
  RangeCopier copier(in.data, in.num_bytes, out.symbols, base, limit);
  int32_t signs = 0;  // of all lengths: negative where one is
  for_each_run(in, first, last, [&](const int32_t* offsets, int64_t count, int64_t index) {
    const auto at = narrow<int32_t>(copier.at());
    const ByteRange run = copier.take(offsets[0], offsets[count]);
    const auto low = narrow<int32_t>(run.begin), high = narrow<int32_t>(run.end);
    const auto place = [&](int32_t offset) { return std::clamp(offset, low, high) - low + at; };
    int32_t* const begins = out.begins + index;
    int32_t* const ends = out.ends + index;
    for (int64_t i = 0; i < count; ++i) begins[i] = place(offsets[i]);
    for (int64_t i = 0; i < count; ++i) {
      const int32_t end = place(offsets[i + 1]);
      signs |= end - begins[i];
      ends[i] = end;
    }
  });
  return copier.finish() && signs >= 0;
}

}  // namespace stringops::kernels
