// Decides by which masks a pattern cuts strings. If by none, the regular expression engine finds the matches, one
// string after the other; results do not depend on the decision.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "regex/class_rule.h"
#include "regex/pattern.h"
#include "split/block_rule.h"
#include "split/separator_masks.h"

namespace stringops::kernels {

// Whether masks are used at all: always, except in tests, which compare them with the engine.
bool uses_masks();

// The question that the matches answer.
enum class MatchUse {
  kPieces,   // a group of each of them
  kBetween,  // the pieces between them
  kFirst,    // a group of the first one of each string
  kExists,   // which strings have one: if the rule is kFields, those with more than one field, else those with a piece
};

// Returns nothing if masks are not used. The pattern must outlive the rule.
std::optional<BlockRule> choose_rule(const Pattern& pattern, MatchUse use, int64_t group = 0);

// A rule for tokens, and what it points to besides the patterns. It is chosen even if masks are not used.
struct TokenMask {
  std::optional<BlockRule> rule;
  std::optional<ClassRule> classes;
  Separators separators;

  // Tokens are the matches that have at least `min_codepoints`; if a shorter one is left out, the next may overlap it.
  void choose_for_matches(const Pattern& pattern, int64_t min_codepoints);
  // Tokens are the pieces of at least `min_codepoints` that are left when one pattern after the other has cut.
  void choose_for_separators(const std::vector<std::shared_ptr<const Pattern>>& patterns, int64_t min_codepoints);

  TokenMask() = default;
  TokenMask(const TokenMask&) = delete;
  TokenMask& operator=(const TokenMask&) = delete;

 private:
  void set_classes(const std::optional<ClassRule>& found);
};

}  // namespace stringops::kernels
