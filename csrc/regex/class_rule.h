// Patterns whose matches are runs of classes of code points, or single ones: `\w+|[^\w\s]`, `\d+|[A-Z]|[a-z]+`, and the
// published patterns of word_rule.h. No two alternatives begin with the same code point, so the class of a code point,
// and those of the ones next to it, tell where a match begins and ends.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/char_class.h"
#include "regex/class_table.h"
#include "regex/match_rule.h"
#include "regex/syntax.h"
#include "regex/word_rule.h"

namespace stringops {

struct ClassRule {
  static constexpr size_t kMaxClasses = 7;
  static constexpr int64_t kMaxMinimum = 64;

  struct Class {
    bool is_run = true;  // S+, otherwise S
    CharSet chars;       // its ASCII characters; and all others, if they all are of this class
    bool has_beyond = false;
  };

  std::vector<Class> classes;
  // The table is set for classes that have some of the code points beyond ASCII.
  std::shared_ptr<const ClassTable> table;
  // If set, pieces are those of this rule, and there are no classes.
  std::optional<WordRule> words;
  // Matches of fewer code points are left out.
  int64_t min_codepoints = 1;
};

std::optional<ClassRule> class_rule(const Syntax& syntax, MatchRule rule);

// The rule of matches that have at least `min_codepoints`, or nothing: where a shorter match is left out, the next one
// is searched from its second code point on.
std::optional<ClassRule> with_minimum(const ClassRule& rule, int64_t min_codepoints);

// The rule of runs of a set.
std::optional<ClassRule> class_rule_of_runs(const CodepointSet& set);

}  // namespace stringops
