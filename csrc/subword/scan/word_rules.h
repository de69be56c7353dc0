// Pre-tokenizers as rules of masks (regex/word_rule.h), with the reference's classes of code points.
#pragma once

#include <optional>

#include "regex/word_rule.h"
#include "subword/spec/spec.h"

namespace stringops::subword {

// Nothing if the step is another one.
std::optional<WordRule> word_rule_of(const Step& step);

}  // namespace stringops::subword
