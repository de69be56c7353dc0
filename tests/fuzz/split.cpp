// split and split_to_sequence: chunks of an axis, of strings and of other tensors.
#include "kernels/tensor.h"

#include "results.h"

namespace stringops::fuzz {
namespace {

using kernels::StringChunk;
using kernels::TensorChunk;

std::optional<std::vector<std::string>> copy_chunk(const StringSpan& in, const StringChunk& chunk,
                                                   const Interference& interfere) {
  const int64_t count = chunk.blocks * chunk.num_strings;
  Bytes data;
  const Exact<int32_t> offsets(count + 1);
  offsets[0] = 0;
  const auto allocate = [&](size_t, int64_t num_bytes) {
    check_room(num_bytes);
    data = Bytes(num_bytes);
    if (interfere) interfere();
    return kernels::MapOutput{data.data(), offsets.data()};
  };
  if (!gives_result(interfere != nullptr,
                    [&] { kernels::copy_string_chunks("", kernels::LoopRunner(), in, {chunk}, allocate); })) {
    return std::nullopt;
  }
  REQUIRE(is_compact(offsets, 1, count, data.size()));
  std::vector<std::string> strings;
  for (int64_t i = 0; i < count; ++i) {
    strings.push_back(text_of(data.data() + offsets[i], offsets[i + 1] - offsets[i]));
  }
  return strings;
}

void split_strings(Input& in) {
  const int64_t blocks = in.below(16), block_strings = in.below(36);
  StringChunk chunk{blocks, block_strings, in.below(block_strings + 1), 0};
  chunk.num_strings = in.below(block_strings - chunk.first_string + 1);
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 24);
  const Arguments args = take_strings(in, text, blocks * block_strings);
  if (!args.trusted) return;
  const StringSpan& span = args.strings.span;

  const std::vector<std::string> values = args.strings.values();
  std::vector<std::string> want;
  for (int64_t block = 0; block < chunk.blocks; ++block) {
    for (int64_t i = 0; i < chunk.num_strings; ++i) {
      want.push_back(values[static_cast<size_t>(block * block_strings + chunk.first_string + i)]);
    }
  }
  REQUIRE(copy_chunk(span, chunk, nullptr) == want);
  Strings victim = args.strings.copy();
  copy_chunk(victim.span, chunk, [&] { victim.damage(in); });
  copy_chunk(victim.span, chunk, [] {});
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
