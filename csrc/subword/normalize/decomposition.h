// Canonical or compatibility decomposition of a text, in canonical order, as Hugging Face's tokenizers compute it: code
// points that are newer than its Unicode tables stay as they are.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/string_span.h"
#include "core/unicode_normalization.h"
#include "subword/scan/classes.h"

namespace stringops::subword {

class Decomposition {
 public:
  explicit Decomposition(const normalization::ListTable& lists) : lists_(lists) {}

  // Whether characters wait for their order.
  bool is_waiting() const { return !marks_.empty(); }

  // Whether the character stays as it is, and so do those around it.
  bool keeps(uint32_t c) const { return list_of(c)[0] == 0 && class_of(c) == 0 && c - kSyllables >= kNumSyllables; }

  // Adds a character that comes from `source`. Calls add(codepoint, source) with the characters that do not wait.
  template <class Add>
  void decompose(uint32_t c, PackedRange source, const Add& add) {
    // Syllables of Hangul are composed by arithmetic (section 3.12 of the Unicode standard).
    constexpr uint32_t kNumVowels = 21, kNumTrailing = 28;
    if (c - kSyllables < kNumSyllables) {
      const uint32_t syllable = c - kSyllables, trailing = syllable % kNumTrailing;
      add_part(0x1100 + syllable / (kNumVowels * kNumTrailing), true, source, add);
      add_part(0x1161 + syllable / kNumTrailing % kNumVowels, false, source, add);
      if (trailing != 0) add_part(0x11A7 + trailing, false, source, add);
      return;
    }
    const uint32_t* const list = list_of(c);
    if (list[0] == 0) add_part(c, true, source, add);
    for (uint32_t i = 1; i <= list[0]; ++i) add_part(list[i], i == 1, source, add);
  }

  // Calls add(codepoint, source) with the characters that wait: nothing moves across this place.
  template <class Add>
  void flush(const Add& add) {
    if (marks_.empty()) return;
    if (marks_.size() > 1) {
      std::stable_sort(marks_.begin(), marks_.end(),
                       [](const Mark& a, const Mark& b) { return a.combining_class < b.combining_class; });
    }
    // The reference moves marks, but not their sources; and what a character decomposes to, after the first part, takes
    // the source of the character before it.
    auto next = mark_sources_.begin();
    for (const Mark& mark : marks_) {
      if (mark.is_first) last_source_ = *next++;
      add(mark.codepoint, last_source_);
    }
    marks_.clear();
    mark_sources_.clear();
  }

 private:
  static constexpr uint32_t kSyllables = 0xAC00, kNumSyllables = 11172;

  static bool is_newer(uint32_t c) { return (kClasses[c] & kNewer) != 0; }

  const uint32_t* list_of(uint32_t c) const {
    const uint16_t at = lists_[c];
    return normalization::kLists + (at != 0 && is_newer(c) ? 0 : at);
  }

  static uint8_t class_of(uint32_t c) {
    const auto combining_class = static_cast<uint8_t>(normalization::kNormalizationFlags[c] & normalization::kClass);
    return combining_class != 0 && is_newer(c) ? 0 : combining_class;
  }

  // A character that canonical ordering may move.
  struct Mark {
    uint32_t codepoint;
    uint8_t combining_class;
    bool is_first;  // of the parts of its character
  };

  // A character that has no decomposition.
  template <class Add>
  void add_part(uint32_t c, bool is_first, PackedRange source, const Add& add) {
    const uint8_t combining_class = class_of(c);
    if (combining_class != 0) {
      marks_.push_back({c, combining_class, is_first});
      if (is_first) mark_sources_.push_back(source);
      return;
    }
    flush(add);
    last_source_ = source;
    add(c, source);
  }

  const normalization::ListTable& lists_;
  std::vector<Mark> marks_;                // since the last character of class 0
  std::vector<PackedRange> mark_sources_;  // of the first parts
  PackedRange last_source_{};
};

}  // namespace stringops::subword
