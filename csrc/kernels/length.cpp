#include "kernels/length.h"

#include <algorithm>

#include "core/codepoint.h"
#include "core/poll.h"
#include "core/unicode_width.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {
namespace {

bool write_row_lengths(const StringSpan& in, int64_t* out) {
  constexpr int64_t kStep = 4096;  // the offsets are in cache when they are read again
  const simd::Primitives& simd = simd::primitives();
  const int32_t* const offsets = in.offsets;
  if (offsets[0] < 0 || offsets[in.size()] > in.num_bytes) return false;
  for (int64_t i = 0; i < in.size(); i += kStep) {
    const int64_t count = std::min(kStep, in.size() - i);
    if (!simd.ascend(offsets + i, count + 1)) return false;
    const int64_t first = int64_t{offsets[i + 1]} - offsets[i];
    simd.widen_differences(offsets + i + 1, count, out + i);
    out[i] = first;
  }
  return true;
}

}  // namespace

bool write_byte_lengths(const StringRows& in, int64_t* out) {
  constexpr int64_t kFew = 32;  // strings of a row, for which vectors take longer
  bool is_valid = true;
  uint32_t signs = 0;  // the first bit is set if a number has it
  for (int64_t r = 0; r < in.rows; ++r, out += in.cols) {
    if (in.cols >= kFew) {
      is_valid &= write_row_lengths(in.row(r), out);
      continue;
    }
    const int32_t* const offsets = in.row_offsets(r);
    auto begin = static_cast<uint32_t>(offsets[0]);
    signs |= begin;
    for (int64_t c = 0; c < in.cols; ++c) {
      const auto end = static_cast<uint32_t>(offsets[c + 1]);
      signs |= end | (end - begin);
      out[c] = end - begin;
      begin = end;
    }
    signs |= static_cast<uint32_t>(in.num_bytes) - begin;
  }
  return is_valid && signs >> 31 == 0;
}

void CodepointLength::run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const {
  BlockLengths lengths;
  read_blocks(
      in, first, last,
      [&](const Block& block) {
        if (!lengths.count(block)) return false;
        int64_t* const found = out + block.first_string;
        found[0] = lengths[0];
        for (int64_t k = 1; k < block.num_strings; ++k) found[k] = lengths[k];
        return true;
      },
      [&](int64_t i, StringView string) { out[i] = (*this)(string); });
}

int64_t Width::operator()(StringView in) const {
  constexpr uint32_t kNone = 0;  // takes no column, so it is never `last`
  int64_t width = 0;
  uint32_t last = kNone;  // the last code point that takes a column, unless a selector came after it
  const uint8_t* p = in.begin;
  while (p < in.end) {
    for (const uint8_t* const stop = poll_stop(p, in.end); p < stop;) {
      const Codepoint c = read_codepoint(p, in.end);
      p += c.length;
      if (c.value == kZeroWidthJoiner) {  // what it joins to the character before takes no columns of its own
        if (p < in.end) p += read_codepoint(p, in.end).length;
      } else if (c.value == kVariationSelector) {
        width += kWidths[last] == kNarrowOrWide ? 1 : 0;
        last = kNone;
      } else {
        const uint8_t kind = kWidths[c.value];
        if (kind == kControl) return -1;
        if (kind == kZeroWidth) continue;
        width += kind == kWide ? 2 : 1;
        last = c.value;
      }
    }
  }
  return width;
}

}  // namespace stringops::kernels
