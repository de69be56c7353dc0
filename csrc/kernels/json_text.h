// Strings of JSON: where they end, and the text that they stand for. The grammar is that of RFC 8259.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "core/bits.h"
#include "core/poll.h"
#include "core/string_span.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// Bytes of a text at which a reader stops, found as masks of many bytes at once. Another thread may change them later.
class JsonStops {
 public:
  enum Kind : uint8_t {
    kStrings,     // quotes, backslashes, control characters and characters beyond ASCII
    kBackslashes  // backslashes only
  };

  // No limit is after `end`.
  JsonStops(Kind kind, const uint8_t* end) : end_(end), found_(end), kind_(kind) {}

  // Returns the first stop in [p, limit), or the limit. It is fast if positions ascend from call to call.
  const uint8_t* next(const uint8_t* p, const uint8_t* limit) {
    while (p < limit) {
      const auto at = static_cast<uint64_t>(p - found_);
      if (at >= found_size_) {
        find(p);
        continue;
      }
      const uint64_t stops = bits_at(words_, static_cast<int64_t>(at));
      if (stops != 0) return std::min(p + first_bit(stops), limit);
      p += std::min<uint64_t>(64, found_size_ - at);
    }
    return limit;
  }

 private:
  static constexpr int64_t kWords = 64;

  void find(const uint8_t* p);

  const uint8_t* const end_;
  const uint8_t* found_;  // the words are masks of the bytes from here on, and one more is 0
  uint64_t found_size_ = 0;
  const Kind kind_;
  Pace pace_;
  uint64_t words_[kWords + 1];
};

// Finds the end of a string, from after its opening quote on; `stops` are those of strings. Returns the byte after the
// closing quote, and sets `has_escapes`; or sets `fault` to the first byte that does not belong to a string, and
// returns null. Its UTF-8 must be valid. An escape may be half of a surrogate pair.
const uint8_t* end_of_json_string(const uint8_t* p, const uint8_t* end, JsonStops& stops, bool& has_escapes,
                                  const uint8_t*& fault);

// Writes the text that the characters between quotes stand for, in UTF-8, which has no more bytes than they have;
// returns its end. Half of a surrogate pair is U+FFFD. Characters that end_of_json_string rejects stand for themselves.
// Bytes after the characters, up to `readable_end`, may be read, and those after the text, up to `limit`, overwritten.
uint8_t* write_json_string(StringView characters, const uint8_t* readable_end, JsonStops& backslashes, uint8_t* out,
                           const uint8_t* limit);

// Returns the same text.
std::string json_string(StringView characters);

}  // namespace stringops::kernels
