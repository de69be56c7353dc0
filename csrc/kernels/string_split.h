// StringSplit in two passes: each task measures its part of the strings, then writes it where the sums of the measures
// put it. Spec: ONNX StringSplit-20; the rules of a single string are in splitter.h. No torch here.
#pragma once

#include <cstdint>
#include <vector>

#include "core/string_span.h"
#include "kernels/piece_writer.h"
#include "kernels/splitter.h"
#include "kernels/tiles.h"

namespace stringops::kernels {

struct SplitMeasure {
  int64_t bytes = 0;
  int64_t pieces = 0;
  // Where pieces are counted by row:
  int64_t open_pieces = 0;  // pieces behind the last row end of the task: they belong to a row that goes on
  bool ends_row = false;    // a row ends in the task
};

// Cuts for `parts` tasks. Inside a long string a cut lies where neither side needs to know of the other.
Cuts cut_for_split(const StringSpan& in, const Splitter& by, int64_t parts);

// Measures from `begin` to `end`. Where row_pieces is given, row_pieces[i] becomes the number of pieces of the task up
// to the end of row i, for each row that ends in the task.
SplitMeasure measure_split(const StringSpan& in, const Splitter& by, Place begin, Place end, int64_t* row_pieces);

// What padded rows ask for beside the shares.
struct PaddedRows {
  int64_t width = 0;             // pieces of the longest row
  std::vector<OpenPieces> open;  // of each task
};

// Makes of what measure_split left in row_pieces, for all tasks, the number of pieces of each row.
PaddedRows finish_counts(const Cuts& cuts, const std::vector<SplitMeasure>& tasks, int64_t* row_pieces);

// Writes from `begin` to `end`; false where the strings have changed since they were measured.
bool write_split_ragged(const StringSpan& in, const Splitter& by, Place begin, Place end, const Share& share,
                        uint8_t* data, int32_t* offsets, int64_t* row_splits);
bool write_split_padded(const StringSpan& in, const Splitter& by, Place begin, Place end, const Share& share,
                        OpenPieces open, uint8_t* data, int32_t* offsets, int64_t width);

}  // namespace stringops::kernels
