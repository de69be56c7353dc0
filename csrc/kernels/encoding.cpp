#include "kernels/encoding.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/bits.h"
#include "core/codepoint.h"
#include "core/copy_bytes.h"
#include "core/strings.h"
#include "core/utf8.h"
#include "simd/primitives.h"
#include "split/block_splitter.h"
#include "split/utf8_blocks.h"

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
  const uint8_t* p = in.begin;
  while (const auto bad = find_invalid_utf8(p, in.end)) {
    valid(p, p + *bad);
    p += *bad;
    invalid();
    p += invalid_length(p, in.end);
  }
  valid(p, in.end);
}

// Reads strings in blocks, of which most are valid: calls valid(block), or other(index, string) for each other string.
template <class Valid, class Other>
void read_utf8_blocks(const StringSpan& in, int64_t first, int64_t last, Valid&& valid, Other&& other) {
  const simd::Primitives& simd = simd::primitives();
  const auto take = [&](const Block& block) {
    const bool is_valid = are_utf8(simd, block);
    if (is_valid) valid(block);
    return is_valid;
  };
  read_blocks(in, first, last, take, other);
}

// Writes the code points of [p, end), nothing at or past out_end, and moves `to` to their end. Returns whether they
// fit.
bool write_codepoints(const uint8_t* p, const uint8_t* end, int32_t** to, const int32_t* out_end) {
  int32_t* out = *to;
  while (p < end) {
    if (end - p >= 8 && out_end - out >= 8 && is_ascii(p, 8)) {
      for (int64_t i = 0; i < 8; ++i) out[i] = p[i];
      out += 8;
      p += 8;
      continue;
    }
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

void IsUtf8::run(const StringSpan& in, int64_t first, int64_t last, bool* out) const {
  const auto is_utf8 = simd::primitives().is_utf8;
  read_utf8_blocks(
      in, first, last, [&](const Block& block) { std::fill_n(out + block.first_string, block.num_strings, true); },
      [&](int64_t i, StringView string) { out[i] = is_utf8(string.begin, string.size()); });
}

int64_t Repair::measure(const StringSpan& in, int64_t first, int64_t last) const {
  int64_t bytes = 0;
  read_utf8_blocks(
      in, first, last, [&](const Block& block) { bytes += block.num_bytes; },
      [&](int64_t, StringView string) {
        for_each_run(
            string, [&](const uint8_t* begin, const uint8_t* end) { bytes += end - begin; },
            [&] { bytes += replaces ? static_cast<int64_t>(sizeof kReplacement) : 0; });
      });
  return bytes;
}

bool Repair::write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at,
                   int64_t limit) const {
  OffsetsWriter offsets(out.offsets, first);
  const auto append = [&](const uint8_t* bytes, int64_t size) {
    size = std::min(size, limit - at);
    copy_bytes(out.data + at, bytes, size);
    at += size;
  };
  bool fits = true;
  read_utf8_blocks(
      in, first, last,
      [&](const Block& block) {
        const int64_t origin = at;
        fits &= block.num_bytes <= limit - at;
        append(block.data, block.num_bytes);
        if (fits) offsets.append(block.string_ends.data(), block.num_strings, origin);
      },
      [&](int64_t, StringView string) {
        for_each_run(
            string, [&](const uint8_t* run, const uint8_t* end) { append(run, end - run); },
            [&] {
              if (replaces) append(kReplacement, sizeof kReplacement);
            });
        if (fits) offsets.push(at);
      });
  return fits && at == limit;
}

bool Codepoints::write(const StringSpan& in, int64_t first, int64_t last, int32_t* out, int32_t* out_end) const {
  bool fits = true;
  const auto take = [&](const uint8_t* begin, const uint8_t* end) {
    fits = fits && write_codepoints(begin, end, &out, out_end);
  };
  read_utf8_blocks(
      in, first, last, [&](const Block& block) { take(block.data, block.data + block.num_bytes); },
      [&](int64_t, StringView string) { take(string.begin, string.end); });
  return fits && out == out_end;
}

bool ByteValues::write(const StringSpan& in, int64_t first, int64_t last, uint8_t* out, uint8_t* out_end) const {
  RangeCopier copier(in.data, in.num_bytes, out, 0, out_end - out);
  for_each_string(in, first, last, [&](int64_t, ByteRange string) { copier.take(string.begin, string.end); });
  return copier.finish();
}

}  // namespace stringops::kernels
