// Code points to be ordered by their canonical combining classes (UAX #15), after their decomposition.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/unicode_normalization.h"

namespace stringops {

// Syllables of Hangul are composed of a leading consonant, a vowel, and an optional trailing consonant, by arithmetic
// (section 3.12 of the Unicode standard).
constexpr uint32_t kSyllables = 0xAC00, kLeading = 0x1100, kVowels = 0x1161, kTrailing = 0x11A7;
constexpr uint32_t kNumLeading = 19, kNumVowels = 21, kNumTrailing = 28;
constexpr uint32_t kNumSyllables = kNumLeading * kNumVowels * kNumTrailing;

// Calls f(item) for each code point of the decomposition of c, which may be c alone.
template <class F>
void for_each_part(uint32_t c, const normalization::ListTable& decompositions, F&& f) {
  if (c - kSyllables < kNumSyllables) {
    const uint32_t syllable = c - kSyllables, trailing = syllable % kNumTrailing;
    f(kLeading + syllable / (kNumVowels * kNumTrailing));
    f(kVowels + syllable / kNumTrailing % kNumVowels);
    if (trailing != 0) f(kTrailing + trailing);
    return;
  }
  const uint32_t* const list = normalization::kLists + decompositions[c];
  if (list[0] == 0) f(c);
  for (uint32_t i = 1; i <= list[0]; ++i) f(list[i]);
}

// A maximal run of code points whose results depend on each other: no other text changes with them.
struct Segment {
  // A code point and its canonical combining class.
  struct Item {
    uint32_t codepoint;
    uint16_t flags;

    int combining_class() const { return flags & normalization::kClass; }
  };

  std::vector<Item> items;

  void add(uint32_t c) { items.push_back({c, normalization::kNormalizationFlags[c]}); }

  void add_decomposed(uint32_t c, const normalization::ListTable& decompositions) {
    for_each_part(c, decompositions, [&](uint32_t part) { add(part); });
  }

  // Orders each run of code points whose class is not 0 by class; equal ones keep their order.
  void reorder() {
    // Runs are mostly short; longer ones are sorted in n log n.
    constexpr int64_t kShortRun = 16;
    const auto by_class = [](const Item& a, const Item& b) { return a.combining_class() < b.combining_class(); };
    for (auto at = items.begin(); at != items.end();) {
      const auto is_starter = [](const Item& item) { return item.combining_class() == 0; };
      const auto begin = std::find_if_not(at, items.end(), is_starter);
      at = std::find_if(begin, items.end(), is_starter);
      if (at - begin > kShortRun) {
        std::stable_sort(begin, at, by_class);
        continue;
      }
      for (auto last = begin; last != at; ++last) {
        std::rotate(std::upper_bound(begin, last, *last, by_class), last, last + 1);
      }
    }
  }
};

}  // namespace stringops
