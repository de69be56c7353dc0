#include "kernels/case.h"

#include <string>

#include "core/testing.h"
#include "ops/register.h"

STRINGOPS_MAP(string_lower, Lower)
STRINGOPS_MAP(string_upper, Upper)
STRINGOPS_MAP(string_casefold, Casefold)
STRINGOPS_MAP(_string_simple_fold, SimpleFold)
STRINGOPS_MAP(string_title, Title)
STRINGOPS_MAP(string_capitalize, Capitalize)
STRINGOPS_MAP(string_swapcase, Swapcase)

// Calls take(text, size) with the simple folding of a text.
STRINGOPS_TEST_HOOK void stringops_simple_fold(const char* text, int64_t size, void (*take)(const char*, int64_t)) {
  const auto* const bytes = reinterpret_cast<const uint8_t*>(text);
  const stringops::StringView string{bytes, bytes + size};
  const stringops::kernels::SimpleFold fold;
  std::string folded(static_cast<size_t>(fold.size(string)), '\0');
  auto* const out = reinterpret_cast<uint8_t*>(folded.data());
  fold.write(string, out, out + folded.size());
  take(folded.data(), static_cast<int64_t>(folded.size()));
}
