#include "kernels/case.h"

#include <algorithm>
#include <vector>

#include "core/testing.h"
#include "ops/kinds.h"
#include "regex/unicode_sets.h"
#include "simd/primitives.h"

STRINGOPS_MAP(string_lower, Lower)
STRINGOPS_MAP(string_upper, Upper)
STRINGOPS_MAP(string_casefold, Casefold)
STRINGOPS_MAP(_string_simple_fold, SimpleFold)
STRINGOPS_MAP(string_title, Title)
STRINGOPS_MAP(string_capitalize, Capitalize)
STRINGOPS_MAP(string_swapcase, Swapcase)

// Whether other texts have the same simple folding. Text that is not UTF-8 has case, since its bytes can be part of
// code points that fold.
STRINGOPS_TEST_HOOK bool stringops_has_case(const char* text, int64_t size) {
  std::vector<uint32_t> codepoints(static_cast<size_t>(size) + 16);
  const auto* const bytes = reinterpret_cast<const uint8_t*>(text);
  codepoints.resize(static_cast<size_t>(stringops::simd::primitives().decode(bytes, size, codepoints.data())));
  return std::any_of(codepoints.begin(), codepoints.end(), [](uint32_t codepoint) {
    stringops::CodepointSet letters(codepoint, codepoint);
    letters.add(stringops::case_variants(letters));
    const auto& ranges = letters.ranges();
    return ranges.size() != 1 || ranges[0].first != ranges[0].last;
  });
}
