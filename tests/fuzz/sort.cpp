// string_sort, string_argsort, string_min, string_max and string_searchsorted.
#include "kernels/sort.h"

#include <algorithm>
#include <numeric>

#include "driver/testing.h"
#include "fuzz.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

using Row = std::vector<std::string>;

std::vector<Row> rows_of(const Strings& strings) {
  const Row all = strings.values();
  std::vector<Row> rows;
  for (int64_t r = 0; r < strings.span.rows; ++r) {
    rows.emplace_back(all.begin() + r * strings.span.cols, all.begin() + (r + 1) * strings.span.cols);
  }
  return rows;
}

std::vector<int64_t> order_of(const Row& row, bool descending) {
  std::vector<int64_t> order(row.size());
  std::iota(order.begin(), order.end(), 0);
  const auto text = [&](int64_t i) -> const std::string& { return row[static_cast<size_t>(i)]; };
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return descending ? text(b) < text(a) : text(a) < text(b); });
  return order;
}

// Covers string_sort, string_argsort, string_min, string_max, string_searchsorted.
FUZZ_TARGET(sort) {
  const int64_t tasks = 1 + in.below(4);
  const bool flag = in.flag();  // descending, greatest or right
  const Shape shape = take_shape(in, 200);
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 48);
  const Arguments args = take_strings(in, text, shape);
  const Arguments other = take_strings(in, text, {in.flag() ? shape.rows : 1, in.below(20)});
  if (!args.trusted || !other.trusted) return;
  const StringSpan& span = args.strings.span;
  const kernels::LoopRunner runner(tasks);

  const auto argsort = [&](const StringSpan& s) {
    const Exact<int64_t> indices(s.size());
    kernels::argsort_rows(runner, s, flag, indices.data());
    return indices.copy();
  };
  const auto extremes = [&](const StringSpan& s, int64_t rows) {
    const Exact<int64_t> indices(s.size() > 0 ? s.rows / rows : 0);
    if (s.size() > 0) kernels::find_extremes(runner, s, rows, flag, indices.data());
    return indices.copy();
  };
  const auto search = [&](const StringSpan& s, const StringSpan& values) {
    const Exact<int64_t> positions(values.size());
    kernels::search_sorted(runner, s, values, flag, positions.data());
    return positions.copy();
  };

  const std::vector<Row> rows = rows_of(args.strings);
  const auto indices = argsort(span);
  std::vector<int64_t> want;
  for (const Row& row : rows) {
    const auto order = order_of(row, flag);
    want.insert(want.end(), order.begin(), order.end());
  }
  REQUIRE(indices == want);

  if (span.size() > 0) {
    const auto found = extremes(span, 1);
    for (size_t r = 0; r < rows.size(); ++r) {
      const auto best =
          flag ? std::max_element(rows[r].begin(), rows[r].end()) : std::min_element(rows[r].begin(), rows[r].end());
      REQUIRE(found[r] == best - rows[r].begin());
    }
    const Row all = args.strings.values();
    const auto best = flag ? std::max_element(all.begin(), all.end()) : std::min_element(all.begin(), all.end());
    REQUIRE(extremes(span, span.rows)[0] == best - all.begin());
  }

  // Sorted rows: the strings of `args`, or only those of its first row.
  const bool one_row = other.strings.span.rows != span.rows || span.rows == 1;
  if (span.rows > 0) {
    std::string sorted_text;
    const int64_t count = one_row ? 1 : span.rows;
    Strings sorted{Bytes(), Exact<int32_t>(count * (span.cols + 1)), {}};
    for (int64_t r = 0; r < count; ++r) {
      Row row = rows[static_cast<size_t>(r)];
      std::sort(row.begin(), row.end());
      int32_t* offsets = &sorted.offsets[r * (span.cols + 1)];
      *offsets++ = static_cast<int32_t>(sorted_text.size());
      for (const std::string& s : row) *offsets++ = static_cast<int32_t>((sorted_text += s).size());
    }
    sorted.data = bytes_of(sorted_text);
    sorted.span = {sorted.data.data(), sorted.data.size(), sorted.offsets.data(), count, span.cols};
    const auto positions = search(sorted.span, other.strings.span);
    const std::vector<Row> values = rows_of(other.strings);
    size_t i = 0;
    for (size_t r = 0; r < values.size(); ++r) {
      Row row = rows[one_row ? 0 : r];
      std::sort(row.begin(), row.end());
      for (const std::string& value : values[r]) {
        const auto at =
            flag ? std::upper_bound(row.begin(), row.end(), value) : std::lower_bound(row.begin(), row.end(), value);
        REQUIRE(positions[i++] == at - row.begin());
      }
    }
    sorted.damage(in);
    for (const int64_t position : search(sorted.span, other.strings.span)) {
      REQUIRE(0 <= position && position <= span.cols);
    }
  }

  Strings victim = args.strings.copy();
  victim.damage(in);
  auto order = argsort(victim.span);
  for (int64_t r = 0; r < span.rows; ++r) {  // some permutation
    std::sort(order.begin() + r * span.cols, order.begin() + (r + 1) * span.cols);
    for (int64_t i = 0; i < span.cols; ++i) REQUIRE(order[static_cast<size_t>(r * span.cols + i)] == i);
  }
  extremes(victim.span, 1);
  extremes(victim.span, victim.span.rows);
}

SHARED_CALL(string_argsort, {
  const Exact<int64_t> indices(world.strings.span.size());
  kernels::argsort_rows(runner, world.strings.span, false, indices.data());
  return digest(indices);
})

SHARED_CALL(string_searchsorted, {
  const StringSpan& in = world.strings.span;
  const Exact<int64_t> positions(in.size());
  kernels::search_sorted(runner, in, in, false, positions.data());
  return digest(positions);
})

}  // namespace
}  // namespace stringops::fuzz
