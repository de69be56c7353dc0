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

  // If `prefetches`, strings are prefetched, which are not in the first-level cache.
  WordBatch(const StringSpan& in, int64_t first, const HashSeed& seed, bool prefetches = true)
      : in_(in),
        prefetches_(prefetches),
        simd_(simd::primitives()),
        seeds_(seed),
        col_(in.cols ? first % in.cols : 0),
        at_(in.cols ? in.row_offsets(first / in.cols) + col_ : in.offsets) {}

  // Reads the next n <= kSize strings; `slots` has `capacity` homes.
  void next(int64_t n, const uint8_t* slots, uint64_t capacity) {
    take_ranges(n);
    if (prefetches_) prefetch_input();
    const int64_t last_begin = in_.num_bytes - kKeyBytes;
    if (last_begin < 0 || !simd_.load_word_keys(in_.data, narrow<uint32_t>(last_begin), begins_, sizes_, n, seeds_,
                                                capacity, keys_, &long_)) {
      load_near_end(n, capacity);
    }
    // A word that has shrunk meanwhile (race) still counts as long, and equals no other.
    for_each_bit(&long_.without_key, 1,
                 [&](int64_t j) { set_key(j, make_long_key(bytes(j), size(j), seeds_.seed), capacity); });
    if (capacity <= (prefetches_ ? kNearSlots : kNearSlots / 8)) return;
    for (int64_t j = 0; j < n; ++j) prefetch(slots, j);
  }

  // Bit j: word j is long.
  uint64_t long_words() const { return long_.all; }

  // Searches for all words from their homes on, `slots` being the argument of `next` and followed by kWordSteps more.
  // Homes are the slots where searches ended afterwards; long words are found whose texts may differ.
  simd::WordSearch search(const uint8_t* slots, int64_t n, int64_t absent_id, int64_t* ids) {
    return simd_.find_words(slots, keys_, n, absent_id, ids);
  }

  // Which of the long `words`, which `search` has found, equal the texts of their slots.
  uint64_t equal_texts(const simd::LongTexts& texts, uint64_t words) const {
    uint64_t equal = simd_.equal_texts(texts, in_.data, begins_, sizes_, keys_, words & ~long_.without_key);
    const uint64_t rest = words & long_.without_key;
    for_each_bit(&rest, 1, [&](int64_t j) {
      equal |= static_cast<uint64_t>(texts.holds(keys_.home[j], bytes(j), size(j))) << j;
    });
    return equal;
  }

  uint64_t home(int64_t j) const { return keys_.home[j]; }
  const uint8_t* bytes(int64_t j) const { return in_.data + begins_[j]; }
  int64_t begin(int64_t j) const { return begins_[j]; }
  int64_t size(int64_t j) const { return sizes_[j]; }

  WordKey key(int64_t j) const { return {keys_.low[j], keys_.high[j]}; }

 private:
  // The slots of a table of up to 2 MB are mostly in the first- and second-level caches, where prefetching costs more
  // than it saves (0.7 ns per word, measured with 29,000 words), unless it is the only thing to wait for (0.2 ns less).
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
    long_ = {};
    std::fill(keys_.home + n, keys_.home + kSize, 0);
    for (int64_t j = 0; j < n; ++j) {
      clamp(j);
      if (size(j) > kInlineBytes) long_.all |= uint64_t{1} << j;
      if (size(j) > kLaneBytes) {
        long_.without_key |= uint64_t{1} << j;
      } else if (size(j) > kInlineBytes) {
        set_key(j, make_lane_key(bytes(j), size(j), seeds_.parts), capacity);
      } else {
        set_key(j, make_key(bytes(j), size(j), seeds_.seed), capacity);
      }
    }
  }

  void set_key(int64_t j, const WordKey& key, uint64_t capacity) {
    keys_.low[j] = key.low;
    keys_.high[j] = key.high;
    keys_.home[j] = home_slot(key, seeds_.seed, capacity);
  }

  StringSpan in_;
  const bool prefetches_;
  const simd::Primitives& simd_;
  simd::WordSeeds seeds_;
  int64_t col_;
  const int32_t* at_;
  simd::LongWords long_;
  WordKeys keys_;
  uint32_t begins_[kSize];
  uint32_t sizes_[kSize];
};

}  // namespace stringops::kernels
