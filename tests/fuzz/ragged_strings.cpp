// _strings_to_dense: each row of strings is padded or truncated on its side.
#include "kernels/ragged_strings.h"

#include "ragged.h"
#include "results.h"

namespace stringops::fuzz {
namespace {

struct Dense {
  Bytes data;
  Exact<int32_t> offsets;

  std::vector<std::string> values(int64_t cols) const {
    std::vector<std::string> all;
    for (int64_t i = 0; i + 1 < offsets.size(); ++i) {
      if (i % (cols + 1) != cols) all.push_back(text_of(data.data() + offsets[i], offsets[i + 1] - offsets[i]));
    }
    return all;
  }
};

// Covers _strings_to_dense.
FUZZ_TARGET(ragged_strings) {
  Ragged ragged = take_ragged(in);
  const Side side = in.flag() ? Side::kLeft : Side::kRight;
  const int64_t width = in.below(20), features = in.below(3), tasks = 1 + in.below(3);
  const std::string pad(static_cast<size_t>(in.byte() < 224 ? in.below(9) : in.below(5000)), 'p');
  if (!ragged.trusted) return;
  // Elements that are rows of strings, or the strings of a single row.
  const bool is_flat = features == 1 && in.flag();
  const int64_t num_values = ragged.rows.num_values;
  const Shape shape = is_flat ? Shape{1, num_values} : Shape{num_values, features};
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) / 2);
  Arguments args = take_strings(in, text, shape);
  if (!args.trusted) return;

  const std::vector<std::string> all = args.strings.values();
  std::vector<std::string> want;
  size_t bytes = 0;
  for (int64_t r = 0; r < ragged.rows.rows; ++r) {
    const int64_t begin = ragged.splits[r], size = ragged.splits[r + 1] - begin;
    for (int64_t c = 0; c < width * features; ++c) {
      // The index in the row of the string at (r, c).
      const int64_t e = side == Side::kRight ? c : c - (width - size) * features;
      const bool kept = e >= 0 && e < size * features;
      want.push_back(kept ? all[static_cast<size_t>(begin * features + e)] : pad);
      bytes += want.back().size();
    }
  }
  if (bytes > 1 << 19) return;

  const kernels::RepeatedString padding(pad);
  const kernels::PaddedRows selection{args.strings.span, ragged.rows, width, features, side, padding};
  const int64_t cols = features == 1 ? width : features;
  const int64_t rows = features == 1 ? ragged.rows.rows : ragged.rows.rows * width;
  const auto run = [&](const Interference& interfere) -> std::optional<std::vector<std::string>> {
    Dense dense;
    const auto allocate = [&](int64_t count, int64_t num_bytes) {
      check_room(num_bytes);
      REQUIRE(count == rows * cols);
      dense.data = Bytes(num_bytes);
      dense.offsets = Exact<int32_t>(rows * (cols + 1));
      if (count == 0) std::fill_n(dense.offsets.data(), dense.offsets.size(), 0);
      if (interfere) interfere();
      return kernels::GatherOutput{dense.data.data(), dense.offsets.data(), cols};
    };
    const auto check = [](const kernels::Selected&) {};
    if (!gives_result(interfere != nullptr, [&] {
          kernels::gather_strings("", kernels::LoopRunner(tasks, true), 1, selection, check, allocate);
        })) {
      return std::nullopt;
    }
    REQUIRE(is_compact(dense.offsets, rows, cols, dense.data.size()));
    return dense.values(cols);
  };
  REQUIRE(same_on_every_tier([&] { return run(nullptr); }) == want);
  survives_on_every_tier([&] { run([&] { in.flag() ? ragged.damage(in) : args.strings.damage(in); }); });
}

}  // namespace
}  // namespace stringops::fuzz
