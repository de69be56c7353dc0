// split and split_to_sequence: chunks of an axis, of strings and of other tensors.
#include "kernels/tensor.h"

#include "results.h"

namespace stringops::fuzz {
namespace {

using kernels::StringChunk;
using kernels::TensorChunk;

std::optional<std::vector<std::string>> copy_chunk(const StringSpan& in, const StringChunk& chunk, int64_t cols,
                                                   const Interference& interfere) {
  const int64_t count = chunk.blocks * chunk.num_rows * chunk.num_cols;
  const int64_t rows = cols ? count / cols : 0;
  Bytes data;
  const Exact<int32_t> offsets(rows * (cols + 1));
  const auto allocate = [&](size_t, int64_t num_bytes) {
    check_room(num_bytes);
    data = Bytes(num_bytes);
    if (interfere) interfere();
    return kernels::StringChunkOutput{data.data(), num_bytes, offsets.data(), cols};
  };
  if (!gives_result(interfere != nullptr,
                    [&] { kernels::copy_string_chunks("", kernels::LoopRunner(), in, {chunk}, allocate); })) {
    return std::nullopt;
  }
  REQUIRE(!find_bad_offset({data.data(), data.size(), offsets.data(), rows, cols}));
  REQUIRE(interfere || rows == 0 || is_compact(offsets, rows, cols, data.size()));
  std::vector<std::string> strings;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t* at = &offsets[i / cols * (cols + 1) + i % cols];
    strings.push_back(text_of(data.data() + at[0], at[1] - at[0]));
  }
  return strings;
}

void split_strings(Input& in) {
  const int64_t blocks = in.below(4), block_rows = in.below(4), cols = in.below(9);
  const bool last_axis = in.flag();
  StringChunk chunk{blocks, block_rows, 0, block_rows, 0, cols};
  if (last_axis) {
    chunk = {1, blocks * block_rows, 0, blocks * block_rows, in.below(cols + 1), 0};
    chunk.num_cols = in.below(cols - chunk.first_col + 1);
  } else {
    chunk.first_row = in.below(block_rows + 1);
    chunk.num_rows = in.below(block_rows - chunk.first_row + 1);
  }
  // If the axis is dropped, the one before it becomes the last.
  const bool dropped = last_axis && chunk.num_cols == 1 && in.flag();
  const int64_t out_cols = dropped ? chunk.num_rows : chunk.num_cols;
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 24);
  const Arguments args = take_strings(in, text, {blocks * block_rows, cols});
  if (!args.trusted) return;
  const StringSpan& span = args.strings.span;

  const std::vector<std::string> values = args.strings.values();
  std::vector<std::string> want;
  for (int64_t block = 0; block < chunk.blocks; ++block) {
    for (int64_t row = 0; row < chunk.num_rows; ++row) {
      for (int64_t col = 0; col < chunk.num_cols; ++col) {
        const int64_t r = block * chunk.block_rows + chunk.first_row + row;
        want.push_back(values[static_cast<size_t>(r * cols + chunk.first_col + col)]);
      }
    }
  }
  REQUIRE(copy_chunk(span, chunk, out_cols, nullptr) == want);
  Strings victim = args.strings.copy();
  copy_chunk(victim.span, chunk, out_cols, [&] { victim.damage(in); });
  copy_chunk(victim.span, chunk, out_cols, [] {});
}

void split_tensor(Input& in) {
  const int64_t blocks = in.below(9), element = 1 + in.below(16), length = in.below(12);
  const int64_t first = in.below(length + 1), size = in.below(length - first + 1);
  const TensorChunk chunk{blocks, length * element, first * element, size * element};
  Bytes tensor(blocks * length * element), out(blocks * size * element);
  for (int64_t i = 0; i < tensor.size(); ++i) tensor[i] = static_cast<uint8_t>(i * 7 + i / 256);
  kernels::write_tensor_chunk(tensor.data(), chunk, out.data());
  for (int64_t i = 0; i < out.size(); ++i) {
    const int64_t block = i / chunk.num_bytes, at = i % chunk.num_bytes;
    REQUIRE(out[i] == tensor[block * chunk.block_bytes + chunk.first_byte + at]);
  }
}

FUZZ_TARGET(split) {
  in.below(4) ? split_strings(in) : split_tensor(in);
}

}  // namespace
}  // namespace stringops::fuzz
