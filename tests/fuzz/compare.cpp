// string_isin and string_edit_distance.
#include <algorithm>
#include <set>

#include "driver/testing.h"
#include "driver/zip.h"
#include "fuzz.h"
#include "kernels/compare_edit_distance.h"
#include "kernels/compare_isin.h"
#include "oracle.h"
#include "results.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

// Covers string_isin.
FUZZ_TARGET(isin) {
  const Shape shape = take_shape(in, 200), test_shape = take_shape(in, 100);
  const int64_t split = in.below(4);
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 48);
  const Arguments args = take_strings(in, text, shape), test = take_strings(in, text, test_shape);
  if (!args.trusted || !test.trusted) return;
  const StringSpan& span = args.strings.span;
  const auto run = [&](const StringSpan& strings, const StringSpan& of) {
    const kernels::StringSet set("", of);
    const Exact<bool> found(strings.size());
    const int64_t middle = strings.size() * split / 4;
    set.contains(strings, 0, middle, found.data());
    set.contains(strings, middle, strings.size(), found.data());
    return found.copy();
  };
  const std::vector<std::string> words = test.strings.values();
  const std::set<std::string> known(words.begin(), words.end());
  std::vector<bool> want;
  args.strings.for_each([&](std::string_view word) { want.push_back(known.count(std::string(word)) > 0); });
  const auto found = same_on_every_tier([&] { return run(span, test.strings.span); });
  REQUIRE(found == want);
  survives_on_every_tier([&] {
    Strings victim = args.strings.copy(), other = test.strings.copy();
    Input rest = in;
    victim.damage(rest);
    other.damage(rest);
    gives_result(true, [&] {
      if (kernels::find_unique(other.span, std::vector<int64_t>(static_cast<size_t>(other.span.size())).data())
              .num_bytes < 1 << 20) {
        run(victim.span, other.span);
      }
    });
  });
}

// Units as strings, so that an invalid byte differs from all code points.
std::vector<std::string> units_of(std::string_view text, bool codepoints) {
  std::vector<std::string> units;
  for (size_t at = 0, n = 1; at < text.size(); at += n) {
    n = codepoints ? std::max<size_t>(codepoint_at(text, at), 1) : 1;
    units.emplace_back(text.substr(at, n));
  }
  return units;
}

int64_t distance(const std::vector<std::string>& a, const std::vector<std::string>& b) {
  std::vector<int64_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = static_cast<int64_t>(j);
  for (size_t i = 0; i < a.size(); ++i) {
    int64_t before = std::exchange(row[0], static_cast<int64_t>(i) + 1);
    for (size_t j = 0; j < b.size(); ++j) {
      const int64_t changed = before + (a[i] != b[j] ? 1 : 0);
      before = std::exchange(row[j + 1], std::min({changed, row[j] + 1, row[j + 1] + 1}));
    }
  }
  return row.back();
}

// Covers string_edit_distance.
FUZZ_TARGET(edit_distance) {
  const int64_t tasks = 1 + in.below(3), count = 1 + in.below(4), form = in.below(4);
  const bool is_long = in.byte() < 16;  // several strips
  const int64_t others = form == 0 ? count : form == 1 ? 1 : 1 + in.below(is_long ? 2 : in.byte() < 224 ? 8 : 80);
  const kernels::EditDistance kernel{in.flag(), in.flag() ? INT64_MAX : in.below(in.flag() ? 8 : 400)};
  std::string text = take_text(in, std::min<int64_t>(static_cast<int64_t>(in.left()) - 48, 700));
  if (is_long && !text.empty()) {
    while (text.size() < 1600) text += text;
  }
  if (text.size() > 4000) return;
  // Element by element or with one string, or all pairs.
  const bool is_grid = form >= 2;
  const Arguments left = take_strings(in, text, is_grid ? Shape{count, 1} : Shape{1, count}),
                  right = take_strings(in, text, {1, others});
  if (!left.trusted || !right.trusted) return;
  const kernels::Shape left_shape = is_grid ? kernels::Shape{count, 1} : kernels::Shape{count};
  const auto run = [&](const StringSpan& a, const StringSpan& b) {
    const Exact<int64_t> out(is_grid ? count * others : count);
    const auto allocate = [&](const kernels::Shape&) { return out.data(); };
    const kernels::LoopRunner runner(tasks);
    if (form == 3) {
      kernels::edit_distances("", runner, kernel, b, {others}, a, left_shape, allocate);
    } else {
      kernels::edit_distances("", runner, kernel, a, left_shape, b, {others}, allocate);
    }
    return out.copy();
  };
  const auto distances = same_on_every_tier([&] { return run(left.strings.span, right.strings.span); });
  const auto a = left.strings.values(), b = right.strings.values();
  for (size_t i = 0; i < distances.size(); ++i) {
    const size_t at = is_grid ? i / b.size() : i, other_at = is_grid ? i % b.size() : others == 1 ? 0 : i;
    const int64_t want = distance(units_of(a[at], kernel.codepoints), units_of(b[other_at], kernel.codepoints));
    REQUIRE(distances[i] == (want > kernel.max_distance ? kernel.max_distance + 1 : want));
  }
  survives_on_every_tier([&] {
    Strings victim = left.strings.copy(), other = right.strings.copy();
    Input rest = in;
    victim.damage(rest);
    other.damage(rest);
    run(victim.span, other.span);
  });
}

SHARED_CALL(string_isin, {
  const kernels::StringSet set("", world.other.span);
  const Exact<bool> found(world.strings.span.size());
  set.contains(world.strings.span, 0, found.size(), found.data());
  return digest(found);
})

SHARED_CALL(string_edit_distance, {
  const StringSpan& in = world.strings.span;
  const int64_t count = std::min<int64_t>(in.cols, 9);
  const StringSpan other{world.other.span.data, world.other.span.num_bytes, world.other.span.offsets, 1, count};
  const Exact<int64_t> pairs(in.size()), grid(in.size() * count);
  kernels::edit_distances("", runner, kernels::EditDistance{true}, in, {in.rows, in.cols}, world.other.span,
                          {in.rows, in.cols}, [&](const kernels::Shape&) { return pairs.data(); });
  kernels::edit_distances("", runner, kernels::EditDistance{true}, in, {in.rows, in.cols, 1}, other, {count},
                          [&](const kernels::Shape&) { return grid.data(); });
  return digest(pairs) ^ digest(grid);
})

}  // namespace
}  // namespace stringops::fuzz
