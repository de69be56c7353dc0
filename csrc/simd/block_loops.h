// Loops over blocks of 64 bytes, one mask word each, that vector tiers share. Included once by the file of a tier,
// after its target pragma and its definitions of
//
//   Vector                       a register of 8-bit lanes
//   Bytes64                        kVectors of them: 64 bytes, whose order is the tier's
//   splat, broadcast             a Vector of one byte, of the 16 bytes at an address
//   load, store                  a Vector at any address, in order
//   load_block(p), load_block(data, i, n)    64 bytes at p; at data + i, but zeros at n and beyond
//   load_in_order(data, i, n)    the same, with the bytes in order
//   equal, not_equal_0, signs, from_c0    which lanes are == byte, != 0, >= 80, outside 80..BF, in a form of the tier's
//   within(x, first, count)      which bytes are in [first, first + count), in the same form
//   mask_of(block, f)            the mask word of the lanes f(vector) of a block
//   any, any_signs               whether a lane of a Vector is not 0, is >= 80
//   high_half                    of each byte
//   lookup(rows, x)              the byte rows[i % 16] for each byte i < 80 of x, else 0
//   lookup_half(rows, x)         the same if all bytes are below 16
//   before<n>(x, previous)       the bytes n positions before those of x, which follows `previous`
//   subtract_to_0(x, y)          x - y, or 0 if that is negative
//   letters(x)                   20 in the lanes of ASCII letters, else 0
#pragma once

#include <algorithm>
#include <cstring>

#include "core/bits.h"
#include "simd/primitives.h"
#include "simd/utf8_pairs.h"

namespace stringops::simd {
namespace {

inline uint64_t equal(const Bytes64& x, uint8_t byte) {
  return V::mask_of(x, [&](const Vector& v) { return V::equal(v, byte); });
}

inline Vector low_half(Vector x) {
  return x & V::splat(0x0F);
}

inline uint64_t signs(const Bytes64& x) {
  return V::mask_of(x, [](const Vector& v) { return V::signs(v); });
}

void find_byte(const uint8_t* data, int64_t n, uint8_t byte, uint64_t* words) {
  int64_t i = 0;
  for (; i + 64 <= n; i += 64) words[i / 64] = equal(V::load_block(data + i), byte);
  if (i < n) words[i / 64] = equal(V::load_block(data, i, n), byte) & low_bits(n - i);
}

// The number of bytes is known at compile time, so that they stay in registers. If there are more than two, the others
// are compared only if the first and the last are found in four blocks: in text, that happens either hardly ever or
// nearly always.
template <int kCount>
bool find_each(const uint8_t* data, int64_t n, int64_t readable, const ByteAt* from, uint64_t* words) {
  ByteAt bytes[kCount];  // a copy, as storing words could change the originals
  std::copy_n(from, kCount, bytes);
  const int64_t reach = bytes[kCount - 1].distance;
  const auto compare = [&](int64_t at, int k) {
    return equal(V::load_block(data + at + bytes[k].distance), bytes[k].byte);
  };
  int64_t i = 0;
  uint64_t any = 0;
  const int64_t whole = std::min(n, readable - reach) - 64;
  if constexpr (kCount > 2) {
    for (; i <= whole - 192; i += 256) {
      uint64_t found[4], some = 0;
      for (int j = 0; j < 4; ++j) {
        found[j] = compare(i + 64 * j, 0) & compare(i + 64 * j, kCount - 1);
        some |= found[j];
      }
      for (int k = 1; k < kCount - 1 && some != 0; ++k) {
        for (int j = 0; j < 4; ++j) found[j] &= compare(i + 64 * j, k);
        some = found[0] | found[1] | found[2] | found[3];
      }
      any |= some;
      std::copy_n(found, 4, words + i / 64);
    }
  }
  for (; i <= whole; i += 64) {
    uint64_t word = compare(i, 0) & compare(i, kCount - 1);
    for (int k = 1; k < kCount - 1 && word != 0; ++k) word &= compare(i, k);
    any |= words[i / 64] = word;
  }
  for (; i < n; i += 64) {
    uint64_t word = low_bits(n - i) & low_bits(std::max<int64_t>(readable - i - reach, 0));
    for (int k = kCount - 1; k >= 0 && word != 0; --k) {
      word &= equal(V::load_block(data, i + bytes[k].distance, readable), bytes[k].byte);
    }
    any |= words[i / 64] = word;
  }
  return any != 0;
}

bool find_bytes(const uint8_t* data, int64_t n, int64_t readable, const ByteAt* bytes, int64_t count, uint64_t* words) {
  static constexpr decltype(&find_each<1>) kFind[kMaxBytesAt] = {
      find_each<1>, find_each<2>, find_each<3>, find_each<4>, find_each<5>, find_each<6>, find_each<7>, find_each<8>};
  return kFind[count - 1](data, n, readable, bytes, words);
}

void find_in_heads(const StringRun& run, int64_t count, uint8_t first, ByteAt last, uint64_t* places) {
  for (int64_t i = 0; i < count; ++i) {
    const uint8_t* const data = run.data;
    const int64_t begin = static_cast<uint32_t>(run.begins[i]), end = begin + last.distance;
    if (run.num_bytes - end >= 64) {
      places[i] = equal(V::load_block(data + begin), first) & equal(V::load_block(data + end), last.byte);
    } else if (run.num_bytes > end) {
      places[i] = equal(V::load_block(data, begin, run.num_bytes), first) &
                  equal(V::load_block(data, end, run.num_bytes), last.byte);
    } else {
      places[i] = 0;
    }
  }
}

// Returns, for each position, the texts that its byte and those after it can be a part of.
template <size_t kBytes>
void find_prefixes_of(const uint8_t* data, int64_t n, int64_t readable, const PrefixSet& prefixes, uint64_t* words) {
  constexpr auto kReach = static_cast<int64_t>(kBytes) - 1;
  Vector low[kBytes], high[kBytes];
  for (size_t k = 0; k < kBytes; ++k) {
    low[k] = V::broadcast(prefixes.low[k]);
    high[k] = V::broadcast(prefixes.high[k]);
  }
  const auto texts = [&](size_t k, const Vector& v) {
    return V::lookup_half(low[k], low_half(v)) & V::lookup_half(high[k], V::high_half(v));
  };
  const auto find = [&](const auto& block) {
    Bytes64 x = block(0);
    for (Vector& v : x.vectors) v = texts(0, v);
    for (size_t k = 1; k < kBytes; ++k) {
      const Bytes64 y = block(static_cast<int64_t>(k));
      for (size_t j = 0; j < kVectors; ++j) x.vectors[j] &= texts(k, y.vectors[j]);
    }
    return V::mask_of(x, [](const Vector& v) { return V::not_equal_0(v); });
  };
  int64_t i = 0;
  for (const int64_t whole = std::min(n, readable - kReach) - 64; i <= whole; i += 64) {
    words[i / 64] = find([&](int64_t k) { return V::load_block(data + i + k); });
  }
  for (; i < n; i += 64) {
    const uint64_t inside = low_bits(n - i) & low_bits(std::max<int64_t>(readable - i - kReach, 0));
    words[i / 64] = inside & find([&](int64_t k) { return V::load_block(data, i + k, readable); });
  }
}

void find_prefixes(const uint8_t* data, int64_t n, int64_t readable, const PrefixSet& prefixes, uint64_t* words) {
  static constexpr decltype(&find_prefixes_of<1>) kFind[PrefixSet::kMaxBytes] = {
      find_prefixes_of<1>, find_prefixes_of<2>, find_prefixes_of<3>};
  kFind[prefixes.num_bytes - 1](data, n, readable, prefixes, words);
}

// The row for the low half of a byte has a bit for each high half of a byte in the set. Lookups return no row for bytes
// beyond ASCII.
class SetFinder {
 public:
  explicit SetFinder(const CharSet& set)
      : rows_(V::broadcast(set.rows().data())), bits_(V::broadcast(kBits)), beyond_ascii_(set.beyond_ascii) {}

  uint64_t find(const Bytes64& x) const {
    const uint64_t word = V::mask_of(x, [&](const Vector& v) {
      return V::not_equal_0(V::lookup(rows_, v) & V::lookup_half(bits_, V::high_half(v)));
    });
    return beyond_ascii_ ? word | signs(x) : word;
  }

 private:
  alignas(16) static constexpr uint8_t kBits[16] = {1, 2, 4, 8, 16, 32, 64, 128};
  const Vector rows_, bits_;
  const bool beyond_ascii_;
};

void find_set(const uint8_t* data, int64_t n, const CharSet& set, uint64_t* words) {
  const SetFinder finder(set);
  for (int64_t i = 0; i < n; i += 64) words[i / 64] = finder.find(V::load_block(data, i, n)) & low_bits(n - i);
}

int64_t count_in_set(const uint8_t* data, int64_t n, const CharSet& set) {
  const SetFinder finder(set);
  for (int64_t i = 0; i < n; i += 64) {
    const uint64_t others = ~(finder.find(V::load_block(data, i, n)) & low_bits(n - i));
    if (others != 0) return i + first_bit(others);
  }
  return n;
}

void find_codepoint_ends(const uint8_t* data, int64_t n, uint64_t* words) {
  for (int64_t i = 0; i < n; i += 64) {
    const Bytes64 next = V::load_block(data, i + 1, n);
    words[i / 64] = V::mask_of(next, [](const Vector& v) { return V::from_c0(v); }) & low_bits(n - i);
  }
}

// Changes the case of a vector; `before` holds the bytes one position earlier.
template <AsciiCase kTo>
inline Vector change_ascii(Vector x, [[maybe_unused]] Vector before) {
  const Vector letters = V::letters(x);
  if constexpr (kTo == AsciiCase::kLower) return x | letters;
  if constexpr (kTo == AsciiCase::kUpper) return x & ~letters;
  if constexpr (kTo == AsciiCase::kSwap) return x ^ letters;
  if constexpr (kTo == AsciiCase::kTitle) return (x | letters) & ~(letters & ~V::letters(before));
}

template <AsciiCase kTo>
bool map_ascii_to(const uint8_t* data, int64_t n, uint8_t* out) {
  constexpr int64_t kStep = sizeof(Vector);
  Vector seen = V::splat(0);
  const auto map = [&](const uint8_t* from, uint8_t* to) {
    const Vector x = V::load(from);
    seen |= x;
    V::store(to, change_ascii<kTo>(x, kTo == AsciiCase::kTitle ? V::load(from - 1) : x));
  };
  if (n == 0) return true;
  // The first bytes are read from a copy, because nothing precedes the first one.
  const int64_t first = std::min(n, kStep);
  uint8_t copy[kStep + 1] = {}, changed[kStep];
  std::memcpy(copy + 1, data, static_cast<size_t>(first));
  map(copy + 1, changed);
  std::memcpy(out, changed, static_cast<size_t>(first));
  int64_t i = first;
  if constexpr (kStep < 32) {
    for (; i + 64 <= n; i += 64) {
      for (int64_t k = 0; k < 64; k += kStep) map(data + i + k, out + i + k);
    }
  }
  for (; i + kStep <= n; i += kStep) map(data + i, out + i);
  if (i < n) map(data + n - kStep, out + n - kStep);  // maps some bytes again
  return !V::any_signs(seen);
}

bool map_ascii(const uint8_t* data, int64_t n, AsciiCase to, uint8_t* out) {
  switch (to) {
    case AsciiCase::kLower:
      return map_ascii_to<AsciiCase::kLower>(data, n, out);
    case AsciiCase::kUpper:
      return map_ascii_to<AsciiCase::kUpper>(data, n, out);
    case AsciiCase::kSwap:
      return map_ascii_to<AsciiCase::kSwap>(data, n, out);
    case AsciiCase::kTitle:
      return map_ascii_to<AsciiCase::kTitle>(data, n, out);
  }
  return false;
}

AsciiMasks find_ascii_masks(const uint8_t* text) {
  const Bytes64 x = V::load_block(text);
  const auto within = [&](uint8_t first, uint8_t count) {
    return V::mask_of(x, [=](const Vector& v) { return V::within(v, first, count); });
  };
  const uint64_t blanks = equal(x, ' '), newlines = equal(x, '\n') | equal(x, '\r');
  return {V::mask_of(x, [](const Vector& v) { return V::within(v | V::splat(0x20), 'a', 26); }),
          within('0', 10),
          within(9, 5) | blanks,
          newlines,
          blanks,
          equal(x, '\''),
          (within(0, ' ') & ~(newlines | equal(x, '\t'))) | equal(x, 0x7F),
          signs(x)};
}

// Returns a value other than 0 in the lanes whose bytes are invalid; x follows `before`. See utf8_pairs.h.
inline Vector utf8_errors(Vector x, Vector before) {
  const Vector p1 = V::before<1>(x, before), p2 = V::before<2>(x, before), p3 = V::before<3>(x, before);
  const Vector pair = V::lookup_half(V::broadcast(kUtf8Pairs.first_high), V::high_half(p1)) &
                      V::lookup_half(V::broadcast(kUtf8Pairs.first_low), low_half(p1)) &
                      V::lookup_half(V::broadcast(kUtf8Pairs.second_high), V::high_half(x));
  // The high bit is set if p2 >= E0 or p3 >= F0.
  const Vector further = V::subtract_to_0(p2, V::splat(0xE0 - 0x80)) | V::subtract_to_0(p3, V::splat(0xF0 - 0x80));
  return pair ^ (further & V::splat(0x80));
}

template <bool kCounts>
int64_t check_utf8(const uint8_t* data, int64_t n) {
  int64_t continuations = 0;
  Vector errors = V::splat(0), before = V::splat(0);
  // The loop goes on to a zero after the end, which reveals a truncated sequence there.
  for (int64_t i = 0; i < n + 64; i += 64) {
    const Bytes64 x = V::load_in_order(data, i, n);
    Vector any = before;
    for (const Vector& v : x.vectors) any |= v;
    if (!V::any_signs(any)) continue;  // all ASCII, as is `before`
    if constexpr (kCounts) continuations += 64 - popcount(V::mask_of(x, [](const Vector& v) { return V::from_c0(v); }));
    for (const Vector& v : x.vectors) {
      errors |= utf8_errors(v, before);
      before = v;
    }
  }
  return V::any(errors) ? -1 : n - continuations;
}

bool is_utf8(const uint8_t* data, int64_t n) {
  return check_utf8<false>(data, n) >= 0;
}

void use_block_loops(Primitives& t) {
  t.find_byte = find_byte;
  t.find_bytes = find_bytes;
  t.find_in_heads = find_in_heads;
  t.find_prefixes = find_prefixes;
  t.find_set = find_set;
  t.count_in_set = count_in_set;
  t.find_codepoint_ends = find_codepoint_ends;
  t.map_ascii = map_ascii;
  t.is_utf8 = is_utf8;
  t.count_utf8 = check_utf8<true>;
  t.find_ascii_masks = find_ascii_masks;
}

}  // namespace
}  // namespace stringops::simd
