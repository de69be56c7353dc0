// The columns of a terminal that code points take, as the Python package wcwidth has them. The table is in
// tables/width.cpp, which tools/write_width_tables.py writes.
#pragma once

#include <cstdint>

#include "core/two_stages.h"

namespace stringops {

enum WidthClass : uint8_t {
  kNarrow,        // one column
  kWide,          // two columns
  kZeroWidth,     // none: combining characters, and those that only control how others are shown
  kControl,       // the text has no width
  kNarrowOrWide,  // an emoji of one column, or of two before kVariationSelector
};

constexpr uint32_t kVariationSelector = 0xFE0F;  // of the form as a picture

using WidthTable = TwoStages<6, uint8_t, uint8_t>;
extern const WidthTable kWidths;

}  // namespace stringops
