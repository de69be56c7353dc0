#include "kernels/inspect_classes.h"

#include <array>

#include "core/bits.h"
#include "core/char_class.h"
#include "core/codepoint.h"
#include "core/unicode_case.h"
#include "kernels/driver/block_splitter.h"
#include "simd/primitives.h"

namespace stringops::kernels {
namespace {

// What a class demands of the flags of characters: each has one of `all`, none has one of `none`, and one has `some`.
struct Demand {
  uint8_t all;
  uint8_t none;
  uint8_t some;
};

constexpr Demand demand_of(TextClass c) {
  switch (c) {
    case TextClass::kAlpha:
      return {kAlpha, 0, kAlpha};
    case TextClass::kAlnum:
      return {kAlnum, 0, kAlnum};
    case TextClass::kDigit:
      return {kDigit, 0, kDigit};
    case TextClass::kSpace:
      return {kSpace, 0, kSpace};
    case TextClass::kUpper:
      return {0, kLower | kTitle, kUpper};
    case TextClass::kLower:
      return {0, kUpper | kTitle, kLower};
    case TextClass::kAscii:
      break;
  }
  return {0, 0, 0};
}

// Characters of ASCII that a string of the class may have, and those of which it has at least one.
struct AsciiDemand {
  CharSet all, some;
};

template <TextClass kClass>
const AsciiDemand& ascii_demand() {
  static const AsciiDemand sets = [] {
    AsciiDemand made;
    constexpr Demand demand = demand_of(kClass);
    for (uint8_t c = 0; c < 0x80; ++c) {
      const uint8_t flags = kFlags[c];
      if ((demand.all == 0 || (flags & demand.all)) && !(flags & demand.none)) made.all.add(c);
      if (flags & demand.some) made.some.add(c);
    }
    return made;
  }();
  return sets;
}

}  // namespace

template <TextClass kClass>
bool IsOfClass<kClass>::operator()(StringView in) const {
  if constexpr (kClass == TextClass::kAscii) return is_ascii(in.begin, in.size());
  constexpr Demand demand = demand_of(kClass);
  uint8_t seen = 0;
  for (const uint8_t* p = in.begin; p < in.end;) {
    const Codepoint c = read_codepoint(p, in.end);
    const uint8_t flags = kFlags[c.value];
    if (c.value == kInvalidByte || (demand.all != 0 && !(flags & demand.all)) || (flags & demand.none)) return false;
    seen |= flags;
    p += c.length;
  }
  return seen & demand.some;
}

// Strings of ASCII are of the class if they have only bytes of one set, and one of another.
template <TextClass kClass>
void IsOfClass<kClass>::run(const StringSpan& in, int64_t first, int64_t last, bool* out) const {
  constexpr bool kOneSet = demand_of(kClass).all != 0;  // then any byte of the string will do
  const simd::Primitives& simd = simd::primitives();
  const AsciiDemand& ascii = ascii_demand<kClass>();
  BlockReader reader(in, {first, 0}, {last, 0});
  Block block;
  std::array<uint64_t, kBlockWords + 1> words;
  std::array<int32_t, kBlockWords + 1> prefix;
  std::array<int32_t, kBlockStrings> all, some;  // bytes of strings 0..k of the block that are in the sets
  while (reader.next(block)) {
    bool* const results = out + block.first_string;
    const auto count = [&](const CharSet& set, int32_t* counts) {
      simd.find_set(block.data, block.num_bytes, set, words.data());
      simd.count_before(words.data(), words_for(block.num_bytes), block.string_ends.data(), block.num_strings,
                        prefix.data(), counts);
    };
    // A string of several blocks is read with its first block.
    if (block.num_strings == 0) {
      if (!block.continues) {
        results[0] = (*this)(in.view(in.range(block.first_string / in.cols, block.first_string % in.cols)));
      }
      continue;
    }
    const int64_t k = block.continues;
    count(ascii.all, all.data());
    if constexpr (kClass != TextClass::kAscii && !kOneSet) count(ascii.some, some.data());
    const bool is_all_ascii = kClass == TextClass::kAscii || is_ascii(block.data, block.num_bytes);
    for (int64_t i = k; i < block.num_strings; ++i) {
      const int32_t begin = i == 0 ? 0 : block.string_ends[i - 1], end = block.string_ends[i];
      const auto since = [&](const auto& counts) { return counts[i] - (i == 0 ? 0 : counts[i - 1]); };
      const bool has_all = since(all) == end - begin;
      bool has_some = true;
      if constexpr (kOneSet) has_some = end > begin;
      if constexpr (kClass != TextClass::kAscii && !kOneSet) has_some = since(some) > 0;
      results[i] = has_all && has_some;
      if (!is_all_ascii && !results[i] && !is_ascii(block.data + begin, end - begin)) {
        results[i] = (*this)({block.data + begin, block.data + end});
      }
    }
  }
}

template struct IsOfClass<TextClass::kAlpha>;
template struct IsOfClass<TextClass::kAlnum>;
template struct IsOfClass<TextClass::kDigit>;
template struct IsOfClass<TextClass::kSpace>;
template struct IsOfClass<TextClass::kUpper>;
template struct IsOfClass<TextClass::kLower>;
template struct IsOfClass<TextClass::kAscii>;

}  // namespace stringops::kernels
