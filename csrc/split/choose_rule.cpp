#include "split/choose_rule.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <string_view>

#include "core/testing.h"
#include "core/utf8.h"

namespace stringops::kernels {
namespace {

std::atomic<bool> masks_enabled{true};

BlockRule rule_of_set(BlockRule::Kind kind, const CharSet& set) {
  BlockRule rule{kind};
  rule.set = set;
  return rule;
}

BlockRule rule_of_runs(CharSet set) {
  set.invert();
  return rule_of_set(BlockRule::Kind::kSetWords, set);
}

template <class T>
BlockRule rule_of(BlockRule::Kind kind, const T* BlockRule::* member, const T& value) {
  BlockRule rule{kind};
  rule.*member = &value;
  return rule;
}

std::optional<BlockRule> rule_of_literal(const Pattern& pattern, BlockRule::Kind kind) {
  const std::string_view literal = pattern.literal();
  if (literal.empty() || static_cast<int64_t>(literal.size()) > kMaxBlockDelimiter) return std::nullopt;
  BlockRule rule{kind};
  rule.delimiter = literal;
  return rule;
}

std::optional<BlockRule> rule_of_matches(const Pattern& pattern, MatchUse use, int64_t group) {
  if (const auto& set = pattern.set(); set && (set->repeated || use == MatchUse::kExists)) {
    return rule_of_runs(set->set);
  }
  if (pattern.class_rule()) return rule_of(BlockRule::Kind::kClasses, &BlockRule::classes, *pattern.class_rule());
  if (pattern.literals()) return rule_of(BlockRule::Kind::kLiterals, &BlockRule::literals, *pattern.literals());
  if (pattern.position_automaton() && (group == 0 || pattern.run_before())) {
    return rule_of(BlockRule::Kind::kMatches, &BlockRule::pattern, pattern);
  }
  return std::nullopt;
}

// The masks of all strings find their first matches faster than the engine, but not those that masks of one string
// find, and not those that begin with a run before a character, which the engine looks for.
bool serves_first(const BlockRule& rule, const Pattern& pattern) {
  if (rule.kind != BlockRule::Kind::kMatches && rule.kind != BlockRule::Kind::kClasses) return false;
  return !run_prefix(pattern.syntax().root);
}

// Returns the number of code points that every match has at least.
int64_t least_codepoints(const Pattern& pattern) {
  if (!pattern.literals()) return pattern.run_before() ? 2 : 1;
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

std::optional<BlockRule> choose_rule(const Pattern& pattern, MatchUse use, int64_t group) {
  if (!uses_masks()) return std::nullopt;
  std::optional<BlockRule> rule;
  if (use == MatchUse::kBetween || use == MatchUse::kExists) rule = rule_of_literal(pattern, BlockRule::Kind::kFields);
  if (!rule) {
    rule = rule_of_matches(pattern, use, group);
    if (!rule || (use == MatchUse::kFirst && !serves_first(*rule, pattern))) return std::nullopt;
    rule->between = use == MatchUse::kBetween;
  }
  rule->only_begins = use == MatchUse::kExists;
  return rule;
}

void TokenMask::set_classes(const std::optional<ClassRule>& found) {
  classes = found;
  if (classes) rule = rule_of(BlockRule::Kind::kClasses, &BlockRule::classes, *classes);
}

void TokenMask::choose_for_matches(const Pattern& pattern, int64_t min_codepoints) {
  if (min_codepoints > 1 && pattern.class_rule()) {
    set_classes(with_minimum(*pattern.class_rule(), min_codepoints));
  } else if (min_codepoints <= least_codepoints(pattern)) {
    rule = rule_of_matches(pattern, MatchUse::kPieces, 0);
  }
}

void TokenMask::choose_for_separators(const std::vector<std::shared_ptr<const Pattern>>& patterns,
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
    if (are_sets && chars) rule = rule_of_set(BlockRule::Kind::kSetWords, *chars);
    if (!rule && patterns.size() == 1) rule = rule_of_literal(*patterns[0], BlockRule::Kind::kDelimiterWords);
    if (!rule && find_searches(patterns, &separators)) {
      rule = rule_of(BlockRule::Kind::kSeparatedWords, &BlockRule::separators, separators);
    }
  }
  if (rule || !are_sets) return;
  all.invert();
  if (const auto runs = class_rule_of_runs(all)) set_classes(with_minimum(*runs, min_codepoints));
}

}  // namespace stringops::kernels

STRINGOPS_TEST_HOOK void stringops_set_masks(bool enable) {
  stringops::kernels::masks_enabled = enable;
}
