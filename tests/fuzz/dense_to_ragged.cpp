// dense_to_ragged: the elements within the width of the dense row, zeros for the rest.
#include "kernels/ragged.h"

#include "fuzz.h"
#include "ragged.h"

namespace stringops::fuzz {
namespace {

// Covers _ragged_to_dense_backward.
FUZZ_TARGET(dense_to_ragged) {
  Ragged ragged = take_ragged(in);
  const DenseShape shape = take_layout(in).shape;
  const int64_t tasks = 1 + in.below(3);
  if (!ragged.trusted) return;
  const int64_t element = shape.element_bytes, rows = ragged.rows.rows;
  Bytes dense(rows * shape.width * element);
  for (int64_t i = 0; i < dense.size(); ++i) dense[i] = static_cast<uint8_t>(1 + i % 127);

  const auto run = [&] {
    const Bytes values(ragged.rows.num_values * element);
    for (int64_t t = tasks; t-- > 0;) {
      kernels::write_dense_to_ragged(dense.data(), shape, ragged.rows, rows * t / tasks, rows * (t + 1) / tasks,
                                     values.data());
    }
    return values.copy();
  };
  const std::vector<uint8_t> values = run();
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t begin = ragged.splits[r], size = ragged.splits[r + 1] - begin;
    for (int64_t e = 0; e < size; ++e) {
      const int64_t c = shape.side == Side::kRight ? e : e + (shape.width - size);
      for (int64_t b = 0; b < element; ++b) {
        const bool has_place = c >= 0 && c < shape.width;
        const uint8_t want = has_place ? dense[(r * shape.width + c) * element + b] : 0;
        REQUIRE(values[static_cast<size_t>((begin + e) * element + b)] == want);
      }
    }
  }
  ragged.damage(in);
  run();
}

}  // namespace
}  // namespace stringops::fuzz
