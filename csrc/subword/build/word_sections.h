// The sections of a subword table that find words as a whole, and added tokens.
#pragma once

#include "subword/build/sections.h"
#include "subword/spec/spec.h"

namespace stringops::kernels {

// Adds the last sections, those of words whose ids are known, and writes the table: each token, with the ids that it
// has as a word, with a suffix of words, each token that ends with it, without it; and the words of the texts that the
// settings name. `made` is as in ListedMerges.
void finish_with_words(const char* op, Sections& sections, const TokenIds& tokens, const subword::Spec& spec,
                       const std::vector<bool>& made, const NewTable& new_table);

// Adds the added tokens, and the tries that find them.
void add_added_tokens(const char* op, Sections& sections, const subword::Spec& spec);

}  // namespace stringops::kernels
