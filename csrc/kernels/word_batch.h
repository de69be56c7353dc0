// The first half of every search for words: their keys, and where each search starts, a batch at a time. No
// torch here.
//
// A table of words seldom fits the near caches. While a batch is prepared, the slots that it will look at are
// on their way; when their turn comes, they have arrived.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/string_span.h"
#include "core/word_key.h"

namespace stringops::kernels {

// The strings of a span from `first` on, in row-major order.
class WordBatch {
 public:
  static constexpr int64_t kSize = 64;

  // The key of a short word. A long one has kNoMark for `high`, and so equals no slot at first sight.
  struct Word {
    uint64_t low;
    uint32_t high;
    uint32_t home;
  };

  WordBatch(const StringSpan& in, int64_t first, const HashSeed& seed)
      : in_(in),
        readable_(static_cast<uint32_t>(std::max<int64_t>(in.num_bytes - kKeyBytes + 1, 0))),
        seed_(seed),
        col_(in.cols ? first % in.cols : 0),
        at_(in.cols ? in.row_offsets(first / in.cols) + col_ : in.offsets) {}

  // Takes the next n <= kSize strings; `slots` has `capacity` homes.
  void next(int64_t n, const uint8_t* slots, uint64_t capacity) {
    num_long_ = 0;
    for (int64_t j = 0; j < n;) {
      const int64_t run = std::min(n - j, in_.cols - col_);
      load_run(j, j + run, slots, capacity);
      j += run;
      at_ += run;
      col_ += run;
      if (col_ == in_.cols) {
        col_ = 0;
        ++at_;
      }
    }
    // Apart, so that the loop above has no branch that depends on the text.
    for (int64_t i = 0; i < num_long_; ++i) {
      const int64_t j = long_[i];
      clamp(j);
      const WordKey key = make_key(bytes(j), size(j), seed_);
      const uint64_t home = home_slot(key, seed_, capacity);
      words_[j] = {key.low, kNoMark, static_cast<uint32_t>(home)};
      __builtin_prefetch(slots + home * sizeof(WordSlot));
    }
  }

  // The long ones among them, by their place in the batch.
  int64_t num_long() const { return num_long_; }
  int64_t long_one(int64_t i) const { return long_[i]; }

  const Word& operator[](int64_t j) const { return words_[j]; }
  const uint8_t* bytes(int64_t j) const { return in_.data + ranges_[j].begin; }
  int64_t begin(int64_t j) const { return ranges_[j].begin; }
  int64_t size(int64_t j) const { return ranges_[j].end - ranges_[j].begin; }

  WordKey key(int64_t j) const {
    const Word& word = words_[j];
    return {word.low, word.high == kNoMark ? kLongMark | static_cast<uint32_t>(size(j) & 0xffffff) : word.high};
  }

 private:
  struct Range {
    uint32_t begin;
    uint32_t end;
  };

  void clamp(int64_t j) {
    Range& range = ranges_[j];
    range.end = std::min(range.end, static_cast<uint32_t>(in_.num_bytes));
    range.begin = std::min(range.begin, range.end);
  }

  // Strings [first, last) of the batch, all in one row.
  void load_run(int64_t first, int64_t last, const uint8_t* slots, uint64_t capacity) {
    // Copies, which stay in registers: the compiler must assume that the arrays overlap the members.
    const uint8_t* const data = in_.data;
    const HashSeed seed = seed_;
    const uint32_t readable = readable_;
    const int32_t* at = at_;
    int64_t num_long = num_long_;
    for (int64_t j = first; j < last; ++j) {
      const Range range = load(at++);
      ranges_[j] = range;
      // Any number where another thread has changed the offsets. At most 11 bytes from below readable_ end within
      // `data` all the same; what is longer, or lies later, is clamped on its own path.
      const uint32_t size = range.end - range.begin;
      long_[num_long] = static_cast<uint32_t>(j);
      num_long += size > kInlineBytes;
      const uint32_t n_or_12 = std::min<uint32_t>(size, kInlineBytes + 1);
      const WordKey key = __builtin_expect(range.begin < readable, 1) ? load_short_key(data + range.begin, n_or_12)
                                                                      : near_end(j, n_or_12);
      const uint64_t home = home_slot(key, seed, capacity);
      words_[j] = {key.low, key.high, static_cast<uint32_t>(home)};
      __builtin_prefetch(slots + home * sizeof(WordSlot));
    }
    num_long_ = num_long;
  }

  // Both ends at once, and once for all, whatever another thread does to them: what is checked is what is used.
  static Range load(const int32_t* offsets) {
    uint64_t both;
    std::memcpy(&both, offsets, sizeof(both));
    asm volatile("" : "+r"(both));
    return {static_cast<uint32_t>(both), static_cast<uint32_t>(both >> 32)};
  }

  __attribute__((noinline)) WordKey near_end(int64_t j, uint32_t n_or_12) {
    if (n_or_12 > kInlineBytes) return {0, kNoMark};
    clamp(j);
    return make_key(bytes(j), size(j), seed_);
  }

  StringSpan in_;
  uint32_t readable_;  // a key may be loaded from `data` at any position below
  HashSeed seed_;
  int64_t col_;
  const int32_t* at_;
  Word words_[kSize];
  Range ranges_[kSize];
  int64_t num_long_ = 0;
  uint32_t long_[kSize];
};

}  // namespace stringops::kernels
