#include "regex/word_rule.h"

#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/lazy.h"
#include "regex/simple_patterns.h"

namespace stringops {
namespace {

using Words = ClassRule::Words;

// What the alternatives of a pattern tell about its rule.
enum Setting : uint8_t { kContractions, kMarks, kCases, kDigits, kTail, kJoinsLast, kNumSettings };
enum : int8_t { kUnknown = -1 };
using Settings = std::array<int8_t, kNumSettings>;

enum Contractions : int8_t { kNone, kLowerCase, kAnyCase, kSuffixes };
enum Marks : int8_t { kAreSigns, kAreLetters };
enum Tail : int8_t { kNothing, kNewlines, kNewlinesAndSlashes };

// Alternatives of a pattern, one after the other, and what they tell.
struct Spelling {
  std::vector<Node> alternatives;
  std::vector<std::pair<Setting, int8_t>> tells;
};
using Step = std::vector<Spelling>;

Spelling spelling(const std::string& text, std::vector<std::pair<Setting, int8_t>> tells) {
  Node root = parse_syntax(text)->root;
  std::vector<Node> alternatives;
  if (root.op == Node::Op::kAlternate) {
    alternatives = std::move(root.children);
  } else if (root.op != Node::Op::kEmpty) {
    alternatives.push_back(std::move(root));
  }
  return {std::move(alternatives), std::move(tells)};
}

std::string any_contraction() {
  return "(?i:'s|'t|'re|'ve|'m|'ll|'d)";
}

std::string words_with_cases(const std::string& suffix) {
  const std::string lead = R"([^\r\n\p{L}\p{N}]?)";
  const std::string upper = R"([\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])", lower = R"([\p{Ll}\p{Lm}\p{Lo}\p{M}])";
  return lead + upper + "*" + lower + "+" + suffix + "|" + lead + upper + "+" + lower + "*" + suffix;
}

// In each step the longest spellings come first.
const std::vector<Step>& steps() {
  return lazy([] {
    return std::vector<Step>{
        {
            spelling(any_contraction(), {{kContractions, kAnyCase}}),
            spelling("'(?i:[sdmt]|ll|ve|re)", {{kContractions, kAnyCase}}),
            spelling("'s|'t|'re|'ve|'m|'ll|'d", {{kContractions, kLowerCase}}),
            spelling("'(?:[sdmt]|ll|ve|re)", {{kContractions, kLowerCase}}),
            spelling("", {}),
        },
        {
            spelling(R"([^\r\n\p{L}\p{N}]?\p{L}+)", {{kCases, 0}, {kMarks, kAreSigns}}),
            spelling(R"([^\r\n\p{L}\p{N}]?+\p{L}+)", {{kCases, 0}, {kMarks, kAreSigns}}),
            spelling(R"([^\r\n\p{L}\p{N}]?+\p{L}++)", {{kCases, 0}, {kMarks, kAreSigns}}),
            spelling(R"([^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+)", {{kCases, 0}, {kMarks, kAreLetters}}),
            spelling(words_with_cases(any_contraction() + "?"),
                     {{kCases, 1}, {kMarks, kAreSigns}, {kContractions, kSuffixes}}),
            spelling(words_with_cases(""), {{kCases, 1}, {kMarks, kAreSigns}, {kContractions, kNone}}),
        },
        {
            spelling(R"(\p{N}{1,3})", {{kDigits, 3}}),
            spelling(R"(\p{N}{1,3}+)", {{kDigits, 3}}),
            spelling(R"(\p{N})", {{kDigits, 1}}),
        },
        {
            spelling(R"( ?[^\s\p{L}\p{N}]+[\r\n]*)", {{kTail, kNewlines}, {kMarks, kAreSigns}}),
            spelling(R"( ?[^\s\p{L}\p{N}]++[\r\n]*)", {{kTail, kNewlines}, {kMarks, kAreSigns}}),
            spelling(R"( ?[^\s\p{L}\p{N}]++[\r\n]*+)", {{kTail, kNewlines}, {kMarks, kAreSigns}}),
            spelling(R"( ?[^\s\p{L}\p{N}]+[\r\n/]*)", {{kTail, kNewlinesAndSlashes}, {kMarks, kAreSigns}}),
            spelling(R"( ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*)", {{kTail, kNewlines}, {kMarks, kAreLetters}}),
            spelling(R"( ?[^\s\p{L}\p{N}]+)", {{kTail, kNothing}, {kMarks, kAreSigns}}),
        },
        {
            spelling(R"(\s*[\r\n]+)", {{kJoinsLast, 0}}),
            spelling(R"(\s*[\r\n])", {{kJoinsLast, 0}}),
            spelling(R"(\s++$|\s*[\r\n])", {{kJoinsLast, 1}}),
        },
        {
            spelling(R"(\s+(?!\S)|\s+)", {}),
            spelling(R"(\s+(?!\S)|\s)", {}),
        },
    };
  });
}

// Reads the alternatives from the given one on as those of the steps that are left.
bool read(const std::vector<Node>& alternatives, size_t at, size_t step, Settings* settings) {
  if (step == steps().size()) return at == alternatives.size();
  for (const Spelling& spelling : steps()[step]) {
    const std::vector<Node>& expected = spelling.alternatives;
    if (alternatives.size() - at < expected.size()) continue;
    if (!std::equal(expected.begin(), expected.end(), alternatives.begin() + static_cast<int64_t>(at))) continue;
    Settings known = *settings;
    bool agrees = true;
    for (const auto& [setting, value] : spelling.tells) {
      agrees &= known[setting] == kUnknown || known[setting] == value;
      known[setting] = value;
    }
    if (agrees && read(alternatives, at + expected.size(), step + 1, &known)) {
      *settings = known;
      return true;
    }
  }
  return false;
}

CodepointSet set_of(const std::string& text) {
  return parse_syntax(text)->root.set;
}

std::optional<LiteralSet> contractions(int8_t which) {
  if (which == kUnknown || which == kNone) return std::nullopt;
  const std::string text = which == kLowerCase ? "'s|'t|'re|'ve|'m|'ll|'d" : any_contraction();
  return literal_set(*parse_syntax(text), MatchRule::kFirst);
}

ClassRule make_rule(const Settings& settings) {
  const bool has_cases = settings[kCases] == 1;
  const CodepointSet spaces = set_of(R"(\s)");
  CodepointSet letters = set_of(settings[kMarks] == kAreLetters ? R"([\p{L}\p{M}])" : R"(\p{L})");
  CodepointSet rest = has_cases ? set_of(R"([\p{L}\p{M}\p{N}])") : letters;
  rest.add(set_of(R"([\s\p{N}])"));
  rest.invert();
  if (has_cases) letters = set_of(R"([\p{Lu}\p{Lt}])");
  std::vector<CodepointSet> sets = {letters, set_of(R"(\p{N})"), spaces, rest};
  if (has_cases) {
    sets.push_back(set_of(R"(\p{Ll})"));
    sets.push_back(set_of(R"([\p{Lm}\p{Lo}])"));
    sets.push_back(set_of(R"(\p{M})"));
  }
  ClassRule rule;
  for (const CodepointSet& set : sets) {
    ClassRule::Class made;
    made.chars = ascii_chars(set);
    made.has_beyond = set.ranges().back().last >= 0x80;
    rule.classes.push_back(made);
  }
  rule.table = std::make_shared<const ClassTable>(sets);
  Words words{};
  words.digits = settings[kDigits];
  words.contractions = contractions(settings[kContractions]);
  words.has_suffixes = settings[kContractions] == kSuffixes;
  words.has_cases = has_cases;
  words.joins_last = settings[kJoinsLast] == 1;
  words.blanks = ascii_chars(set_of(R"([\t\f ])"));
  if (settings[kTail] != kNothing) {
    words.after_signs = ascii_chars(set_of(settings[kTail] == kNewlines ? R"([\r\n])" : R"([\r\n/])"));
  }
  rule.words = std::make_shared<const Words>(std::move(words));
  return rule;
}

}  // namespace

std::optional<ClassRule> word_rule(const Syntax& syntax, MatchRule rule) {
  const Node& root = without_groups(syntax.root);
  // Most patterns need not be compared.
  if (rule != MatchRule::kFirst || !syntax.is_beyond_re2 || root.op != Node::Op::kAlternate || !captures_all(syntax)) {
    return std::nullopt;
  }
  Settings settings;
  settings.fill(kUnknown);
  if (!read(root.children, 0, 0, &settings)) return std::nullopt;
  return make_rule(settings);
}

}  // namespace stringops
