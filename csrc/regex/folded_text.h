// Finds a text in strings as they are, by Unicode's simple case folding: code points that differ only in case are
// equal, whatever their sizes.
//
// A filter by shuffles of bytes (simd::PrefixSet) leaves the places that may be the last byte of one of the text's code
// points, the anchor, with the first bytes of those after it: the letters of an alphabet differ in their last bytes
// most. Around such a place, code points are compared one after the other. A text for which this takes long is searched
// as by Knuth, Morris and Pratt.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/bits.h"
#include "core/codepoint.h"
#include "core/poll.h"
#include "core/string_span.h"
#include "core/testing.h"
#include "simd/primitives.h"

namespace stringops {

class FoldedText {
 public:
  // `text` is UTF-8 and not empty.
  explicit FoldedText(std::string_view text);

  // Whether a string begins with the text, or ends with it.
  bool begins(StringView string) const {
    int64_t compared = 0;
    return end_from(0, string, &compared) != nullptr;
  }
  bool ends(StringView string) const {
    int64_t compared = 0;
    return begin_before(sets_.size(), string, &compared) != nullptr;
  }

 private:
  friend class FoldedFinder;

  // A code point and those that differ from it only in case, some of them repeated.
  struct Variants {
    std::array<uint32_t, 4> codepoints;

    bool has(uint32_t c) const {
      return (c == codepoints[0]) | (c == codepoints[1]) | (c == codepoints[2]) | (c == codepoints[3]);
    }
  };

  void set_filter();

  // If the string begins with the text's code points from `first` on, returns the end of these, else null; if it ends
  // with its first `count` ones, their begin. Adds the code points that are equal to `compared`.
  const uint8_t* end_from(size_t first, StringView string, int64_t* compared) const {
    const uint8_t* p = string.begin;
    for (size_t i = first; i < sets_.size(); ++i, ++*compared) {
      if (p == string.end) return nullptr;
      const Codepoint c = read_codepoint(p, string.end);
      if (!sets_[i].has(c.value)) return nullptr;
      p += c.length;
    }
    return p;
  }
  const uint8_t* begin_before(size_t count, StringView string, int64_t* compared) const {
    const uint8_t* p = string.end;
    for (size_t i = count; i-- > 0; ++*compared) {
      if (p == string.begin) return nullptr;
      const Codepoint c = read_codepoint_before(string.begin, p);
      if (!sets_[i].has(c.value)) return nullptr;
      p -= c.length;
    }
    return p;
  }

  std::vector<Variants> sets_;  // of each code point
  size_t anchor_ = 0;
  int64_t before_anchor_ = 0;  // bytes of the text before the anchor's last byte, at least
  simd::PrefixSet filter_;
};

// Searches strings, on one thread. The text must outlive the finder.
class FoldedFinder {
 public:
  static constexpr int64_t kMaxBlock = block_size(8 * 1024, 128);

  explicit FoldedFinder(const FoldedText& text) : text_(text) {}

  // Return the bytes of the first occurrence or the last one in a string; null if there is none.
  StringView find_first(StringView in) { return search<false>(in); }
  StringView find_last(StringView in) { return search<true>(in); }

  // Calls take(k, found) for the occurrences, or only for the first one, in each string k of `count`, which end at
  // `ends` and have at most kMaxBlock bytes together. Those of a string do not overlap.
  template <class Take>
  void find_in_block(const uint8_t* data, const int32_t* ends, int64_t count, bool only_first, Take&& take) {
    const int64_t size = ends[count - 1];
    pay(size);
    simd_.find_prefixes(data, size, size, text_.filter_, places_.data());
    int64_t at = 0, k = 0;
    StringView rest{data, data + ends[0]};  // of string k
    const auto next_string = [&] { rest = {data + ends[k], data + ends[k + 1]}, ++k; };
    const auto take_found = [&](StringView found) {
      take(k, found);
      rest.begin = only_first ? rest.end : found.end;
    };
    for (Bits bits(places_.data(), words_for(size)); bits.next(&at);) {
      const uint8_t* const place = data + at;
      while (place >= rest.end) next_string();
      if (place - rest.begin < text_.before_anchor_) continue;
      if (const StringView found = match_at(rest, place); found.begin) take_found(found);
      if (!is_slow()) continue;
      for (;; next_string()) {
        for (StringView found; (found = search_slowly<false>(rest)).begin != nullptr;) take_found(found);
        if (k == count - 1) return;
      }
    }
  }

 private:
  static constexpr StringView kNone{nullptr, nullptr};

  template <bool kLast>
  StringView search(StringView in);
  template <bool kLast>
  StringView search_slowly(StringView in);
  StringView match_at(StringView in, const uint8_t* place);
  // Bytes that are read pay for two code points each that are compared at places.
  void pay(int64_t num_bytes) {
    pace_.spend(num_bytes);
    debt_ = std::max<int64_t>(debt_ - 2 * num_bytes, 0);
  }
  bool is_slow() const { return debt_ > kMaxBlock; }

  const FoldedText& text_;
  const simd::Primitives& simd_ = simd::primitives();
  Pace pace_;
  int64_t debt_ = 0;  // code points that were compared and are not paid for
  std::array<uint64_t, words_for(kMaxBlock)> places_;
  std::vector<size_t> borders_;  // of each first part of the text, the longest one that it ends with
};

}  // namespace stringops
