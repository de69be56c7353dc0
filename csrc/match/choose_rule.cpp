#include "match/choose_rule.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>

#include "core/testing.h"
#include "regex/class_rule.h"
#include "regex/simple_patterns.h"

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

std::optional<PatternRule> rule_of_pieces(const Pattern& pattern, MatchUse use, int64_t group) {
  if (const auto& set = pattern.set(); set && (set->repeated || use == MatchUse::kExists)) return rule_of_set(set->set);
  const auto& classes = pattern.class_rule();
  // Strings without a text of all matches are sorted out faster than their edges are tested by masks.
  const bool has_texts = !pattern.chars_of_matches().empty() || !pattern.texts_in_matches().empty();
  const bool has_positions = pattern.position_automaton() && (group == 0 || captures_all(pattern.syntax())) &&
                             !(pattern.is_anchored() && has_texts);
  // The runs of a class are measured one by one, but the bytes of ASCII classes all at once.
  const bool measures = classes && classes->min_codepoints > 1;
  if (classes && !(has_positions && measures && !classes->classes[0].has_beyond)) return rule_of_classes(*classes);
  if (has_positions) return rule_of_matches(pattern, use);
  return std::nullopt;
}

}  // namespace

bool uses_masks() {
  return masks_enabled.load(std::memory_order_relaxed);
}

std::optional<PatternRule> choose_rule(const Pattern& pattern, MatchUse use, int64_t group) {
  // Masks do not tell letters beyond ASCII apart.
  if (!uses_masks() || (pattern.folded_text() && !pattern.folded_text()->is_ascii())) return std::nullopt;
  if ((use == MatchUse::kBetween || use == MatchUse::kExists) && is_delimiter(pattern.literal())) {
    PatternRule rule{delimited_fields(pattern.literal())};
    rule.cuts_fields = true;
    return rule;
  }
  if (use == MatchUse::kFirst && !pattern.literal().empty()) return std::nullopt;
  std::optional<PatternRule> rule = rule_of_pieces(pattern, use, group);
  if (rule) rule->is_between = use == MatchUse::kBetween;
  return rule;
}

std::optional<PatternRule> choose_rule_of_tokens(const Pattern& pattern, int64_t min_codepoints) {
  if (min_codepoints > 1) {
    auto classes = pattern.class_rule() ? with_minimum(*pattern.class_rule(), min_codepoints) : std::nullopt;
    if (classes) return rule_of_owned(std::move(classes));
    return std::nullopt;
  }
  return rule_of_pieces(pattern, MatchUse::kPieces, 0);
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
