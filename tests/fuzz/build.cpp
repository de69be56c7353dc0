// string_concat and string_repeat: operands that broadcast in every way.
#include "kernels/build.h"

#include "driver/testing.h"
#include "results.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

using Sizes = kernels::Shape;

// The result has shape [a, b, cols]; in each dimension an operand has that size or 1.
Sizes take_result_shape(Input& in) {
  const int64_t a = 1 + in.below(3), b = 1 + in.below(3);
  return {a, b, in.byte() < 200 ? in.below(9) : in.below(40)};
}

Sizes take_operand_shape(Input& in, const Sizes& result) {
  Sizes shape = result;
  for (int64_t& size : shape) {
    if (in.below(4) == 0) size = 1;
  }
  return shape;
}

// The flat index in an operand of element i of the result.
size_t index_in(const Sizes& shape, const Sizes& result, int64_t i) {
  const int64_t at[] = {i / result[2] / result[1], i / result[2] % result[1], i % result[2]};
  int64_t flat = 0;
  for (size_t d = 0; d < 3; ++d) flat = flat * shape[d] + (shape[d] == 1 ? 0 : at[d]);
  return static_cast<size_t>(flat);
}

template <class Work>
std::optional<std::vector<std::string>> build(const Work& work, int64_t tasks, const Interference& interfere) {
  const Sizes& shape = work.shape();
  const int64_t rows = shape[0] * shape[1], cols = shape[2];
  const Exact<int32_t> offsets(rows * (cols + 1));
  Bytes data;
  const auto allocate = [&](int64_t num_bytes) {
    check_room(num_bytes);
    data = Bytes(num_bytes);
    if (cols == 0) std::fill_n(offsets.data(), offsets.size(), 0);
    if (interfere) interfere();
    return kernels::MapOutput{data.data(), offsets.data()};
  };
  if (!gives_result(interfere != nullptr,
                    [&] { kernels::build_strings("", kernels::LoopRunner(tasks, true), work, allocate); })) {
    return std::nullopt;
  }
  REQUIRE(is_compact(offsets, rows, cols, data.size()));
  std::vector<std::string> strings;
  for (int64_t i = 0; i < rows * cols; ++i) {
    const int32_t* const at = &offsets[i / cols * (cols + 1) + i % cols];
    strings.push_back(text_of(data.data() + at[0], at[1] - at[0]));
  }
  return strings;
}

FUZZ_TARGET(string_concat) {
  const Sizes result = take_result_shape(in);
  const int64_t tasks = 1 + in.below(4), num_operands = 1 + in.below(4);
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 24 * num_operands);
  std::vector<Strings> operands;
  std::vector<StringSpan> spans;
  std::vector<Sizes> shapes;
  for (int64_t i = 0; i < num_operands; ++i) {
    shapes.push_back(i == 0 ? result : take_operand_shape(in, result));
    Arguments args = take_strings(in, text, {shapes.back()[0] * shapes.back()[1], shapes.back()[2]});
    if (!args.trusted) return;
    operands.push_back(std::move(args.strings));
    spans.push_back(operands.back().span);
  }
  std::vector<std::string> want;
  size_t bytes = 0;
  for (int64_t i = 0; i < count_elements(result); ++i) {
    std::string joined;
    for (size_t k = 0; k < operands.size(); ++k)
      joined += spans[k][static_cast<int64_t>(index_in(shapes[k], result, i))];
    bytes += joined.size();
    want.push_back(std::move(joined));
  }
  if (bytes > 1 << 19) return;
  REQUIRE(build(kernels::Concat(spans, shapes, result), tasks, nullptr) == want);
  const kernels::Concat work(spans, shapes, result);
  build(work, tasks, [&] { operands[static_cast<size_t>(in.below(num_operands))].damage(in); });
}

FUZZ_TARGET(string_repeat) {
  const Sizes result = take_result_shape(in);
  const int64_t tasks = 1 + in.below(4);
  const bool first = in.flag();  // which operand has the shape of the result
  const Sizes shape = first ? result : take_operand_shape(in, result);
  const Sizes counts_shape = first ? take_operand_shape(in, result) : result;
  Exact<int64_t> counts(count_elements(counts_shape));
  for (int64_t i = 0; i < counts.size(); ++i) counts[i] = in.below(12) - 2;
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 24);
  Arguments args = take_strings(in, text, {shape[0] * shape[1], shape[2]});
  if (!args.trusted) return;
  const StringSpan& span = args.strings.span;
  std::vector<std::string> want;
  size_t bytes = 0;
  for (int64_t i = 0; i < count_elements(result); ++i) {
    const auto string = span[static_cast<int64_t>(index_in(shape, result, i))];
    std::string repeated;
    for (int64_t n = counts[static_cast<int64_t>(index_in(counts_shape, result, i))]; n > 0; --n) repeated += string;
    bytes += repeated.size();
    want.push_back(std::move(repeated));
    if (bytes > 1 << 19) return;
  }
  const kernels::Repeat work(span, shape, counts.data(), counts_shape, result);
  REQUIRE(build(work, tasks, nullptr) == want);
  build(work, tasks, [&] {
    args.strings.damage(in);
    if (counts.size() > 0) counts[in.below(counts.size())] = in.any<int64_t>();
  });
}

Result call_build(const World& world, const kernels::Runner& runner, bool repeat) {
  const StringSpan& in = world.strings.span;
  const Exact<int32_t> offsets(in.rows * (in.cols + 1));
  const Sizes shape{in.rows, in.cols};
  constexpr int64_t kThree = 3;
  Bytes data;
  const auto allocate = [&](int64_t num_bytes) {
    check_room(num_bytes);
    data = Bytes(num_bytes);
    return kernels::MapOutput{data.data(), offsets.data()};
  };
  if (repeat) {
    kernels::build_strings("", runner, kernels::Repeat(in, shape, &kThree, {1}, shape), allocate);
  } else {
    kernels::build_strings("", runner, kernels::Concat({in, world.other.span}, {shape, shape}, shape), allocate);
  }
  return digest(data, offsets);
}

SHARED_CALL(string_concat, { return call_build(world, runner, false); })
SHARED_CALL(string_repeat, { return call_build(world, runner, true); })

}  // namespace
}  // namespace stringops::fuzz
