// The kernels of regex_*, by the drivers as in the operators, against an oracle on one string after the other.
#include "kernels/regex.h"
#include "kernels/regex_groups.h"
#include "kernels/regex_replace.h"

#include "backtracker.h"
#include "core/testing.h"
#include "driver/check_utf8.h"
#include "driver/reduce.h"
#include "oracle.h"
#include "results.h"

extern "C" void stringops_set_masks(bool enable);

namespace stringops::fuzz {
namespace {

// map(runner, allocate) is the call of a driver on `in`. Nothing if it has rejected arguments that changed.
template <class Map>
std::optional<std::vector<std::string>> map_all_by(const StringSpan& in, int64_t tasks, const Interference& interfere,
                                                   Map&& map) {
  const Exact<int32_t> offsets(in.size() + 1);
  offsets[0] = 0;
  Bytes data;
  const auto allocate = [&](int64_t num_bytes) {
    check_room(num_bytes);
    data = Bytes(num_bytes);
    if (interfere) interfere();
    return kernels::MapOutput{data.data(), offsets.data()};
  };
  if (!gives_result(interfere != nullptr, [&] { map(kernels::LoopRunner(tasks, true), allocate); })) {
    return std::nullopt;
  }
  REQUIRE(is_compact(offsets, 1, in.size(), data.size()));
  std::vector<std::string> strings;
  for (int64_t i = 0; i < in.size(); ++i) {
    const int32_t* at = &offsets[i];
    strings.push_back(text_of(data.data() + at[0], at[1] - at[0]));
  }
  return strings;
}

using kernels::LoopRunner;
using kernels::RegexCutter;
using kernels::Span;

constexpr std::string_view kPieces[] = {
    "a",    " ",    ",",   "[a-z]", "[^a ]", "\\s",   "\\w",     "\\d",   "+",        "*",           "?",
    "+?",   "*?",   "|",   "(a)",   "(",     ")",     "^",       "$",     ".",        "{2}",         "b",
    "[ ,]", "\\b",  "\\B", "\\S",   "\\W",   "\\pL",  "ab",      "()",    "(?:",      "-",           "hello",
    "(b|)", "(?i)", "\\.", "(?s).", "0",     "(?!a)", "(?=\\s)", "(\\w)", "\xC3\xA9", "\xE6\x97\xA5"};

// Typical patterns: sets, literals and others.
constexpr std::string_view kUsual[] = {
    "\\w+-\\w+",
    "(\\w+),(b)?",
    "[a-z]{2} ",
    "(?:[^ ]+) a",
    "([a-z]+ b)+",
    "\\w+",
    "\\s+",
    "[a-z]+",
    "[^a ]+",
    "[ ,]",
    ",",
    "ab",
    "and the",
    "a",
    "\\S",
    "\\d+",
    " ",
    "(a)(b)",
    "a|ab",
    "x*",
    "",
    "\\b",
    "(\\w+) ",
    "a.*b",
    "\xC3\xA9",
    " ?[a-z]+|\\s+(?!\\S)|\\s+",
    "'s| ?\\pL+| ?[^\\s\\pL]+|\\s+(?!\\S)|\\s+",
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| "
    "?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|"
    "\\s+(?!\\S)|\\s+",
    "[^\\s]++(a|b)?+",
    "(a|b(?=c))+",
    "the|and|of",
    "([a-z]+),( *)(b{1,2})",
    "(a*)([^ab]+)b",
    "ab|a|b a",
    "[a-z]+,",
    "[a-z]\\w* ",
    "[^ ]+ ",
    "'(?i:[sdmt]|ll|ve|re)|[^\\r\\n\\p{L}\\p{N}]?+\\p{L}++|\\p{N}{1,3}+| "
    "?[^\\s\\p{L}\\p{N}]++[\\r\\n]*+|\\s++$|\\s*[\\r\\n]|\\s+(?!\\S)|\\s",
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]*[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|"
    "'d)?|"
    "[^\\r\\n\\p{L}\\p{N}]?[\\p{Lu}\\p{Lt}\\p{Lm}\\p{Lo}\\p{M}]+[\\p{Ll}\\p{Lm}\\p{Lo}\\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|"
    "'d)?|"
    "\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n/]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+",
    "[a-z]+(?:[ ,][a-z]+)*",
    "\\pL+(?: \\pL+)?|[^\\s\\pL]+",
    "[a-z]+(?:ab|b)",
    "[a-z]\\w* [a-z]+"};

std::string take_pattern(Input& in) {
  if (in.byte() >= 128) return std::string(kUsual[static_cast<size_t>(in.below(std::size(kUsual)))]);
  std::string pattern;
  for (int64_t i = 1 + in.below(6); i > 0; --i) {
    pattern += kPieces[static_cast<size_t>(in.below(static_cast<int64_t>(std::size(kPieces))))];
  }
  return pattern;
}

// The groups of one match after the other, by the oracle; no group is {-1, -1}.
using Range = std::pair<int64_t, int64_t>;
using Groups = std::vector<Range>;

std::vector<Groups> find_all(const Backtracker& engine, std::string_view text) {
  std::vector<Groups> all;
  const auto size = static_cast<int64_t>(text.size());
  for (int64_t from = 0; from <= size;) {
    const auto found = engine.find(text, from);
    if (!found) break;
    Groups groups;
    for (const Match& group : *found) groups.push_back({group.begin, group.end});
    all.push_back(groups);
    from = found->front().end;
    if (from == found->front().begin) {
      from += from < size ? static_cast<int64_t>(codepoint_at(text, static_cast<size_t>(from))) : 1;
    }
  }
  return all;
}

std::string_view piece_of(std::string_view text, Range range) {
  const auto [begin, end] = range;
  return begin < 0 ? std::string_view() : text.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin));
}

struct Results {
  std::vector<bool> contains, whole;
  std::vector<Range> first;
  std::vector<int64_t> counts;
  std::vector<std::string> replaced, extracted, groups;
  Pieces matches, between;
  std::vector<Range> match_spans, between_spans;
  std::vector<int64_t> match_splits, between_splits;

  auto tied() const {
    return std::tie(contains, whole, first, counts, replaced, extracted, groups, matches, between, match_spans,
                    between_spans, match_splits, between_splits);
  }
};

struct Calls {
  const Pattern& pattern;
  int64_t group;
  const kernels::Rewrite& rewrite;
  std::string rewrite_text;
  int64_t count;
  int64_t tasks;
};

Results oracle(const Backtracker& engine, const Calls& calls, const Strings& strings) {
  Results want;
  strings.for_each([&](std::string_view text) {
    const std::vector<Groups> all = find_all(engine, text);
    const auto group = static_cast<size_t>(calls.group);
    want.contains.push_back(!all.empty());
    want.counts.push_back(static_cast<int64_t>(all.size()));
    want.whole.push_back(engine.matches_all(text));
    want.first.push_back(all.empty() ? Range{-1, -1} : all[0][group]);
    want.extracted.emplace_back(piece_of(text, want.first.back()));
    std::string replaced;
    int64_t done = 0, last = 0, number = 0;
    for (const Groups& groups : all) {
      want.matches.add(piece_of(text, groups[group]));
      want.match_spans.push_back(groups[group]);
      want.between.add(piece_of(text, {last, groups[0].first}));
      want.between_spans.push_back({last, groups[0].first});
      last = groups[0].second;
      if (calls.count && number == calls.count) continue;
      ++number;
      replaced += piece_of(text, {done, groups[0].first});
      const std::string& rewrite = calls.rewrite_text;
      for (size_t i = 0; i < rewrite.size(); ++i) {
        if (rewrite[i] != '\\' || rewrite[++i] == '\\') {
          replaced += rewrite[i];
        } else {
          replaced += piece_of(text, groups[static_cast<size_t>(rewrite[i] - '0')]);
        }
      }
      done = groups[0].second;
    }
    const auto size = static_cast<int64_t>(text.size());
    want.replaced.push_back(replaced + std::string(piece_of(text, {done, size})));
    want.between.add(piece_of(text, {last, size}));
    want.between_spans.push_back({last, size});
    want.matches.end_row();
    want.between.end_row();
  });
  for (const size_t g : {calls.group, int64_t{0}}) {
    strings.for_each([&](std::string_view text) {
      const auto found = engine.find(text, 0);
      want.groups.emplace_back(found ? piece_of(text, {(*found)[g].begin, (*found)[g].end}) : "");
    });
  }
  want.match_splits = want.matches.splits;
  want.between_splits = want.between.splits;
  return want;
}

// The `count` strings that map(allocate) writes.
template <class Map>
std::vector<std::string> strings_of(int64_t count, const Interference& interfere, Map&& map) {
  const Exact<int32_t> offsets(count + 1);
  offsets[0] = 0;
  Bytes data;
  map([&](int64_t num_bytes) {
    check_room(num_bytes);
    data = Bytes(num_bytes);
    if (interfere) interfere();
    return kernels::MapOutput{data.data(), offsets.data()};
  });
  REQUIRE(is_compact(offsets, 1, count, data.size()));
  std::vector<std::string> strings;
  for (int64_t i = 0; i < count; ++i) {
    const int32_t* at = &offsets[i];
    strings.push_back(text_of(data.data() + at[0], at[1] - at[0]));
  }
  return strings;
}

template <class Functor>
std::vector<std::string> map_kept(const StringSpan& in, const Functor& f, int64_t tasks) {
  return strings_of(in.size(), nullptr,
                    [&](auto&& allocate) { kernels::map_strings("op", LoopRunner(tasks, true), f, in, allocate); });
}

std::vector<std::string> extract_groups(const StringSpan& in, const Calls& calls,
                                        const Interference& interfere = nullptr) {
  return strings_of(2 * in.size(), interfere, [&](auto&& allocate) {
    kernels::extract_groups("op", LoopRunner(calls.tasks, true), calls.pattern, {calls.group, 0}, in, allocate);
  });
}

template <class Functor>
auto reduce(const StringSpan& in, const Functor& f, int64_t tasks) {
  const Exact<typename Functor::Value> values(in.size());
  kernels::reduce_strings(LoopRunner(tasks, true), f, in, values.data());
  return values.copy();
}

Pieces cut(const StringSpan& in, const RegexCutter& cutter, int64_t tasks, const Interference& interfere) {
  RaggedBuffers result{Exact<int64_t>(in.size() + 1), interfere};
  kernels::cut_ragged("op", LoopRunner(tasks, true), in, cutter, result);
  return result.checked_pieces();
}

std::vector<Range> cut_spans(const StringSpan& in, const RegexCutter& cutter, int64_t tasks,
                             std::vector<int64_t>* splits) {
  const Exact<int64_t> row_splits(in.size() + 1);
  Exact<Span> spans;
  kernels::cut_spans("op", LoopRunner(tasks, true), in, cutter, [&](int64_t num_pieces) {
    spans = Exact<Span>(num_pieces);
    return kernels::SpansOutput{spans.data(), row_splits.data()};
  });
  *splits = row_splits.copy();
  std::vector<Range> matches;
  for (int64_t i = 0; i < spans.size(); ++i) matches.push_back({spans[i].begin, spans[i].end});
  return matches;
}

Results run(const StringSpan& in, const Calls& calls, const Interference& interfere = nullptr) {
  Results got;
  const int64_t tasks = calls.tasks;
  const Exact<bool> contains(in.size());
  kernels::regex_contains(LoopRunner(tasks, true), calls.pattern, in, contains.data());
  for (int64_t i = 0; i < in.size(); ++i) got.contains.push_back(contains[i]);
  for (const bool b : reduce(in, kernels::RegexTest{calls.pattern, true}, tasks)) got.whole.push_back(b);
  for (const Span s : reduce(in, kernels::RegexSpan{calls.pattern, calls.group}, tasks)) {
    got.first.push_back({s.begin, s.end});
  }
  const Exact<int64_t> counts(in.size());
  kernels::regex_count("op", LoopRunner(tasks, true), calls.pattern, in, counts.data());
  got.counts = counts.copy();
  got.groups = extract_groups(in, calls);
  got.extracted = map_kept(in, kernels::RegexExtract{calls.pattern, calls.group}, tasks);
  got.replaced = map_kept(in, kernels::RegexReplace{calls.pattern, calls.rewrite, calls.count}, tasks);
  const Pattern& pattern = calls.pattern;
  got.match_spans = cut_spans(in, RegexCutter::matches(pattern, calls.group, true), tasks, &got.match_splits);
  got.between_spans = cut_spans(in, RegexCutter::between(pattern, true), tasks, &got.between_splits);
  got.between = cut(in, RegexCutter::between(pattern), tasks, nullptr);
  got.matches = cut(in, RegexCutter::matches(pattern, calls.group), tasks, interfere);
  return got;
}

FUZZ_TARGET(regex) {
  const std::string text = take_pattern(in);
  std::shared_ptr<const Pattern> pattern;
  try {
    pattern = Pattern::compile(text, MatchRule::kFirst);
  } catch (const PatternError&) {
    return;
  }
  const int64_t group = in.below(pattern->num_groups() + 1);
  static constexpr std::string_view kRewrites[] = {"",         "-",  "<\\0>", "\\1\\1",
                                                   "\\\\\\2x", "\\", "a\\b",  "\xC3\xA9 and a long text"};
  const std::string rewrite_text(kRewrites[static_cast<size_t>(in.below(std::size(kRewrites)))]);
  std::optional<kernels::Rewrite> rewrite;
  try {
    rewrite.emplace(rewrite_text, pattern->num_groups());
  } catch (const std::invalid_argument& error) {
    REQUIRE(std::strlen(error.what()) > 0);
    return;
  }
  const Calls calls{*pattern, group, *rewrite, rewrite_text, in.below(3), 1 + in.below(3)};
  const Arguments args = take_strings(in, "ab");
  if (!args.trusted) return;
  const StringSpan& span = args.strings.span;

  int64_t row = -1;
  std::string want_error, error;
  args.strings.for_each([&](std::string_view value) {
    ++row;
    if (const auto at = invalid_utf8_at(value); at && want_error.empty()) {
      want_error = "op: invalid UTF-8 in row " + std::to_string(row) + " at byte " + std::to_string(*at);
    }
  });
  error = same_on_every_tier([&]() -> std::string {
    try {
      kernels::check_utf8("op", LoopRunner(calls.tasks, true), span);
      return "";
    } catch (const std::invalid_argument& thrown) {
      return thrown.what();
    }
  });
  REQUIRE(error == want_error);
  // What is not UTF-8 after a concurrent write gives any result.
  if (!error.empty()) {
    gives_result(true, [&] { run(span, calls); });
    return;
  }
  const Results want = oracle(Backtracker(pattern->syntax(), MatchRule::kFirst), calls, args.strings);
  same_on_every_tier([&] {
    REQUIRE(run(span, calls).tied() == want.tied());
    return true;
  });
  stringops_set_masks(false);
  REQUIRE(run(span, calls).tied() == want.tied());
  stringops_set_masks(true);
  Strings victim = args.strings.copy();
  Input rest = in;
  gives_result(true, [&] { run(victim.span, calls, [&] { victim.damage(rest); }); });
  victim = args.strings.copy();
  gives_result(true, [&] { extract_groups(victim.span, calls, [&] { victim.damage(rest); }); });
}

}  // namespace
}  // namespace stringops::fuzz
