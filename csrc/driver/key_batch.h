// The first half of every lookup of strings in a hash table, in batches: their keys, and where each search starts.
//
// A large table does not fit into the first- and second-level caches, so slots are prefetched while the rest of the
// batch is prepared.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/bits.h"
#include "core/narrow.h"
#include "core/poll.h"
#include "core/prefetch.h"
#include "core/string_span.h"
#include "core/word_key.h"
#include "simd/key_types.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// The keys of words that are parts of one text.
class WordBatch {
 public:
  static constexpr int64_t kSize = WordKeys::kMaxWords;

  explicit WordBatch(const HashSeed& seed) : simd_(simd::primitives()), seeds_(seed) {}

  // Reads n <= kSize words. `begins` and `sizes` have kSize numbers, which are clamped to the text; those of `begins`
  // after the first n are set to 0.
  void load(const uint8_t* data, int64_t num_bytes, uint32_t* begins, uint32_t* sizes, int64_t n, uint64_t capacity) {
    data_ = data;
    num_bytes_ = num_bytes;
    begins_ = begins;
    sizes_ = sizes;
    std::fill(begins + n, begins + kSize, 0);
    asm volatile("" ::: "memory");  // keeps the compiler from reading offsets again instead of these copies
    const uint64_t near_end = load_most(n, capacity);
    for_each_bit(&near_end, 1, [&](int64_t j) { load_near_end(j, capacity); });
    // A word that has become short still counts as long, and equals no other.
    for_each_bit(&long_.without_key, 1,
                 [&](int64_t j) { set_key(j, make_long_key(bytes(j), size(j), seeds_.seed), capacity); });
  }

  const simd::LongWords& long_words() const { return long_; }

  // Sets the slot of each word in a table without collisions, if it is there. The capacity was kAllHomes.
  void locate(const simd::PilotedSlots& table, int64_t n) { simd_.locate_words(table, keys_, n); }
  const uint32_t* slots() const { return keys_.slot; }
  // Returns the slot of one word.
  uint32_t locate_one(const simd::PilotedSlots& table, int64_t j) const {
    return table.find(keys_.home[j], keys_.second[j]);
  }
  uint32_t second(int64_t j) const { return keys_.second[j]; }

  // Returns a mask of the short words, of n, that are in their slots. Sets ids[0, n).
  uint64_t find(const uint8_t* slots, int64_t n, int64_t absent_id, int64_t* ids) const {
    return simd_.find_words(slots, keys_, n, absent_id, ids);
  }
  // Returns a mask of the long `words`, of 12 to slot_bytes - 5 bytes, that are in the slots at `at`, of slot_bytes
  // each. Sets their ids.
  uint64_t find_long(const uint8_t* slots, int64_t slot_bytes, const uint32_t* at, uint64_t words, int64_t* ids) const {
    uint64_t found = 0;
    for_each_bit(&words, 1, [&](int64_t j) {
      const uint8_t* const slot = slots + at[j] * slot_bytes;
      if (*simd::length_in_slot(slot, slot_bytes) != sizes_[j]) return;
      if (!equal_long(slot, data_ + begins_[j], sizes_[j])) return;
      ids[j] = simd::id_in_slot(slot, slot_bytes);
      found |= uint64_t{1} << j;
    });
    return found;
  }

  uint64_t home(int64_t j) const { return keys_.home[j]; }
  const uint8_t* bytes(int64_t j) const { return data_ + begins_[j]; }
  int64_t begin(int64_t j) const { return begins_[j]; }
  int64_t size(int64_t j) const { return sizes_[j]; }

  WordKey key(int64_t j) const { return {keys_.low[j], keys_.high[j]}; }

 private:
  void clamp(int64_t j) {
    const int64_t begin = std::min<int64_t>(begins_[j], num_bytes_);
    begins_[j] = narrow<uint32_t>(begin);
    sizes_[j] = narrow<uint32_t>(std::min<int64_t>(sizes_[j], num_bytes_ - begin));
  }

  // Loads all words except those near the end of the data at which kKeyBytes may not be read; returns a mask of these.
  uint64_t load_most(int64_t n, uint64_t capacity) {
    const auto load = [&](int64_t last_begin, const uint32_t* begins) {
      return simd_.load_word_keys(data_, narrow<uint32_t>(last_begin), begins, sizes_, n, seeds_, capacity, keys_,
                                  &long_);
    };
    const int64_t last_begin = num_bytes_ - kKeyBytes;
    if (last_begin < 0) {
      long_ = {};
      return low_bits(n);
    }
    if (load(last_begin, begins_)) return 0;
    uint64_t near_end = 0;
    uint32_t others[kSize] = {};
    for (int64_t j = 0; j < n; ++j) {
      const bool is_near = begins_[j] > last_begin;
      near_end |= static_cast<uint64_t>(is_near) << j;
      others[j] = is_near ? 0 : begins_[j];
    }
    load(last_begin, others);
    for (uint64_t* words : {&long_.all, &long_.large, &long_.huge, &long_.without_key}) *words &= ~near_end;
    return near_end;
  }

  void load_near_end(int64_t j, uint64_t capacity) {
    clamp(j);
    const auto mark = [&](uint64_t& words, int64_t limit) { words |= static_cast<uint64_t>(size(j) > limit) << j; };
    mark(long_.all, kInlineBytes);
    mark(long_.large, kMediumBytes);
    mark(long_.huge, kLargeBytes);
    mark(long_.without_key, kLaneBytes);
    if (size(j) > kLaneBytes) {
      return;  // its key is computed afterwards
    } else if (size(j) > kInlineBytes) {
      set_key(j, make_lane_key(bytes(j), size(j), seeds_.parts), capacity);
    } else {
      set_key(j, make_key(bytes(j), size(j), seeds_.seed), capacity);
    }
  }

  void set_key(int64_t j, const WordKey& key, uint64_t capacity) {
    keys_.low[j] = key.low;
    keys_.high[j] = key.high;
    keys_.home[j] = home_slot(key, seeds_.seed, capacity);
    keys_.second[j] = second_hash(key, seeds_.seed);
  }

  const simd::Primitives& simd_;
  simd::WordSeeds seeds_;
  const uint8_t* data_ = nullptr;
  int64_t num_bytes_ = 0;
  uint32_t *begins_ = nullptr, *sizes_ = nullptr;
  simd::LongWords long_;
  WordKeys keys_{};
};

// Batches of the strings of a span from `first` on. `step` is the number of offsets from one string to the next: 2 if
// each has an end of its own.
class StringBatch : public WordBatch {
 public:
  StringBatch(const StringSpan& in, int64_t first, const HashSeed& seed, int64_t step = 1)
      : WordBatch(seed), in_(in), step_(step), at_(in.offsets + first * step), text_bytes_(text_of_batch(in)) {}

  // Reads the next n <= kSize strings.
  void next(int64_t n, uint64_t capacity) {
    pace_.spend(kSteps);
    take_ranges(n);
    prefetch_input();
    load(in_.data, in_.num_bytes, begins_, sizes_, n, capacity);
  }

  // Same as above, and prefetches the slots of a table.
  void next(int64_t n, const uint8_t* slots, uint64_t capacity) {
    next(n, capacity);
    if (capacity <= kNearSlots) return;
    for (int64_t j = 0; j < n; ++j) prefetch(slots + home(j) * sizeof(WordSlot));
  }

 private:
  // The slots of a table of up to 2 MB are mostly in the first- and second-level caches, where prefetching costs more
  // than it saves (0.7 ns per word, measured with 29,000 words).
  static constexpr uint64_t kNearSlots = (2 << 20) / sizeof(WordSlot);

  // The text of a batch of strings of the mean length, and a quarter more.
  static uintptr_t text_of_batch(const StringSpan& in) {
    constexpr int64_t kMaxTextBytes = 8192;
    if (in.size() == 0) return 0;
    const int64_t bytes = int64_t{in.offsets[in.size()]} - in.offsets[0];
    return static_cast<uintptr_t>(std::clamp<int64_t>(bytes / in.size() * kSize * 5 / 4, 64, kMaxTextBytes));
  }

  // Prefetches the text and offsets of later batches. The number of lines is the same for all batches, as a
  // mispredicted branch would wait for their offsets.
  void prefetch_input() const {
    constexpr uintptr_t kAhead = 4096;  // bytes
    const uintptr_t text = reinterpret_cast<uintptr_t>(in_.data) + begins_[0] + kAhead;
    const uintptr_t offsets = reinterpret_cast<uintptr_t>(at_) + kAhead;
    for (uintptr_t line = 0; line < text_bytes_; line += 64) prefetch(text + line);
    for (uintptr_t line = 0; line < kSize * sizeof(int32_t); line += 64) prefetch(offsets + line);
  }

  // Copies the offsets.
  void take_ranges(int64_t n) {
    step_ == 1 ? take_ranges(n, 1) : take_ranges(n, step_);
    at_ += n * step_;
  }
  [[gnu::always_inline]] void take_ranges(int64_t n, int64_t step) {
    for (int64_t j = 0; j < n; ++j) {
      begins_[j] = static_cast<uint32_t>(at_[j * step]);
      sizes_[j] = static_cast<uint32_t>(at_[j * step + 1]) - static_cast<uint32_t>(at_[j * step]);
    }
  }

  static constexpr int64_t kSteps = 8192;  // of a batch, about

  StringSpan in_;
  const int64_t step_;
  Pace pace_;
  const int32_t* at_;           // the offset of the next string
  const uintptr_t text_bytes_;  // prefetched for each batch
  uint32_t begins_[kSize];
  uint32_t sizes_[kSize];
};

}  // namespace stringops::kernels
