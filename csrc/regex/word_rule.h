// The published patterns of pre-tokenizers, by whose rules a word takes the character before it: those of Llama-3 and
// Qwen2, of cl100k, and of o200k and Tekken, in which capitals begin a word:
//
//   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
//
// All of a text belongs to a match.
#pragma once

#include <optional>

#include "regex/class_rule.h"

namespace stringops {

// The rule of a pattern that is put together from their alternatives, however these are spelled.
std::optional<ClassRule> word_rule(const Syntax& syntax, MatchRule rule);

}  // namespace stringops
