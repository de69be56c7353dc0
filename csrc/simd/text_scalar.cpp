// The reference implementation of the primitives of subword tokenizers.
#include <algorithm>
#include <cstring>

#include "simd/tiers.h"

namespace stringops::simd {
namespace {

enum Bit { kLetter, kNumber, kSpace, kNewline, kBlank, kApostrophe, kControl, kBeyond, kNumBits };

struct ByteClasses {
  uint8_t of[256] = {};

  constexpr ByteClasses() {
    for (int c = 0; c < 256; ++c) {
      const int lower = c | 0x20;
      const bool flags[kNumBits] = {lower >= 'a' && lower <= 'z' && c < 0x80,
                                    c >= '0' && c <= '9',
                                    c == ' ' || (c >= 9 && c <= 13),
                                    c == '\n' || c == '\r',
                                    c == ' ',
                                    c == '\'',
                                    (c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7F,
                                    c >= 0x80};
      for (int bit = 0; bit < kNumBits; ++bit) of[c] = static_cast<uint8_t>(of[c] | flags[bit] << bit);
    }
  }
};
constexpr ByteClasses kByteClasses;

AsciiMasks find_ascii_masks(const uint8_t* text) {
  uint64_t masks[kNumBits] = {};
  for (int at = 0; at < 64; at += 8) {
    uint64_t flags = 0;
    for (int i = 0; i < 8; ++i) flags |= uint64_t{kByteClasses.of[text[at + i]]} << (8 * i);
    for (int bit = 0; bit < kNumBits; ++bit) {
      // The product moves bit `bit` of each byte to the upper byte.
      const uint64_t byte = ((flags >> bit) & 0x0101010101010101) * 0x0102040810204080 >> 56;
      masks[bit] |= byte << at;
    }
  }
  return {masks[kLetter], masks[kNumber],     masks[kSpace],   masks[kNewline],
          masks[kBlank],  masks[kApostrophe], masks[kControl], masks[kBeyond]};
}

// Merges a word of at most kMaxLongMerged bytes.
uint32_t merge_word(const Merges& m, const uint8_t* bytes, uint32_t n, uint32_t* ids) {
  uint32_t priorities[kMaxLongMerged];
  for (uint32_t i = 0; i < n; ++i) ids[i] = Merges::load<uint32_t>(m.byte_ids, bytes[i]);
  for (uint32_t i = 0; i + 1 < n; ++i) {
    priorities[i] = Merges::load<uint32_t>(m.byte_pairs, uint64_t{bytes[i]} << 8 | bytes[i + 1]);
  }
  while (n > 1) {
    uint32_t at = 0, best = priorities[0];
    for (uint32_t i = 1; i + 1 < n; ++i) {
      if (priorities[i] < best) {
        at = i;
        best = priorities[i];
      }
    }
    if (best == kNoPair) break;
    ids[at] = best < m.num_made ? Merges::load<uint32_t>(m.made, best) : 0;
    --n;
    for (uint32_t i = at + 1; i < n; ++i) ids[i] = ids[i + 1];
    for (uint32_t i = at; i + 1 < n; ++i) priorities[i] = priorities[i + 1];
    if (at > 0) priorities[at - 1] = m.pairs.find(ids[at - 1], ids[at]);
    if (at + 1 < n) priorities[at] = m.pairs.find(ids[at], ids[at + 1]);
  }
  return n;
}

void merge_words(const Merges& m, const ShortWord* words, int64_t count, uint32_t (*ids)[16], uint32_t* counts) {
  for (int64_t k = 0; k < count; ++k) {
    uint8_t bytes[16];
    std::memcpy(bytes, &words[k], sizeof(bytes));
    counts[k] = merge_word(m, bytes, std::min(words[k].size(), kMaxMerged), ids[k]);
  }
}

void merge_long_words(const Merges& m, const LongWord* words, int64_t count, LongIds* ids, uint32_t* counts) {
  for (int64_t k = 0; k < count; ++k) {
    counts[k] = merge_word(m, words[k].begin, std::min(words[k].size, kMaxLongMerged), ids[k]);
  }
}

}  // namespace

void scalar_text(Primitives& t) {
  t.find_ascii_masks = find_ascii_masks;
  t.merge_words = merge_words;
  t.merge_long_words = merge_long_words;
}

}  // namespace stringops::simd
