// The reference implementation of each primitive, byte by byte; the other tiers are tested against it.
#include <algorithm>
#include <cstring>

#include "core/bits.h"
#include "core/narrow.h"
#include "core/read_decimal.h"
#include "core/utf8.h"
#include "core/whitespace.h"
#include "simd/compare_strings.h"
#include "simd/decode.h"
#include "simd/distance_strip.h"
#include "simd/equal_strings.h"
#include "simd/has_affix.h"
#include "simd/hash_strings.h"
#include "simd/key_types.h"
#include "simd/lane_distances.h"
#include "simd/lane_matches.h"
#include "simd/long_keys.h"
#include "simd/mask_words.h"
#include "simd/slice_codepoints.h"
#include "simd/tiers.h"

namespace stringops::simd {
namespace {

void clear_words(int64_t n, uint64_t* words) {
  for (int64_t w = 0; w < words_for(n); ++w) words[w] = 0;
}

void find_byte(const uint8_t* data, int64_t n, uint8_t byte, uint64_t* words) {
  clear_words(n, words);
  for (int64_t i = 0; i < n; ++i) {
    if (data[i] == byte) set_bit(words, i);
  }
}

bool find_bytes(const uint8_t* data, int64_t n, int64_t readable, const ByteAt* bytes, int64_t count, uint64_t* words) {
  clear_words(n, words);
  const uint8_t first = bytes[0].byte;
  const ByteAt last = bytes[count - 1];
  const int64_t end = std::min(n, readable - last.distance);
  for (int64_t i = 0; i < end; ++i) {
    if (data[i] != first || data[i + last.distance] != last.byte) continue;
    int64_t k = 1;
    while (k + 1 < count && data[i + bytes[k].distance] == bytes[k].byte) ++k;
    if (k + 1 >= count) set_bit(words, i);
  }
  return std::any_of(words, words + words_for(n), [](uint64_t word) { return word != 0; });
}

void find_in_heads(const StringRun& run, int64_t count, uint8_t first, ByteAt last, uint64_t* places) {
  for (int64_t i = 0; i < count; ++i) {
    const int64_t begin = static_cast<uint32_t>(run.begins[i]);
    places[i] = 0;
    for (int64_t p = 0; p < kWordBits && begin + p + last.distance < run.num_bytes; ++p) {
      const uint8_t* const place = run.data + begin + p;
      places[i] |= uint64_t{place[0] == first && place[last.distance] == last.byte} << p;
    }
  }
}

void find_prefixes(const uint8_t* data, int64_t n, int64_t readable, const PrefixSet& prefixes, uint64_t* words) {
  clear_words(n, words);
  const int64_t end = std::min(n, readable - prefixes.num_bytes + 1);
  for (int64_t i = 0; i < end; ++i) {
    unsigned texts = 0xFF;
    for (int64_t k = 0; k < prefixes.num_bytes && texts != 0; ++k) {
      const uint8_t byte = data[i + k];
      texts &= prefixes.low[k][byte & 15] & prefixes.high[k][byte >> 4];
    }
    if (texts != 0) set_bit(words, i);
  }
}

void find_set(const uint8_t* data, int64_t n, const CharSet& set, uint64_t* words) {
  clear_words(n, words);
  for (int64_t i = 0; i < n; ++i) {
    if (set.contains(data[i])) set_bit(words, i);
  }
}

int64_t count_in_set(const uint8_t* data, int64_t n, const CharSet& set) {
  int64_t i = 0;
  while (i < n && set.contains(data[i])) ++i;
  return i;
}

void find_codepoint_ends(const uint8_t* data, int64_t n, uint64_t* words) {
  clear_words(n, words);
  for (int64_t i = 0; i < n; ++i) {
    if (i + 1 == n || !is_continuation(data[i + 1])) set_bit(words, i);
  }
}

void slice_codepoints(const uint64_t* codepoint_ends, const int32_t* ends, int64_t count, const CodepointSlice& slice,
                      ShortPiece* pieces) {
  if (!codepoint_ends) return slice_bytes(ends, count, slice, pieces);
  slice_strings(codepoint_ends, ends, count, slice, pieces, [](uint64_t word, uint64_t bit) -> int64_t {
    for (; bit > 1; bit >>= 1) word &= word - 1;
    return bit == 0 || word == 0 ? kWordBits : first_bit(word);
  });
}

bool map_ascii(const uint8_t* data, int64_t n, AsciiCase to, uint8_t* out) {
  bool ascii = true, after_letter = false;
  for (int64_t i = 0; i < n; ++i) {
    const uint8_t byte = data[i];
    const bool is_letter = is_ascii_letter(byte);
    const bool is_upper = (byte & 0x20) == 0;
    const bool becomes_upper =
        to == AsciiCase::kUpper || (to == AsciiCase::kSwap && !is_upper) || (to == AsciiCase::kTitle && !after_letter);
    out[i] = is_letter && is_upper != becomes_upper ? byte ^ 0x20 : byte;
    ascii &= byte < 0x80;
    after_letter = is_letter;
  }
  return ascii;
}

AsciiMasks find_ascii_masks(const uint8_t* text) {
  AsciiMasks masks{};
  for (int i = 0; i < 64; ++i) {
    const uint8_t c = text[i];
    const auto set = [&](uint64_t& mask, bool is_in) { mask |= uint64_t{is_in} << i; };
    const bool is_newline = c == '\n' || c == '\r';
    set(masks.letters, is_ascii_letter(c));
    set(masks.numbers, c >= '0' && c <= '9');
    set(masks.spaces, c == ' ' || (c >= 9 && c <= 13));
    set(masks.newlines, is_newline);
    set(masks.blanks, c == ' ');
    set(masks.apostrophes, c == '\'');
    set(masks.controls, (c < ' ' && c != '\t' && !is_newline) || c == 0x7F);
    set(masks.beyond, c >= 0x80);
  }
  return masks;
}

bool is_utf8(const uint8_t* data, int64_t n) {
  return !find_invalid_utf8(data, data + n);
}

int64_t count_utf8(const uint8_t* data, int64_t n) {
  return is_utf8(data, n) ? count_codepoints(data, data + n) : -1;
}

bool find_whitespace(const uint8_t* data, int64_t n, uint64_t* words) {
  clear_words(n, words);
  bool ascii = true;
  for (int64_t i = 0; i < n; ++i) ascii &= data[i] < 0x80;
  for (int64_t i = 0; i < n;) {
    const int length = whitespace_length(data + i, data + n);
    for (int j = 0; j < length; ++j) set_bit(words, i + j);
    i += length ? length : 1;
  }
  return ascii;
}

int32_t pad_rows(const int32_t* ends, int32_t begin, const int32_t* counts, int64_t num_rows, int64_t width,
                 int32_t last, int32_t* out, const int32_t*) {
  for (int64_t k = 0; k < num_rows; ++k) {
    const int64_t pieces = std::clamp<int64_t>(counts[k] - begin, 0, width);
    *out++ = last;
    for (int64_t c = 0; c < width; ++c) {
      if (c < pieces) last = ends[begin + c];
      *out++ = last;
    }
    begin = counts[k];
  }
  return last;
}

PieceCounts write_pieces(const PieceBlock& b) {
  uint8_t* out = b.out;
  int32_t* out_ends = b.out_ends;
  for (int64_t i = 0; i < b.n; ++i) {
    if (test_bit(b.keep, i)) {
      if (out == b.out_limit) return {out - b.out, out_ends - b.out_ends, false};
      *out++ = b.data[i];
    }
    if (test_bit(b.ends, i)) {
      if (out_ends == b.out_ends_limit) return {out - b.out, out_ends - b.out_ends, false};
      *out_ends++ = b.base + narrow<int32_t>(out - b.out);
    }
  }
  return {out - b.out, out_ends - b.out_ends, true};
}

// Calls emit(begin, end) for each piece of the string [p, end).
template <class Emit>
void for_each_limited(const LimitedCuts& in, const uint8_t* p, const uint8_t* end, Emit&& emit) {
  const auto separator_at = [&](const uint8_t* at) -> int64_t {
    return in.at_whitespace ? whitespace_length(at, end) : at < end && *at == in.delimiter;
  };
  const auto skip = [&] {
    while (in.at_whitespace && separator_at(p) > 0) p += separator_at(p);
  };
  skip();
  const uint8_t* begin = p;
  for (int64_t cuts = 0; cuts < in.max_cuts && p < end; ++p) {
    const int64_t length = separator_at(p);
    if (length == 0) continue;
    emit(begin, p);
    ++cuts;
    p += length;
    skip();
    begin = p--;
  }
  if (begin < end || !in.at_whitespace) emit(begin, end);
}

PieceCounts cut_limited(const LimitedCuts& in, const PieceRoom* room, int32_t* string_pieces) {
  int64_t bytes = 0, pieces = 0;
  bool complete = true;
  const auto emit = [&](const uint8_t* begin, const uint8_t* end) {
    if (room) {
      complete &= end - begin <= room->out_limit - room->out - bytes && pieces < room->out_ends_limit - room->out_ends;
      if (!complete) return;
      std::copy(begin, end, room->out + bytes);
      room->out_ends[pieces] = room->base + narrow<int32_t>(bytes + (end - begin));
    }
    bytes += end - begin;
    ++pieces;
  };
  for (int64_t k = 0; k < in.num_strings; ++k) {
    const int32_t begin = k > 0 ? in.string_ends[k - 1] : 0;
    for_each_limited(in, in.data + begin, in.data + in.string_ends[k], emit);
    string_pieces[k] = narrow<int32_t>(pieces);
  }
  return {bytes, pieces, complete};
}

bool load_word_keys(const uint8_t* data, uint32_t last_begin, const uint32_t* begins, uint32_t* sizes, int64_t n,
                    const WordSeeds& seeds, uint64_t capacity, WordKeys& keys, LongWords* long_words) {
  for (int64_t j = 0; j < n; ++j) {
    if (begins[j] > last_begin) return false;
  }
  *long_words = {};
  for (int64_t j = 0; j < n; ++j) {
    if (sizes[j] <= kInlineBytes) {
      set_key(j, load_short_key(data + begins[j], sizes[j]), seeds.seed, capacity, keys);
    } else {
      load_long_key(data, last_begin, begins, sizes, j, seeds, capacity, keys, *long_words);
    }
  }
  return true;
}

void locate_words(const PilotedSlots& table, WordKeys& keys, int64_t n) {
  for (int64_t j = 0; j < n; ++j) keys.slot[j] = table.find(keys.home[j], keys.second[j]);
}

uint64_t find_words(const uint8_t* slots, const WordKeys& keys, int64_t n, int64_t absent_id, int64_t* ids) {
  uint64_t found = 0;
  for (int64_t j = 0; j < n; ++j) {
    WordSlot slot;
    std::memcpy(&slot, slots + uint64_t{keys.slot[j]} * sizeof(slot), sizeof(slot));
    const bool equal = slot.low == keys.low[j] && slot.high == keys.high[j];
    ids[j] = equal ? slot.id : absent_id;
    found |= static_cast<uint64_t>(equal) << j;
  }
  return found;
}

// Entry n has all ones in the first n bytes of a word, n from 0 to 8 (little-endian).
constexpr uint64_t kFirst[9] = {
    0, 0xFF, 0xFFFF, 0xFFFFFF, 0xFFFFFFFF, 0xFFFFFFFFFF, 0xFFFFFFFFFFFF, 0xFFFFFFFFFFFFFF, 0xFFFFFFFFFFFFFFFF};

void equal_strings(const StringRun& a, const StringRun& b, int64_t count, bool* out) {
  // Lengths of words are unpredictable, so each word takes two loads, and masks instead of branches.
  equal_listed(a, b, count, out, [](const uint8_t* p, const uint8_t* q, int64_t n) {
    uint64_t x[2], y[2];
    std::memcpy(x, p, 16);
    std::memcpy(y, q, 16);
    const uint64_t first = (x[0] ^ y[0]) & kFirst[n < 8 ? n : 8];
    const uint64_t second = (x[1] ^ y[1]) & kFirst[n < 8 ? 0 : n - 8];
    return (first | second) == 0;
  });
}

int64_t select_ranges(const int32_t* offsets, const uint64_t* words, int64_t n, int32_t* begins, int32_t* ends) {
  int64_t count = 0;
  for_each_bit(words, words_for(n), [&](int64_t i) {
    begins[count] = offsets[i];
    ends[count++] = offsets[i + 1];
  });
  return count;
}

}  // namespace

void scalar_tier(Primitives& t) {
  t.tier = "scalar";
  use_mask_words(t);
  t.select_ranges = select_ranges;
  t.find_byte = find_byte;
  t.find_bytes = find_bytes;
  t.find_in_heads = find_in_heads;
  t.find_prefixes = find_prefixes;
  t.find_set = find_set;
  t.count_in_set = count_in_set;
  t.decode = decode;
  t.find_codepoint_ends = find_codepoint_ends;
  t.slice_codepoints = slice_codepoints;
  t.map_ascii = map_ascii;
  t.is_utf8 = is_utf8;
  t.count_utf8 = count_utf8;
  t.find_whitespace = find_whitespace;
  t.pad_rows = pad_rows;
  t.read_decimals = read_decimals;
  t.write_pieces = write_pieces;
  t.cut_limited = cut_limited;
  t.load_word_keys = load_word_keys;
  t.locate_words = locate_words;
  t.find_words = find_words;
  t.equal_strings = equal_strings;
  t.has_affix = has_affix;
  t.compare_strings = compare_each;
  t.compares_in_vectors = false;
  t.lane_distances = lane_distances<PlainLanes<16>>;
  t.lane_subsequences = lane_subsequences<PlainLanes<16>>;
  t.lane_matches = lane_matches<PlainLanes<16>>;
  t.distance_strip = distance_strip;
  t.hash_xxh3 = xxh3_each;
  t.find_ascii_masks = find_ascii_masks;
}

}  // namespace stringops::simd
