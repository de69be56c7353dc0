// string_equal and the operators of order: two tensors of equal or nearly equal text, broadcast in every way.
#include "kernels/compare.h"

#include "driver/testing.h"
#include "driver/zip.h"
#include "fuzz.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

// Covers string_less, string_less_equal, string_greater, string_greater_equal.
FUZZ_TARGET(string_equal) {
  // The result has shape [a, b, cols]; in each dimension an operand has that size or 1.
  const kernels::Shape shape = [&] {
    const int64_t a = 1 + in.below(3), b = 1 + in.below(3);
    return kernels::Shape{a, b, 1 + (in.byte() < 240 ? in.below(9) : in.below(40))};
  }();
  const int64_t tasks = 1 + in.below(3);
  std::string text = take_text(in, static_cast<int64_t>(in.left()) - 48);
  std::vector<Strings> strings;
  std::vector<kernels::Shape> shapes;
  for (int i = 0; i < 2; ++i) {
    const bool whole_a = in.below(4) != 0, whole_b = in.below(4) != 0, whole_cols = in.below(4) != 0;
    shapes.push_back({whole_a ? shape[0] : 1, whole_b ? shape[1] : 1, whole_cols ? shape[2] : 1});
    if (i == 1 && !text.empty() && in.flag())
      text[static_cast<size_t>(in.below(static_cast<int64_t>(text.size())))] = '!';
    Arguments args = take_strings(in, text, {shapes.back()[0] * shapes.back()[1], shapes.back()[2]});
    if (!args.trusted) return;
    strings.push_back(std::move(args.strings));
  }
  const kernels::Shape result = kernels::broadcast_shapes("", shapes[0], shapes[1]);
  const int64_t count = count_elements(result);
  const auto compare = [&](const auto& kernel) {
    const Exact<bool> out(count);
    kernels::zip_strings("", kernels::LoopRunner(tasks), kernel, strings[0].span, shapes[0], strings[1].span, shapes[1],
                         [&](const kernels::Shape&) { return out.data(); });
    return out.copy();
  };
  const auto run = [&] {
    return std::make_tuple(compare(kernels::Equal()), compare(kernels::Less()), compare(kernels::LessEqual()),
                           compare(kernels::Greater()), compare(kernels::GreaterEqual()));
  };
  const auto [equal, less, less_equal, greater, greater_equal] = same_on_every_tier(run);
  const std::vector<std::string> values[] = {strings[0].values(), strings[1].values()};
  for (int64_t i = 0; i < count; ++i) {
    const int64_t at[] = {i / result[2] / result[1], i / result[2] % result[1], i % result[2]};
    std::string both[2];
    for (size_t k = 0; k < 2; ++k) {
      int64_t flat = 0;
      for (size_t d = 0; d < 3; ++d) flat = flat * shapes[k][d] + (shapes[k][d] == 1 ? 0 : at[d]);
      both[k] = values[k][static_cast<size_t>(flat)];
    }
    const auto k = static_cast<size_t>(i);
    REQUIRE(equal[k] == (both[0] == both[1]));
    REQUIRE(less[k] == (both[0] < both[1]) && less_equal[k] == (both[0] <= both[1]));
    REQUIRE(greater[k] == (both[0] > both[1]) && greater_equal[k] == (both[0] >= both[1]));
  }
  strings[in.below(2)].damage(in);
  survives_on_every_tier(run);
}

template <class Kernel>
Result call(const World& world, const kernels::Runner& runner) {
  const StringSpan &left = world.strings.span, &right = world.other.span;
  const Exact<bool> out(left.size());
  kernels::zip_strings("", runner, Kernel(), left, {left.rows, left.cols}, right, {right.rows, right.cols},
                       [&](const kernels::Shape&) { return out.data(); });
  return digest(out);
}

SHARED_CALL(string_equal, { return call<kernels::Equal>(world, runner); })
SHARED_CALL(string_less, { return call<kernels::Less>(world, runner); })

}  // namespace
}  // namespace stringops::fuzz
