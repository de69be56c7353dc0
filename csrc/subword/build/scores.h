// The sections of models whose pieces have scores: Unigram, and BPE of SentencePiece.
#pragma once

#include <optional>
#include <vector>

#include "subword/build/build_table.h"
#include "subword/build/pairs.h"
#include "subword/build/sections.h"
#include "subword/spec/spec.h"

namespace stringops::kernels {

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

}  // namespace stringops::kernels
