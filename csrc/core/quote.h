// Quotes arguments in errors: a few bytes, in printable ASCII.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string>

namespace stringops {

constexpr size_t kMaxQuoted = 32;

// 'text', truncated to 32 bytes, with an ellipsis after the closing quote. torch_stringops/_text.py has the same
// function.
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
