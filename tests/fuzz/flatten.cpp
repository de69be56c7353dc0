// Flattening of rows, as operators do with their arguments, and the offsets of rows that results get.
#include "driver/flatten.h"

#include "core/offsets.h"
#include "results.h"

namespace stringops::fuzz {
namespace {

// Rows of any stride, whose offsets are in `offsets`.
struct DrawnRows {
  Bytes data;
  Exact<int32_t> offsets;
  StringRows rows;

  std::vector<std::string> values() const {
    std::vector<std::string> all;
    for (int64_t r = 0; r < rows.rows; ++r) {
      const int32_t* const at = rows.row_offsets(r);
      for (int64_t c = 0; c < rows.cols; ++c) all.push_back(text_of(data.data() + at[c], at[c + 1] - at[c]));
    }
    return all;
  }
};

DrawnRows draw_rows(Input& in) {
  const int64_t rows = in.below(40), cols = in.below(in.below(8) ? 6 : 40);
  // The rows of a tensor with more columns, every second row, or one row again and again.
  const uint8_t kind = in.byte();
  const int64_t stride = kind < 16 ? 0 : cols + 1 + (kind % 4 ? 0 : 1 + kind / 4 % 8);
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 24);
  DrawnRows drawn{bytes_of(text), Exact<int32_t>(0), {}};
  const Exact<int32_t> dense =
      take_offsets(in, drawn.data.size(), stride > 0 ? rows : std::min<int64_t>(rows, 1), cols);
  const int64_t count = rows > 0 ? (rows - 1) * stride + cols + 1 : 0;
  drawn.offsets = Exact<int32_t>(count);
  for (int64_t i = 0; i < count; ++i) drawn.offsets[i] = -7;  // between rows
  for (int64_t r = 0; r < (stride > 0 ? rows : std::min<int64_t>(rows, 1)); ++r) {
    for (int64_t c = 0; c <= cols; ++c) drawn.offsets[r * stride + c] = dense[r * (cols + 1) + c];
  }
  drawn.rows = {drawn.data.data(), drawn.data.size(), drawn.offsets.data(), rows, cols, stride};
  return drawn;
}

// The strings of a flat span; they are valid.
std::vector<std::string> values_of(const StringSpan& flat) {
  REQUIRE(!find_bad_offset({flat.data, flat.num_bytes, flat.offsets, 1, flat.count, flat.count + 1}));
  std::vector<std::string> all;
  for (int64_t i = 0; i < flat.count; ++i) all.emplace_back(flat[i]);
  return all;
}

// The strings in rows of another length, as results have them, and as `reshape` makes views.
void check_row_offsets(const StringSpan& flat, const std::vector<std::string>& want, int64_t cols) {
  if (cols == 0 || flat.count % cols != 0 || flat.count == 0) return;
  const int64_t rows = flat.count / cols;
  const Exact<int32_t> out(rows * (cols + 1));
  int32_t* const end = out.data() + (rows - 1);
  std::copy_n(flat.offsets, flat.count + 1, end);
  write_row_offsets(end, rows, cols, out.data());
  for (int64_t i = 0; i < flat.count; ++i) {
    const int32_t* const at = &out[i / cols * (cols + 1) + i % cols];
    REQUIRE(text_of(flat.data + at[0], at[1] - at[0]) == want[static_cast<size_t>(i)]);
  }
}

FUZZ_TARGET(flatten) {
  const int64_t tasks = 1 + in.below(4), new_cols = 1 + in.below(12);
  DrawnRows drawn = draw_rows(in);
  const bool is_valid = !find_bad_offset(drawn.rows);
  const Exact<int32_t> offsets(drawn.rows.size() + 1);
  Bytes bytes;
  const auto flatten = [&](const Interference& interfere) {
    return kernels::flatten("op", "offsets", kernels::LoopRunner(tasks, true), drawn.rows, offsets.data(),
                            [&](int64_t num_bytes) {
                              bytes = Bytes(num_bytes);
                              if (interfere) interfere();
                              return bytes.data();
                            });
  };
  const auto flat = flatten(nullptr);
  REQUIRE(flat.has_value() == is_valid);
  if (flat) {
    const std::vector<std::string> want = drawn.values();
    REQUIRE(values_of(*flat) == want);
    check_row_offsets(*flat, want, new_cols);
    check_row_offsets(*flat, want, drawn.rows.cols);
    if (want.size() % static_cast<size_t>(new_cols) == 0 && !want.empty()) {
      const int64_t rows = drawn.rows.size() / new_cols;
      const Exact<int32_t> out(rows * (new_cols + 1));
      if (reshape_offsets(drawn.rows, out.data(), new_cols)) {
        const StringRows reshaped{drawn.rows.data, drawn.rows.num_bytes, out.data(), rows, new_cols, new_cols + 1};
        std::vector<std::string> got;
        for (int64_t r = 0; r < rows; ++r) {
          for (int64_t c = 0; c < new_cols; ++c) got.emplace_back(reshaped.row(r)[c]);
        }
        REQUIRE(got == want);
      }
    }
  }
  // Offsets that change between measuring and copying: an error, or a valid span.
  const auto damage = [&] {
    for (int64_t i = 1 + in.below(6); i > 0 && drawn.offsets.size() > 0; --i) {
      drawn.offsets[in.below(drawn.offsets.size())] = in.any<int32_t>();
    }
  };
  if (const auto changed = flatten(damage)) values_of(*changed);
}

}  // namespace
}  // namespace stringops::fuzz
