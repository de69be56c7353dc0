// Patterns: the tree, and the sets, literals and first characters of it, against the engine.
#include "regex/pattern.h"

#include <re2/re2.h>

#include <unordered_map>

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
void check_set(const CharSet& set, const re2::RE2& engine, bool whole) {
  for (uint32_t c = 0; c < 0x84; ++c) {
    const std::string text = utf8(c);
    const bool in_set = set.contains(static_cast<uint8_t>(text[0]));
    const bool matches = whole ? re2::RE2::FullMatch(text, engine)
                               : engine.Match(text, 0, text.size(), re2::RE2::ANCHOR_START, nullptr, 0);
    if (whole) REQUIRE(in_set == matches);
  }
}

void check_set(const CodepointSet& set, const re2::RE2& engine) {
  for (const uint32_t c : {0u, 0x0Au, 0x20u, 0x30u, 0x41u, 0x5Du, 0x61u, 0x62u, 0x7Au, 0x7Fu, 0xE9u, 0x17Fu, 0x7FFu}) {
    REQUIRE(set.contains(c) == re2::RE2::FullMatch(utf8(c), engine));
  }
}

// Cached, as compiling takes most of the time.
const re2::RE2& engine_of(const std::string& pattern, MatchRule rule) {
  static std::unordered_map<std::string, std::unique_ptr<re2::RE2>> kept;
  if (kept.size() > 500) kept.clear();
  std::unique_ptr<re2::RE2>& engine = kept[std::to_string(static_cast<int>(rule)) + pattern];
  if (!engine) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_longest_match(rule == MatchRule::kLongest);
    engine = std::make_unique<re2::RE2>(pattern, options);
  }
  return *engine;
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

// The first match that does not begin inside of a code point, as \\B can; all of them are empty.
bool find_with_re2(const re2::RE2& engine, std::string_view text, size_t from, std::vector<re2::StringPiece>* found) {
  while (engine.Match(text, from, text.size(), re2::RE2::UNANCHORED, found->data(), static_cast<int>(found->size()))) {
    from = static_cast<size_t>((*found)[0].data() - text.data());
    if (from == text.size() || (static_cast<uint8_t>(text[from]) & 0xC0) != 0x80) return true;
    ++from;
  }
  return false;
}

FUZZ_TARGET(pattern) {
  [[maybe_unused]] static const bool checked = (check_dialect(), true);
  const std::string text_of_pattern = take_pattern(in);
  const std::string text = take_text(in, std::min<int64_t>(static_cast<int64_t>(in.left()), 64));
  // Patterns that are translated before the engine gets them are not compared here.
  const bool as_written = text_of_pattern.find("(?<") == std::string::npos;
  const MatchRule rule = in.flag() ? MatchRule::kFirst : MatchRule::kLongest;
  const re2::RE2& engine = engine_of(text_of_pattern, rule);

  const auto syntax = parse_syntax(text_of_pattern);
  std::optional<SetPattern> set;
  std::optional<std::string> literal;
  std::optional<CharSet> first;
  if (syntax) {
    set = set_pattern(*syntax);
    literal = literal_pattern(*syntax);
    first = first_chars(syntax->root);
  }
  std::shared_ptr<const Pattern> pattern;
  try {
    pattern = Pattern::compile(text_of_pattern, rule);
  } catch (const PatternError& error) {
    REQUIRE(std::strlen(error.what()) > 0);
    return;
  }
  if (!as_written) return;
  if (syntax && syntax->is_beyond_re2) {
    REQUIRE(rule == MatchRule::kFirst && !engine.ok());
    return;
  }
  REQUIRE(engine.ok());
  // What RE2 accepts is known to the parser.
  REQUIRE(syntax && !syntax->is_beyond_re2 && syntax->without_extensions == text_of_pattern);
  REQUIRE(syntax->num_groups == engine.NumberOfCapturingGroups());
  if (syntax->root.is_set()) check_set(syntax->root.set, engine);
  if (set) check_set(set->set, engine, true);
  if (set && set->repeated) REQUIRE(!re2::RE2::FullMatch("", engine));
  if (literal) REQUIRE(re2::RE2::FullMatch(*literal, engine));

  // The engine requires valid UTF-8, which callers check before.
  if (invalid_utf8_at(text)) return;
  const auto count = static_cast<size_t>(engine.NumberOfCapturingGroups()) + 1;
  REQUIRE(pattern->num_groups() + 1 == static_cast<int64_t>(count));
  // Groups, by RE2; the whole match, by the automaton if there is one; and as RE2 finds it.
  Searcher searcher(*pattern), of_match(*pattern);
  Searcher::force_re2(true);
  Searcher by_re2(*pattern);
  Searcher::force_re2(false);
  std::vector<Match> groups(count);
  std::vector<re2::StringPiece> found(count);
  const bool rejects = in.flag();
  for (size_t from = 0; from <= text.size(); from += from < text.size() ? codepoint_at(text, from) : 1) {
    const bool matches = find_with_re2(engine, text, from, &found);
    Match match{}, match_of_re2{};
    const auto at = static_cast<int64_t>(from);
    REQUIRE(searcher.find(text, at, groups.data(), static_cast<int64_t>(count)) == matches);
    re2::StringPiece alone;
    if (matches && engine.Match(text, from, text.size(), re2::RE2::UNANCHORED, &alone, 1) &&
        (alone.data() != found[0].data() || alone.size() != found[0].size())) {
      return;  // RE2's engines for the groups of empty loops can find another match
    }
    REQUIRE(of_match.find(text, at, &match) == matches);
    REQUIRE(by_re2.find(text, at, &match_of_re2) == matches);
    if (!matches) continue;
    for (size_t g = 0; g < count; ++g) {
      const int64_t begin = found[g].data() ? found[g].data() - text.data() : -1;
      REQUIRE(groups[g].begin == begin && groups[g].end - begin == static_cast<int64_t>(found[g].size()));
    }
    REQUIRE(match.begin == groups[0].begin && match.end == groups[0].end);
    REQUIRE(match_of_re2.begin == groups[0].begin && match_of_re2.end == groups[0].end);
    if (rejects) of_match.reject(match);
    if (first && groups[0].end > groups[0].begin) {
      REQUIRE(first->contains(static_cast<uint8_t>(text[static_cast<size_t>(groups[0].begin)])));
    }
  }
  REQUIRE(searcher.matches_all(text) == re2::RE2::FullMatch(text, engine));
  REQUIRE(searcher.contains(text) == find_with_re2(engine, text, 0, &found));
}

}  // namespace
}  // namespace stringops::fuzz
