#include "regex/word_rule.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "core/lazy.h"
#include "regex/simple_patterns.h"

namespace stringops {
namespace {

// Settings of a rule, derived from the alternatives of a pattern.
enum Setting : uint8_t { kContractions, kMarks, kCases, kDigits, kTail, kJoinsLast, kBlanksLead, kGaps, kNumSettings };
enum : int8_t { kUnknown = -1 };
using Settings = std::array<int8_t, kNumSettings>;

enum Marks : int8_t { kAreSigns, kAreLetters };
enum Tail : int8_t { kNothing, kNewlines, kNewlinesAndSlashes };

using Tells = std::vector<std::pair<uint8_t, int8_t>>;

// Alternatives of a pattern, one after the other, and the settings that they tell.
struct Spelling {
  std::vector<Node> alternatives;
  Tells tells;
};
using Spellings = std::vector<Spelling>;

// How patterns are spelled; the texts of each step stand for alternatives, one after the other.
struct PatternText {
  std::string pattern;
  Tells tells;
};
using PatternTexts = std::vector<std::vector<PatternText>>;

Spelling parsed(const std::string& pattern, const Tells& tells) {
  Node root = std::get<Syntax>(parse_syntax(pattern)).root;
  std::vector<Node> alternatives;
  if (root.op == Node::Op::kAlternate) {
    alternatives = std::move(root.children);
  } else if (root.op != Node::Op::kEmpty) {
    alternatives.push_back(std::move(root));
  }
  return {std::move(alternatives), tells};
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
PatternTexts gpt2_texts() {
  return {
      {
          PatternText{"'s|'t|'re|'ve|'m|'ll|'d", {{kContractions, WordRule::kLowerCase}}},
          PatternText{"'(?:[sdmt]|ll|ve|re)", {{kContractions, WordRule::kLowerCase}}},
          PatternText{"", {{kContractions, WordRule::kNone}}},
      },
      {PatternText{R"( ?\p{L}+)", {{kBlanksLead, 1}}}, PatternText{R"( ?\p{L}++)", {{kBlanksLead, 1}}}},
      {PatternText{R"( ?\p{N}+)", {}}, PatternText{R"( ?\p{N}++)", {}}},
      {PatternText{R"( ?[^\s\p{L}\p{N}]+)", {}}, PatternText{R"( ?[^\s\p{L}\p{N}]++)", {}}},
      {
          PatternText{R"(\s++$|\s+(?!\S)|\s+)", {}},
          PatternText{R"(\s++$|\s+(?!\S)|\s)", {}},
          PatternText{R"(\s++(?m:$)|\s+(?!\S)|\s)", {}},
          PatternText{R"(\s+(?!\S)|\s+)", {}},
          PatternText{R"(\s+(?!\S)|\s)", {}},
      },
  };
}

PatternTexts llama3_texts() {
  return {
      {
          PatternText{any_contraction(), {{kContractions, WordRule::kAnyCase}}},
          PatternText{"'(?i:[sdmt]|ll|ve|re)", {{kContractions, WordRule::kAnyCase}}},
          PatternText{"'s|'t|'re|'ve|'m|'ll|'d", {{kContractions, WordRule::kLowerCase}}},
          PatternText{"'(?:[sdmt]|ll|ve|re)", {{kContractions, WordRule::kLowerCase}}},
          PatternText{"", {}},
      },
      {
          PatternText{R"([^\r\n\p{L}\p{N}]?\p{L}+)", {{kCases, 0}, {kMarks, kAreSigns}}},
          PatternText{R"([^\r\n\p{L}\p{N}]?+\p{L}+)", {{kCases, 0}, {kMarks, kAreSigns}}},
          PatternText{R"([^\r\n\p{L}\p{N}]?+\p{L}++)", {{kCases, 0}, {kMarks, kAreSigns}}},
          PatternText{R"([^\r\n\p{L}\p{N}]?[\p{L}\p{M}]+)", {{kCases, 0}, {kMarks, kAreLetters}}},
          PatternText{words_with_cases(any_contraction() + "?"),
                      {{kCases, 1}, {kMarks, kAreSigns}, {kContractions, WordRule::kSuffixes}}},
          PatternText{words_with_cases(""), {{kCases, 1}, {kMarks, kAreSigns}, {kContractions, WordRule::kNone}}},
      },
      {
          PatternText{R"(\p{N}{1,3})", {{kDigits, 3}}},
          PatternText{R"(\p{N}{1,3}+)", {{kDigits, 3}}},
          PatternText{R"(\p{N})", {{kDigits, 1}}},
      },
      {
          PatternText{R"( ?[^\s\p{L}\p{N}]+[\r\n]*)", {{kTail, kNewlines}, {kMarks, kAreSigns}}},
          PatternText{R"( ?[^\s\p{L}\p{N}]++[\r\n]*)", {{kTail, kNewlines}, {kMarks, kAreSigns}}},
          PatternText{R"( ?[^\s\p{L}\p{N}]++[\r\n]*+)", {{kTail, kNewlines}, {kMarks, kAreSigns}}},
          PatternText{R"( ?[^\s\p{L}\p{N}]+[\r\n/]*)", {{kTail, kNewlinesAndSlashes}, {kMarks, kAreSigns}}},
          PatternText{R"( ?[^\s\p{L}\p{M}\p{N}]+[\r\n]*)", {{kTail, kNewlines}, {kMarks, kAreLetters}}},
          PatternText{R"( ?[^\s\p{L}\p{N}]+)", {{kTail, kNothing}, {kMarks, kAreSigns}}},
      },
      {
          PatternText{R"(\s*[\r\n]+)", {{kJoinsLast, 0}}},
          PatternText{R"(\s*[\r\n])", {{kJoinsLast, 0}}},
          PatternText{R"(\s++$|\s*[\r\n])", {{kJoinsLast, 1}}},
          PatternText{R"(\s++(?m:$)|\s*[\r\n])", {{kJoinsLast, 1}}},
      },
      {
          PatternText{R"(\s+(?!\S)|\s+)", {}},
          PatternText{R"(\s+(?!\S)|\s)", {}},
      },
  };
}

PatternTexts deepseek_texts() {
  return {
      {PatternText{R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+)", {{kGaps, 1}, {kDigits, 3}}}},
      {PatternText{R"([^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+)", {}}},
      {PatternText{R"( ?[\p{P}\p{S}]+[\r\n]*)", {{kTail, kNewlines}}}},
      {PatternText{R"(\s*[\r\n]+)", {}}, PatternText{R"(\s*[\r\n])", {}}},
      {PatternText{R"(\s+(?!\S)|\s+)", {}}, PatternText{R"(\s+(?!\S)|\s)", {}}},
  };
}

// Reads the alternatives from the given one on as those of the steps that are left.
bool read(const std::vector<Spellings>& steps, size_t step, const std::vector<Node>& alternatives, size_t at,
          Settings* settings) {
  if (step == steps.size()) return at == alternatives.size();
  for (const Spelling& spelling : steps[step]) {
    const std::vector<Node>& expected = spelling.alternatives;
    if (alternatives.size() - at < expected.size()) continue;
    if (!std::equal(expected.begin(), expected.end(), alternatives.begin() + static_cast<int64_t>(at))) continue;
    Settings known = *settings;
    bool agrees = true;
    for (const auto& [setting, value] : spelling.tells) {
      agrees &= known[setting] == kUnknown || known[setting] == value;
      known[setting] = value;
    }
    if (agrees && read(steps, step + 1, alternatives, at + expected.size(), &known)) {
      *settings = known;
      return true;
    }
  }
  return false;
}

CodepointSet set_of(const std::string& text) {
  return std::get<Syntax>(parse_syntax(text)).root.set;
}

// The tables of WordRule::Class, of Unicode's classes.
ClassTable make_table(const std::vector<const char*>& classes) {
  std::vector<CodepointSet> sets;
  for (const char* text : classes) sets.push_back(set_of(text));
  return ClassTable(sets);
}

const ClassTable& table_with_cases() {
  return lazy([] {
    return make_table({R"([\p{Lu}\p{Lt}])", R"(\p{N})", R"(\s)", R"([^\p{L}\p{M}\p{N}\s])", R"(\p{Ll})",
                       R"([\p{Lm}\p{Lo}])", R"(\p{M})"});
  });
}

const ClassTable& table_with_marks() {
  return lazy([] { return make_table({R"([\p{L}\p{M}])", R"(\p{N})", R"(\s)", R"([^\p{L}\p{M}\p{N}\s])"}); });
}

const ClassTable& table_of_letters() {
  return lazy([] { return make_table({R"(\p{L})", R"(\p{N})", R"(\s)", R"([^\p{L}\p{N}\s])"}); });
}

WordRule make_rule(const Settings& settings) {
  WordRule rule;
  rule.contractions = static_cast<WordRule::Contractions>(std::max<int8_t>(settings[kContractions], 0));
  rule.digits = static_cast<uint8_t>(std::max<int8_t>(settings[kDigits], 0));
  rule.only_blanks_lead = settings[kBlanksLead] == 1;
  rule.has_marks = settings[kMarks] == kAreLetters;
  rule.has_cases = settings[kCases] == 1;
  rule.newline_tail = settings[kTail] >= kNewlines;
  rule.slash_tail = settings[kTail] == kNewlinesAndSlashes;
  rule.joins_last = settings[kJoinsLast] == 1;
  rule.has_gaps = settings[kGaps] == 1;
  return rule;
}

using Family = std::vector<Spellings>;

const std::vector<Family>& families() {
  return lazy([] {
    std::vector<Family> families;
    for (const PatternTexts& texts : {gpt2_texts(), llama3_texts(), deepseek_texts()}) {
      Family& family = families.emplace_back();
      for (const std::vector<PatternText>& spellings : texts) {
        Spellings& step = family.emplace_back();
        for (const PatternText& text : spellings) step.push_back(parsed(text.pattern, text.tells));
      }
    }
    return families;
  });
}

std::optional<WordRule> find_rule(const Syntax& syntax) {
  const Node& root = without_groups(syntax.root);
  // Most patterns need not be compared, nor the spellings parsed.
  if (!syntax.has_extensions || root.op != Node::Op::kAlternate || !captures_all(syntax)) return std::nullopt;
  for (const Family& steps : families()) {
    Settings settings;
    settings.fill(kUnknown);
    if (read(steps, 0, root.children, 0, &settings)) return make_rule(settings);
  }
  return std::nullopt;
}

bool is_pattern(const Syntax& syntax, const char* text) {
  return syntax.root == std::get<Syntax>(parse_syntax(text)).root;
}

}  // namespace

std::optional<WordRule> published_rule(const std::vector<Syntax>& patterns) {
  if (patterns.empty()) return std::nullopt;
  const auto rule = find_rule(patterns.back());
  if (!rule || patterns.size() != (rule->has_gaps ? 3 : 1)) return std::nullopt;
  if (rule->has_gaps && !(is_pattern(patterns[0], R"(\p{N}{1,3})") &&
                          is_pattern(patterns[1], R"([\x{4E00}-\x{9FA5}\x{3040}-\x{30FF}]+)"))) {
    return std::nullopt;
  }
  return rule;
}

std::optional<WordRule> word_rule(const Syntax& syntax, MatchRule rule) {
  if (rule != MatchRule::kFirst) return std::nullopt;
  std::optional<WordRule> found = find_rule(syntax);
  if (!found || found->has_gaps) return std::nullopt;
  found->table = found->has_cases ? table_with_cases : found->has_marks ? table_with_marks : table_of_letters;
  return found;
}

}  // namespace stringops
