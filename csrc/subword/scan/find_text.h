// Finds a text in another one.
#pragma once

#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/string_span.h"

namespace stringops::subword {

// Returns the first position of `part`, which is not empty, or the end of the text if it has none. The time is linear,
// because `part` is short.
inline const uint8_t* find_text(StringView text, std::string_view part) {
  const auto size = static_cast<int64_t>(part.size());
  for (const uint8_t* p = text.begin; text.end - p >= size; ++p) {
    const auto room = static_cast<size_t>(text.end - p - size + 1);
    p = static_cast<const uint8_t*>(std::memchr(p, static_cast<uint8_t>(part[0]), room));
    if (!p) break;
    if (std::memcmp(p, part.data(), part.size()) == 0) return p;
  }
  return text.end;
}

}  // namespace stringops::subword
