#include "kernels/encoding.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/bits.h"
#include "core/copy_bytes.h"
#include "core/rows.h"
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

// The strings of a task, read in blocks of which most are valid: calls valid(block, first) for a block whose strings
// are, from string `first` on, and else other(index, string) for each of them. So it does for a string of several
// blocks, at its first one.
template <class Valid, class Other>
bool for_each_block(const StringSpan& in, int64_t first, int64_t last, Valid&& valid, Other&& other) {
  const simd::Primitives& simd = simd::primitives();
  BlockReader reader(in, {first, 0}, {last, 0});
  Block block;
  while (reader.next(block)) {
    if (block.num_strings == 0) {
      const int64_t i = block.first_string;
      if (!block.starts_inside && !other(i, in.view(in.range(i / in.cols, i % in.cols)))) return false;
      continue;
    }
    const int64_t k = block.starts_inside;
    if (are_utf8(simd, block, k)) {
      if (!valid(block, k)) return false;
      continue;
    }
    for (int64_t i = k; i < block.num_strings; ++i) {
      const int32_t begin = i == 0 ? 0 : block.string_ends[i - 1];
      if (!other(block.first_string + i, StringView{block.data + begin, block.data + block.string_ends[i]}))
        return false;
    }
  }
  return true;
}

int64_t first_byte(const Block& block, int64_t first) {
  return first > 0 ? block.string_ends[first - 1] : 0;
}

// Decodes the code point of `length` bytes, which are read once.
int32_t decode(const uint8_t* p, int64_t length) {
  const int32_t a = p[0], b = p[1] & 0x3F;
  if (length == 2) return (a & 0x1F) << 6 | b;
  const int32_t c = p[2] & 0x3F;
  if (length == 3) return (a & 0x0F) << 12 | b << 6 | c;
  return (a & 0x07) << 18 | b << 12 | c << 6 | (p[3] & 0x3F);
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
      *out++ = length > 0 ? decode(p, length) : kReplacementCodepoint;
    }
    p += std::max<int64_t>(length, 1);
  }
  *to = out;
  return true;
}

}  // namespace

void IsUtf8::run(const StringSpan& in, int64_t first, int64_t last, bool* out) const {
  const auto is_utf8 = simd::primitives().is_utf8;
  for_each_block(
      in, first, last,
      [&](const Block& block, int64_t k) {
        std::fill(out + block.first_string + k, out + block.first_string + block.num_strings, true);
        return true;
      },
      [&](int64_t i, StringView string) {
        out[i] = is_utf8(string.begin, string.size());
        return true;
      });
}

int64_t Repair::measure(const StringSpan& in, int64_t first, int64_t last) const {
  int64_t bytes = 0;
  for_each_block(
      in, first, last,
      [&](const Block& block, int64_t k) {
        bytes += block.num_bytes - first_byte(block, k);
        return true;
      },
      [&](int64_t, StringView string) {
        for_each_run(
            string, [&](const uint8_t* begin, const uint8_t* end) { bytes += end - begin; },
            [&] { bytes += replaces ? static_cast<int64_t>(sizeof kReplacement) : 0; });
        return true;
      });
  return bytes;
}

bool Repair::write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at,
                   int64_t limit) const {
  OffsetsWriter offsets(out.offsets, in.cols, first);
  const auto append = [&](const uint8_t* bytes, int64_t size) {
    size = std::min(size, limit - at);
    copy_bytes(out.data + at, bytes, size);
    at += size;
  };
  const bool written = for_each_block(
      in, first, last,
      [&](const Block& block, int64_t k) {
        int32_t begin = static_cast<int32_t>(first_byte(block, k));
        if (block.num_bytes - begin > limit - at) return false;
        const int64_t origin = at - begin;
        append(block.data + begin, block.num_bytes - begin);
        for (; k < block.num_strings; ++k) {
          offsets.push(origin + begin, origin + block.string_ends[k]);
          begin = block.string_ends[k];
        }
        return true;
      },
      [&](int64_t, StringView string) {
        const int64_t begin = at;
        for_each_run(
            string, [&](const uint8_t* run, const uint8_t* end) { append(run, end - run); },
            [&] {
              if (replaces) append(kReplacement, sizeof kReplacement);
            });
        offsets.push(begin, at);
        return true;
      });
  return written && at == limit;
}

bool Codepoints::write(const StringSpan& in, int64_t first, int64_t last, int32_t* out, int32_t* out_end) const {
  const bool written = for_each_block(
      in, first, last,
      [&](const Block& block, int64_t k) {
        return write_codepoints(block.data + first_byte(block, k), block.data + block.num_bytes, &out, out_end);
      },
      [&](int64_t, StringView string) { return write_codepoints(string.begin, string.end, &out, out_end); });
  return written && out == out_end;
}

bool ByteValues::write(const StringSpan& in, int64_t first, int64_t last, uint8_t* out, uint8_t* out_end) const {
  RangeCopier copier(in.data, in.num_bytes, out, 0, out_end - out);
  for_each_string(in, first, last, [&](int64_t, ByteRange string) { copier.take(string.begin, string.end); });
  return copier.finish();
}

}  // namespace stringops::kernels
