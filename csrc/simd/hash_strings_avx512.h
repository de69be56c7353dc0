// Hashes eight strings at once, one in each lane of 64 bits. Sizes of words are unpredictable, so each lane executes
// all steps that one of the eight strings needs, and keeps the results of its own.
//
// Included once by avx512.cpp, after its target pragma.
#pragma once

#include <algorithm>

#include "core/bits.h"
#include "core/hash.h"
#include "core/testing.h"
#include "simd/hash_strings.h"
#include "simd/primitives.h"

namespace stringops::simd {
namespace {

constexpr int64_t kLoadBytes = 16;

// Eight strings, within data of at least kLoadBytes.
class LaneTexts {
 public:
  // Takes strings i to i + 8 of the run whose bits in `which` are set. Strings of more than max_bytes, and those that
  // end less than kLoadBytes before the end of the data, are left out, and take part as empty strings.
  LaneTexts(const StringRun& run, int64_t i, __mmask8 which, int64_t max_bytes)
      : data_(run.data), last_(_mm256_set1_epi32(static_cast<int>(run.num_bytes - kLoadBytes))) {
    begin_ = _mm256_maskz_loadu_epi32(which, run.begins + i);
    const __m256i end = _mm256_maskz_loadu_epi32(which, run.ends + i);
    const __m256i size = _mm256_sub_epi32(end, begin_);
    __mmask8 usable = _mm256_mask_cmple_epu32_mask(which, begin_, end);
    usable = _mm256_mask_cmple_epu32_mask(usable, end, last_);
    usable = _mm256_mask_cmple_epu32_mask(usable, size, _mm256_set1_epi32(static_cast<int>(max_bytes)));
    left_out_ = static_cast<__mmask8>(which & ~usable);
    size_ = _mm512_cvtepu32_epi64(_mm256_maskz_mov_epi32(usable, size));
  }

  __mmask8 left_out() const { return left_out_; }
  __m512i size() const { return size_; }
  int64_t max_size() const { return static_cast<int64_t>(_mm512_reduce_max_epu64(size_)); }

  // Loads the kLoadBytes bytes from `offset` after the begins, and those before the ends. A lane is arbitrary if it is
  // beyond the end, or if `offset` before an end is before the data.
  void load(int64_t offset, __m512i* first, __m512i* last) const { load_at(begin_, offset, first, last); }

  void load_before_end(int64_t offset, __m512i* first, __m512i* last) const {
    load_at(_mm256_add_epi32(begin_, _mm512_cvtepi64_epi32(size_)), -offset, first, last);
  }

 private:
  void load_at(__m256i from, int64_t offset, __m512i* first, __m512i* last) const {
    alignas(32) uint32_t positions[8];
    const __m256i shifted = _mm256_add_epi32(from, _mm256_set1_epi32(static_cast<int>(offset)));
    _mm256_store_si256(reinterpret_cast<__m256i*>(positions), _mm256_min_epu32(shifted, last_));
    // The compiler would otherwise take the positions out of the vector, which costs more than to load each.
    asm volatile("" : "+m"(positions));
    V::load_pairs([&](int64_t k) { return reinterpret_cast<const __m128i*>(data_ + positions[k]); }, first, last);
  }

  const uint8_t* data_;
  __m256i last_;  // the last position at which a load can begin
  __mmask8 left_out_;
  __m512i size_;
  __m256i begin_;
};

constexpr int64_t kMaxEights = 64;

// Sets the hashes of up to kMaxEights strings to hash(texts), and returns a mask of those left out (LaneTexts).
template <class Value, class Hash>
[[gnu::noinline]] uint64_t hash_eights(const StringRun& run, int64_t count, int64_t max_bytes, Value* hashes,
                                       const Hash& hash) {
  uint64_t left_out = 0;
  for (int64_t k = 0; k < count; k += 8) {
    const auto which = static_cast<__mmask8>(low_bits(std::min<int64_t>(count - k, 8)));
    const LaneTexts texts(run, k, which, max_bytes);
    left_out |= uint64_t{texts.left_out()} << k;
    const __m512i eight = hash(texts);
    if constexpr (sizeof(Value) == 8) {
      _mm512_mask_storeu_epi64(hashes + k, which, eight);
    } else {
      _mm256_mask_storeu_epi32(hashes + k, which, _mm512_cvtepi64_epi32(eight));
    }
  }
  return left_out;
}

inline StringRun part_of(const StringRun& run, int64_t i) {
  return {run.data, run.num_bytes, run.begins + i, run.ends + i, false};
}

// Same for any number of strings; one_by_one(run, hash) sets the hash of the run's first string, which was left out.
template <class Value, class Hash, class OneByOne>
[[gnu::always_inline]] inline void hash_all(const StringRun& run, int64_t count, int64_t max_bytes, Value* hashes,
                                            const Hash& hash, const OneByOne& one_by_one) {
  for (int64_t i = 0; i < count; i += kMaxEights) {
    uint64_t rest = hash_eights(part_of(run, i), std::min(count - i, kMaxEights), max_bytes, hashes + i, hash);
    for (; rest; rest &= rest - 1) one_by_one(part_of(run, i + first_bit(rest)), hashes + i + first_bit(rest));
  }
}

// A number for each size from 0 to 8, and for more.
struct BySize {
  uint64_t numbers[16];

  __m512i of(__m512i size_to_9) const {
    return _mm512_permutex2var_epi64(_mm512_loadu_si512(numbers), size_to_9, _mm512_loadu_si512(numbers + 8));
  }
};

constexpr BySize by_formula(uint64_t few, uint64_t from_4_to_8, uint64_t more) {
  return {{few, few, few, few, from_4_to_8, from_4_to_8, from_4_to_8, from_4_to_8, from_4_to_8, more}};
}

// The bytes of a string of up to 8 bytes that its formula begins with, as a shuffle.
constexpr BySize first_bytes() {
  constexpr uint64_t kNone = 0x80;
  BySize shuffles{};
  for (uint64_t n = 0; n <= 8; ++n) {
    const uint64_t few[8] = {n - 1, kNone, 0, n / 2, kNone, kNone, kNone, kNone};
    const uint64_t more[8] = {n - 4, n - 3, n - 2, n - 1, 0, 1, 2, 3};
    for (int i = 0; i < 8; ++i) shuffles.numbers[n] |= (n == 0 ? kNone : n < 4 ? few[i] : more[i]) << 8 * i;
  }
  return shuffles;
}

// The formulas of all sizes go on alike: two products, with shifts before, between and after them. Each lane has the
// constants of its own. That of more than 8 bytes has only one product, and multiplies by 1 after it.
class Xxh3Lanes {
 public:
  static constexpr int64_t kMaxBytes = 128;  // longer strings have another algorithm

  explicit Xxh3Lanes(uint64_t seed)
      : seed_(seed), keys_(by_formula(0, (xxh3::kSecret[1] ^ xxh3::kSecret[2]) - xxh3::swap_seed(seed), 0)) {
    keys_.numbers[0] = seed ^ xxh3::kSecret[7] ^ xxh3::kSecret[8];
    for (uint64_t n = 1; n <= 3; ++n) {
      keys_.numbers[n] = (static_cast<uint32_t>(xxh3::kSecret[0] ^ xxh3::kSecret[0] >> 32) + seed) ^ n << 8;
    }
  }

  [[gnu::always_inline]] __m512i operator()(const LaneTexts& texts) const {
    static constexpr BySize kShuffles = first_bytes();
    static constexpr BySize kShift1 = by_formula(33, 0, 37), kShift2 = by_formula(29, 35, 64),
                            kShift3 = by_formula(32, 28, 32);  // a shift by 64 gives 0
    static constexpr BySize kFactor1 = by_formula(xxh3::kPrime64_2, xxh3::kPrimeMx2, xxh3::kPrimeMx1),
                            kFactor2 = by_formula(xxh3::kPrime64_3, xxh3::kPrimeMx2, 1);
    const __m512i size = texts.size(), to_9 = _mm512_min_epu64(size, V::wide(9));
    __m512i first, second;
    texts.load(0, &first, &second);
    const __mmask8 above_8 = above(size, 8), is_4_to_8 = static_cast<__mmask8>(above(size, 3) & ~above_8);
    const __m512i upper = V::pair(0, 0x0808080808080808);  // a shuffle is one of 16 bytes
    const __m512i few = _mm512_shuffle_epi8(first, kShuffles.of(to_9) | upper) ^ keys_.of(to_9);
    __m512i sum = sum_9_to_16(first, second, size);
    if (above(size, 16) != 0) sum = V::select(above(size, 16), sum_17_to_128(texts, first, second), sum);
    __m512i hash = V::select(above_8, sum, few);
    hash ^= _mm512_srlv_epi64(hash, kShift1.of(to_9));
    hash = V::select(is_4_to_8, few ^ _mm512_rol_epi64(few, 49) ^ _mm512_rol_epi64(few, 24), hash);
    hash = _mm512_mullo_epi64(hash, kFactor1.of(to_9));
    hash ^= _mm512_add_epi64(_mm512_srlv_epi64(hash, kShift2.of(to_9)), _mm512_maskz_mov_epi64(is_4_to_8, size));
    hash = _mm512_mullo_epi64(hash, kFactor2.of(to_9));
    return hash ^ _mm512_srlv_epi64(hash, kShift3.of(to_9));
  }

 private:
  static __mmask8 above(__m512i size, uint64_t limit) { return _mm512_cmpgt_epu64_mask(size, V::wide(limit)); }

  __m512i sum_17_to_128(const LaneTexts& texts, __m512i first, __m512i second) const {
    const __m512i size = texts.size();
    const int64_t max_size = texts.max_size();
    __m512i sum = _mm512_mullo_epi64(size, V::wide(xxh3::kPrime64_1));
    for (int64_t j = 0; 32 * j < max_size; ++j) {
      const __mmask8 more = above(size, static_cast<uint64_t>(32 * j));
      if (j > 0) texts.load(16 * j, &first, &second);
      __m512i end_first, end_second;
      texts.load_before_end(16 * j + 16, &end_first, &end_second);
      const __m512i added = _mm512_add_epi64(mix_16(first, second, 4 * j), mix_16(end_first, end_second, 4 * j + 2));
      sum = _mm512_mask_add_epi64(sum, more, sum, added);
    }
    return sum;
  }

  __m512i sum_9_to_16(__m512i first, __m512i second, __m512i size) const {
    const __m512i reversed =
        _mm512_broadcast_i32x4(_mm_setr_epi8(7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8));
    const __m512i beyond = _mm512_slli_epi64(_mm512_sub_epi64(V::wide(16), size), 3);
    const __m512i a = first ^ V::wide((xxh3::kSecret[3] ^ xxh3::kSecret[4]) + seed_);
    const __m512i b =
        _mm512_shldv_epi64(second, first, beyond) ^ V::wide((xxh3::kSecret[5] ^ xxh3::kSecret[6]) - seed_);
    return _mm512_add_epi64(_mm512_add_epi64(size, _mm512_shuffle_epi8(a, reversed)), _mm512_add_epi64(b, fold(a, b)));
  }

  __m512i mix_16(__m512i first, __m512i second, int64_t at) const {
    return fold(first ^ V::wide(xxh3::kSecret[at] + seed_), second ^ V::wide(xxh3::kSecret[at + 1] - seed_));
  }

  // Combines the halves of the product of 128 bits.
  static __m512i fold(__m512i a, __m512i b) {
    const __m512i a_high = _mm512_srli_epi64(a, 32), b_high = _mm512_srli_epi64(b, 32), low = V::wide(0xffffffff);
    const __m512i both_low = _mm512_mul_epu32(a, b);
    const __m512i one = _mm512_add_epi64(_mm512_mul_epu32(a_high, b), _mm512_srli_epi64(both_low, 32));
    const __m512i other = _mm512_add_epi64(_mm512_mul_epu32(a, b_high), one & low);
    const __m512i high = _mm512_add_epi64(_mm512_mul_epu32(a_high, b_high),
                                          _mm512_add_epi64(_mm512_srli_epi64(one, 32), _mm512_srli_epi64(other, 32)));
    return high ^ (_mm512_slli_epi64(other, 32) | (both_low & low));
  }

  uint64_t seed_;
  BySize keys_;
};

void hash_xxh3(const StringRun& run, int64_t count, uint64_t seed, uint64_t* hashes) {
  if (run.num_bytes < kLoadBytes) return xxh3_each(run, count, seed, hashes);
  const Xxh3Lanes lanes(seed);
  const auto hash_any = [&](const StringRun& strings, int64_t n, uint64_t* out) {
    hash_all(strings, n, Xxh3Lanes::kMaxBytes, out, lanes,
             [&](const StringRun& one, uint64_t* hash) { xxh3_each(one, 1, seed, hash); });
  };
  // Eight strings take the time of the longest one. In blocks of short strings, longer ones are hashed together.
  constexpr int64_t kBlock = block_size(256, 20), kShort = 16;
  int32_t begins[kBlock], ends[kBlock];
  uint64_t *places[kBlock], found[kBlock];
  for (int64_t i = 0; i < count; i += kBlock) {
    const int64_t here = std::min(count - i, kBlock);
    const StringRun block = part_of(run, i);
    if (int64_t{block.ends[here - 1]} - block.begins[0] > kShort * here) {
      hash_any(block, here, hashes + i);
      continue;
    }
    int64_t n = 0;
    hash_all(block, here, kShort, hashes + i, lanes, [&](const StringRun& longer, uint64_t* hash) {
      begins[n] = *longer.begins;
      ends[n] = *longer.ends;
      places[n++] = hash;
    });
    hash_any({run.data, run.num_bytes, begins, ends, false}, n, found);
    for (int64_t k = 0; k < n; ++k) *places[k] = found[k];
  }
}

}  // namespace
}  // namespace stringops::simd
