// The normalization forms of Unicode that decompose code points (UAX #15), on driver/stable_map.h: NFD and NFKD.
#pragma once

#include <cstdint>
#include <optional>

#include "core/string_span.h"
#include "core/unicode_normalization.h"
#include "driver/stable_map.h"

namespace stringops::kernels {

// The string in a form. A byte that is not part of a code point is kept; nothing moves across it. The order of marks
// does not change the size of a result.
class Decompose {
 public:
  using Driver = StableMap;
  static constexpr Cost kCost{10, 0.5};

  // kUnaccented: NFD without the code points of general category Mn.
  enum class Form { kNfd, kNfkd, kUnaccented };

  explicit Decompose(Form form);

  // Whether all strings with these bytes are in the form: so by their first bytes.
  bool keeps(StringView bytes) const;

  std::optional<int64_t> find_size(StringView in) const;
  uint8_t* write(StringView in, uint8_t* out, uint8_t* out_end) const;

 private:
  class Growth;
  struct Writer;

  static const Growth& growth(Form form);

  const normalization::ListTable& decompositions_;
  const Growth& growth_;
  const uint16_t not_in_form_;  // the flag of code points that change
  const uint16_t dropped_;
  const uint8_t first_byte_;  // the least one of a code point with such flags, or of a class other than 0
};

}  // namespace stringops::kernels
