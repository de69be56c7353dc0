#include "kernels/tensor.h"

#include <algorithm>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "core/strings.h"

namespace stringops::kernels {
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
  for (int64_t block = 0; block < chunk.blocks; ++block) {
    const int64_t first = block * chunk.block_strings + chunk.first_string;
    num_bytes += count_bytes(in, first, first + chunk.num_strings);
  }
  return num_bytes;
}

bool write_string_chunk(const StringSpan& in, const StringChunk& chunk, const MapOutput& out, int64_t num_bytes) {
  RangeCopier copier(in.data, in.num_bytes, out.data, 0, num_bytes);
  bool decreasing = false;
  int32_t* ends = out.offsets + 1;
  for (int64_t block = 0; block < chunk.blocks; ++block) {
    const int32_t* const offsets = in.offsets + block * chunk.block_strings + chunk.first_string;
    const auto at = narrow<int32_t>(copier.at());
    const ByteRange run = copier.take(offsets[0], offsets[chunk.num_strings]);
    const auto low = narrow<int32_t>(run.begin), high = narrow<int32_t>(run.end);
    for (int64_t i = 1; i <= chunk.num_strings; ++i, ++ends) {
      *ends = std::clamp(offsets[i], low, high) - low + at;
      decreasing |= *ends < ends[-1];
    }
  }
  return copier.finish() && !decreasing;
}

}  // namespace stringops::kernels
