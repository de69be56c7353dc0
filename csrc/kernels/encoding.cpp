#include "kernels/encoding.h"

#include <algorithm>
#include <iterator>

#include "core/codepoint.h"
#include "core/copy_bytes.h"
#include "core/strings.h"
#include "core/utf8.h"
#include "simd/primitives.h"

namespace stringops::kernels {
namespace {

constexpr uint8_t kReplacement[] = {0xEF, 0xBF, 0xBD};
constexpr int32_t kReplacementCodepoint = 0xFFFD;

// Returns the number of bytes at p that one U+FFFD replaces: the bytes that begin a valid code point, or else one. No
// code point begins at p.
int64_t invalid_length(const uint8_t* p, const uint8_t* end) {
  const uint8_t lead = p[0];
  if (lead < 0xC2 || lead > 0xF4 || end - p < 2) return 1;
  const uint8_t low = lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
  const uint8_t high = lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
  const uint8_t second = p[1];
  if (second < low || second > high) return 1;
  const int64_t whole = std::min<int64_t>(codepoint_length(lead), end - p);
  int64_t length = 2;
  while (length < whole && is_continuation(p[length])) ++length;
  return length;
}

// Calls valid(begin, end) for each run of valid UTF-8, and invalid() for the bytes after it that one U+FFFD replaces.
template <class Valid, class Invalid>
void for_each_run(StringView in, Valid&& valid, Invalid&& invalid) {
  if (simd::primitives().is_utf8(in.begin, in.size())) return valid(in.begin, in.end);
  const uint8_t* p = in.begin;
  while (const auto bad = find_invalid_utf8(p, in.end)) {
    valid(p, p + *bad);
    p += *bad;
    invalid();
    p += invalid_length(p, in.end);
  }
  valid(p, in.end);
}

// Writes the code points of [p, end), nothing at or past out_end, and moves `to` to their end. Returns whether they
// fit.
bool write_codepoints(const uint8_t* p, const uint8_t* end, int32_t** to, const int32_t* out_end) {
  int32_t* out = *to;
  while (p < end) {
    if (out == out_end) return false;
    int64_t length = 1;
    if (*p < 0x80) {
      *out++ = *p;
    } else {
      length = long_codepoint(p, end);
      *out++ = length > 0 ? static_cast<int32_t>(decode_codepoint(p, length)) : kReplacementCodepoint;
    }
    p += std::max<int64_t>(length, 1);
  }
  *to = out;
  return true;
}

}  // namespace

bool IsUtf8::operator()(StringView in) const {
  return simd::primitives().is_utf8(in.begin, in.size());
}

int64_t Repair::size(StringView in) const {
  int64_t bytes = 0;
  for_each_run(
      in, [&](const uint8_t* begin, const uint8_t* end) { bytes += end - begin; },
      [&] { bytes += replaces ? static_cast<int64_t>(sizeof kReplacement) : 0; });
  return bytes;
}

uint8_t* Repair::write(StringView in, uint8_t* out, uint8_t* out_end) const {
  const auto append = [&](const uint8_t* begin, const uint8_t* end) {
    const int64_t size = std::min(end - begin, out_end - out);
    copy_exact(out, begin, size);
    out += size;
  };
  for_each_run(in, append, [&] {
    if (replaces) append(std::begin(kReplacement), std::end(kReplacement));
  });
  return out;
}

bool Codepoints::write(const StringSpan& in, int64_t first, int64_t last, int32_t* out, int32_t* out_end) const {
  bool fits = true;
  for_each_string(in, first, last, [&](int64_t, ByteRange string) {
    fits = fits && write_codepoints(in.data + string.begin, in.data + string.end, &out, out_end);
  });
  return fits && out == out_end;
}

bool ByteValues::write(const StringSpan& in, int64_t first, int64_t last, uint8_t* out, uint8_t* out_end) const {
  const ByteRange bytes = in.clamped(in.offsets[first], in.offsets[last]);
  if (bytes.size() != out_end - out) return false;
  copy_bytes(out, in.data + bytes.begin, bytes.size());
  return true;
}

}  // namespace stringops::kernels
