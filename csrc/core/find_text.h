// Finds a text in another one.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/string_span.h"

namespace stringops {

// Returns the first position of `part`, which is not empty, or the end of the text if it has none. The time is linear
// for any texts.
inline const uint8_t* find_text(StringView text, std::string_view part) {
  const auto size = static_cast<size_t>(text.size());
  const void* const found =
      part.size() == 1 ? std::memchr(text.begin, part[0], size) : memmem(text.begin, size, part.data(), part.size());
  return found ? static_cast<const uint8_t*>(found) : text.end;
}

// Same as above for a part of few bytes, whose first byte is rare in most texts. memmem takes longer to begin.
inline const uint8_t* find_short_text(StringView text, std::string_view part) {
  const auto size = static_cast<int64_t>(part.size());
  for (const uint8_t* p = text.begin; text.end - p >= size; ++p) {
    const auto room = static_cast<size_t>(text.end - p - size + 1);
    p = static_cast<const uint8_t*>(std::memchr(p, static_cast<uint8_t>(part[0]), room));
    if (!p) break;
    if (std::memcmp(p, part.data(), part.size()) == 0) return p;
  }
  return text.end;
}

}  // namespace stringops
