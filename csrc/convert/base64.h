// Base64, and the files of tiktoken, whose lines are a token in base64 and its rank.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "convert/read_strings.h"
#include "core/base64.h"

namespace stringops::convert {

// Appends the bytes of a text of whole groups of four characters, of which "=" pads the last one. Returns false if it
// is not base64; then some may have been appended.
inline bool decode_base64(std::string_view text, std::string& out) {
  if (text.size() % 4 != 0) return false;
  for (size_t at = 0; at < text.size(); at += 4) {
    size_t count = 4;
    const bool is_last = at + 4 == text.size();
    while (is_last && count > 2 && text[at + count - 1] == '=') --count;
    uint32_t bits = 0;
    for (size_t i = 0; i < count; ++i) {
      const uint8_t sextet = kSextets[static_cast<uint8_t>(text[at + i])];
      if (sextet == kNoSextet) return false;
      bits |= uint32_t{sextet} << (18 - 6 * i);
    }
    for (size_t i = 0; i + 1 < count; ++i) out += static_cast<char>(bits >> (16 - 8 * i) & 0xFF);
  }
  return true;
}

// The tokens and ranks of a text of lines, which end in LF, CR LF or CR. Empty lines are skipped.
struct RankLines {
  ReadStrings tokens;
  std::vector<int64_t> ranks;  // one beyond int64 is INT64_MAX
  int64_t bad_line = 0;        // the number, from 1, of the first line that is something else, or 0

  explicit RankLines(std::string_view text) : tokens(text.size()) {
    tokens.mark();
    int64_t number = 0;
    while (!text.empty() && bad_line == 0) {
      ++number;
      const size_t size = std::min(text.find_first_of("\n\r"), text.size());
      if (size > 0 && !read_line(text.substr(0, size))) bad_line = number;
      const bool has_two = text.substr(size, 2) == "\r\n";
      text.remove_prefix(std::min(size + (has_two ? 2 : 1), text.size()));
    }
  }

 private:
  bool read_line(std::string_view line) {
    const size_t space = line.find(' ');
    if (space == 0 || space == line.npos) return false;
    const size_t digits = line.find_first_not_of(' ', space);
    if (digits == line.npos || line.find_first_not_of("0123456789", digits) != line.npos) return false;
    // Whisper's file writes the empty token as padding alone.
    const std::string_view token = line.substr(0, space);
    if (token != "=" && !decode_base64(token, tokens.data)) return false;
    int64_t rank = 0;
    for (const char c : line.substr(digits)) {
      if (__builtin_mul_overflow(rank, int64_t{10}, &rank) || __builtin_add_overflow(rank, int64_t{c - '0'}, &rank)) {
        rank = INT64_MAX;
        break;
      }
    }
    tokens.mark();
    ranks.push_back(rank);
    return true;
  }
};

}  // namespace stringops::convert
