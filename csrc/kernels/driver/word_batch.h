// The first half of every lookup of strings in a hash table, in batches: their keys, and where each search starts.
//
// A large table does not fit into the first- and second-level caches, so slots are prefetched while the rest of the
// batch is prepared.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/bits.h"
#include "core/narrow.h"
#include "core/string_span.h"
#include "core/word_key.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// Batches of the strings of a span from `first` on, in row-major order.
class WordBatch {
 public:
  static constexpr int64_t kSize = WordKeys::kMaxWords;

  WordBatch(const StringSpan& in, int64_t first, const HashSeed& seed)
      : in_(in),
        simd_(simd::primitives()),
        seed_(seed),
        col_(in.cols ? first % in.cols : 0),
        at_(in.cols ? in.row_offsets(first / in.cols) + col_ : in.offsets) {}

  // Reads the next n <= kSize strings; `slots` has `capacity` homes.
  void next(int64_t n, const uint8_t* slots, uint64_t capacity) {
    take_ranges(n);
    prefetch_input();
    const int64_t last_begin = in_.num_bytes - kKeyBytes;
    if (last_begin < 0 || !simd_.load_word_keys(in_.data, narrow<uint32_t>(last_begin), begins_, sizes_, n, seed_,
                                                capacity, keys_, &long_)) {
      load_near_end(n, capacity);
    }
    // Long words separately, as they are few and of unpredictable size.
    for (uint64_t rest = long_; rest; rest &= rest - 1) {
      const int j = first_bit(rest);
      clamp(j);
      // A word that has shrunk meanwhile (race) still counts as long, and equals no other.
      const WordKey key = make_long_key(bytes(j), size(j), seed_);
      keys_.low[j] = key.low;
      keys_.high[j] = kNoMark;
      keys_.home[j] = home_slot(key, seed_, capacity);
      prefetch(slots, j);
    }
    if (capacity <= kNearSlots) return;
    for (int64_t j = 0; j < n; ++j) prefetch(slots, j);
  }

  // Bit j: word j is long. The keys of long words have kNoMark for `high`, so that `match` finds none of them.
  uint64_t long_words() const { return long_; }

  // Sets ids[j] to the id in the home slot of word j, `slots` being the argument of `next`. Returns in bit j whether
  // the slot holds another key.
  uint64_t match(const uint8_t* slots, int64_t n, int64_t* ids) const {
    return simd_.match_words(slots, keys_, n, ids);
  }

  uint64_t home(int64_t j) const { return keys_.home[j]; }
  const uint8_t* bytes(int64_t j) const { return in_.data + begins_[j]; }
  int64_t begin(int64_t j) const { return begins_[j]; }
  int64_t size(int64_t j) const { return sizes_[j]; }

  WordKey key(int64_t j) const {
    const uint32_t high = keys_.high[j];
    return {keys_.low[j], high == kNoMark ? kLongMark | (sizes_[j] & 0xffffff) : high};
  }

 private:
  // The slots of a table of up to 2 MB are mostly in the first- and second-level caches, where prefetching costs more
  // than it saves (0.7 ns per word, measured with 29,000 words).
  static constexpr uint64_t kNearSlots = (2 << 20) / sizeof(WordSlot);

  void prefetch(const uint8_t* slots, int64_t j) const {
    __builtin_prefetch(slots + uint64_t{keys_.home[j]} * sizeof(WordSlot));
  }

  // Prefetches the text and offsets of later batches. With the processor's own prefetching alone, a lookup takes 50 %
  // longer.
  void prefetch_input() const {
    constexpr uintptr_t kAhead = 1024;  // bytes
    const auto fetch = [](uintptr_t at) { __builtin_prefetch(reinterpret_cast<const void*>(at)); };
    const uintptr_t text = reinterpret_cast<uintptr_t>(in_.data) + begins_[0] + kAhead;
    const uintptr_t offsets = reinterpret_cast<uintptr_t>(at_) + kAhead;
    for (uintptr_t line = 0; line < 8 * 64; line += 64) fetch(text + line);
    for (uintptr_t line = 0; line < kSize * sizeof(int32_t); line += 64) fetch(offsets + line);
  }

  // Copies the offsets, so that a concurrent write cannot change them between a check and their use.
  void take_ranges(int64_t n) {
    for (int64_t j = 0; j < n;) {
      const int64_t run = std::min(n - j, in_.cols - col_);
      for (int64_t k = 0; k < run; ++k) {
        begins_[j + k] = static_cast<uint32_t>(at_[k]);
        sizes_[j + k] = static_cast<uint32_t>(at_[k + 1]) - static_cast<uint32_t>(at_[k]);
      }
      j += run;
      at_ += run;
      col_ += run;
      if (col_ == in_.cols) {
        col_ = 0;
        ++at_;
      }
    }
    std::fill(begins_ + n, begins_ + kSize, 0);
    asm volatile("" ::: "memory");  // keeps the compiler from reading the offsets again instead of the copies
  }

  void clamp(int64_t j) {
    const int64_t begin = std::min<int64_t>(begins_[j], in_.num_bytes);
    begins_[j] = narrow<uint32_t>(begin);
    sizes_[j] = narrow<uint32_t>(std::min<int64_t>(sizes_[j], in_.num_bytes - begin));
  }

  // For batches with words at which kKeyBytes may not be read, near the end of the data.
  void load_near_end(int64_t n, uint64_t capacity) {
    long_ = 0;
    std::fill(keys_.home + n, keys_.home + kSize, 0);
    for (int64_t j = 0; j < n; ++j) {
      clamp(j);
      if (size(j) > kInlineBytes) {
        long_ |= uint64_t{1} << j;
        continue;
      }
      const WordKey key = make_key(bytes(j), size(j), seed_);
      keys_.low[j] = key.low;
      keys_.high[j] = key.high;
      keys_.home[j] = home_slot(key, seed_, capacity);
    }
  }

  StringSpan in_;
  const simd::Primitives& simd_;
  HashSeed seed_;
  int64_t col_;
  const int32_t* at_;
  uint64_t long_ = 0;
  WordKeys keys_;
  uint32_t begins_[kSize];
  uint32_t sizes_[kSize];
};

}  // namespace stringops::kernels
