#include "kernels/split.h"

#include <algorithm>

#include "core/copy_bytes.h"
#include "core/narrow.h"

namespace stringops::kernels {
namespace {

// Calls f(offsets) for each row of the piece: num_cols + 1 of them.
template <class F>
void for_each_row(const StringSpan& in, const StringPart& part, F&& f) {
  for (int64_t block = 0; block < part.blocks; ++block) {
    const int64_t first = block * part.block_rows + part.first_row;
    for (int64_t row = first; row < first + part.num_rows; ++row) f(in.row_offsets(row) + part.first_col);
  }
}

}  // namespace

void write_tensor_part(const uint8_t* in, const TensorPart& part, uint8_t* out) {
  if (part.blocks == 0 || part.num_bytes == 0) return;  // no elements have no address to count from
  const uint8_t* const in_end = in + part.blocks * part.block_bytes;
  const uint8_t* const out_end = out + part.blocks * part.num_bytes;
  const uint8_t* src = in + part.first_byte;
  for (int64_t block = 0; block < part.blocks; ++block, src += part.block_bytes, out += part.num_bytes) {
    copy_short(out, out_end, src, in_end, part.num_bytes);
  }
}

int64_t measure_string_part(const StringSpan& in, const StringPart& part) {
  int64_t num_bytes = 0;
  for_each_row(in, part, [&](const int32_t* offsets) {
    num_bytes += std::max<int64_t>(0, int64_t{offsets[part.num_cols]} - offsets[0]);
  });
  return num_bytes;
}

bool write_string_part(const StringSpan& in, const StringPart& part, const StringPartOutput& out) {
  RangeCopier copier(in.data, in.num_bytes, out.data, 0, out.num_bytes);
  bool decreasing = false;
  int64_t col = 0;
  int32_t* ends = out.offsets;
  for_each_row(in, part, [&](const int32_t* offsets) {
    const auto at = narrow<int32_t>(copier.at());
    const ByteRange row = copier.take(offsets[0], offsets[part.num_cols]);
    const auto low = narrow<int32_t>(row.begin), high = narrow<int32_t>(row.end);
    const auto place = [&](int32_t offset) { return std::clamp(offset, low, high) - low + at; };
    for (int64_t i = 1; i <= part.num_cols; ++i) {
      if (col == 0) *ends++ = place(offsets[i - 1]);
      *ends = place(offsets[i]);
      decreasing |= *ends < ends[-1];
      ++ends;
      if (++col == out.cols) col = 0;
    }
  });
  return copier.finish() && !decreasing;
}

}  // namespace stringops::kernels
