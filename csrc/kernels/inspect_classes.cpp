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

// The part of the strings, as a divisor, from which on reading all bytes of a block is faster than each string by
// itself.
constexpr int64_t kWorthScanning = 8;

constexpr bool fits(uint8_t flags, Demand demand) {
  return (demand.all == 0 || (flags & demand.all)) && !(flags & demand.none);
}

// By the first two bytes of characters beyond ASCII: bit c & 63 of entry b is of those that begin with the bytes b and
// c. Those of four bytes may all be in a class.
struct FirstBytes {
  std::array<uint64_t, 256> some_fit{};  // some of these characters are in the class
  std::array<uint64_t, 256> all_fit{};   // all are
};

template <TextClass kClass>
const FirstBytes& first_bytes() {
  static const FirstBytes sets = [] {
    FirstBytes made;
    constexpr Demand demand = demand_of(kClass);
    if (kClass == TextClass::kAscii) return made;
    for (uint32_t c = 0x80; c < 0x10000; c += kWordBits) {
      if (is_surrogate(c)) continue;
      uint8_t bytes[kMaxCodepointBytes];
      const bool is_of_two = write_codepoint(c, bytes) - bytes == 2;
      uint64_t in_class = 0;
      for (uint32_t i = 0; i < kWordBits; ++i) in_class |= uint64_t{fits(kFlags[c + i], demand)} << i;
      const uint64_t second = uint64_t{1} << (bytes[1] & 0x3F);
      made.some_fit[bytes[0]] |= is_of_two ? in_class : in_class != 0 ? second : 0;
      made.all_fit[bytes[0]] |= is_of_two ? in_class : ~in_class == 0 ? second : 0;
    }
    for (size_t lead = 0xF0; lead <= 0xF4; ++lead) made.some_fit[lead] = ~uint64_t{0};
    return made;
  }();
  return sets;
}

// Characters of ASCII that a string of the class may have, and those of which it has at least one.
struct AsciiDemand {
  CharSet all, some;
  CharSet others;  // those not in `all`
};

template <TextClass kClass>
const AsciiDemand& ascii_demand() {
  static const AsciiDemand sets = [] {
    AsciiDemand made;
    constexpr Demand demand = demand_of(kClass);
    for (uint8_t c = 0; c < 0x80; ++c) {
      const uint8_t flags = kFlags[c];
      (fits(flags, demand) ? made.all : made.others).add(c);
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
  // If each character must be of the class, most are decided by their first two bytes.
  constexpr bool kDecidesEach = demand.all != 0;
  [[maybe_unused]] const FirstBytes& first = first_bytes<kClass>();
  uint8_t seen = kDecidesEach && in.size() > 0 ? demand.some : 0;
  for (const uint8_t* p = in.begin; p < in.end;) {
    if constexpr (kDecidesEach) {
      const int64_t left = in.end - p;
      if (*p >= 0x80 && left >= 3) {
        const bool fits_all = first.all_fit[*p] >> (p[1] & 0x3F) & 1;
        if (*p < 0xE0) {
          if (!fits_all || !is_continuation(p[1])) return false;
          p += 2;
          continue;
        }
        if (fits_all && is_continuation(p[1]) && is_continuation(p[2])) {
          p += 3;
          continue;
        }
      }
    }
    const Codepoint c = read_codepoint(p, in.end);
    const uint8_t flags = kFlags[c.value];
    if (c.value == kInvalidByte || !fits(flags, demand)) return false;
    seen |= flags;
    p += c.length;
  }
  return seen & demand.some;
}

// Whether a string of the class can begin with a byte.
template <TextClass kClass>
const std::array<bool, 256>& can_begin() {
  static const std::array<bool, 256> all = [] {
    std::array<bool, 256> made{};
    for (size_t c = 0; c < made.size(); ++c) {
      const auto byte = static_cast<uint8_t>(c);
      made[c] = byte < 0x80 ? kClass == TextClass::kAscii || ascii_demand<kClass>().all.contains(byte)
                            : first_bytes<kClass>().some_fit[byte] != 0;
    }
    return made;
  }();
  return all;
}

// Strings of ASCII are of the class if they have only bytes of one set, and one of another. A block is read for these
// sets only if many of its strings start as those of the class do: most strings of other classes end the test there.
template <TextClass kClass>
void IsOfClass<kClass>::run(const StringSpan& in, int64_t first, int64_t last, bool* out) const {
  // Otherwise any byte of the string will do.
  constexpr bool kHasSome = kClass != TextClass::kAscii && demand_of(kClass).all == 0;
  constexpr bool kIsRare = kClass == TextClass::kDigit || kClass == TextClass::kSpace;
  const simd::Primitives& simd = simd::primitives();
  const AsciiDemand& ascii = ascii_demand<kClass>();
  const std::array<bool, 256>& can_be_first = can_begin<kClass>();
  [[maybe_unused]] const std::array<uint64_t, 256>& some_fit = first_bytes<kClass>().some_fit;
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
    const auto string = [&](int64_t i) {
      return StringView{block.data + (i == 0 ? 0 : block.string_ends[i - 1]), block.data + block.string_ends[i]};
    };
    int64_t num_left = 0, num_beyond_ascii = 0;
    for (int64_t i = k; i < block.num_strings; ++i) {
      const StringView text = string(i);
      const uint8_t byte = text.size() > 0 ? *text.begin : 0;
      results[i] = text.size() > 0 ? can_be_first[byte] : kClass == TextClass::kAscii;
      num_left += results[i];
      num_beyond_ascii += byte >= 0x80;
    }
    const int64_t few = block.num_strings / kWorthScanning;
    const bool is_worth_scanning = num_left > few && (kClass == TextClass::kAscii || num_beyond_ascii <= few);
    const bool is_all_ascii = is_worth_scanning && is_ascii(block.data, block.num_bytes);
    if (kClass == TextClass::kAscii && is_all_ascii) continue;
    if (!is_worth_scanning || (kClass != TextClass::kAscii && !is_all_ascii)) {
      const auto can_fit = [&](StringView text) {
        const bool is_decided = kClass != TextClass::kAscii && *text.begin >= 0x80 && text.size() > 1;
        return !is_decided || (some_fit[*text.begin] >> (text.begin[1] & 0x3F) & 1);
      };
      // Of these classes, few characters that begin with the same byte are.
      if (kIsRare && num_left > few) {
        num_left = 0;
        for (int64_t i = k; i < block.num_strings; ++i) {
          results[i] = results[i] && can_fit(string(i));
          num_left += results[i];
        }
      }
      // One character of ASCII decides most strings of several words.
      if (kClass != TextClass::kAscii && num_left > few) {
        count(ascii.others, all.data());
        int32_t before = k > 0 ? all[0] : 0;
        for (int64_t i = k; i < block.num_strings; ++i) {
          const int32_t up_to = all[static_cast<size_t>(i)];
          results[i] &= up_to == before;
          before = up_to;
        }
      }
      for (int64_t i = k; i < block.num_strings; ++i) {
        if (results[i]) results[i] = can_fit(string(i)) && (*this)(string(i));
      }
      continue;
    }
    count(ascii.all, all.data());
    if constexpr (kHasSome) count(ascii.some, some.data());
    for (int64_t i = k; i < block.num_strings; ++i) {
      const auto since = [&](const auto& counts) { return counts[i] - (i == 0 ? 0 : counts[i - 1]); };
      const int64_t size = string(i).size();
      results[i] = (size > 0 || kClass == TextClass::kAscii) && since(all) == size;
      if constexpr (kHasSome) results[i] = results[i] && since(some) > 0;
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
