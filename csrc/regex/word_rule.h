// The published patterns of Llama-3 and Qwen2, by whose rules a word takes the character before it:
//
//   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
//
// All of a text belongs to a match.
#pragma once

#include <optional>

#include "regex/class_rule.h"

namespace stringops {

// The rule of such a pattern, however it is spelled.
std::optional<ClassRule> word_rule(const Syntax& syntax, MatchRule rule);

}  // namespace stringops
