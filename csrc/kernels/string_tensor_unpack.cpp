#include "kernels/string_tensor_unpack.h"

#include <algorithm>

#include "core/copy_bytes.h"

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
  const uint8_t* const src_end = in.data + in.num_bytes;
  int64_t at = base;
  // Neighbours in `data` are copied in one piece: [pending, pending_end) is due at symbols + pending_at.
  int64_t pending = 0, pending_end = 0, pending_at = at;
  const auto flush = [&] {
    if (!out.symbols) return;
    copy_short(out.symbols + pending_at, out.symbols + limit, in.data + pending, src_end, pending_end - pending);
  };
  for_each_run(in, first, last, [&](const int32_t* offsets, int64_t count, int64_t index) {
    // Clamped, since another thread may have written the offsets since they were checked.
    const int64_t begin = std::clamp<int64_t>(offsets[0], 0, in.num_bytes);
    const int64_t end = std::clamp<int64_t>(offsets[count], begin, std::min(in.num_bytes, begin + (limit - at)));
    const auto low = static_cast<int32_t>(begin), high = static_cast<int32_t>(end);
    const auto shift = static_cast<int32_t>(at - begin);
    const auto place = [&](int32_t offset) { return std::clamp(offset, low, high) + shift; };
    int32_t* const begins = out.begins + index;
    int32_t* const ends = out.ends + index;
    for (int64_t i = 0; i < count; ++i) begins[i] = place(offsets[i]);
    for (int64_t i = 0; i < count; ++i) ends[i] = place(offsets[i + 1]);
    if (begin != pending_end) {
      flush();
      pending = begin;
      pending_at = at;
    }
    pending_end = end;
    at += end - begin;
  });
  flush();
  return at == limit;
}

}  // namespace stringops::kernels
