// Looking words up in a vocabulary (layout of the table: vocab_table.h). No torch here.
#pragma once

#include <cstdint>

#include "core/string_span.h"
#include "kernels/vocab_table.h"

namespace stringops::kernels {

// What a word that is not in the vocabulary gets: `id`, or with buckets, num_words + stable_hash(word) %
// num_buckets.
struct UnknownWords {
  int64_t id;
  int64_t num_buckets;
};

// The number of one word.
int64_t find_vocab_id(const VocabTable& table, const uint8_t* word, int64_t num_bytes, const UnknownWords& unknown);

// Numbers of strings [first, last), in row-major order, to ids[first, last).
void write_vocab_ids(const VocabTable& table, const StringSpan& in, int64_t first, int64_t last,
                     const UnknownWords& unknown, int64_t* ids);

}  // namespace stringops::kernels
