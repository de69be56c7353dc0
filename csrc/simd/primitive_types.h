// The types of arguments and results of primitives (simd/primitives.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace stringops::simd {

// The arguments of write_pieces. Everything before the limits may be overwritten, because vectors are stored whole;
// nothing at or past a limit is written.
struct PieceBlock {
  const uint8_t* data;   // n bytes
  const uint64_t* keep;  // byte i is copied
  const uint64_t* ends;  // a piece ends after the kept bytes among 0..i
  int64_t n;
  int32_t base;  // added to each end
  uint8_t* out;
  const uint8_t* out_limit;
  int32_t* out_ends;
  const int32_t* out_ends_limit;
};

struct PieceCounts {
  int64_t bytes;
  int64_t pieces;
  bool complete;  // all pieces were written
};

// Strings that are cut at most max_cuts times each: string k has the bytes from string_ends[k - 1], 0 for the first, to
// string_ends[k]. They are cut to words between whitespace, or to fields between delimiters of one byte.
struct LimitedCuts {
  static constexpr int64_t kMaxCuts = 16;
  static constexpr int64_t kMinMeanBytes = 64;  // of strings that are cut faster one by one than by masks of blocks

  const uint8_t* data;
  int64_t readable;  // bytes that may be read at `data`
  const int32_t* string_ends;
  int64_t num_strings;
  int64_t max_cuts;  // up to kMaxCuts
  bool at_whitespace;
  uint8_t delimiter;  // unless strings are cut at whitespace
};

// The place where pieces are written. Everything before the limits may be overwritten.
struct PieceRoom {
  int32_t base;  // added to each end
  uint8_t* out;
  const uint8_t* out_limit;
  int32_t* out_ends;
  const int32_t* out_ends_limit;
};

// A byte at a distance from a position.
struct ByteAt {
  int64_t distance;
  uint8_t byte;
};

constexpr int64_t kMaxBytesAt = 8;

// Returns `count` bytes of a text with their distances from its begin: all of them, or the first, the last, and others
// at equal distances.
inline std::array<ByteAt, kMaxBytesAt> spread_bytes(std::string_view text, int64_t count) {
  std::array<ByteAt, kMaxBytesAt> bytes{};
  const int64_t last = static_cast<int64_t>(text.size()) - 1;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t distance = count > last ? i : last * i / (count - 1);
    bytes[static_cast<size_t>(i)] = {distance, static_cast<uint8_t>(text[static_cast<size_t>(distance)])};
  }
  return bytes;
}

// The bytes that texts can begin with: row b & 15 of `low` and row b >> 4 of `high` share a bit if byte b can be the
// k-th byte of one of them. Texts can share bits.
struct PrefixSet {
  static constexpr size_t kMaxBytes = 3;
  static constexpr int kBits = 8;

  int64_t num_bytes = 1;
  alignas(16) uint8_t low[kMaxBytes][16] = {};
  alignas(16) uint8_t high[kMaxBytes][16] = {};

  // Adds a text of at least num_bytes bytes.
  void add(const uint8_t* text, int bit) {
    for (size_t k = 0; k < static_cast<size_t>(num_bytes); ++k) {
      low[k][text[k] & 15] = static_cast<uint8_t>(low[k][text[k] & 15] | 1 << bit);
      high[k][text[k] >> 4] = static_cast<uint8_t>(high[k][text[k] >> 4] | 1 << bit);
    }
  }
};

// A change of the case of ASCII letters. With kTitle, a letter after a letter becomes lower case, other letters upper
// case.
enum class AsciiCase : uint8_t { kLower, kUpper, kSwap, kTitle };

// A set of lead bytes, C0 to FF.
struct LeadSet : PrefixSet {
  void add(uint8_t lead) { PrefixSet::add(&lead, (lead >> 4) - 12); }
  bool has(uint8_t lead) const { return (low[0][lead & 15] & high[0][lead >> 4]) != 0; }
};

// A run of strings. String i has the bytes from begins[i] to ends[i]. If the run is broadcast, the first string is used
// for all.
struct StringRun {
  const uint8_t* data;
  int64_t num_bytes;
  const int32_t* begins;
  const int32_t* ends;  // begins + 1 if the strings are adjacent
  bool is_broadcast;
};

// The first bytes, at most eight, of a text that strings may begin or end with.
struct AffixStart {
  uint64_t bytes;
  uint64_t mask;  // mask of the bytes that are compared
  uint32_t size;  // size of the text
  bool at_end;
};

// A part of a string: `size` bytes after the first `skip`. Larger numbers than those of the fields cannot be stored.
struct ShortPiece {
  static constexpr uint8_t kLong = 255;

  uint8_t skip;
  uint8_t size;

  bool is_long() const { return size == kLong; }
};

constexpr ShortPiece short_piece(int64_t skip, int64_t size) {
  const bool is_long = (skip | size) >= ShortPiece::kLong;
  return {static_cast<uint8_t>(skip), is_long ? ShortPiece::kLong : static_cast<uint8_t>(size)};
}

// Patterns of edit distances, one in each lane of a row of 64 bytes. A pattern has at most as many units as a lane has
// bits.
struct PatternLanes {
  static constexpr int64_t kRowBytes = 64;

  const uint64_t* masks;  // rows of lanes: bit i of a lane is set if the row's unit is unit i of the pattern
  const uint64_t* bits;   // one row: the bits of a lane that stand for units of the pattern
  int64_t lane_bytes;     // 1, 2, 4 or 8
};

// Texts: text t is the units of the rows from rows[begins[t]] to rows[ends[t]].
struct TextRows {
  const uint16_t* rows;
  const int64_t* begins;
  const int64_t* ends;
};

// The greatest size of a text in lane_matches.
constexpr int64_t kMaxMatchedText = 120;

// Up to 512 units of a pattern, 64 in each word. Bit i of words `up` and `down` is set if the distance to the units of
// the text so far increases or decreases from unit i - 1 to unit i.
struct DistanceStrip {
  static constexpr int64_t kWords = 8;
  static constexpr int64_t kUnits = 64 * kWords;

  const uint64_t* masks;  // rows of kWords: bit i is set if the row's unit is unit i of the pattern
  uint64_t* up;           // kWords
  uint64_t* down;
  int64_t num_words;  // words beyond stand for no units, and become arbitrary
};

// Code points [start, stop) of a string, as in a slice of Python: negative numbers count from the end.
struct CodepointSlice {
  int64_t start;
  int64_t stop;
};

// The offsets that take_offsets has written, and whether none of them is less than the one before it.
struct TakenOffsets {
  int64_t count;
  bool ascend;
};

// A summary of the strings that a mask selects.
struct MaskedSum {
  int64_t strings = 0;
  int64_t bytes = 0;
  bool valid = true;  // each of them is within [0, limit], and none ends before it begins
};

// Offsets of strings, none of which may end after `limit`.
struct LimitedOffsets {
  const int32_t* offsets;
  int32_t limit;
};

// Classes of 64 bytes of text, one bit per byte. All but `beyond` contain only ASCII.
struct AsciiMasks {
  uint64_t letters;
  uint64_t numbers;
  uint64_t spaces;  // \s
  uint64_t newlines;
  uint64_t blanks;  // U+0020
  uint64_t apostrophes;
  uint64_t controls;  // except tabs and newlines
  uint64_t beyond;    // bytes that are not ASCII
};

// A summary of strings from begins[k] to ends[k].
struct RangesSummary {
  int64_t bytes = 0;
  int64_t longest = 0;
  int64_t last_end = 0;  // the greatest end
  bool valid = true;     // no begin is negative, and no end is less than its begin
};

}  // namespace stringops::simd
