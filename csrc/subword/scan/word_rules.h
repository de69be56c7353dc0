// Pre-tokenizers as rules of masks (regex/word_rule.h), with the reference's classes of code points.
#pragma once

#include <optional>
#include <vector>

#include "regex/word_rule.h"
#include "subword/spec/spec.h"

namespace stringops::subword {

// The rule of the step from `at` on, or of several; then `at` is after them. Nothing if there is none.
std::optional<WordRule> word_rule_of(const std::vector<Step>& steps, size_t* at);

}  // namespace stringops::subword
