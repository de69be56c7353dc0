#include "kernels/tiles.h"

#include <algorithm>
#include <cstring>

#include "core/narrow.h"
#include "core/offsets.h"
#include "core/whitespace.h"
#include "simd/primitives.h"

namespace stringops::kernels {
namespace {

// A tile that stops for want of a neighbour in memory is worth gathering into only while it is small.
constexpr int64_t kWorthGathering = kTileBytes / 2;

// Strings shorter than this are not cut among tasks.
constexpr int64_t kLongString = 8 * kTileBytes;

int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

}  // namespace

TileReader::TileReader(const StringSpan& span, Place begin, Place end)
    : span_(span),
      at_(begin),
      end_(end),
      row_(span.cols ? begin.index / span.cols : 0),
      col_(span.cols ? begin.index % span.cols : 0) {}

void TileReader::advance() {
  ++at_.index;
  at_.skip = 0;
  if (++col_ == span_.cols) {
    col_ = 0;
    ++row_;
  }
}

bool TileReader::next(Tile& tile) {
  const bool last_is_cut = end_.skip > 0;
  if (at_.index > end_.index || (at_.index == end_.index && at_.skip >= end_.skip)) return false;

  const ByteRange row = span_.range(row_, col_);
  const int64_t begin = std::min(row.begin + at_.skip, row.end);
  const bool cut_here = last_is_cut && at_.index == end_.index;
  const int64_t end = cut_here ? clamp(row.begin + end_.skip, begin, row.end) : row.end;
  tile.first_row = at_.index;
  tile.num_rows = 0;
  tile.continues = at_.skip > 0;
  tile.data = span_.data + begin;
  tile.readable = row.end - begin;

  if (end - begin > kTileBytes) {
    int64_t size = kTileBytes;
    while (size > kTileBytes - 3 && is_continuation(tile.data[size])) --size;
    if (is_continuation(tile.data[size])) size = kTileBytes;  // no character of up to three bytes lies across the cut
    tile.num_bytes = size;
    at_.skip += size;
    return true;
  }
  tile.num_bytes = end - begin;
  if (cut_here) {
    at_ = end_;
    return true;
  }
  tile.row_ends[0] = narrow<int32_t>(tile.num_bytes);
  tile.num_rows = 1;
  advance();

  // More whole rows, in place as long as each begins where the one before it ended, else copied.
  int64_t position = end;  // of the byte behind the tile, in span_.data
  bool gathering = false;
  while (at_.index < end_.index && tile.num_rows < kTileRows) {
    const int32_t* offsets = span_.row_offsets(row_) + col_;
    if (offsets[0] == position && !gathering) {
      // Rows that follow in memory and in this row of offsets. All values are clamped on reading, each by itself.
      const int64_t count = std::min({span_.cols - col_, end_.index - at_.index, kTileRows - tile.num_rows});
      const int64_t room = std::min(position + (kTileBytes - tile.num_bytes), span_.num_bytes);
      const int64_t taken = std::upper_bound(offsets + 1, offsets + count + 1, room) - (offsets + 1);
      const auto low = narrow<int32_t>(position);
      const auto high = narrow<int32_t>(taken > 0 ? clamp(offsets[taken], position, room) : position);
      const auto origin = narrow<int32_t>(position - tile.num_bytes);
      int32_t* const row_ends = tile.row_ends.data() + tile.num_rows;
      simd::primitives().clamp_offsets(offsets + 1, taken, low, high, origin, row_ends);
      // Another thread may have taken their order, which what follows counts on, and that the last one ends the tile.
      if (taken > 0) row_ends[taken - 1] = high - origin;
      bool decreasing = false;  // a loop of its own, which vectorises
      for (int64_t k = 1; k < taken; ++k) decreasing |= row_ends[k] < row_ends[k - 1];
      for (int64_t k = 1; k < taken && decreasing; ++k) row_ends[k] = std::max(row_ends[k], row_ends[k - 1]);
      tile.num_rows += taken;
      tile.num_bytes += high - position;
      position = high;
      at_.index += taken;
      col_ += taken;
      if (taken < count) break;
      if (col_ == span_.cols) {
        col_ = 0;
        ++row_;
      }
      continue;
    }
    if (!gathering) {
      if (tile.num_bytes > kWorthGathering) break;
      if (tile.num_bytes > 0) std::memcpy(gathered_.data(), tile.data, static_cast<size_t>(tile.num_bytes));
      tile.data = gathered_.data();
      gathering = true;
    }
    const ByteRange next = span_.range(row_, col_);
    if (next.size() > kTileBytes - tile.num_bytes) break;
    if (next.size() > 0) {
      std::memcpy(gathered_.data() + tile.num_bytes, span_.data + next.begin, static_cast<size_t>(next.size()));
    }
    tile.num_bytes += next.size();
    tile.row_ends[static_cast<size_t>(tile.num_rows++)] = narrow<int32_t>(tile.num_bytes);
    advance();
  }
  tile.readable = tile.num_bytes;
  return true;
}

Cuts cut_evenly(const StringSpan& span, int64_t parts, bool inside_strings) {
  Cuts cuts;
  cuts.parts = std::clamp<int64_t>(parts, 1, static_cast<int64_t>(cuts.places.size()) - 1);
  const int64_t size = span.size();
  cuts.places[static_cast<size_t>(cuts.parts)] = {size, 0};
  if (size == 0 || cuts.parts == 1) return cuts;
  const bool tiles = rows_tile(span);
  const int64_t first = span.row_offsets(0)[0];
  const int64_t total = span.row_offsets(span.rows - 1)[span.cols] - first;
  Place before;
  for (int64_t part = 1; part < cuts.parts; ++part) {
    Place place{size * part / cuts.parts, 0};
    if (tiles) {
      // The string that holds the byte at `target`: the last row that begins at or before it, then within that row.
      const int64_t target = first + total * part / cuts.parts;
      int64_t low = 0, high = span.rows;
      while (high - low > 1) {
        const int64_t middle = low + (high - low) / 2;
        (span.row_offsets(middle)[0] <= target ? low : high) = middle;
      }
      const int32_t* offsets = span.row_offsets(low);
      const int64_t col =
          std::clamp<int64_t>(std::upper_bound(offsets, offsets + span.cols, target) - offsets - 1, 0, span.cols - 1);
      place = {low * span.cols + col, 0};
      const ByteRange range = span.range(low, col);
      if (inside_strings && range.size() >= kLongString) {
        place.skip = std::clamp<int64_t>(target - range.begin, 0, range.size() - 1);
      }
    }
    const bool goes_back = place.index < before.index || (place.index == before.index && place.skip < before.skip);
    if (goes_back) place = before;
    cuts.places[static_cast<size_t>(part)] = before = place;
  }
  return cuts;
}

}  // namespace stringops::kernels
