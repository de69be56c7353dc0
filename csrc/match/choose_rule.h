// Decides by which masks a pattern cuts strings. If by none, the regular expression engine finds the matches, one
// string after the other; results do not depend on the decision.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "match/pattern_rule.h"
#include "regex/pattern.h"

namespace stringops::kernels {

// Whether masks are used at all: always, except in tests, which compare them with the engine.
bool uses_masks();

// Returns nothing if masks are not used. The pattern must outlive the rule.
std::optional<PatternRule> choose_rule(const Pattern& pattern, MatchUse use, int64_t group = 0);

// Rules for tokens, which are chosen even if masks are not used. Tokens are the matches that have at least
// `min_codepoints`; if a shorter one is left out, the next may overlap it.
std::optional<PatternRule> choose_rule_of_tokens(const Pattern& pattern, int64_t min_codepoints);

// Tokens are the pieces of at least `min_codepoints` that are left when one pattern after the other has cut.
std::optional<PatternRule> choose_rule_between(const std::vector<std::shared_ptr<const Pattern>>& patterns,
                                               int64_t min_codepoints);

}  // namespace stringops::kernels
