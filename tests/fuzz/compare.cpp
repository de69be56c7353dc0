// string_isin, distances and similarities.
#include <algorithm>
#include <set>

#include "driver/testing.h"
#include "driver/zip.h"
#include "fuzz.h"
#include "kernels/compare_edit_distance.h"
#include "kernels/compare_isin.h"
#include "kernels/compare_jaccard.h"
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

// Compares strings element by element or with one string, or all pairs. `want(a, b)` is the value of two strings'
// units.
template <class Kernel, class Want>
void check_pairs(Input& in, const Kernel& kernel, int64_t max_text, const Want& want) {
  using Value = typename Kernel::Value;
  const int64_t tasks = 1 + in.below(3), count = 1 + in.below(4), form = in.below(4);
  const bool is_long = in.byte() < 16;  // several strips
  const int64_t others = form == 0 ? count : form == 1 ? 1 : 1 + in.below(is_long ? 2 : in.byte() < 224 ? 8 : 80);
  std::string text = take_text(in, std::min<int64_t>(static_cast<int64_t>(in.left()) - 48, 700));
  if (is_long && !text.empty()) {
    while (text.size() < 1600) text += text;
  }
  if (static_cast<int64_t>(text.size()) > max_text) return;
  const bool is_grid = form >= 2;
  const Arguments left = take_strings(in, text, is_grid ? Shape{count, 1} : Shape{1, count}),
                  right = take_strings(in, text, {1, others});
  if (!left.trusted || !right.trusted) return;
  const kernels::Shape left_shape = is_grid ? kernels::Shape{count, 1} : kernels::Shape{count};
  const auto run = [&](const StringSpan& a, const StringSpan& b) {
    const Exact<Value> out(is_grid ? count * others : count);
    const auto allocate = [&](const kernels::Shape&) { return out.data(); };
    const kernels::LoopRunner runner(tasks);
    if (form == 3) {
      kernels::compare_pairs("", runner, kernel, b, {others}, a, left_shape, allocate);
    } else {
      kernels::compare_pairs("", runner, kernel, a, left_shape, b, {others}, allocate);
    }
    return out.copy();
  };
  const auto values = same_on_every_tier([&] { return run(left.strings.span, right.strings.span); });
  const auto a = left.strings.values(), b = right.strings.values();
  for (size_t i = 0; i < values.size(); ++i) {
    const size_t at = is_grid ? i / b.size() : i, other_at = is_grid ? i % b.size() : others == 1 ? 0 : i;
    REQUIRE(values[i] == want(units_of(a[at], kernel.codepoints), units_of(b[other_at], kernel.codepoints)));
  }
  survives_on_every_tier([&] {
    Strings victim = left.strings.copy(), other = right.strings.copy();
    Input rest = in;
    victim.damage(rest);
    other.damage(rest);
    run(victim.span, other.span);
  });
}

using Units = std::vector<std::string>;

int64_t limited(int64_t distance, int64_t limit) {
  return distance > limit ? limit + 1 : distance;
}

int64_t take_limit(Input& in) {
  return in.flag() ? INT64_MAX : in.below(in.flag() ? 8 : 400);
}

// The recurrence on the whole matrix.
int64_t damerau(const Units& a, const Units& b) {
  const auto m = static_cast<int64_t>(a.size()), n = static_cast<int64_t>(b.size()), width = n + 2, most = m + n;
  std::vector<int64_t> table(static_cast<size_t>((m + 2) * width), most);
  const auto at = [&](int64_t i, int64_t j) -> int64_t& { return table[(i + 1) * width + j + 1]; };
  for (int64_t i = 0; i <= m; ++i) at(i, 0) = i;
  for (int64_t j = 0; j <= n; ++j) at(0, j) = j;
  for (int64_t i = 1; i <= m; ++i) {
    int64_t last_column = 0;
    for (int64_t j = 1; j <= n; ++j) {
      int64_t k = i - 1;
      while (k > 0 && a[k - 1] != b[j - 1]) --k;
      const bool equal = a[i - 1] == b[j - 1];
      at(i, j) = std::min({at(i - 1, j - 1) + (equal ? 0 : 1), at(i - 1, j) + 1, at(i, j - 1) + 1,
                           at(k - 1, last_column - 1) + i - k + j - last_column - 1});
      if (equal) last_column = j;
    }
  }
  return at(m, n);
}

float ratio(const Units& a, const Units& b) {
  std::vector<int64_t> row(b.size() + 1);
  for (const std::string& x : a) {
    int64_t before = 0;
    for (size_t j = 0; j < b.size(); ++j) {
      const int64_t longer = x == b[j] ? before + 1 : std::max(row[j], row[j + 1]);
      before = std::exchange(row[j + 1], longer);
    }
  }
  const auto units = static_cast<int64_t>(a.size() + b.size());
  if (units == 0) return 1;
  return static_cast<float>(1 - static_cast<double>(units - 2 * row.back()) / static_cast<double>(units));
}

// Without the weight of common prefixes.
float jaro(const Units& a, const Units& b) {
  const auto m = static_cast<int64_t>(a.size()), n = static_cast<int64_t>(b.size());
  const int64_t reach = std::max<int64_t>(std::max(m, n) / 2 - 1, 0);
  std::vector<bool> used(a.size());
  Units others;
  for (int64_t j = 0; j < n; ++j) {
    for (int64_t i = std::max<int64_t>(0, j - reach); i < std::min(m, j + reach + 1); ++i) {
      if (used[i] || a[i] != b[j]) continue;
      used[i] = true;
      others.push_back(b[j]);
      break;
    }
  }
  if (others.empty()) return m + n == 0 ? 1 : 0;
  int64_t moved = 0;
  size_t k = 0;
  for (int64_t i = 0; i < m; ++i) {
    if (used[i] && a[i] != others[k++]) ++moved;
  }
  const auto common = static_cast<double>(others.size());
  return static_cast<float>((common / static_cast<double>(m) + common / static_cast<double>(n) +
                             (common - static_cast<double>(moved / 2)) / common) /
                            3);
}

// Covers string_edit_distance.
FUZZ_TARGET(edit_distance) {
  const kernels::EditDistance kernel{in.flag(), take_limit(in)};
  check_pairs(in, kernel, 4000,
              [&](const Units& a, const Units& b) { return limited(distance(a, b), kernel.max_distance); });
}

// Covers string_damerau.
FUZZ_TARGET(damerau) {
  const kernels::Damerau kernel{in.flag(), take_limit(in)};
  check_pairs(in, kernel, 1000,
              [&](const Units& a, const Units& b) { return limited(damerau(a, b), kernel.max_distance); });
}

// Covers string_ratio.
FUZZ_TARGET(ratio) {
  check_pairs(in, kernels::Ratio{in.flag()}, 4000, ratio);
}

// Covers string_jaro_winkler.
FUZZ_TARGET(jaro_winkler) {
  check_pairs(in, kernels::JaroWinkler{in.flag(), 0}, 4000, jaro);
}

// Covers string_jaccard.
FUZZ_TARGET(jaccard) {
  const kernels::NgramUnit unit{1 + in.below(in.flag() ? 4 : 80), in.flag()};
  const int64_t tasks = 1 + in.below(3), count = 1 + in.below(4), others = in.flag() ? count : 1;
  const std::string text = take_text(in, std::min<int64_t>(static_cast<int64_t>(in.left()) - 48, 700));
  const Arguments left = take_strings(in, text, {1, count}), right = take_strings(in, text, {1, others});
  if (!left.trusted || !right.trusted) return;
  const auto run = [&](const StringSpan& a, const StringSpan& b) {
    const Exact<float> out(count);
    kernels::zip_strings("", kernels::LoopRunner(tasks), kernels::NgramJaccard{unit}, a, {count}, b, {others},
                         [&](const kernels::Shape&) { return out.data(); });
    return out.copy();
  };
  const auto ngrams_of = [&](const std::string& string) {
    const Units units = units_of(string, unit.codepoints);
    std::set<std::string> ngrams;
    for (size_t i = 0; i == 0 || i + static_cast<size_t>(unit.size) <= units.size(); ++i) {
      std::string ngram;
      for (size_t k = i; k < std::min(units.size(), i + static_cast<size_t>(unit.size)); ++k) ngram += units[k];
      ngrams.insert(ngram);
    }
    return ngrams;
  };
  const auto values = run(left.strings.span, right.strings.span);
  const auto a = left.strings.values(), b = right.strings.values();
  for (size_t i = 0; i < values.size(); ++i) {
    const std::set<std::string> x = ngrams_of(a[i]), y = ngrams_of(b[others == 1 ? 0 : i]);
    int64_t common = 0;
    for (const std::string& ngram : x) common += static_cast<int64_t>(y.count(ngram));
    const auto either = static_cast<int64_t>(x.size() + y.size()) - common;
    REQUIRE(values[i] == static_cast<float>(static_cast<double>(common) / static_cast<double>(either)));
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

template <class Kernel>
Result compare_shared(const World& world, const kernels::Runner& runner, const Kernel& kernel) {
  using Value = typename Kernel::Value;
  const StringSpan& in = world.strings.span;
  const int64_t count = std::min<int64_t>(in.cols, 9);
  const StringSpan other{world.other.span.data, world.other.span.num_bytes, world.other.span.offsets, 1, count};
  const Exact<Value> pairs(in.size()), grid(in.size() * count);
  kernels::compare_pairs("", runner, kernel, in, {in.rows, in.cols}, world.other.span, {in.rows, in.cols},
                         [&](const kernels::Shape&) { return pairs.data(); });
  kernels::compare_pairs("", runner, kernel, in, {in.rows, in.cols, 1}, other, {count},
                         [&](const kernels::Shape&) { return grid.data(); });
  return digest(pairs) ^ digest(grid);
}

SHARED_CALL(string_edit_distance, { return compare_shared(world, runner, kernels::EditDistance{true}); })
SHARED_CALL(string_damerau, { return compare_shared(world, runner, kernels::Damerau{true}); })
SHARED_CALL(string_ratio, { return compare_shared(world, runner, kernels::Ratio{true}); })
SHARED_CALL(string_jaccard, {
  const StringSpan& in = world.strings.span;
  const Exact<float> values(in.size());
  kernels::zip_strings("", runner, kernels::NgramJaccard{{3, true}}, in, {in.rows, in.cols}, world.other.span,
                       {in.rows, in.cols}, [&](const kernels::Shape&) { return values.data(); });
  return digest(values);
})
SHARED_CALL(string_jaro_winkler, { return compare_shared(world, runner, kernels::JaroWinkler{true, 0.1}); })

}  // namespace
}  // namespace stringops::fuzz
