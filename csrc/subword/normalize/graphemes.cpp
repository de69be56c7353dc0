#include "subword/normalize/graphemes.h"

#include "core/codepoint.h"

namespace stringops::subword {
namespace {

bool is_regional(uint32_t c) {
  return c >= 0x1F1E6 && c <= 0x1F1FF;
}

// The classes of a character, with those of syllables: LV is kVowel, LVT is kTrailing, as what may come after it.
uint16_t classes_of(const Codepoint& c) {
  if (c.value == kInvalidByte) return 0;
  constexpr uint32_t kFirst = 0xAC00, kLast = 0xD7A3, kTrailingOfEach = 28;
  if (c.value >= kFirst && c.value <= kLast) return (c.value - kFirst) % kTrailingOfEach == 0 ? kVowel : kTrailing;
  return kBreaks[c.value];
}

bool is_syllable(uint32_t c) {
  return c >= 0xAC00 && c <= 0xD7A3;
}

// The state of a cluster so far.
class Cluster {
 public:
  explicit Cluster(const Codepoint& first) { add(first); }

  // Whether the next character belongs to the cluster. If so, it becomes part of it.
  bool takes(const Codepoint& c) {
    if (!joins(c)) return false;
    add(c);
    return true;
  }

 private:
  bool joins(const Codepoint& c) const {
    const uint16_t classes = classes_of(c);
    if (((classes_ | classes) & kControls) != 0) return value_ == '\r' && c.value == '\n';  // GB3 to GB5
    if ((classes & kExtends) != 0 || (classes_ & kPrepends) != 0) return true;              // GB9, GB9a, GB9b
    if ((classes_ & kLeading) != 0 && ((classes & (kLeading | kVowel)) != 0 || is_syllable(c.value)))
      return true;  // GB6
    if (!is_syllable(c.value)) {
      if ((classes_ & kVowel) != 0 && (classes & (kVowel | kTrailing)) != 0) return true;  // GB7
      if ((classes_ & kTrailing) != 0 && (classes & kTrailing) != 0) return true;          // GB8
    }
    if (after_linker_ && (classes & kConsonant) != 0) return true;     // GB9c
    if (after_joiner_ && (classes & kPictographic) != 0) return true;  // GB11
    return odd_regional_ && is_regional(c.value);                      // GB12, GB13
  }

  void add(const Codepoint& c) {
    const uint16_t classes = classes_of(c);
    after_joiner_ = after_pictographic_ && c.value == kZeroWidthJoiner;
    after_pictographic_ = (classes & kPictographic) != 0 || (after_pictographic_ && (classes & kEmojiExtends) != 0);
    if ((classes & kConsonant) != 0) {
      after_consonant_ = true;
      after_linker_ = false;
    } else {
      after_consonant_ = after_consonant_ && (classes & (kLinker | kConjunct)) != 0;
      after_linker_ = after_consonant_ && (after_linker_ || (classes & kLinker) != 0);
    }
    odd_regional_ = is_regional(c.value) && !odd_regional_;
    classes_ = classes;
    value_ = c.value;
  }

  uint16_t classes_ = 0;
  uint32_t value_ = 0;
  bool after_pictographic_ = false;  // and characters of kEmojiExtends
  bool after_joiner_ = false;        // and a joiner
  bool after_consonant_ = false;     // and characters of kConjunct
  bool after_linker_ = false;        // of which one is a linker
  bool odd_regional_ = false;
};

}  // namespace

const uint8_t* end_of_cluster(const uint8_t* p, const uint8_t* end) {
  const Codepoint first = read_codepoint(p, end);
  p += first.length;
  if (p == end || (first.value < 0x80 && *p < 0x80 && *p != '\n')) return p;
  // Most characters are clusters: only these rules are about two characters without kExtends.
  const bool may_join = (classes_of(first) & (kPrepends | kControls | kLeading)) != 0 || is_regional(first.value);
  if (!may_join && (classes_of(read_codepoint(p, end)) & (kExtends | kVowel | kTrailing)) == 0) return p;
  Cluster cluster(first);
  while (p < end) {
    const Codepoint c = read_codepoint(p, end);
    if (!cluster.takes(c)) break;
    p += c.length;
  }
  return p;
}

}  // namespace stringops::subword
