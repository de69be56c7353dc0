// string_isin and string_edit_distance.
#include <algorithm>
#include <set>

#include "fuzz.h"
#include "kernels/compare_edit_distance.h"
#include "kernels/compare_isin.h"
#include "kernels/driver/testing.h"
#include "kernels/driver/zip.h"
#include "oracle.h"
#include "results.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

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

FUZZ_TARGET(edit_distance) {
  const int64_t tasks = 1 + in.below(3), count = 1 + in.below(4);
  const bool is_broadcast = in.flag(), codepoints = in.flag();
  const std::string text = take_text(in, std::min<int64_t>(static_cast<int64_t>(in.left()) - 48, 700));
  if (text.size() > 4000) return;
  const Arguments left = take_strings(in, text, {1, count}),
                  right = take_strings(in, text, {1, is_broadcast ? 1 : count});
  if (!left.trusted || !right.trusted) return;
  const auto run = [&](const StringSpan& a, const StringSpan& b) {
    const Exact<int64_t> out(count);
    kernels::zip_strings("", kernels::LoopRunner(tasks), kernels::EditDistance{codepoints}, a, {a.cols}, b, {b.cols},
                         [&](const kernels::Shape&) { return out.data(); });
    return out.copy();
  };
  const auto distances = run(left.strings.span, right.strings.span);
  const auto a = left.strings.values(), b = right.strings.values();
  for (size_t i = 0; i < a.size(); ++i) {
    const auto other = units_of(b[is_broadcast ? 0 : i], codepoints);
    REQUIRE(distances[i] == distance(units_of(a[i], codepoints), other));
  }
  Strings victim = left.strings.copy();
  victim.damage(in);
  run(victim.span, right.strings.span);
}

SHARED_CALL(string_isin, {
  const kernels::StringSet set("", world.other.span);
  const Exact<bool> found(world.strings.span.size());
  set.contains(world.strings.span, 0, found.size(), found.data());
  return digest(found);
})

SHARED_CALL(string_edit_distance, {
  const StringSpan& in = world.strings.span;
  const Exact<int64_t> out(in.size());
  kernels::zip_strings("", runner, kernels::EditDistance{true}, in, {in.rows, in.cols}, world.other.span,
                       {in.rows, in.cols}, [&](const kernels::Shape&) { return out.data(); });
  return digest(out);
})

}  // namespace
}  // namespace stringops::fuzz
