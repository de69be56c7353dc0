#include "kernels/inspect.h"

#include <algorithm>

#include "core/utf8.h"
#include "kernels/driver/utf8_blocks.h"
#include "simd/primitives.h"

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

int64_t CodepointLength::operator()(StringView in) const {
  if (in.size() < kWorthChecking || !simd::primitives().is_utf8(in.begin, in.size())) {
    return count_one_by_one(in.begin, in.end);
  }
  return count_codepoints(in.begin, in.end);
}

bool BlockLengths::count(const Block& block, int64_t first) {
  if (is_ascii(block.data, block.num_bytes)) {
    counts_ = block.string_ends.data();
    return true;
  }
  const simd::Primitives& simd = simd::primitives();
  if (!are_utf8(simd, block, first)) return false;
  simd.find_codepoint_ends(block.data, block.num_bytes, ends_.data());
  simd.count_before(ends_.data(), words_for(block.num_bytes), block.string_ends.data(), block.num_strings,
                    prefix_.data(), counted_.data());
  counts_ = counted_.data();
  return true;
}

void CodepointLength::run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const {
  BlockLengths lengths;
  read_blocks(
      in, first, last,
      [&](const Block& block, int64_t k) {
        if (!lengths.count(block, k)) return false;
        int64_t* const found = out + block.first_string;
        if (k == 0) found[0] = lengths[0];
        for (k = 1; k < block.num_strings; ++k) found[k] = lengths[k];
        return true;
      },
      [&](int64_t i, StringView string) { out[i] = (*this)(string); });
}

}  // namespace stringops::kernels
