#include "split/codepoint_lengths.h"

#include <algorithm>

#include "core/utf8.h"
#include "simd/primitives.h"
#include "split/utf8_blocks.h"

namespace stringops::kernels {
namespace {

// From this size on, checking all bytes before they are counted is faster than reading one code point after the other.
constexpr int64_t kWorthChecking = 32;

int64_t count_one_by_one(const uint8_t* p, const uint8_t* end) {
  int64_t count = 0;
  for (; p < end; ++count) p += *p < 0x80 ? 1 : std::max<int64_t>(long_codepoint(p, end), 1);
  return count;
}

}  // namespace

int64_t length_in_codepoints(StringView in) {
  const int64_t count = in.size() < kWorthChecking ? -1 : simd::primitives().count_utf8(in.begin, in.size());
  return count >= 0 ? count : count_one_by_one(in.begin, in.end);
}

bool BlockLengths::count(const Block& block) {
  if (is_ascii(block.data, block.num_bytes)) {
    counts_ = block.string_ends.data();
    return true;
  }
  const simd::Primitives& simd = simd::primitives();
  if (!are_utf8(simd, block)) return false;
  simd.find_codepoint_ends(block.data, block.num_bytes, ends_.data());
  simd.count_before(ends_.data(), words_for(block.num_bytes), block.string_ends.data(), block.num_strings,
                    prefix_.data(), counted_.data());
  counts_ = counted_.data();
  return true;
}

}  // namespace stringops::kernels
