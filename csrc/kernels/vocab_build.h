// Building the lookup table of a vocabulary (layout: vocab_table.h). The words are of rank 1. No torch here.
#pragma once

#include <cstdint>

#include "core/string_span.h"
#include "kernels/vocab_table.h"

namespace stringops::kernels {

// Bytes that the long ones among the words take in the table.
int64_t measure_vocab(const StringSpan& words);

struct VocabBuild {
  enum Status { kDone, kDuplicate, kChanged, kCrowded } status;
  int64_t first;  // where kDuplicate: the two positions of one word
  int64_t second;
};

// Fills `table`, which has vocab_table_bytes(vocab_capacity(words.size()), text_bytes) bytes. Word i gets
// number i, and earlier words lie closer to their homes, so that in a vocabulary ordered by frequency nearly
// every search ends where it starts. kChanged: the words no longer fit what was measured.
VocabBuild write_vocab(const StringSpan& words, int64_t text_bytes, uint8_t* table);

}  // namespace stringops::kernels
