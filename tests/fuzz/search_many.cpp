// The operators that search for many patterns at once, against a comparison of each pattern at each place.
#include "kernels/search_many.h"

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "driver/reduce.h"
#include "kernels/pattern_list.h"
#include "kernels/regex.h"
#include "kernels/regex_any.h"
#include "map.h"
#include "oracle.h"
#include "results.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

using kernels::LoopRunner;
using kernels::PatternList;
using kernels::PatternSet;
using Texts = std::vector<std::string>;

struct Occurrence {
  size_t begin, end, id;
};

// All occurrences, from left to right, the longest first; of equal patterns those of the first one.
std::vector<Occurrence> find_all(std::string_view text, const Texts& patterns) {
  std::vector<Occurrence> found;
  for (size_t at = 0; at < text.size(); ++at) {
    const auto before = static_cast<std::ptrdiff_t>(found.size());
    for (size_t i = 0; i < patterns.size(); ++i) {
      const std::string& pattern = patterns[i];
      if (pattern.empty() || text.substr(at, pattern.size()) != pattern) continue;
      if (std::find(patterns.begin(), patterns.end(), pattern) - patterns.begin() == static_cast<std::ptrdiff_t>(i)) {
        found.push_back({at, at + pattern.size(), i});
      }
    }
    std::sort(found.begin() + before, found.end(), [](auto& a, auto& b) { return a.end > b.end; });
  }
  return found;
}

struct Results {
  std::vector<uint8_t> contains;
  Pieces leftmost, all;
  Texts replaced;

  auto tied() const { return std::tie(contains, leftmost, all, replaced); }
};

Results oracle(const Strings& strings, const Texts& patterns, const Texts& replacements) {
  Results want;
  const bool has_empty = std::find(patterns.begin(), patterns.end(), "") != patterns.end();
  strings.for_each([&](std::string_view text) {
    std::vector<Occurrence> found = find_all(text, patterns);
    want.contains.push_back(has_empty || !found.empty());
    std::string replaced;
    size_t done = 0;
    for (const Occurrence& one : found) {
      if (one.begin < done) continue;
      want.leftmost.add(text.substr(one.begin, one.end - one.begin));
      replaced += text.substr(done, one.begin - done);
      replaced += replacements[replacements.size() == 1 ? 0 : one.id];
      done = one.end;
    }
    want.replaced.push_back(replaced + std::string(text.substr(done)));
    std::sort(found.begin(), found.end(),
              [](auto& a, auto& b) { return a.end != b.end ? a.end < b.end : a.begin < b.begin; });
    for (const Occurrence& one : found) want.all.add(text.substr(one.begin, one.end - one.begin));
    want.leftmost.end_row();
    want.all.end_row();
  });
  return want;
}

Pieces cut(const StringSpan& in, const PatternSet& patterns, bool overlapping, int64_t tasks,
           const Interference& interfere) {
  RaggedBuffers result{Exact<int64_t>(in.size() + 1), interfere};
  kernels::cut_ragged("", LoopRunner(tasks, true), in, kernels::OccurrenceCutter(patterns, overlapping), result);
  return result.checked_pieces();
}

Results run(const StringSpan& in, const PatternSet& patterns, const StringSpan& replacements, int64_t tasks,
            const Interference& interfere = nullptr) {
  Results got;
  const Exact<bool> contains(in.size());
  kernels::reduce_strings(LoopRunner(tasks, true), kernels::ContainsAny{patterns}, in, contains.data());
  for (int64_t i = 0; i < in.size(); ++i) got.contains.push_back(contains[i]);
  got.leftmost = cut(in, patterns, false, tasks, interfere);
  got.all = cut(in, patterns, true, tasks, interfere);
  const auto replaced = map_all(kernels::ReplaceMany{patterns, replacements}, in, tasks, interfere);
  if (!replaced && !interfere) throw std::length_error("more than a test allocates");
  if (replaced) got.replaced = *replaced;
  return got;
}

// Covers string_contains_any, string_extract_many, string_replace_many.
FUZZ_TARGET(search_many) {
  const int64_t tasks = 1 + in.below(4), count = in.below(12);
  const bool one_for_all = in.flag();
  const std::string text = take_text(in, std::min<int64_t>(in.below(200), static_cast<int64_t>(in.left()) / 3));
  const Arguments patterns = take_strings(in, text, {1, count});
  const Arguments replacements = take_strings(in, text, {1, one_for_all ? 1 : count});
  const Arguments args = take_strings(in, text);
  if (!patterns.trusted || !replacements.trusted || !args.trusted) return;
  const StringSpan& span = args.strings.span;
  const PatternSet set("", PatternList("", patterns.strings.span).texts());
  const Texts texts = patterns.strings.values();
  Results want, got;
  if (!gives_result(false, [&] { got = run(span, set, replacements.strings.span, tasks); })) return;
  if (count > 0) want = oracle(args.strings, texts, replacements.strings.values());
  same_on_every_tier([&] {
    const Results again = run(span, set, replacements.strings.span, tasks);
    REQUIRE(count == 0 || again.tied() == want.tied());
    return again.tied() == got.tied();
  });
  survives_on_every_tier([&] {
    Strings victim = args.strings.copy(), other = replacements.strings.copy(), damaged = patterns.strings.copy();
    Input rest = in;
    gives_result(true, [&] {
      run(victim.span, set, other.span, tasks, [&] {
        victim.damage(rest);
        other.damage(rest);
      });
    });
    damaged.damage(rest);
    gives_result(true, [&] { PatternSet::of("", damaged.span); });
  });
}

// Covers regex_contains_any.
FUZZ_TARGET(regex_contains_any) {
  static constexpr std::string_view kPatterns[] = {"a",   "[b-d]+,", "(",  "a)",   "(?i)X y", "\\d{2}",  "",
                                                   "a|b", "^ab",     "b$", "\xFF", "(?:b",    "\xC3\xA9"};
  std::string text;
  std::vector<int32_t> ends{0};
  for (int64_t i = in.below(5); i > 0; --i) {
    text += kPatterns[static_cast<size_t>(in.below(std::size(kPatterns)))];
    ends.push_back(static_cast<int32_t>(text.size()));
  }
  const Bytes data = bytes_of(text);
  const Exact<int32_t> offsets(ends);
  const StringSpan patterns{data.data(), data.size(), offsets.data(), 1, offsets.size() - 1};
  const int64_t tasks = 1 + in.below(3);
  const Arguments args = take_strings(in, "ab");
  if (!args.trusted) return;
  const StringSpan& span = args.strings.span;
  const auto contains = [&](const Pattern& pattern) {
    const Exact<bool> found(span.size());
    kernels::regex_contains(LoopRunner(tasks, true), pattern, span, found.data());
    return found.copy();
  };
  std::string want_error, error;
  std::vector<bool> want(static_cast<size_t>(span.size()), false);
  bool is_utf8 = true;
  args.strings.for_each([&](std::string_view value) { is_utf8 = is_utf8 && !invalid_utf8_at(value); });
  for (int64_t i = 0; i < patterns.cols && want_error.empty(); ++i) {
    try {
      const auto one = Pattern::compile(patterns[i], MatchRule::kFirst);
      if (!is_utf8) continue;
      const std::vector<bool> found = contains(*one);
      for (size_t k = 0; k < found.size(); ++k) want[k] = want[k] || found[k];
    } catch (const PatternError& thrown) {
      want_error = ": cannot compile `patterns[" + std::to_string(i) + "]`: " + thrown.what();
    }
  }
  try {
    const auto any = kernels::compile_any("", patterns);
    REQUIRE((any == nullptr) == (patterns.cols == 0));
    if (any && is_utf8) REQUIRE(same_on_every_tier([&] { return contains(*any); }) == want);
  } catch (const std::invalid_argument& thrown) {
    error = thrown.what();
  }
  REQUIRE(error == want_error);
}

SHARED_CALL(string_contains_any, {
  const auto patterns = PatternSet::of("", world.long_ones.span);
  const Exact<bool> found(world.strings.span.size());
  kernels::reduce_strings(runner, kernels::ContainsAny{*patterns}, world.strings.span, found.data());
  return digest(found);
})

SHARED_CALL(string_extract_many, {
  const auto patterns = PatternSet::of("", world.other.span);
  RaggedBuffers result{Exact<int64_t>(world.strings.span.size() + 1), nullptr, 1 << 24};
  kernels::cut_ragged("", runner, world.strings.span, kernels::OccurrenceCutter(*patterns, false), result);
  return digest(result.data, result.offsets, result.row_splits);
})

}  // namespace
}  // namespace stringops::fuzz
