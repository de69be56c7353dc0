#include "kernels/json_text.h"

#include <algorithm>
#include <cstring>

#include "core/bits.h"
#include "core/codepoint.h"
#include "core/copy_bytes.h"
#include "core/json_escape.h"
#include "core/utf8.h"

namespace stringops::kernels {
namespace {

constexpr uint32_t kSurrogateReplacement = 0xFFFD;
constexpr int64_t kShortRun = 64;      // characters between escapes
constexpr int64_t kMostAtOnce = 4096;  // bytes of escapes, or beyond ASCII, before signals are handled

const CharSet kStringStops = [] {
  CharSet stops;
  stops.add(0, ' ' - 1);
  stops.add('"');
  stops.add('\\');
  stops.beyond_ascii = true;
  return stops;
}();

// Same as read_json_escape, but half of a surrogate pair is U+FFFD.
Codepoint read_escape(const uint8_t* p, const uint8_t* end) {
  const Codepoint escape = read_json_escape(p, end);
  return is_surrogate(escape.value) ? Codepoint{kSurrogateReplacement, escape.length} : escape;
}

}  // namespace

void JsonStops::find(const uint8_t* p) {
  const int64_t size = std::min<int64_t>(end_ - p, 64 * kWords);
  pace_.spend(size / 4);
  found_ = p;
  found_size_ = static_cast<uint64_t>(size);
  if (kind_ == kStrings) {
    simd::primitives().find_set(p, size, kStringStops, words_);
  } else {
    simd::primitives().find_byte(p, size, '\\', words_);
  }
  words_[words_for(size)] = 0;
}

const uint8_t* end_of_json_string(const uint8_t* p, const uint8_t* end, JsonStops& stops, bool& has_escapes,
                                  const uint8_t*& fault) {
  has_escapes = false;
  for (;;) {
    p = stops.next(p, end);
    fault = p;
    if (p == end) return nullptr;
    const uint8_t* const first = p;
    if (*p == '\\') {
      has_escapes = true;
      do {  // escapes often follow one another
        const int64_t length = read_json_escape(p, end).length;
        fault = p;
        if (length == 0) return nullptr;
        p += length;
      } while (p < end && *p == '\\' && p - first < kMostAtOnce);
    } else if (*p >= 0x80) {
      do {
        const int64_t length = long_codepoint(p, end);
        fault = p;
        if (length == 0) return nullptr;
        p += length;
      } while (p < end && *p >= 0x80 && p - first < kMostAtOnce);
    } else {
      return *p == '"' ? p + 1 : nullptr;  // a control character, or a byte that has changed
    }
  }
}

uint8_t* write_json_string(StringView characters, const uint8_t* readable_end, JsonStops& backslashes, uint8_t* out,
                           const uint8_t* limit) {
  const uint8_t *p = characters.begin, *const end = characters.end;
  for (;;) {
    const uint8_t* const run_end = backslashes.next(p, end);
    const int64_t size = run_end - p;
    if (size <= kShortRun && std::min(limit - out, readable_end - p) >= kShortRun) {
      std::memcpy(out, p, kShortRun);  // without a branch on the size
    } else {
      copy_bytes(out, p, size);
    }
    out += size;
    p = run_end;
    if (p == end) return out;
    const uint8_t* const first = p;
    do {  // escapes often follow one another
      const Codepoint escape = read_escape(p, end);
      out = write_codepoint(escape.length == 0 ? '\\' : escape.value, out);
      p += std::max<int64_t>(1, escape.length);
    } while (p < end && *p == '\\' && p - first < kMostAtOnce);
  }
}

std::string json_string(StringView characters) {
  JsonStops backslashes(JsonStops::kBackslashes, characters.end);
  std::string text(static_cast<size_t>(characters.size()), '\0');
  auto* const out = reinterpret_cast<uint8_t*>(text.data());
  text.resize(static_cast<size_t>(
      write_json_string(characters, characters.end, backslashes, out, out + characters.size()) - out));
  return text;
}

}  // namespace stringops::kernels
