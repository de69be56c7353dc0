// Changes the tables of models that write a space as another character, in most U+2581, so that texts keep their
// spaces.
#pragma once

#include "subword/build/build_table.h"
#include "subword/build/sections.h"
#include "subword/spec/spec.h"

namespace stringops::kernels {

// Changes the steps and the tokens such that this character is written as the space that it stands for, if the steps
// allow that: words are shorter, and most texts are not changed. And adds a step that cuts texts into words, if no
// merge crosses the places where it cuts. Ids stay the same.
void write_spaces(subword::Spec& spec, TokenIds& tokens, const MergeRows& merges);

// Same as above for a model of SentencePiece. Sets has_independent_words of the settings.
void write_model_spaces(subword::Spec& spec, TokenIds& tokens);

}  // namespace stringops::kernels
