// The normalization forms of Unicode (UAX #15).
#pragma once

#include <cstdint>
#include <vector>

#include "core/string_span.h"
#include "core/unicode_normalization.h"

namespace stringops {

// Brings strings to a form. A byte that is not part of a code point is kept, and nothing moves or composes across it.
class NormalForm {
 public:
  // kUnaccented: NFD without the code points of general category Mn.
  enum class Form { kNfc, kNfkc, kNfd, kNfkd, kUnaccented };

  explicit NormalForm(Form form);

  // Whether all strings of these bytes are in the form, judged by their first bytes only.
  bool keeps(StringView bytes) const;

  // The least first byte of a code point of other strings.
  uint8_t first_byte() const { return first_byte_; }

  // Whether a code point of the string may change or move: if not, the string is in the form.
  bool may_change(StringView in) const { return find_change(in.begin, in.end) < in.end; }

  // Sets `out` to the result and returns true, or returns false if it is the string itself.
  bool edit(StringView in, std::vector<uint8_t>& out) const;

 private:
  const uint8_t* skip_plain(const uint8_t* p, const uint8_t* end, uint16_t* flags) const;
  bool stays(const uint8_t* begin, const uint8_t* p, const uint8_t* end) const;
  const uint8_t* find_change(const uint8_t* begin, const uint8_t* end) const;

  const normalization::ListTable& decompositions_;
  const bool composes_;
  const uint16_t dropped_;      // the flag of code points that are left out
  const uint16_t not_in_form_;  // flags of code points that may change
  const uint8_t first_byte_;    // the least first byte of a code point with such flags, or of a class other than 0
};

}  // namespace stringops
