#include "kernels/strip.h"

#include "map.h"

namespace stringops::fuzz {

using kernels::CharacterSet;
using kernels::Strip;
using kernels::WhitespaceSet;

// Covers string_lstrip, string_rstrip.
FUZZ_TARGET(string_strip) {
  const uint8_t kind = in.byte();
  const bool left = kind & 1, right = kind & 2;
  if (kind & 4) {
    check_map(in, Strip<WhitespaceSet>{left, right, WhitespaceSet()});
  } else {
    const std::string text = take_text(in, in.below(8));
    const CharacterSet set(text);
    check_map(in, Strip<CharacterSet>{left, right, set});
  }
}

// Covers string_remove_suffix.
FUZZ_TARGET(string_remove_prefix) {
  const std::string affix = take_text(in, in.below(8));
  if (in.flag()) {
    check_map(in, kernels::RemovePrefix{affix});
  } else {
    check_map(in, kernels::RemoveSuffix{affix});
  }
}

SHARED_CALL(string_strip, { return call_map(Strip<WhitespaceSet>{true, true, WhitespaceSet()}, world, runner); })
SHARED_CALL(string_remove_prefix, { return call_map(kernels::RemovePrefix{"th"}, world, runner); })

}  // namespace stringops::fuzz
