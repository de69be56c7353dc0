// Steps of subword_build, each in a source of its own: they change the settings and the tokens, or add sections to the
// table.
#pragma once

#include <optional>
#include <vector>

#include "subword/build/build_table.h"
#include "subword/build/pairs.h"
#include "subword/build/sections.h"
#include "subword/spec/spec.h"

namespace stringops::kernels {

// Adds the sections for steps.
void add_steps(Sections& sections, const subword::Spec& spec);

// Adds the sections kCharacters, kSymbols, kFallbackIds and kByteIds.
void add_characters(const char* op, Sections& sections, const TokenIds& tokens, const subword::Spec& spec);

// Models write a space as another character, in most U+2581. Changes the steps and the tokens such that this character
// is written as the space that it stands for, if the steps allow that: words are shorter, and most texts are not
// changed. And adds a step that cuts texts into words, if no merge crosses the places where it cuts. Ids stay the same.
void write_spaces(subword::Spec& spec, TokenIds& tokens, const MergeRows& merges);

// Same as above for a model of SentencePiece. Sets has_independent_words of the settings.
void write_model_spaces(subword::Spec& spec, TokenIds& tokens);

// Whether the pieces have scores: those of Unigram, and of BPE of SentencePiece.
inline bool has_scores(const subword::Spec& spec) {
  return spec.model == subword::Spec::Model::kUnigram || spec.model == subword::Spec::Model::kConcatenationBpe;
}

struct ListedMerges {
  std::vector<Pair> pairs;
  std::vector<uint32_t> blank_runs;  // ids, as in BlankRuns; empty if there are none
  std::vector<bool> made;            // by id, whether merging the token's text makes it; empty if this is unknown
};

// The merges of a BPE of SentencePiece, if they can be listed: then the settings become those of such a BPE over
// characters, and the pieces of the user become added tokens, which are symbols that never merge, too. The rows are as
// below.
std::optional<ListedMerges> list_merges(const char* op, subword::Spec& spec, const TokenIds& tokens,
                                        const MergeRows& rows);

// Rows are an id, and the upper and lower half of the bits of a float64.
void add_scored_pieces(const char* op, Sections& sections, const TokenIds& tokens, const subword::Spec& spec,
                       const MergeRows& rows);

// Returns the charsmap of the settings.
subword::Charsmap charsmap_of(const subword::Spec& spec);

// Adds the texts that ids decode to.
void add_token_texts(Sections& sections, const TokenIds& tokens, const subword::Spec& spec);

// Adds the last sections, those of words whose ids are known, and writes the table: each token, with the ids that it
// has as a word, with a suffix of words, each token that ends with it, without it; and the words of the texts that the
// settings name. `made` is as in ListedMerges.
void finish_with_words(const char* op, Sections& sections, const TokenIds& tokens, const subword::Spec& spec,
                       const std::vector<bool>& made, const NewTable& new_table);

// Adds the added tokens, and the tries that find them.
void add_added_tokens(const char* op, Sections& sections, const subword::Spec& spec);

}  // namespace stringops::kernels
