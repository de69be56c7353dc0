// Pre-tokenizers as rules of masks (regex/word_rule.h), with the reference's classes of code points.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "regex/word_rule.h"
#include "subword/spec/spec.h"

namespace stringops::subword {

// Nothing if the step is another one.
std::optional<WordRule> word_rule_of(const Step& step);

// Returns the step that stands for published patterns, each of which divides the pieces of the one before; nothing if
// they are others. They are written for Oniguruma, as `tokenizers` has it, or for the crate fancy-regex.
std::optional<Step> published_step(const std::vector<std::string>& patterns, bool is_onig);

}  // namespace stringops::subword
