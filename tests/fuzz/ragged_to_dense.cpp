// ragged_to_dense: each row is padded or truncated on its side; and its gradient, the kernel of dense_to_ragged.
#include "kernels/ragged.h"

#include "fuzz.h"
#include "ragged.h"

namespace stringops::fuzz {
namespace {

FUZZ_TARGET(ragged_to_dense) {
  Ragged ragged = take_ragged(in);
  const Layout layout = take_layout(in);
  const DenseShape& shape = layout.shape;
  const int64_t scalar_bytes = layout.scalar_bytes;
  const int64_t tasks = 1 + in.below(3);
  if (!ragged.trusted) return;
  Bytes scalar(scalar_bytes);
  const bool uniform = in.flag();
  for (int64_t i = 0; i < scalar_bytes; ++i) scalar[i] = static_cast<uint8_t>(uniform ? 0xEE : 0xE0 + i);
  const kernels::Padding padding(scalar.data(), scalar_bytes);
  const int64_t element = shape.element_bytes, rows = ragged.rows.rows;
  Bytes values(ragged.rows.num_values * element);
  for (int64_t i = 0; i < values.size(); ++i) values[i] = static_cast<uint8_t>(i % 127);

  const auto run = [&] {
    const Bytes dense(rows * shape.width * element);
    for (int64_t t = tasks; t-- > 0;) {
      kernels::write_ragged_to_dense(values.data(), ragged.rows, shape, padding, rows * t / tasks,
                                     rows * (t + 1) / tasks, dense.data());
    }
    return dense.copy();
  };
  const std::vector<uint8_t> dense = run();
  for (int64_t r = 0; r < rows; ++r) {
    const int64_t begin = ragged.splits[r], size = ragged.splits[r + 1] - begin;
    for (int64_t c = 0; c < shape.width; ++c) {
      // The index in the row of the element at (r, c).
      const int64_t e = shape.side == Side::kRight ? c : c - (shape.width - size);
      for (int64_t b = 0; b < element; ++b) {
        const uint8_t want = e >= 0 && e < size ? values[(begin + e) * element + b] : scalar[b % scalar_bytes];
        REQUIRE(dense[static_cast<size_t>((r * shape.width + c) * element + b)] == want);
      }
    }
  }
  ragged.damage(in);
  run();
}

}  // namespace
}  // namespace stringops::fuzz
