// How an error quotes a text that it was given: few bytes of it, in printable ASCII.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace stringops {

constexpr size_t kMaxQuoted = 32;

// 'text', its first 32 bytes at most; what is cut off shows as an ellipsis after the closing quote. `quoted` of
// torch_stringops/_text.py writes the same.
inline std::string quoted(const char* text, size_t size) {
  static const char* const digits = "0123456789abcdef";
  std::string result = "'";
  for (size_t i = 0; i < std::min(size, kMaxQuoted); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (byte < ' ' || byte > '~') {
      result += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    } else {
      if (byte == '\'' || byte == '\\') result += '\\';
      result += text[i];
    }
  }
  return result + (size > kMaxQuoted ? "'..." : "'");
}

}  // namespace stringops
