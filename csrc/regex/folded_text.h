// A text that is found in strings as they are, by Unicode's simple case folding: code points that differ only in case
// are equal, whatever their sizes.
//
// A filter by shuffles of bytes (simd::PrefixSet) leaves the places that may be the last byte of one of the text's code
// points, the anchor, with the first bytes of those after it: the letters of an alphabet differ in their last bytes
// most. Around such a place, code points are compared one after the other.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/codepoint.h"
#include "core/string_span.h"
#include "simd/primitive_types.h"

namespace stringops {

class FoldedText {
 public:
  // `text` is UTF-8 and not empty.
  explicit FoldedText(std::string_view text);

  // Code points; the text's own one; and whether another one is equal to it.
  size_t size() const { return sets_.size(); }
  uint32_t codepoint(size_t i) const { return sets_[i][0]; }
  bool has(size_t i, uint32_t c) const {
    const Variants& set = sets_[i];
    return (c == set[0]) | (c == set[1]) | (c == set[2]) | (c == set[3]);
  }

  // Whether the text is ASCII; others that are equal to it need not be.
  bool is_ascii() const {
    return std::all_of(sets_.begin(), sets_.end(), [](const Variants& set) { return set[0] < 0x80; });
  }
  // Whether a string begins with the text, or ends with it.
  bool begins(StringView string) const {
    int64_t compared = 0;
    return end_from(0, string, &compared) != nullptr;
  }
  bool ends(StringView string) const {
    int64_t compared = 0;
    return begin_before(size(), string, &compared) != nullptr;
  }

  // If the string begins with the text's code points from `first` on, returns the end of these, else null; if it ends
  // with its first `count` ones, their begin. Adds the code points that are equal to `compared`.
  const uint8_t* end_from(size_t first, StringView string, int64_t* compared) const {
    const uint8_t* p = string.begin;
    for (size_t i = first; i < size(); ++i, ++*compared) {
      if (p == string.end) return nullptr;
      const Codepoint c = read_codepoint(p, string.end);
      if (!has(i, c.value)) return nullptr;
      p += c.length;
    }
    return p;
  }
  const uint8_t* begin_before(size_t count, StringView string, int64_t* compared) const {
    const uint8_t* p = string.end;
    for (size_t i = count; i-- > 0; ++*compared) {
      if (p == string.begin) return nullptr;
      const Codepoint c = read_codepoint_before(string.begin, p);
      if (!has(i, c.value)) return nullptr;
      p -= c.length;
    }
    return p;
  }

  // The places where the anchor may end, as the filter finds them; the bytes of an occurrence before such a place, at
  // least; and the occurrence around one, null if there is none.
  const simd::PrefixSet& filter() const { return filter_; }
  int64_t before_anchor() const { return before_anchor_; }
  StringView match_at(StringView in, const uint8_t* place, int64_t* compared) const {
    const uint8_t* const end = end_from(anchor_ + 1, {place + 1, in.end}, compared);
    const uint8_t* const begin = end ? begin_before(anchor_ + 1, {in.begin, place + 1}, compared) : nullptr;
    return {begin, end};
  }

  // The texts that differ only in case from the code points from `first` on: of as many as have at most `max_texts`.
  std::vector<std::string> variants(size_t first, size_t max_texts) const;

 private:
  // A code point and those that differ from it only in case, some of them repeated.
  using Variants = std::array<uint32_t, 4>;

  void set_filter();

  std::vector<Variants> sets_;
  size_t anchor_ = 0;
  int64_t before_anchor_ = 0;
  simd::PrefixSet filter_;
};

}  // namespace stringops
