#include "kernels/json_text.h"

#include <algorithm>
#include <cstring>

#include "core/bounded_writer.h"
#include "core/codepoint.h"
#include "core/json_escape.h"
#include "core/poll.h"
#include "core/utf8.h"
#include "kernels/number.h"

namespace stringops::kernels {
namespace {

constexpr uint64_t kOnes = 0x0101010101010101, kTops = 0x8080808080808080;
constexpr uint32_t kSurrogateReplacement = 0xFFFD;

// Returns a word whose lowest bit that is set is in the first byte of `word` that is zero, or 0.
constexpr uint64_t zeros_in(uint64_t word) {
  return (word - kOnes) & ~word & kTops;
}

// Skips characters that need no look: ASCII other than quotes, backslashes and control characters.
const uint8_t* skip_plain(const uint8_t* p, const uint8_t* end) {
  while (end - p >= 8) {
    uint64_t word;
    std::memcpy(&word, p, sizeof word);
    const uint64_t control = (word - kOnes * ' ') & ~word;
    const uint64_t special = zeros_in(word ^ kOnes * '"') | zeros_in(word ^ kOnes * '\\') | ((control | word) & kTops);
    if (special != 0) return p + __builtin_ctzll(special) / 8;
    p += 8;
  }
  while (p < end && *p >= ' ' && *p < 0x80 && *p != '"' && *p != '\\') ++p;
  return p;
}

// Same as read_json_escape, but half of a surrogate pair is U+FFFD.
Codepoint read_escape(const uint8_t* p, const uint8_t* end) {
  const Codepoint escape = read_json_escape(p, end);
  return is_surrogate(escape.value) ? Codepoint{kSurrogateReplacement, escape.length} : escape;
}

constexpr int64_t utf8_size(uint32_t codepoint) {
  return codepoint < 0x80 ? 1 : codepoint < 0x800 ? 2 : codepoint < 0x10000 ? 3 : 4;
}

const uint8_t* find_backslash(const uint8_t* p, const uint8_t* end) {
  const void* const found = p < end ? std::memchr(p, '\\', static_cast<size_t>(end - p)) : nullptr;
  return found ? static_cast<const uint8_t*>(found) : end;
}

}  // namespace

const uint8_t* end_of_json_string(const uint8_t* p, const uint8_t* end, bool& has_escapes, const uint8_t*& fault) {
  has_escapes = false;
  Pace pace;
  for (;;) {
    const uint8_t* const begin = p;
    p = skip_plain(p, end);
    pace.spend(1 + (p - begin) / 4);
    fault = p;
    if (p == end) return nullptr;
    if (*p == '"') return p + 1;
    if (*p >= 0x80) {
      do {
        const int64_t length = long_codepoint(p, end);
        fault = p;
        if (length == 0) return nullptr;
        p += length;
      } while (p < end && *p >= 0x80);
      continue;
    }
    if (*p != '\\') return nullptr;  // a control character
    const Codepoint escape = read_escape(p, end);
    if (escape.length == 0) return nullptr;
    has_escapes = true;
    p += escape.length;
  }
}

int64_t json_string_size(StringView characters) {
  int64_t size = characters.size();
  const uint8_t* p = characters.begin;
  while ((p = find_backslash(p, characters.end)) != characters.end) {
    const Codepoint escape = read_escape(p, characters.end);
    if (escape.length > 0) size -= escape.length - utf8_size(escape.value);
    p += std::max<int64_t>(escape.length, 1);
  }
  return size;
}

uint8_t* write_json_string(StringView characters, uint8_t* out, const uint8_t* out_end) {
  BoundedWriter writer(out, out_end);
  const uint8_t* p = characters.begin;
  for (;;) {
    const uint8_t* const stop = find_backslash(p, characters.end);
    writer.append(p, stop - p);
    if (stop == characters.end) return writer.at();
    const Codepoint escape = read_escape(stop, characters.end);
    uint8_t bytes[kMaxCodepointBytes] = {'\\'};
    writer.append(bytes, escape.length == 0 ? 1 : write_codepoint(escape.value, bytes) - bytes);
    p = stop + std::max<int64_t>(escape.length, 1);
  }
}

}  // namespace stringops::kernels
