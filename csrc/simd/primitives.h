// The table of primitives, the only code that depends on the CPU. A primitive works on a whole buffer. simd/scalar.cpp
// is its reference implementation, and every tier gives the same result.
//
// Masks hold one bit per byte: bit i % 64 of words[i / 64] is byte i's. A primitive that makes a mask writes
// words_for(n) words, with 0 in the bits at n and beyond.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/char_class.h"
#include "simd/primitive_types.h"

namespace stringops {
struct Decimal;     // core/read_decimal.h
struct SipKey;      // core/string_hashes.h
struct StringSpan;  // core/string_span.h
struct WordKeys;    // core/word_key.h
}  // namespace stringops

namespace stringops::simd {

// Types of key_types.h.
struct LongWords;
struct PilotedSlots;
struct WordSeeds;

struct Primitives {
  const char* tier;  // "scalar", "avx2", "avx512", "neon"

  // Bit i: data[i] == byte.
  void (*find_byte)(const uint8_t* data, int64_t n, uint8_t byte, uint64_t* words);

  // Bit i: data[i + b.distance] == b.byte for each of the `count` bytes, 1 to kMaxBytesAt. Distances ascend from 0.
  // `readable` >= n bytes of data may be read. Returns whether any bit is set.
  bool (*find_bytes)(const uint8_t* data, int64_t n, int64_t readable, const ByteAt* bytes, int64_t count,
                     uint64_t* words);

  // Bit p of places[i]: byte p of string i is `first`, and that at p + last.distance is last.byte. The strings are not
  // broadcast, only their first 64 bytes are tested, and bits of a place whose bytes are not all in the string have no
  // meaning.
  void (*find_in_heads)(const StringRun& run, int64_t count, uint8_t first, ByteAt last, uint64_t* places);

  // Bit i: the bytes from i on can begin one of the texts. `readable` >= n bytes of data may be read; no text begins
  // where fewer than prefixes.num_bytes of them are left.
  void (*find_prefixes)(const uint8_t* data, int64_t n, int64_t readable, const PrefixSet& prefixes, uint64_t* words);

  // Bit i: byte i is in the set; each byte of a character beyond ASCII is in it if the set contains those characters.
  void (*find_set)(const uint8_t* data, int64_t n, const CharSet& set, uint64_t* words);

  // Returns the number of bytes at the beginning that are in the set.
  int64_t (*count_in_set)(const uint8_t* data, int64_t n, const CharSet& set);

  // Writes the code points of a text, and bytes that are not part of one as 0xDC00 + byte, like Python's
  // surrogateescape; returns their number. `out` has room for size + 16 numbers, which may be overwritten.
  int64_t (*decode)(const uint8_t* text, int64_t size, uint32_t* out);

  // Bit i: byte i is the last one of a code point: the next byte, if any, is not a continuation.
  void (*find_codepoint_ends)(const uint8_t* data, int64_t n, uint64_t* words);

  // pieces[k] = the slice of string k, which has the bytes from ends[k - 1], 0 for the first, to ends[k]. A code point
  // ends at each set bit of `codepoint_ends`, and at the end of each string. Without `codepoint_ends`, each byte is a
  // code point. The two words of `codepoint_ends` after the last one are read, too.
  void (*slice_codepoints)(const uint64_t* codepoint_ends, const int32_t* ends, int64_t count,
                           const CodepointSlice& slice, ShortPiece* pieces);

  // Copies the bytes, and changes the case of ASCII letters. Returns whether all bytes are ASCII.
  bool (*map_ascii)(const uint8_t* data, int64_t n, AsciiCase to, uint8_t* out);

  // Whether the n bytes are UTF-8, strictly (core/utf8.h); and the number of their code points, or -1 if they are not.
  bool (*is_utf8)(const uint8_t* data, int64_t n);
  int64_t (*count_utf8)(const uint8_t* data, int64_t n);

  // Bit i: byte i belongs to a whitespace character (core/whitespace.h) within the n bytes. Returns whether
  // all n bytes are ASCII.
  bool (*find_whitespace)(const uint8_t* data, int64_t n, uint64_t* words);

  // Turns separators into words: kept[w] = ~separators[w]; a word ends on its last byte, which a separator or the end
  // of its row follows. Bit i of row_starts: a row begins at byte i, or the last one ends before it. Bit 64 * count of
  // both is read.
  //
  //   bytes       l e t   i t |   b e |
  //   separators  . . . 1 . . | 1 . . |
  //   row_starts  1           | 1     | 1
  //   ends        . . 1 . . 1 | . . 1 |
  void (*end_words)(const uint64_t* separators, const uint64_t* row_starts, int64_t count, uint64_t* kept,
                    uint64_t* ends);

  // Turns the first bytes of delimiters, and all bytes that they cover, into fields: kept[w] = ~covered[w], and a field
  // ends on the first byte of the delimiter after it, or on its row's last byte. If these are the same byte, the field
  // before the delimiter ends on its own last byte instead. Returns false if that byte is an end already (",," at the
  // end of a row, or a row that is one delimiter). Reads row_starts up to bit 64 * count + 64, delimiters up to bit 64
  // * count.
  //
  //   bytes       a , b | c ,
  //   delimiters  0 1 0   0 1
  //   ends        0 1 1   1 1
  bool (*end_fields)(const uint64_t* delimiters, const uint64_t* covered, const uint64_t* row_starts, int64_t count,
                     uint64_t* kept, uint64_t* ends);

  // Finds, from right to left, the bytes from which a pattern can go on: bit i of `out` is set if byte i is in `set`,
  // and in `ends`, if that is not null, or not the last one of its row and the next byte is in one of the masks `next`,
  // or, if `loops`, in `out`. Sets bit 64 * count to 0. Reads row_starts and `next` up to bit 64 * count. Returns
  // whether there are any.
  //
  //   bytes   s a i d   n o | d a y |     [a-z]+d: `next` has each d
  //   next    . . . 1   . . | 1 . . |
  //   out     1 1 1 .   . . | . . . |
  bool (*find_ways)(const uint64_t* set, const uint64_t* const* next, int64_t num_next, const uint64_t* ends,
                    bool loops, const uint64_t* row_starts, int64_t count, uint64_t* out);

  // Finds, from left to right, which of these ways are taken: bit i of `out` is set if byte i is in `ways`, and is in
  // `begins`, if that is not null, or entered. A byte is entered if it is not the first one of its row, and the byte
  // before is in one of the masks `before`, or, if `loops`, in `out`. Entered bytes are added to `entered`. `count` >=
  // 1.
  void (*follow_ways)(const uint64_t* ways, const uint64_t* begins, const uint64_t* const* before, int64_t num_before,
                      bool loops, const uint64_t* row_starts, int64_t count, uint64_t* entered, uint64_t* out);

  // out[k] = offsets[k], clamped to [low, high], less origin, for the offsets before the first one that is greater than
  // `high`, if they are in order; else for some of them. `out` has room for all.
  TakenOffsets (*take_offsets)(const int32_t* offsets, int64_t count, int32_t low, int32_t high, int32_t origin,
                               int32_t* out);

  // Returns whether no offset is less than the one before it.
  bool (*ascend)(const int32_t* offsets, int64_t count);

  // out[k] = offsets[k] + shift, which wraps around. Returns whether no out[k] is less than the one before it; if one
  // is, those after it may not be written. The comparison reads `out`, not `offsets`.
  bool (*shift_offsets)(const int32_t* offsets, int64_t count, int32_t shift, int32_t* out);

  // Sums up the strings i of n, from offsets[i] to offsets[i + 1], for which mask[i] is not 0. Other strings are not
  // checked.
  MaskedSum (*sum_masked)(const LimitedOffsets& strings, const uint8_t* mask, int64_t n);

  // Sums up n strings: string i is that of the first ones if mask[i] is not 0, else that of the second ones.
  MaskedSum (*sum_chosen)(const LimitedOffsets& first, const LimitedOffsets& second, const uint8_t* mask, int64_t n);

  // Writes the begins, offsets[i], and ends, offsets[i + 1], of the strings i among n whose bit of `words` is set, in
  // order; returns how many. Both arrays have room for 64 * words_for(n) numbers, which may be overwritten.
  int64_t (*select_ranges)(const int32_t* offsets, const uint64_t* words, int64_t n, int32_t* begins, int32_t* ends);

  RangesSummary (*summarize_ranges)(const int32_t* begins, const int32_t* ends, int64_t n);

  // Reads the numbers that strings [first, first + count) are, if kReadAfterNumber bytes of data follow them. The form
  // of others is kUnread.
  void (*read_decimals)(const StringSpan& strings, int64_t first, int64_t count, Decimal* out);

  // out[k] = base + numbers[k].
  void (*widen)(const int32_t* numbers, int64_t count, int64_t base, int64_t* out);

  // out[k] = numbers[k] - numbers[k - 1]. 0 precedes the first one. Differences of numbers that do not ascend wrap
  // around. Returns the greatest result.
  int64_t (*widen_differences)(const int32_t* numbers, int64_t count, int64_t* out);

  // Returns the number of set bits of words [0, count).
  int64_t (*count_bits)(const uint64_t* words, int64_t count);

  // counts[k] = number of set bits of `words` before bit positions[k]. Positions may equal 64 * count.
  // `prefix` is room for count + 1 numbers.
  void (*count_before)(const uint64_t* words, int64_t count, const int32_t* positions, int64_t num_positions,
                       int32_t* prefix, int32_t* counts);

  // Writes rows of width + 1 offsets each to `out`: row k is `last`, the ends [counts[k - 1], counts[k]) (from `begin`
  // for row 0), and the last of these again up to the width; it becomes `last` for the next row. A row has at most
  // `width` ends. Stores may reach beyond a row, but not to out_limit. Returns `last`.
  int32_t (*pad_rows)(const int32_t* ends, int32_t begin, const int32_t* counts, int64_t num_rows, int64_t width,
                      int32_t last, int32_t* out, const int32_t* out_limit);

  // Copies the kept bytes and writes base + (kept bytes among 0..i) for each end i. If a limit is reached, returns
  // fewer than the masks have, and the ends written are meaningless.
  PieceCounts (*write_pieces)(const PieceBlock& block);

  // Writes the pieces of strings whose cuts are limited, like str.split(maxsplit=max_cuts) of Python, and base + (bytes
  // up to the end of the piece) for each; without `room`, only counts them. Sets string_pieces[k] to the number of
  // pieces in strings 0..k. If a limit is reached, returns fewer than there are.
  PieceCounts (*cut_limited)(const LimitedCuts& cuts, const PieceRoom* room, int32_t* string_pieces);

  // Computes keys, homes and second hashes of n <= WordKeys::kMaxWords words: word j has sizes[j] bytes from data +
  // begins[j], where kKeyBytes may be read if begins[j] <= last_begin. Sizes of long words are clamped to the data's
  // end, which is kKeyBytes after last_begin. Returns false, having read no word, if a begin is above last_begin.
  // begins[n, kMaxWords) must be 0.
  bool (*load_word_keys)(const uint8_t* data, uint32_t last_begin, const uint32_t* begins, uint32_t* sizes, int64_t n,
                         const WordSeeds& seeds, uint64_t capacity, WordKeys& keys, LongWords* long_words);

  // Sets keys.slot of n words, whose homes are those among kAllHomes. Numbers up to the next multiple of 8 are read and
  // set.
  void (*locate_words)(const PilotedSlots& table, WordKeys& keys, int64_t n);

  // Compares each of n words with the slot (WordSlot, at any address) at keys.slot. Sets ids[j] to the slot's id if it
  // has the word's key, else to absent_id. Slots up to the next multiple of 8 are read. Returns a mask of the equal
  // words.
  uint64_t (*find_words)(const uint8_t* slots, const WordKeys& keys, int64_t n, int64_t absent_id, int64_t* ids);

  // out[i] = whether strings i of a and b are equal; a is not broadcast. If offsets are invalid, out is arbitrary, but
  // no byte outside the data is read.
  void (*equal_strings)(const StringRun& a, const StringRun& b, int64_t count, bool* out);

  // out[i] = whether string i is at least as long as the text that `affix` is the start of, and has the start where the
  // text would be. If this is less than eight bytes before the end of the data, which has eight or more, only the size
  // is compared. Returns false if there may be such strings. `strings` is not broadcast. If offsets are invalid, out is
  // arbitrary, but no byte outside the data is read.
  bool (*has_affix)(const StringRun& strings, int64_t count, const AffixStart& affix, bool* out);

  // order[i] = -1, 0 or 1 if string i of a is less than, equal to or greater than that of b, by their bytes. If offsets
  // are invalid, it is one of these, but no byte outside the data is read.
  void (*compare_strings)(const StringRun& a, const StringRun& b, int64_t count, int8_t* order);
  // If false, compare_strings compares pair by pair, and callers that need few orders are faster without it.
  bool compares_in_vectors;

  // Computes edit distances: differences[t * pitch + k] = the distance of text t to the pattern of lane k, less the
  // size of the text. `differences` has room for all lanes.
  void (*lane_distances)(const PatternLanes& patterns, const TextRows& texts, int64_t count, int8_t* differences,
                         int64_t pitch);

  // lengths[t * pitch + k] = the size of the longest common subsequence of text t and the pattern of lane k. `lengths`
  // has room for all lanes.
  void (*lane_subsequences)(const PatternLanes& patterns, const TextRows& texts, int64_t count, int8_t* lengths,
                            int64_t pitch);

  // numbers[2 * t * pitch + k] = the units that match in text t, of up to kMaxMatchedText units, and the pattern of
  // lane k, by Jaro's rule: each unit of the text matches the first equal one of the pattern that has no match, and
  // whose position differs by at most max(m, n) / 2 - 1, or 0, for sizes m and n. numbers[(2 * t + 1) * pitch + k] =
  // how many of the matches differ from that at the same place among those of the pattern. Each row has room for all
  // lanes.
  void (*lane_matches)(const PatternLanes& patterns, const TextRows& texts, int64_t count, int8_t* numbers,
                       int64_t pitch);

  // Processes n more units of a text, those of rows[0, n). Bits 0 and 1 of edges[j] are set if the distance before the
  // strip increases or decreases from unit j - 1 to unit j of the text. They become those after a strip of kWords
  // words; after a strip of fewer words, they are arbitrary. rows[-8, 0) and rows[n, n + 8) are read, and are numbers
  // of rows.
  void (*distance_strip)(const DistanceStrip& strip, const uint16_t* rows, int64_t n, uint8_t* edges);

  // hashes[i] = the XXH3 hash of string i (core/hash.h); strings are not broadcast. If offsets are
  // invalid, it is any number, but no byte outside the data is read.
  void (*hash_xxh3)(const StringRun& strings, int64_t count, uint64_t seed, uint64_t* hashes);

  // Returns the classes of 64 bytes.
  AsciiMasks (*find_ascii_masks)(const uint8_t* text);
};

// Returns the current tier: the best that the CPU has, or the one that STRINGOPS_SIMD names.
const Primitives& primitives();

}  // namespace stringops::simd

// Functions for tests: the tiers that this CPU runs, best first, separated by commas; the current tier; and a change of
// the tier (false if there is none of that name). Changing it while operators run is safe, because all tiers give the
// same results.
extern "C" {
__attribute__((visibility("default"))) const char* stringops_simd_tiers();
__attribute__((visibility("default"))) const char* stringops_simd_tier();
__attribute__((visibility("default"))) bool stringops_set_simd_tier(const char* name);
}
