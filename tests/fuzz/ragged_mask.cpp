// ragged_mask: 1 for elements, 0 for padding.
#include "kernels/ragged.h"

#include "fuzz.h"
#include "ragged.h"

namespace stringops::fuzz {
namespace {

FUZZ_TARGET(ragged_mask) {
  Ragged ragged = take_ragged(in);
  const DenseShape shape = take_layout(in).shape;
  const int64_t tasks = 1 + in.below(3), rows = ragged.rows.rows;
  if (!ragged.trusted) return;
  const auto run = [&] {
    const Bytes mask(rows * shape.width);
    for (int64_t t = tasks; t-- > 0;) {
      kernels::write_ragged_mask(ragged.rows, shape.width, shape.side, rows * t / tasks, rows * (t + 1) / tasks,
                                 mask.data());
    }
    return mask.copy();
  };
  const std::vector<uint8_t> mask = run();
  int64_t longest = 0;
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t size = ragged.splits[r + 1] - ragged.splits[r];
    longest = std::max(longest, size);
    for (int64_t c = 0; c < shape.width; ++c) {
      const bool want = shape.side == Side::kRight ? c < size : c >= shape.width - size;
      REQUIRE(mask[static_cast<size_t>(r * shape.width + c)] == want);
    }
  }
  REQUIRE(ragged.rows.longest_row() == longest);
  ragged.damage(in);
  ragged.rows.longest_row();
  run();
}

}  // namespace
}  // namespace stringops::fuzz
