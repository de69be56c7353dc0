#include "kernels/string_tensor_pack.h"

#include "core/copy_bytes.h"
#include "core/narrow.h"

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
  RangeCopier copier(in.symbols, in.num_symbols, out.data, base, limit);
  int64_t row = out.cols ? first / out.cols : 0;
  int64_t col = out.cols ? first % out.cols : 0;
  int32_t* offsets = out.offsets + row * (out.cols + 1);
  for (int64_t i = first; i < last; ++i) {
    if (col == 0) offsets[0] = narrow<int32_t>(copier.at());
    copier.take(in.begins[i], in.ends[i]);
    offsets[++col] = narrow<int32_t>(copier.at());
    if (col == out.cols) {
      col = 0;
      offsets += out.cols + 1;
    }
  }
  return copier.finish();
}

template PackMeasure measure_pack(const PackInput<int32_t>&, int64_t, int64_t);
template PackMeasure measure_pack(const PackInput<int64_t>&, int64_t, int64_t);
template bool write_pack(const PackInput<int32_t>&, int64_t, int64_t, const PackOutput&, int64_t, int64_t);
template bool write_pack(const PackInput<int64_t>&, int64_t, int64_t, const PackOutput&, int64_t, int64_t);

}  // namespace stringops::kernels
