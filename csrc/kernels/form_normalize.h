// Operators that bring each string to a normalization form of Unicode (UAX #15), on driver/map.h.
#pragma once

#include <cstdint>
#include <vector>

#include "core/string_span.h"
#include "core/unicode_normalization.h"
#include "kernels/driver/runner.h"

namespace stringops::kernels {

// The string in a normalization form. A byte that is not part of a code point is kept; nothing moves or composes across
// it.
class Normalize {
 public:
  static constexpr Cost kCost{20, 1};

  enum class Form { kNfc, kNfd, kNfkc, kNfkd };

  // With drop_nonspacing, without the code points of general category Mn of the result.
  explicit Normalize(Form form, bool drop_nonspacing = false);

  // Whether all strings with these bytes are in the form: so by their first bytes.
  bool keeps(StringView bytes) const;

  // Sets `out` to the result and returns true, or returns false if it is the string itself.
  bool edit(StringView in, std::vector<uint8_t>& out) const;

 private:
  struct Segment;

  const uint8_t* skip_plain(const uint8_t* p, const uint8_t* end, uint16_t* flags) const;
  bool is_plain(const uint8_t* p, const uint8_t* end) const;
  void append_kept(const Segment& segment, std::vector<uint8_t>& out) const;
  const uint8_t* find_change(const uint8_t* begin, const uint8_t* end) const;

  const normalization::ListTable& decompositions_;
  const bool composes_;
  const uint16_t not_in_form_;  // flags of code points that may change
  const uint16_t dropped_;
  const uint8_t first_byte_;  // the least one of a code point with such flags, or of a class other than 0
};

}  // namespace stringops::kernels
