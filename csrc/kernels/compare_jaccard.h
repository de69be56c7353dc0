// The Jaccard similarity of two strings' sets of n-grams: the number of n-grams in both over the number in either.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/byte_order.h"
#include "core/hash.h"
#include "core/narrow.h"
#include "core/poll.h"
#include "core/testing.h"
#include "core/word_key.h"
#include "driver/broadcast.h"
#include "driver/runner.h"
#include "kernels/hash_ngrams.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// A hash table of the distinct n-grams of two strings: open addressing with linear probing, at most half full. A slot's
// `id` is the position of an n-gram that only the first string has, and ~position of one that the second string has.
class NgramTable {
 public:
  NgramTable(NgramUnit unit, const HashSeed& seed) : unit_(unit), seed_(seed) {}

  float similarity(StringView a, StringView b) {
    const int64_t expected = 4 * std::max(a.size(), b.size());
    slots_.assign(static_cast<size_t>(std::clamp(expected, kMinSlots, kMaxFirstSlots)), kEmpty);
    first_ = a;
    second_ = b;
    int64_t distinct = 0, common = 0;
    // A slot is written whether its n-gram is new or not, because branches on that would often be mispredicted.
    for_each_ngram(a, unit_, [&](StringView ngram) __attribute__((always_inline)) {
      const WordKey key = key_of(ngram, a.end);
      WordSlot& slot = find(key, ngram);
      distinct += slot.high == kEmptyMark;
      slot = {key.low, key.high, narrow<int32_t>(ngram.begin - a.begin)};
      if (2 * distinct > num_slots()) grow();
    });
    for_each_ngram(b, unit_, [&](StringView ngram) __attribute__((always_inline)) {
      const WordKey key = key_of(ngram, b.end);
      WordSlot& slot = find(key, ngram);
      distinct += slot.high == kEmptyMark;
      common += slot.id >= 0;
      slot = {key.low, key.high, ~narrow<int32_t>(ngram.begin - b.begin)};
      if (2 * distinct > num_slots()) grow();
    });
    pace_.spend(num_slots() + 4 * (a.size() + b.size()));
    return static_cast<float>(static_cast<double>(common) / static_cast<double>(distinct));
  }

 private:
  static constexpr WordSlot kEmpty{0, kEmptyMark, -1};
  // A table starts with room for the n-grams of two similar strings. It grows if they are not similar, or so long that
  // most of their n-grams may be repeated.
  static constexpr int64_t kMinSlots = 16, kMaxFirstSlots = block_size(1 << 16, 32);

  WordKey key_of(StringView ngram, const uint8_t* readable_end) const {
    if (ngram.size() <= kInlineBytes && readable_end - ngram.begin >= kKeyBytes) {
      return load_short_key(ngram.begin, static_cast<uint32_t>(ngram.size()));
    }
    return make_key(ngram.begin, ngram.size(), seed_);
  }

  int64_t num_slots() const { return static_cast<int64_t>(slots_.size()); }
  size_t home_of(const WordKey& key) const { return home_slot(key, seed_, slots_.size()); }
  size_t next(size_t i) const { return i + 1 == slots_.size() ? 0 : i + 1; }

  // The slot of an n-gram, or the empty one where it belongs.
  [[gnu::always_inline]] WordSlot& find(const WordKey& key, StringView ngram) {
    for (size_t i = home_of(key);; i = next(i)) {
      WordSlot& slot = slots_[i];
      const bool is_empty = slot.high == kEmptyMark;
      if (!(is_empty | ((slot.low == key.low) & (slot.high == key.high)))) continue;
      if (!key.is_long() || is_empty || has_bytes(slot.id, ngram)) return slot;
    }
  }

  // Whether the n-gram of a slot has the bytes of one with an equal key: the hash, and the lower bits of the size.
  [[gnu::noinline]] bool has_bytes(int32_t id, StringView ngram) const {
    const StringView text = id >= 0 ? first_ : second_;
    const uint8_t* const bytes = text.begin + (id >= 0 ? id : ~id);
    return text.end - bytes >= ngram.size() && equal_long(bytes, ngram.begin, ngram.size());
  }

  [[gnu::noinline]] void grow() {
    std::vector<WordSlot> old(2 * slots_.size(), kEmpty);
    old.swap(slots_);
    for (const WordSlot& slot : old) {
      if (slot.high == kEmptyMark) continue;
      size_t i = home_of({slot.low, slot.high});
      while (slots_[i].high != kEmptyMark) i = next(i);
      slots_[i] = slot;
    }
  }

  const NgramUnit unit_;
  const HashSeed seed_;
  std::vector<WordSlot> slots_;
  StringView first_{}, second_{};
  Pace pace_;
};

// A kernel of driver/zip.h. The seed is random in each call, so that no strings are known that collide.
struct NgramJaccard {
  using Value = float;
  static constexpr Cost kCost{500, 12};
  NgramUnit unit;
  HashSeed seed = random_seed();

  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, float* out) const {
    NgramTable table(unit, seed);
    for (int64_t i = 0; i < count; ++i) {
      out[i] = table.similarity(view_at(a, i), view_at(b, i));
    }
  }
};

}  // namespace stringops::kernels
