// Walking strings by a Splitter, on masks where they serve: what every pass over split strings shares. No torch here.
#pragma once

#include "core/string_span.h"
#include "kernels/split_masks.h"
#include "kernels/splitter.h"
#include "kernels/tiles.h"
#include "simd/primitives.h"

namespace stringops::kernels {

inline bool masks_serve(const Splitter& by) {
  return by.maxsplit < 0 && static_cast<int64_t>(by.delimiter.size()) <= kMaxMaskDelimiter;
}

inline MaskRule mask_rule(const Splitter& by) {
  if (!by.whitespace()) {
    const auto kind = by.skip_empty ? MaskRule::Kind::kDelimiterWords : MaskRule::Kind::kFields;
    return {kind, {}, by.delimiter, !by.onnxruntime};
  }
  if (!by.onnxruntime) return {MaskRule::Kind::kWhitespaceWords};
  MaskRule space{MaskRule::Kind::kSetWords};
  space.set.add(' ');
  return space;
}

// Visits each row of [begin, end) as bytes. Rows come whole on this path: cut_for_split cuts none of them.
template <class F>
void for_each_row(const StringSpan& in, Place begin, Place end, F&& f) {
  if (in.cols == 0) return;
  int64_t row = begin.index / in.cols, col = begin.index % in.cols;
  for (int64_t i = begin.index; i < end.index; ++i) {
    const ByteRange range = in.range(row, col);
    f(i, in.data + range.begin, in.data + range.end);
    if (++col == in.cols) {
      col = 0;
      ++row;
    }
  }
}

// Gives a writer (piece_writer.h) the strings from `begin` to `end`: by the tile, or piece by piece.
template <class Writer>
bool write_split(const StringSpan& in, const Splitter& by, Place begin, Place end, Writer& writer) {
  if (!masks_serve(by)) {
    for_each_row(in, begin, end, [&](int64_t, const uint8_t* p, const uint8_t* p_end) {
      for_each_piece(by, p, p_end, [&](const uint8_t* a, const uint8_t* b) { writer.piece(a, b); });
      writer.end_row();
    });
    return writer.complete();
  }
  const simd::Primitives& simd = simd::primitives();
  TileReader reader(in, begin, end);
  MaskSplitter masks(mask_rule(by), simd);
  Tile tile;
  while (reader.next(tile)) {
    masks.split(tile);
    writer.tile(simd, tile, masks);
  }
  return writer.complete();
}

}  // namespace stringops::kernels
