#include "kernels/split.h"

#include <algorithm>

#include "core/copy_bytes.h"

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
  const uint8_t* const src_end = in.data + in.num_bytes;
  const uint8_t* const dst_end = out.data + out.num_bytes;
  int64_t at = 0, col = 0;
  int32_t* ends = out.offsets;
  // Rows that touch in `data` are copied in one piece: [pending, pending_end) is due at out.data + pending_at.
  int64_t pending = 0, pending_end = 0, pending_at = 0;
  const auto flush = [&] {
    copy_short(out.data + pending_at, dst_end, in.data + pending, src_end, pending_end - pending);
  };
  for_each_row(in, part, [&](const int32_t* offsets) {
    // Clamped, since another thread may have written the offsets since they were checked.
    const int64_t begin = std::clamp<int64_t>(offsets[0], 0, in.num_bytes);
    const int64_t end =
        std::clamp<int64_t>(offsets[part.num_cols], begin, std::min(in.num_bytes, begin + (out.num_bytes - at)));
    const auto low = static_cast<int32_t>(begin), high = static_cast<int32_t>(end);
    const auto shift = static_cast<int32_t>(at - begin);
    const auto place = [&](int32_t offset) { return std::clamp(offset, low, high) + shift; };
    for (int64_t i = 1; i <= part.num_cols; ++i) {
      if (col == 0) *ends++ = place(offsets[i - 1]);
      *ends++ = place(offsets[i]);
      if (++col == out.cols) col = 0;
    }
    if (begin != pending_end) {
      flush();
      pending = begin;
      pending_at = at;
    }
    pending_end = end;
    at += end - begin;
  });
  flush();
  return at == out.num_bytes;
}

}  // namespace stringops::kernels
