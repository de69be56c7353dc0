#include "kernels/string_split.h"

#include <algorithm>

#include "kernels/split_walk.h"

namespace stringops::kernels {
namespace {

// The first place at or behind `from` in (begin, end) where a string may be cut between tasks, or `end`: behind a
// separator, so that neither side holds a part of a piece that the other one ends.
const uint8_t* safe_cut(const Splitter& by, const uint8_t* begin, const uint8_t* from, const uint8_t* end) {
  if (by.whitespace()) {
    while (from < end && !(by.onnxruntime ? from[-1] == ' ' : is_ascii_whitespace(from[-1]))) ++from;
    return from;
  }
  const auto length = static_cast<int64_t>(by.delimiter.size());
  while (end - from >= length) {
    const auto* at = static_cast<const uint8_t*>(
        memmem(from, static_cast<size_t>(end - from), by.delimiter.data(), by.delimiter.size()));
    if (at == nullptr) return end;
    // A match that shares bytes with another may not be one from left to right: only one that stands alone will do.
    bool alone = true;
    for (const uint8_t* p = std::max(begin, at - length + 1); p < at + length && alone; ++p) {
      alone = p == at || by.separator_at(p, end) == 0;
    }
    if (alone) return at + length;
    from = at + 1;
  }
  return end;
}

}  // namespace

Cuts cut_for_split(const StringSpan& in, const Splitter& by, int64_t parts) {
  Cuts cuts = cut_evenly(in, parts, masks_serve(by));
  for (int64_t part = 1; part < cuts.parts; ++part) {
    Place& place = cuts.places[static_cast<size_t>(part)];
    const Place before = cuts.places[static_cast<size_t>(part) - 1];
    // The cut before may have moved past this one.
    if (place.index < before.index || (place.index == before.index && place.skip <= before.skip)) {
      place = before;
      continue;
    }
    if (place.skip == 0) continue;
    const ByteRange range = in.range(place.index / in.cols, place.index % in.cols);
    const uint8_t* const begin = in.data + range.begin;
    const uint8_t* const end = in.data + range.end;
    const int64_t skip = safe_cut(by, begin, begin + std::min(place.skip, range.size()), end) - begin;
    place = skip < range.size() ? Place{place.index, skip} : Place{place.index + 1, 0};
  }
  return cuts;
}

SplitMeasure measure_split(const StringSpan& in, const Splitter& by, Place begin, Place end, int64_t* row_pieces) {
  SplitMeasure total;
  if (!masks_serve(by)) {
    for_each_row(in, begin, end, [&](int64_t row, const uint8_t* p, const uint8_t* p_end) {
      for_each_piece(by, p, p_end, [&](const uint8_t* a, const uint8_t* b) {
        total.bytes += b - a;
        ++total.pieces;
      });
      if (row_pieces) row_pieces[row] = total.pieces;
      total.ends_row = true;
    });
    return total;
  }
  TileReader reader(in, begin, end);
  MaskSplitter masks(mask_rule(by), simd::primitives());
  Tile tile;
  while (reader.next(tile)) {
    masks.split(tile);
    const int64_t pieces = masks.num_pieces();
    if (row_pieces && tile.num_rows > 0) {
      masks.count_rows(tile);
      for (int64_t k = 0; k < tile.num_rows; ++k) row_pieces[tile.first_row + k] = total.pieces + masks.row_pieces()[k];
      total.open_pieces = pieces - masks.row_pieces()[tile.num_rows - 1];
      total.ends_row = true;
    } else {
      total.open_pieces += pieces;
    }
    total.bytes += masks.num_kept();
    total.pieces += pieces;
  }
  return total;
}

PaddedRows finish_counts(const Cuts& cuts, const std::vector<SplitMeasure>& tasks, int64_t* row_pieces) {
  PaddedRows padding;
  int64_t carried = 0;
  for (size_t t = 0; t < tasks.size(); ++t) {
    const int64_t open = carried;
    int64_t before = -carried;
    // Rows that end in this task: those from its first on, but for one that its end cuts.
    for (int64_t i = cuts.places[t].index; i < cuts.places[t + 1].index; ++i) {
      const int64_t up_to = row_pieces[i];
      row_pieces[i] = up_to - before;
      before = up_to;
      padding.width = std::max(padding.width, row_pieces[i]);
    }
    carried = tasks[t].ends_row ? tasks[t].open_pieces : carried + tasks[t].pieces;
    padding.open.push_back({open, carried});
  }
  return padding;
}

bool write_split_ragged(const StringSpan& in, const Splitter& by, Place begin, Place end, const Share& share,
                        uint8_t* data, int32_t* offsets, int64_t* row_splits) {
  RaggedWriter writer(data, offsets, row_splits, share, begin.index);
  return write_split(in, by, begin, end, writer);
}

bool write_split_padded(const StringSpan& in, const Splitter& by, Place begin, Place end, const Share& share,
                        OpenPieces open, uint8_t* data, int32_t* offsets, int64_t width) {
  PaddedWriter writer(data, offsets, width, share, begin.index, end.index, open);
  return write_split(in, by, begin, end, writer);
}

}  // namespace stringops::kernels
