#include "kernels/inspect.h"

#include <algorithm>
#include <array>

#include "core/bits.h"
#include "core/utf8.h"
#include "kernels/driver/block_splitter.h"
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

void CodepointLength::run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const {
  const simd::Primitives& simd = simd::primitives();
  BlockReader reader(in, {first, 0}, {last, 0});
  Block block;
  std::array<uint64_t, kBlockWords + 1> ends;
  std::array<int32_t, kBlockWords + 1> prefix;
  std::array<int32_t, kBlockStrings> counts;  // code points of strings 0..k of the block
  while (reader.next(block)) {
    int64_t* const lengths = out + block.first_string;
    // A string of several blocks is counted with its first block.
    if (block.num_strings == 0) {
      if (!block.continues)
        lengths[0] = (*this)(in.view(in.range(block.first_string / in.cols, block.first_string % in.cols)));
      continue;
    }
    const int64_t k = block.continues;
    const int32_t* const string_ends = block.string_ends.data();
    if (!are_utf8(simd, block, k)) {
      for (int64_t i = k; i < block.num_strings; ++i) {
        const int32_t begin = i == 0 ? 0 : string_ends[i - 1];
        lengths[i] = (*this)({block.data + begin, block.data + string_ends[i]});
      }
      continue;
    }
    simd.find_codepoint_ends(block.data, block.num_bytes, ends.data());
    simd.count_before(ends.data(), words_for(block.num_bytes), string_ends, block.num_strings, prefix.data(),
                      counts.data());
    if (k == 0) lengths[0] = counts[0];
    for (int64_t i = 1; i < block.num_strings; ++i) lengths[i] = counts[i] - counts[i - 1];
  }
}

}  // namespace stringops::kernels
