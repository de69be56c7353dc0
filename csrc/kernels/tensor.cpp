#include "kernels/tensor.h"

#include <algorithm>

#include "core/copy_bytes.h"
#include "core/narrow.h"

namespace stringops::kernels {
namespace {

// Calls f(offsets) for each row of the chunk, which has num_cols + 1 offsets.
template <class F>
void for_each_row(const StringSpan& in, const StringChunk& chunk, F&& f) {
  for (int64_t block = 0; block < chunk.blocks; ++block) {
    const int64_t first = block * chunk.block_rows + chunk.first_row;
    for (int64_t row = first; row < first + chunk.num_rows; ++row) f(in.row_offsets(row) + chunk.first_col);
  }
}

}  // namespace

void write_tensor_chunk(const uint8_t* in, const TensorChunk& chunk, uint8_t* out) {
  if (chunk.blocks == 0 || chunk.num_bytes == 0) return;  // an empty tensor has a null pointer
  const uint8_t* const in_end = in + chunk.blocks * chunk.block_bytes;
  const uint8_t* const out_end = out + chunk.blocks * chunk.num_bytes;
  const uint8_t* src = in + chunk.first_byte;
  for (int64_t block = 0; block < chunk.blocks; ++block, src += chunk.block_bytes, out += chunk.num_bytes) {
    copy_short(out, out_end, src, in_end, chunk.num_bytes);
  }
}

int64_t measure_string_chunk(const StringSpan& in, const StringChunk& chunk) {
  int64_t num_bytes = 0;
  for_each_row(in, chunk, [&](const int32_t* offsets) {
    num_bytes += std::max<int64_t>(0, int64_t{offsets[chunk.num_cols]} - offsets[0]);
  });
  return num_bytes;
}

bool write_string_chunk(const StringSpan& in, const StringChunk& chunk, const StringChunkOutput& out) {
  RangeCopier copier(in.data, in.num_bytes, out.data, 0, out.num_bytes);
  bool decreasing = false;
  int64_t col = 0;
  int32_t* ends = out.offsets;
  for_each_row(in, chunk, [&](const int32_t* offsets) {
    const auto at = narrow<int32_t>(copier.at());
    const ByteRange row = copier.take(offsets[0], offsets[chunk.num_cols]);
    const auto low = narrow<int32_t>(row.begin), high = narrow<int32_t>(row.end);
    const auto position = [&](int32_t offset) { return std::clamp(offset, low, high) - low + at; };
    for (int64_t i = 1; i <= chunk.num_cols; ++i) {
      if (col == 0) *ends++ = position(offsets[i - 1]);
      *ends = position(offsets[i]);
      decreasing |= *ends < ends[-1];
      ++ends;
      if (++col == out.cols) col = 0;
    }
  });
  return copier.finish() && !decreasing;
}

}  // namespace stringops::kernels
