#include "match/choose_rule.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>

#include "core/testing.h"
#include "core/utf8.h"
#include "match/separator_masks.h"
#include "regex/class_rule.h"

namespace stringops::kernels {
namespace {

std::atomic<bool> masks_enabled{true};

PatternRule rule_of_set(const CharSet& set) {
  CharSet others = set;
  others.invert();
  return {set_words(others)};
}

PatternRule rule_of_owned(std::optional<ClassRule> classes) {
  const auto owned = std::make_shared<const ClassRule>(*std::move(classes));
  PatternRule rule = rule_of_classes(*owned);
  rule.owned = owned;
  return rule;
}

bool is_delimiter(std::string_view literal) {
  return !literal.empty() && static_cast<int64_t>(literal.size()) <= kMaxBlockDelimiter;
}

std::optional<PatternRule> rule_of_pieces(const Pattern& pattern, bool only_begins, int64_t group) {
  if (const auto& set = pattern.set(); set && (set->repeated || only_begins)) return rule_of_set(set->set);
  if (pattern.class_rule()) return rule_of_classes(*pattern.class_rule());
  if (pattern.literals()) return rule_of_literals(*pattern.literals());
  if (pattern.position_automaton() && group == 0) return rule_of_matches(pattern, only_begins);
  return std::nullopt;
}

// Returns the number of code points that every match has at least.
int64_t least_codepoints(const Pattern& pattern) {
  if (!pattern.literals()) return 1;
  int64_t least = INT64_MAX;
  for (const std::string& text : pattern.literals()->texts()) {
    const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
    least = std::min(least, count_codepoints(bytes, bytes + text.size()));
  }
  return least;
}

// Adds the code points of a small set as texts: one by one if they are few.
bool add_texts(const CodepointSet& set, Separators* separators) {
  constexpr size_t kFew = 4;
  Syntax syntax;
  syntax.root.op = Node::Op::kSet;
  syntax.root.set = set;
  const auto all = literal_set(syntax, MatchRule::kLongest);
  if (!all) return false;
  if (all->texts().size() > kFew) {
    separators->add(*all);
  } else {
    for (const std::string& text : all->texts()) separators->add(LiteralSet({text}));
  }
  return true;
}

// Finds separators that are texts or small sets. Adjacent sets are one search, as their characters do not overlap.
bool find_searches(const std::vector<std::shared_ptr<const Pattern>>& patterns, Separators* separators) {
  CodepointSet all;
  const auto end_sets = [&] {
    if (all.empty()) return true;
    const CharSet ascii = ascii_chars(all);
    if (ascii != CharSet()) separators->add(ascii);
    CodepointSet beyond(0x80, kMaxCodepoint);
    beyond.intersect(all);
    all = CodepointSet();
    return beyond.empty() || add_texts(beyond, separators);
  };
  for (const auto& pattern : patterns) {
    const auto set = separator_set(pattern->syntax());
    if (set) {
      all.add(*set);
    } else if (!pattern->literals() || !end_sets()) {
      return false;
    } else {
      separators->add(*pattern->literals());
    }
  }
  return end_sets() && !separators->searches.empty() && separators->are_few();
}

}  // namespace

bool uses_masks() {
  return masks_enabled.load(std::memory_order_relaxed);
}

std::optional<PatternRule> choose_rule(const Pattern& pattern, MatchUse use, int64_t group) {
  if (!uses_masks()) return std::nullopt;
  const bool only_begins = use == MatchUse::kExists;
  if ((use == MatchUse::kBetween || only_begins) && is_delimiter(pattern.literal())) {
    PatternRule rule{delimited_fields(pattern.literal())};
    rule.cuts_fields = true;
    return rule;
  }
  if (use == MatchUse::kFirst && !pattern.literal().empty()) return std::nullopt;
  std::optional<PatternRule> rule = rule_of_pieces(pattern, only_begins, group);
  if (rule) rule->is_between = use == MatchUse::kBetween;
  return rule;
}

std::optional<PatternRule> choose_rule_of_tokens(const Pattern& pattern, int64_t min_codepoints) {
  if (min_codepoints > 1 && pattern.class_rule()) {
    auto classes = with_minimum(*pattern.class_rule(), min_codepoints);
    if (classes) return rule_of_owned(std::move(classes));
    return std::nullopt;
  }
  if (min_codepoints > least_codepoints(pattern)) return std::nullopt;
  return rule_of_pieces(pattern, false, 0);
}

std::optional<PatternRule> choose_rule_between(const std::vector<std::shared_ptr<const Pattern>>& patterns,
                                               int64_t min_codepoints) {
  // If each separator is a set, cutting by one after the other is the same as cutting by their union, whether a
  // separator is one character or a run of them, as no token is empty.
  CodepointSet all;
  bool are_sets = true;
  for (const auto& pattern : patterns) {
    const auto set = separator_set(pattern->syntax());
    are_sets &= set.has_value();
    if (set) all.add(*set);
  }
  if (min_codepoints == 1) {
    const auto chars = char_set(all);
    if (are_sets && chars) return PatternRule{set_words(*chars)};
    if (patterns.size() == 1 && is_delimiter(patterns[0]->literal())) {
      return PatternRule{delimiter_words(patterns[0]->literal())};
    }
    const auto separators = std::make_shared<Separators>();
    if (find_searches(patterns, separators.get())) {
      PatternRule rule = rule_of_separators(*separators);
      rule.owned = separators;
      return rule;
    }
  }
  if (!are_sets) return std::nullopt;
  all.invert();
  const auto runs = class_rule_of_runs(all);
  auto classes = runs ? with_minimum(*runs, min_codepoints) : std::nullopt;
  if (classes) return rule_of_owned(std::move(classes));
  return std::nullopt;
}

}  // namespace stringops::kernels

STRINGOPS_TEST_HOOK void stringops_set_masks(bool enable) {
  stringops::kernels::masks_enabled = enable;
}
