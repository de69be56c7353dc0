// The sections of a subword table that find words as a whole, and added tokens.
#pragma once

#include "subword/build/sections.h"
#include "subword/spec/spec.h"

namespace stringops::kernels {

// Adds the sections of words whose ids are known: each token, with the ids that it has as a word, with a suffix of
// words, each token that ends with it, without it; and the words of the texts that the settings name. Needs the other
// sections.
void add_words(const char* op, Sections& sections, const TokenIds& tokens, const subword::Spec& spec);

// Adds the added tokens, and the tries that find them.
void add_added_tokens(Sections& sections, const subword::Spec& spec);

}  // namespace stringops::kernels
