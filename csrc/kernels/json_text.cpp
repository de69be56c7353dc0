#include "kernels/json_text.h"

#include <algorithm>
#include <cstring>

#include "core/bounded_writer.h"
#include "core/codepoint.h"
#include "core/json_escape.h"
#include "core/poll.h"
#include "core/utf8.h"

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

// Calls copy(run) for each run of characters without escapes, and put(escape) for each escape. A backslash that begins
// none is put.
template <class Copy, class Put>
void read_characters(StringView characters, Copy&& copy, Put&& put) {
  const uint8_t *p = characters.begin, *const end = characters.end;
  Codepoint escape{};
  for (;;) {
    const uint8_t* const begin = p;
    uint64_t backslashes = 0;
    for (; end - p >= 8; p += 8) {
      uint64_t word;
      std::memcpy(&word, p, sizeof word);
      if ((backslashes = zeros_in(word ^ kOnes * '\\')) != 0) break;
    }
    if (backslashes != 0) p += __builtin_ctzll(backslashes) / 8;
    while (p < end && *p != '\\') ++p;
    if (p > begin) copy(StringView{begin, p});
    // Escapes often follow one another.
    for (; p < end && *p == '\\'; p += std::max<int64_t>(1, escape.length)) {
      escape = read_escape(p, end);
      put(escape.length == 0 ? Codepoint{'\\', 1} : escape);
    }
    if (p >= end) return;
  }
}

}  // namespace

const uint8_t* end_of_json_string(const uint8_t* p, const uint8_t* end, bool& has_escapes, const uint8_t*& fault) {
  constexpr int64_t kMostEscapes = 4096;  // bytes of escapes before signals are handled
  has_escapes = false;
  Codepoint escape{};
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
    has_escapes = true;
    // Escapes often follow one another.
    for (; p < end && *p == '\\' && p - begin < kMostEscapes; p += escape.length) {
      escape = read_escape(p, end);
      fault = p;
      if (escape.length == 0) return nullptr;
    }
  }
}

int64_t json_string_size(StringView characters) {
  int64_t size = characters.size();
  read_characters(characters, [](StringView) {}, [&](Codepoint c) { size -= c.length - utf8_size(c.value); });
  return size;
}

uint8_t* write_json_string(StringView characters, uint8_t* out, const uint8_t* out_end) {
  BoundedWriter writer(out, out_end);
  const auto put = [&](Codepoint c) {
    uint8_t bytes[kMaxCodepointBytes];
    const uint8_t* const end = write_codepoint(c.value, bytes);
    for (const uint8_t* p = bytes; p < end; ++p) writer.append(*p);
  };
  read_characters(characters, [&](StringView run) { writer.append(run, characters.end); }, put);
  return writer.at();
}

}  // namespace stringops::kernels
