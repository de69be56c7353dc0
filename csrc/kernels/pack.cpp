#include "kernels/pack.h"

#include <algorithm>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "core/strings.h"
#include "core/testing.h"
#include "simd/primitives.h"

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
  constexpr int64_t kRun = 256;
  OffsetsWriter offsets(out.offsets, first);
  int32_t ends[kRun];
  for (int64_t i = first; i < last; i += kRun) {
    const int64_t count = std::min(kRun, last - i), base = at;
    for (int64_t k = 0; k < count; ++k) {
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
template bool write_pack(const PackInput<int32_t>&, int64_t, int64_t, const MapOutput&, int64_t, int64_t);
template bool write_pack(const PackInput<int64_t>&, int64_t, int64_t, const MapOutput&, int64_t, int64_t);

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

}  // namespace

bool write_unpack(const StringSpan& in, int64_t first, int64_t last, const UnpackOutput& out, int64_t at,
                  int64_t limit) {
  if (first == last) return at == limit;
  RangeCopier copier(in.data, in.num_bytes, out.symbols, at, limit);
  const int32_t* const offsets = in.offsets + first;
  const int64_t count = last - first;
  const ByteRange run = copier.take(offsets[0], offsets[count]);
  const int32_t signs = write_positions(offsets, count, run, at, out.begins + first, out.ends + first);
  return copier.finish() && signs >= 0;
}

}  // namespace stringops::kernels
