// Builds the table of a subword tokenizer (layout: subword/table.h) of its tokens, its merges and its settings.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

#include "core/string_span.h"

namespace stringops::kernels {

// Rows [count, 3] of int64: left id, right id, the id that they become.
struct MergeRows {
  const int64_t* numbers;
  int64_t count;
};

// Returns the memory of a table of so many bytes; called once.
using NewTable = std::function<uint8_t*(size_t)>;

// `tokens`, of rank 1, are the bytes of each id; of an id that the model does not use, none. `spec` is described in
// subword/spec/spec.h. Throws std::invalid_argument. Equal arguments make equal tables.
void build_subword_table(const char* op, const StringSpan& tokens, const MergeRows& merges, std::string_view spec,
                         const NewTable& new_table);

inline std::vector<uint8_t> build_subword_table(const char* op, const StringSpan& tokens, const MergeRows& merges,
                                                std::string_view spec) {
  std::vector<uint8_t> table;
  build_subword_table(op, tokens, merges, spec, [&](size_t num_bytes) {
    table.resize(num_bytes);
    return table.data();
  });
  return table;
}

}  // namespace stringops::kernels
