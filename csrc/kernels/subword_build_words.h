// The sections of a subword table that find words as a whole, and added tokens.
#pragma once

#include "kernels/subword_sections.h"
#include "subword/spec.h"

namespace stringops::kernels {

// Adds the sections of words whose ids are known: each token, with the ids that it has as a word; with
// a suffix of words, each token that ends with it, without it. Needs the sections of
// pairs.
void add_words(const char* op, Sections& sections, const TokenIds& tokens, const std::string& suffix);

// Adds the added tokens, and the tries that find them.
void add_added_tokens(const char* op, Sections& sections, const subword::Spec& spec);

}  // namespace stringops::kernels
