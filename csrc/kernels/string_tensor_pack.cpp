#include "kernels/string_tensor_pack.h"

#include <algorithm>

#include "core/copy_bytes.h"

namespace stringops::kernels {

template <class Index>
PackMeasure measure_pack(const PackInput<Index>& in, int64_t first, int64_t last) {
  int64_t num_bytes = 0;
  bool bad = false;
  for (int64_t i = first; i < last; ++i) {
    const int64_t begin = in.begins[i], end = in.ends[i];
    bad |= begin < 0 || end < begin || end > in.num_symbols;
    // Unsigned, as hostile ranges may overflow before they are refused.
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
bool write_pack(const PackInput<Index>& in, int64_t first, int64_t last, const PackOutput& out, int64_t base,
                int64_t limit) {
  uint8_t* const dst_end = out.data + limit;
  const uint8_t* const src_end = in.symbols + in.num_symbols;
  int64_t at = base;
  int64_t row = out.cols ? first / out.cols : 0;
  int64_t col = out.cols ? first % out.cols : 0;
  int32_t* offsets = out.offsets + row * (out.cols + 1);
  // Neighbours in `symbols` are copied in one piece: [pending, pending_end) is due at out.data + pending_at.
  int64_t pending = 0, pending_end = 0, pending_at = at;
  const auto flush = [&] {
    copy_short(out.data + pending_at, dst_end, in.symbols + pending, src_end, pending_end - pending);
  };
  for (int64_t i = first; i < last; ++i) {
    // Clamped again, since another thread may have written the ranges since they were measured.
    const int64_t begin = std::clamp<int64_t>(in.begins[i], 0, in.num_symbols);
    const int64_t end = std::clamp<int64_t>(in.ends[i], begin, std::min(in.num_symbols, begin + (limit - at)));
    if (col == 0) offsets[0] = static_cast<int32_t>(at);
    if (begin != pending_end) {
      flush();
      pending = begin;
      pending_at = at;
    }
    pending_end = end;
    at += end - begin;
    offsets[++col] = static_cast<int32_t>(at);
    if (col == out.cols) {
      col = 0;
      offsets += out.cols + 1;
    }
  }
  flush();
  return at == limit;
}

template PackMeasure measure_pack(const PackInput<int32_t>&, int64_t, int64_t);
template PackMeasure measure_pack(const PackInput<int64_t>&, int64_t, int64_t);
template bool write_pack(const PackInput<int32_t>&, int64_t, int64_t, const PackOutput&, int64_t, int64_t);
template bool write_pack(const PackInput<int64_t>&, int64_t, int64_t, const PackOutput&, int64_t, int64_t);

}  // namespace stringops::kernels
