// Strings a tile at a time: a few KB of bytes in one piece, whole rows where they fit, so that primitives run over many
// rows at once and everything between them stays in the first-level cache.
//
// Rows that follow each other in memory are read in place; others are gathered into the tile's own buffer. A row longer
// than a tile comes in several. Offsets are read here and nowhere else, clamped, into the tile's `row_ends`, which no
// other thread can change: whatever the tensors say later, the tile is consistent. No torch here.
#pragma once

#include <array>
#include <cstdint>

#include "core/string_span.h"

namespace stringops::kernels {

#ifndef STRINGOPS_SMALL_TILES
constexpr int64_t kTileBytes = 8 * 1024;
constexpr int64_t kTileRows = 1024;
#else  // for fuzzing: short inputs, too, cross from tile to tile
constexpr int64_t kTileBytes = 128;
constexpr int64_t kTileRows = 16;
#endif

// A place between two bytes of a span: before byte `skip` of the string with flat index `index`.
struct Place {
  int64_t index = 0;
  int64_t skip = 0;
};

struct Tile {
  const uint8_t* data = nullptr;
  int64_t num_bytes = 0;
  int64_t readable = 0;    // bytes that may be read at `data`: more than num_bytes only where the row goes on
  int64_t first_row = 0;   // flat index of the string that the first byte belongs to
  int64_t num_rows = 0;    // rows that end in this tile
  bool continues = false;  // the first byte is not the first of its row
  std::array<int32_t, kTileRows> row_ends;  // positions in the tile, ascending
};

class TileReader {
 public:
  // Reads from `begin` to `end`; a row that `end` cuts is read up to there.
  TileReader(const StringSpan& span, Place begin, Place end);

  // Fills the tile; false where nothing is left. In a row longer than a tile the cut is not between two bytes of one
  // UTF-8 character of up to three bytes.
  bool next(Tile& tile);

 private:
  void advance();

  const StringSpan& span_;
  Place at_;
  const Place end_;
  int64_t row_, col_;  // at_.index as [row, col]
  std::array<uint8_t, kTileBytes> gathered_;
};

// Cuts a span into `parts` of about equal size, at the borders of strings, or inside strings longer than a few tiles
// where `inside_strings` allows. Returns the parts' first places and, last, the end.
struct Cuts {
  std::array<Place, 257> places;
  int64_t parts = 1;
};
Cuts cut_evenly(const StringSpan& span, int64_t parts, bool inside_strings);

}  // namespace stringops::kernels
