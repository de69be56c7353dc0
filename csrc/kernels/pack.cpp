#include "kernels/pack.h"

#include <algorithm>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "core/strings.h"

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
bool write_pack(const PackInput<Index>& in, int64_t first, int64_t last, const MapOutput& out, int64_t at,
                int64_t limit) {
  OffsetsWriter offsets(out.offsets, first);
  for (int64_t i = first; i < last; ++i) {
    const auto begin = std::clamp<int64_t>(in.begins[i], 0, in.num_symbols);
    const auto end = std::clamp<int64_t>(in.ends[i], begin, in.num_symbols);
    at = append_range(out.data, at, limit, in.symbols, in.num_symbols, begin, end);
    offsets.push(at);
  }
  return at == limit;
}

template PackMeasure measure_pack(const PackInput<int32_t>&, int64_t, int64_t);
template PackMeasure measure_pack(const PackInput<int64_t>&, int64_t, int64_t);
template bool write_pack(const PackInput<int32_t>&, int64_t, int64_t, const MapOutput&, int64_t, int64_t);
template bool write_pack(const PackInput<int64_t>&, int64_t, int64_t, const MapOutput&, int64_t, int64_t);

bool write_unpack(const StringSpan& in, int64_t first, int64_t last, const UnpackOutput& out, int64_t at,
                  int64_t limit) {
  const ByteRange run = in.clamped(in.offsets[first], in.offsets[last]);
  if (run.size() != limit - at) return false;
  if (out.symbols) copy_bytes(out.symbols + at, in.data + run.begin, run.size());
  const auto low = narrow<int32_t>(run.begin), high = narrow<int32_t>(run.end), shift = narrow<int32_t>(at - run.begin);
  const auto position = [&](int32_t offset) { return std::clamp(offset, low, high) + shift; };
  int32_t signs = 0;  // negative if a string ends before it begins
  for (int64_t i = first; i < last; ++i) {
    out.begins[i] = position(in.offsets[i]);
    out.ends[i] = position(in.offsets[i + 1]);
    signs |= out.ends[i] - out.begins[i];
  }
  return signs >= 0;
}

}  // namespace stringops::kernels
