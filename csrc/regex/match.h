#pragma once

#include <cstdint>
#include <string_view>

#include "core/string_span.h"

namespace stringops {

// A range of bytes; {-1, -1}: none.
struct Match {
  int64_t begin;
  int64_t end;
};

// Returns the first position of `text`, which is not empty; the end of the string if there is none.
const uint8_t* find_literal(StringView string, std::string_view text);

}  // namespace stringops
