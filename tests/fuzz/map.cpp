// The driver of string -> string, with a functor whose results differ in size from the strings: it doubles commas.
#include "map.h"

namespace stringops::fuzz {

using kernels::Cost;

struct DoubleCommas {
  using Driver = kernels::StringMap;
  static constexpr Cost kCost{5, 1};

  int64_t size(StringView in) const { return in.size() + std::count(in.begin, in.end, ','); }
  uint8_t* write(StringView in, uint8_t* out, uint8_t* out_end) const {
    for (const uint8_t* p = in.begin; p < in.end && out < out_end; ++p) {
      *out++ = *p;
      if (*p == ',' && out < out_end) *out++ = ',';
    }
    return out;
  }
};

FUZZ_MAP(map, DoubleCommas)

}  // namespace stringops::fuzz
