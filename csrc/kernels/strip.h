// Operators that remove characters at the ends of each string (driver/substring_map.h): whitespace, given characters, a
// prefix or a suffix.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/codepoint.h"
#include "core/string_span.h"
#include "core/whitespace_set.h"
#include "driver/substring_map.h"
#include "kernels/search.h"

namespace stringops::kernels {

// The characters of a text. A byte that is not part of a code point is a character.
class CharacterSet {
 public:
  explicit CharacterSet(std::string_view text) {
    const auto* p = reinterpret_cast<const uint8_t*>(text.data());
    const uint8_t* const end = p + text.size();
    while (p < end) {
      const int64_t length = read_codepoint(p, end).length;
      bytes.add(p[0], p[length - 1]);
      if (*p >= 0x80) others_.push_back(key(p, length));
      p += length;
    }
    std::sort(others_.begin(), others_.end());
  }

  EndBytes bytes;

  static const uint8_t* skip(const uint8_t* begin, const uint8_t*) { return begin; }
  int64_t first(const uint8_t* begin, const uint8_t* end) const {
    return length_in_set(begin, read_codepoint(begin, end).length);
  }
  int64_t last(const uint8_t* begin, const uint8_t* end) const {
    const int64_t length = read_codepoint_before(begin, end).length;
    return length_in_set(end - length, length);
  }

 private:
  int64_t length_in_set(const uint8_t* p, int64_t length) const {
    const bool found = *p < 0x80 ? bytes.first[*p] : std::binary_search(others_.begin(), others_.end(), key(p, length));
    return found ? length : 0;
  }

  // The bytes as a number, which no other character has.
  static uint32_t key(const uint8_t* p, int64_t length) {
    uint32_t bytes = 0;
    std::memcpy(&bytes, p, static_cast<size_t>(length));
    return bytes;
  }

  std::vector<uint32_t> others_;  // the keys of characters beyond ASCII, sorted
};

// The string without characters of a set at its ends.
template <class Set>
struct Strip {
  using Driver = SubstringMap<FindBy::kString>;
  static constexpr Cost kCost{6, 0.05};

  bool left;
  bool right;
  const Set& set;

  StringView piece(StringView in) const {
    if (left) {
      while (in.begin < in.end && set.bytes.first[*in.begin]) {
        const int64_t length = set.first(in.begin, in.end);
        if (length == 0) break;
        in.begin = Set::skip(in.begin + length, in.end);
      }
    }
    if (right) {
      while (in.begin < in.end && set.bytes.last[in.end[-1]]) {
        const int64_t length = set.last(in.begin, in.end);
        if (length == 0) break;
        in.end -= length;
      }
    }
    return in;
  }
};

// The string without these bytes at its beginning, if it begins with them.
struct RemovePrefix {
  using Driver = SubstringMap<FindBy::kTest>;
  static constexpr Cost kCost{8, 0.05};

  std::string_view prefix;

  void find_changes(const StringSpan& in, int64_t first, int64_t count, bool* out) const {
    StartsWithLiteral{prefix}.find(in, first, count, out);
  }
  StringView piece(StringView in) const {
    const auto size = static_cast<int64_t>(prefix.size());
    const bool has_it = size > 0 && in.size() >= size && std::memcmp(in.begin, prefix.data(), prefix.size()) == 0;
    return {in.begin + (has_it ? size : 0), in.end};
  }
};

// The string without these bytes at its end, if it ends with them.
struct RemoveSuffix {
  using Driver = SubstringMap<FindBy::kTest>;
  static constexpr Cost kCost{8, 0.05};

  std::string_view suffix;

  void find_changes(const StringSpan& in, int64_t first, int64_t count, bool* out) const {
    EndsWithLiteral{suffix}.find(in, first, count, out);
  }
  StringView piece(StringView in) const {
    const auto size = static_cast<int64_t>(suffix.size());
    const bool has_it = size > 0 && in.size() >= size && std::memcmp(in.end - size, suffix.data(), suffix.size()) == 0;
    return {in.begin, in.end - (has_it ? size : 0)};
  }
};

}  // namespace stringops::kernels
