// The sections of models whose pieces have scores: Unigram, and BPE of SentencePiece.
#pragma once

#include "kernels/subword_build.h"
#include "kernels/subword_sections.h"
#include "subword/spec.h"

namespace stringops::kernels {

inline bool has_scores(const subword::Spec& spec) {
  return spec.model == subword::Spec::Model::kUnigram || spec.model == subword::Spec::Model::kConcatenationBpe;
}

// Rows are an id, and the upper and lower half of the bits of a float64.
void add_scored_pieces(const char* op, Sections& sections, const TokenIds& tokens, const subword::Spec& spec,
                       const MergeRows& rows);

}  // namespace stringops::kernels
