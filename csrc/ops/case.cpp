#include "kernels/case.h"

#include <algorithm>
#include <vector>

#include "core/narrow.h"
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

// Calls take(text, size, has_case) with the simple folding of a text, and whether other texts have the same one. Text
// that is not UTF-8 has case, since its bytes can be part of code points that fold.
STRINGOPS_TEST_HOOK void stringops_simple_fold(const char* text, int64_t size,
                                               void (*take)(const char*, int64_t, bool)) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(text);
  const int32_t offsets[] = {0, stringops::narrow<int32_t>(size)};
  int32_t ends[2] = {};
  const stringops::kernels::SimpleFold fold;
  stringops::kernels::RunWriter<stringops::kernels::SimpleFold> writer("", fold, {nullptr, ends}, 0, 0);
  writer.write({bytes, size, offsets, 1}, 0, 1, [](auto&) {});
  const std::vector<uint8_t>& folded = writer.result.rest;

  std::vector<uint32_t> codepoints(static_cast<size_t>(size) + 16);
  codepoints.resize(static_cast<size_t>(stringops::simd::primitives().decode(bytes, size, codepoints.data())));
  const bool has_case = std::any_of(codepoints.begin(), codepoints.end(), [](uint32_t codepoint) {
    stringops::CodepointSet letters(codepoint, codepoint);
    letters.add(stringops::case_variants(letters));
    const auto& ranges = letters.ranges();
    return ranges.size() != 1 || ranges[0].first != ranges[0].last;
  });
  take(reinterpret_cast<const char*>(folded.data()), static_cast<int64_t>(folded.size()), has_case);
}
