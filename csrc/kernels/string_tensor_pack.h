// StringTensorPack: strings gathered from byte ranges of one buffer, into a compact tensor.
//
// Two passes, as every kernel that makes strings: measure the ranges of a task, then write them at offsets known
// beforehand. Ranges may overlap, repeat and come in any order. No torch here.
#pragma once

#include <cstdint>
#include <optional>

#include "core/string_span.h"

namespace stringops::kernels {

// Ranges [begins[i], ends[i]) in bytes of `symbols`. Index is int32_t or int64_t.
template <class Index>
struct PackInput {
  const Index* begins;
  const Index* ends;
  const uint8_t* symbols;
  int64_t num_symbols;
};

// The sum of the lengths of ranges [first, last), or the index of the first range that is not
// 0 <= begin <= end <= num_symbols.
struct PackMeasure {
  int64_t num_bytes;
  std::optional<int64_t> bad_index;
};
template <class Index>
PackMeasure measure_pack(const PackInput<Index>& in, int64_t first, int64_t last);

// Where measure_pack's tasks go: offsets is [rows, cols + 1]; string i of row r ends at offsets[r, i + 1].
struct PackOutput {
  uint8_t* data;
  int64_t num_bytes;
  int32_t* offsets;
  int64_t cols;
};

// Writes strings [first, last), their bytes at [base, limit) of out.data. Writes nothing beyond `limit` even where the
// ranges have grown since they were measured; returns false where they have changed.
template <class Index>
bool write_pack(const PackInput<Index>& in, int64_t first, int64_t last, const PackOutput& out, int64_t base,
                int64_t limit);

}  // namespace stringops::kernels
