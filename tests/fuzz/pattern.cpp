// Patterns: the tree, and the sets, literals and first characters of it, and searches, against an oracle.
#include "regex/pattern.h"

#include "backtracker.h"
#include "fuzz.h"
#include "oracle.h"
#include "regex/syntax.h"

namespace stringops::fuzz {
namespace {

std::string utf8(uint32_t c) {
  if (c < 0x80) return std::string(1, static_cast<char>(c));
  if (c < 0x800) return {static_cast<char>(0xC0 | c >> 6), static_cast<char>(0x80 | (c & 0x3F))};
  return {static_cast<char>(0xE0 | c >> 12), static_cast<char>(0x80 | (c >> 6 & 0x3F)),
          static_cast<char>(0x80 | (c & 0x3F))};
}

std::string take_pattern(Input& in) {
  static constexpr std::string_view kPieces[] = {
      "a",   "-",     "]",      "[",    "^",   "\\",  "d",   "w",        "s",     "S",  "W",         "D",
      "+",   "*",     "?",      "|",    "(",   ")",   "$",   ".",        "{2,3}", "z",  "A",         " ",
      ",",   "\\n",   "\\x41",  "\\Q",  "\\E", "\\b", "\\B", "\xC3\xA9", "[a-c]", "[^", "[:alpha:]", "(?i)",
      "\\C", "(?<n>", "(?P<n>", "\\pL", "0",   "_",   "\\t", "\\.",      "\xFF",  "{",  "}",         "\\-",
  };
  std::string pattern;
  for (int64_t i = 1 + in.below(7); i > 0; --i) pattern += kPieces[in.below(static_cast<int64_t>(std::size(kPieces)))];
  return pattern;
}

// Code points on both sides of every boundary that a set can have.
void check_set(const CharSet& set, const Backtracker& engine) {
  for (uint32_t c = 0; c < 0x84; ++c) {
    const std::string text = utf8(c);
    REQUIRE(set.contains(static_cast<uint8_t>(text[0])) == engine.matches_all(text));
  }
}

void check_set(const CodepointSet& set, const Backtracker& engine) {
  for (const uint32_t c : {0u, 0x0Au, 0x20u, 0x30u, 0x41u, 0x5Du, 0x61u, 0x62u, 0x7Au, 0x7Fu, 0xE9u, 0x17Fu, 0x7FFu}) {
    REQUIRE(set.contains(c) == engine.matches_all(utf8(c)));
  }
}

// Literal cases of the dialect, which is translated before the engine gets a pattern.
void check_dialect() {
  struct Case {
    std::string_view pattern, text, match;  // no match: "-"
  };
  static constexpr Case kCases[] = {
      {"(?<n>a)b", "xab", "ab"},
      {"(?P<n>a)", "xab", "a"},
      {"x(?<n>a)(?<m>b)", "xab", "xab"},
      {"[(?<n>]", "P", "-"},  // in a class all of these are characters
      {"[(?<n>]", "<", "<"},
      {"[]](?<n>a)", "]a", "]a"},
      {"[](?<n>]", "P", "-"},
      {"[](?<n>]", "]", "]"},
      {"[^](?<n>]", "P", "P"},
      {"[^](?<n>]", "]", "-"},
      {"[[:digit:](?<n>]", "P", "-"},
      {"[[:digit:](?<n>]", "7", "7"},
      {"[[:digit:]](?<n>a)", "7a", "7a"},
      {"[[](?<n>a)", "[a", "[a"},
      {"[\\](?<n>]", "P", "-"},
      {"[\\](?<n>]", "]", "]"},
      {"[a](?<n>b)", "ab", "ab"},
      {"\\(?<n", "<n", "<n"},
      {"\\\\(?<n>a)", "\\a", "\\a"},
      {"\\Q(?<n>\\E", "(?<n>", "(?<n>"},
      {"\\Qa\\E(?<n>b)", "ab", "ab"},
      {"\\Q(?<n>", "(?<n>", "(?<n>"},
      {"\\\\C", "\\C", "\\C"},
      {"\\Q\\C\\E", "\\C", "\\C"},
  };
  for (const Case& c : kCases) {
    Match match{};
    const bool found = Searcher(*Pattern::compile(c.pattern)).find(c.text, 0, &match);
    REQUIRE(found == (c.match != "-"));
    if (found)
      REQUIRE(c.text.substr(static_cast<size_t>(match.begin), static_cast<size_t>(match.end - match.begin)) == c.match);
  }
  for (const std::string_view rejected :
       {"\\C", "a\\C", "[a]\\C", "[^]]\\C", "(?<=a)b", "(?<!a)b", "(?<", "[a", "\\"}) {
    bool thrown = false;
    try {
      Pattern::compile(rejected);
    } catch (const PatternError&) {
      thrown = true;
    }
    REQUIRE(thrown);
  }
}

FUZZ_TARGET(pattern) {
  [[maybe_unused]] static const bool checked = (check_dialect(), true);
  const std::string text_of_pattern = take_pattern(in);
  const std::string text = take_text(in, std::min<int64_t>(static_cast<int64_t>(in.left()), 64));
  const MatchRule rule = in.flag() ? MatchRule::kFirst : MatchRule::kLongest;
  std::shared_ptr<const Pattern> pattern;
  try {
    pattern = Pattern::compile(text_of_pattern, rule);
  } catch (const PatternError& error) {
    REQUIRE(std::strlen(error.what()) > 0);
    return;
  }
  const Syntax& syntax = pattern->syntax();
  const Backtracker engine(syntax, rule);
  const auto set = set_pattern(syntax);
  const auto literal = literal_pattern(syntax);
  const auto first = first_chars(syntax.root);
  if (syntax.root.is_set()) check_set(syntax.root.set, engine);
  if (set) check_set(set->set, engine);
  if (set && set->repeated) REQUIRE(!engine.matches_all(""));
  if (literal) REQUIRE(engine.matches_all(*literal));

  // The engine requires valid UTF-8, which callers check before.
  if (invalid_utf8_at(text)) return;
  // Longest matches have no groups.
  const auto count = rule == MatchRule::kFirst ? static_cast<size_t>(syntax.num_groups) + 1 : 1;
  Searcher searcher(*pattern), of_match(*pattern);
  Searcher::force_closure(true);
  Searcher by_closure(*pattern);
  Searcher::force_closure(false);
  std::vector<Match> groups(count), groups_by_closure(count);
  const bool rejects = in.flag();
  for (size_t from = 0; from <= text.size(); from += from < text.size() ? codepoint_at(text, from) : 1) {
    const auto at = static_cast<int64_t>(from);
    const auto want = engine.find(text, at);
    Match match{};
    REQUIRE(searcher.find(text, at, groups.data(), static_cast<int64_t>(count)) == want.has_value());
    REQUIRE(of_match.find(text, at, &match) == want.has_value());
    REQUIRE(by_closure.find(text, at, groups_by_closure.data(), static_cast<int64_t>(count)) == want.has_value());
    if (!want) continue;
    const auto is_equal = [](const Match& a, const Match& b) { return a.begin == b.begin && a.end == b.end; };
    for (size_t g = 0; g < count; ++g) {
      REQUIRE(is_equal(groups[g], (*want)[g]) && is_equal(groups_by_closure[g], (*want)[g]));
    }
    REQUIRE(is_equal(match, (*want)[0]));
    if (rejects) of_match.reject(match);
    if (first && groups[0].end > groups[0].begin) {
      REQUIRE(first->contains(static_cast<uint8_t>(text[static_cast<size_t>(groups[0].begin)])));
    }
  }
  REQUIRE(searcher.matches_all(text) == engine.matches_all(text));
  REQUIRE(searcher.contains(text) == engine.find(text, 0).has_value());
}

}  // namespace
}  // namespace stringops::fuzz
