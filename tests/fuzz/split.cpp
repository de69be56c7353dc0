// split and split_to_sequence: pieces of an axis, of strings and of other tensors.
#include "kernels/split.h"

#include "fuzz.h"

namespace stringops::fuzz {
namespace {

using kernels::StringPart;
using kernels::StringPartOutput;
using kernels::TensorPart;

struct Copied {
  bool complete;
  std::vector<std::string> strings;
};

template <class Meanwhile>
Copied copy_part(const StringSpan& in, const StringPart& part, int64_t cols, Meanwhile&& meanwhile) {
  const int64_t count = part.blocks * part.num_rows * part.num_cols;
  const int64_t rows = cols ? count / cols : 0;
  const int64_t bytes = kernels::measure_string_part(in, part);
  REQUIRE(bytes >= 0);
  if (bytes > 1 << 20) return {false, {}};  // of offsets that somebody changed before they were measured
  Bytes data(bytes);
  Exact<int32_t> offsets(rows * (cols + 1));
  const bool damaged = meanwhile();
  const bool complete = kernels::write_string_part(in, part, {data.data(), bytes, offsets.data(), cols});
  REQUIRE(complete || damaged);
  if (!complete) return {false, {}};
  REQUIRE(!find_bad_offset({data.data(), bytes, offsets.data(), rows, cols}));
  REQUIRE(damaged || rows == 0 || is_compact(offsets, rows, cols, bytes));
  Copied copied{true, {}};
  for (int64_t i = 0; i < count; ++i) {
    const int32_t* at = &offsets[i / cols * (cols + 1) + i % cols];
    copied.strings.push_back(text_of(data.data() + at[0], at[1] - at[0]));
  }
  return copied;
}

void split_strings(Input& in) {
  const int64_t blocks = in.below(4), block_rows = in.below(4), cols = in.below(9);
  const bool last_axis = in.flag();
  StringPart part{blocks, block_rows, 0, block_rows, 0, cols};
  if (last_axis) {
    part = {1, blocks * block_rows, 0, blocks * block_rows, in.below(cols + 1), 0};
    part.num_cols = in.below(cols - part.first_col + 1);
  } else {
    part.first_row = in.below(block_rows + 1);
    part.num_rows = in.below(block_rows - part.first_row + 1);
  }
  // An axis that is dropped leaves the one before it as the last.
  const bool dropped = last_axis && part.num_cols == 1 && in.flag();
  const int64_t out_cols = dropped ? part.num_rows : part.num_cols;
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 24);
  const Arguments args = take_strings(in, text, {blocks * block_rows, cols});
  if (!args.trusted) return;
  const StringSpan& span = args.strings.span;

  const auto unchanged = [] { return false; };
  const std::vector<std::string> values = args.strings.values();
  std::vector<std::string> want;
  for (int64_t block = 0; block < part.blocks; ++block) {
    for (int64_t row = 0; row < part.num_rows; ++row) {
      for (int64_t col = 0; col < part.num_cols; ++col) {
        const int64_t r = block * part.block_rows + part.first_row + row;
        want.push_back(values[static_cast<size_t>(r * cols + part.first_col + col)]);
      }
    }
  }
  REQUIRE(copy_part(span, part, out_cols, unchanged).strings == want);
  Strings victim = args.strings.copy();
  copy_part(victim.span, part, out_cols, [&] {
    victim.damage(in);
    return true;
  });
  copy_part(victim.span, part, out_cols, [] { return true; });
}

void split_tensor(Input& in) {
  const int64_t blocks = in.below(9), element = 1 + in.below(16), length = in.below(12);
  const int64_t first = in.below(length + 1), size = in.below(length - first + 1);
  const TensorPart part{blocks, length * element, first * element, size * element};
  Bytes tensor(blocks * length * element), out(blocks * size * element);
  for (int64_t i = 0; i < tensor.size(); ++i) tensor[i] = static_cast<uint8_t>(i * 7 + i / 256);
  kernels::write_tensor_part(tensor.data(), part, out.data());
  for (int64_t i = 0; i < out.size(); ++i) {
    const int64_t block = i / part.num_bytes, at = i % part.num_bytes;
    REQUIRE(out[i] == tensor[block * part.block_bytes + part.first_byte + at]);
  }
}

FUZZ_TARGET(split) {
  in.below(4) ? split_strings(in) : split_tensor(in);
}

}  // namespace
}  // namespace stringops::fuzz
