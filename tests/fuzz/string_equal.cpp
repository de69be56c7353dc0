// string_equal: two tensors of the same text or nearly, broadcast in every way.
#include "kernels/string_equal.h"

#include "fuzz.h"

namespace stringops::fuzz {
namespace {

FUZZ_TARGET(string_equal) {
  // The result is [a, b, cols]; an operand has each dimension or 1.
  const std::vector<int64_t> leading = {1 + in.below(3), 1 + in.below(3)};
  const int64_t cols = 1 + (in.byte() < 240 ? in.below(9) : in.below(40)), tasks = 1 + in.below(3);
  std::string text = take_text(in, static_cast<int64_t>(in.left()) - 48);
  std::vector<Strings> strings;
  std::vector<kernels::Operand> operands;
  for (int i = 0; i < 2; ++i) {
    const bool whole_a = in.below(4) != 0, whole_b = in.below(4) != 0, whole_cols = in.below(4) != 0;
    const int64_t a = whole_a ? leading[0] : 1, b = whole_b ? leading[1] : 1, c = whole_cols ? cols : 1;
    if (i == 1 && !text.empty() && in.flag())
      text[static_cast<size_t>(in.below(static_cast<int64_t>(text.size())))] = '!';
    Arguments args = take_strings(in, text, {a * b, c});
    if (!args.trusted) return;
    strings.push_back(std::move(args.strings));
    operands.push_back({strings.back().span, {a > 1 ? b : 0, b > 1 ? 1 : 0}, c > 1 ? 1 : 0});
  }
  const kernels::EqualInput input{operands[0], operands[1], leading, cols};
  const int64_t count = leading[0] * leading[1] * cols;
  const auto run = [&] {
    const Exact<bool> out(count);
    for (int64_t t = 0; t < tasks; ++t) {
      kernels::write_equal(input, count * t / tasks, count * (t + 1) / tasks, out.data());
    }
    return out.copy();
  };
  const std::vector<bool> equal = [&] {
    const auto found = same_on_every_tier(run);
    return std::vector<bool>(found.begin(), found.end());
  }();
  std::vector<std::vector<std::string>> values = {strings[0].values(), strings[1].values()};
  for (int64_t i = 0; i < count; ++i) {
    std::string both[2];
    for (size_t k = 0; k < 2; ++k) {
      const auto& strides = operands[k].row_strides;
      const int64_t row = i / cols / leading[1] * strides[0] + i / cols % leading[1] * strides[1];
      both[k] = values[k][static_cast<size_t>(row * operands[k].span.cols + i % cols * operands[k].col_stride)];
    }
    REQUIRE(equal[static_cast<size_t>(i)] == (both[0] == both[1]));
  }
  strings[in.below(2)].damage(in);
  survives_on_every_tier(run);
}

}  // namespace
}  // namespace stringops::fuzz
