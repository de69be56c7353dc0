// Builds the table of a subword tokenizer (layout: subword/table.h) of its tokens, its merges and its settings.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "core/string_span.h"

namespace stringops::kernels {

// Rows [count, 3] of int64: left id, right id, the id that they become.
struct MergeRows {
  const int64_t* numbers;
  int64_t count;
};

// `tokens`, of rank 1, are the bytes of each id; of an id that the model does not use, none. `spec` is described in
// subword/spec/spec.h. Throws std::invalid_argument. Equal arguments make equal tables.
std::vector<uint8_t> build_subword_table(const char* op, const StringSpan& tokens, const MergeRows& merges,
                                         std::string_view spec);

}  // namespace stringops::kernels
