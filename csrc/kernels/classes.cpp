#include "kernels/classes.h"

#include <algorithm>
#include <array>

#include "core/bits.h"
#include "core/char_class.h"
#include "core/codepoint.h"
#include "core/lazy.h"
#include "core/unicode_case.h"
#include "simd/primitives.h"
#include "split/block_splitter.h"
#include "split/utf8_blocks.h"

namespace stringops::kernels {
namespace {

// The demands of a class on the flags of characters: each has one of `all`, none has one of `none`, and one has `some`.
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

// If more than one of so many strings is left, reading all bytes of a block is faster than testing each string by
// itself.
constexpr int64_t kWorthScanning = 8;

constexpr bool fits(uint8_t flags, Demand demand) {
  return (demand.all == 0 || (flags & demand.all)) && !(flags & demand.none);
}

// Tables by the first two bytes of characters beyond ASCII: bit c & 63 of entry b stands for those that begin with the
// bytes b and c. All characters of four bytes may be in a class.
struct FirstBytes {
  std::array<uint64_t, 256> some_fit{};  // some of these characters are in the class
  std::array<uint64_t, 256> all_fit{};   // all are
};

template <TextClass kClass>
const FirstBytes& first_bytes() {
  return lazy([] {
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
  });
}

// Lead bytes of valid UTF-8 by the characters that they begin: all are outside of the class, or only some.
struct Leads {
  simd::LeadSet none_fits;
  simd::LeadSet some_fit;
};

template <TextClass kClass>
const Leads& leads() {
  return lazy([] {
    Leads made;
    const FirstBytes& first = first_bytes<kClass>();
    for (size_t lead = 0xC2; lead <= 0xF4; ++lead) {
      // E0 is followed by A0 to BF, ED by 80 to 9F.
      const uint64_t seconds = lead == 0xE0 ? ~low_bits(32) : lead == 0xED ? low_bits(32) : ~uint64_t{0};
      const bool all_fit = lead < 0xF0 && (first.all_fit[lead] & seconds) == seconds;
      if (!all_fit) (first.some_fit[lead] == 0 ? made.none_fits : made.some_fit).add(static_cast<uint8_t>(lead));
    }
    return made;
  });
}

// Characters of ASCII that a string of the class may have, and those of which it has at least one.
struct AsciiDemand {
  CharSet all, some;
  CharSet others;    // those not in `all`
  CharSet could_be;  // those in `some`, and all beyond ASCII: strings without any are not of the class
};

template <TextClass kClass>
const AsciiDemand& ascii_demand() {
  return lazy([] {
    AsciiDemand made;
    constexpr Demand demand = demand_of(kClass);
    for (uint8_t c = 0; c < 0x80; ++c) {
      const uint8_t flags = kFlags[c];
      (fits(flags, demand) ? made.all : made.others).add(c);
      if (flags & demand.some) made.some.add(c);
    }
    made.others.beyond_ascii = kClass == TextClass::kAscii;
    made.could_be = made.some;
    made.could_be.beyond_ascii = true;
    return made;
  });
}

}  // namespace

template <TextClass kClass>
bool IsOfClass<kClass>::operator()(StringView in) const {
  if constexpr (kClass == TextClass::kAscii) {
    // The first bytes decide most strings of other scripts.
    const uint8_t* const head = in.begin + std::min<int64_t>(in.size(), 16);
    return is_ascii(in.begin, head - in.begin) && is_ascii(head, in.end - head);
  }
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
  return lazy([] {
    std::array<bool, 256> made{};
    for (size_t c = 0; c < made.size(); ++c) {
      const auto byte = static_cast<uint8_t>(c);
      made[c] = byte < 0x80 ? kClass == TextClass::kAscii || ascii_demand<kClass>().all.contains(byte)
                            : first_bytes<kClass>().some_fit[byte] != 0;
    }
    return made;
  });
}

// The strings of blocks.
template <TextClass kClass>
class BlockTester {
 public:
  // Sets results[i] for the strings i of the block, except one that continues.
  void test(const Block& block, bool* results) {
    const bool continued = block.starts_inside && results[0];
    // Reading all bytes of short strings takes less time than a look at each string.
    if (block.num_bytes > kShort * block.num_strings || !test_short(block, results)) test_each(block, results);
    if (block.starts_inside) results[0] = continued;
  }

 private:
  static constexpr bool kIsAscii = kClass == TextClass::kAscii;
  // Otherwise any byte of the string will do.
  static constexpr bool kHasSome = !kIsAscii && demand_of(kClass).all == 0;
  static constexpr bool kIsRare = kClass == TextClass::kDigit || kClass == TextClass::kSpace;
  // Classes of which blocks with other characters than those of ASCII are not tested by masks.
  static constexpr bool kOnlyAscii = kHasSome || kIsRare;
  static constexpr int64_t kShort = kOnlyAscii ? 32 : 64;  // bytes

  using Counts = std::array<int32_t, kBlockStrings>;  // bytes of strings 0..k of the block that are in a set

  void find(const Block& block, const CharSet& set) { simd_.find_set(block.data, block.num_bytes, set, words_.data()); }
  void count(const Block& block, Counts& counts) {
    simd_.count_before(words_.data(), words_for(block.num_bytes), block.string_ends.data(), block.num_strings,
                       prefix_.data(), counts.data());
  }
  bool has_bits(const Block& block) const {
    uint64_t seen = 0;
    for (int64_t w = 0; w < words_for(block.num_bytes); ++w) seen |= words_[static_cast<size_t>(w)];
    return seen != 0;
  }

  // Sets results[i] if no bit of string i is set and it is not empty. This serves one class only.
  void take_unmarked(const Block& block, bool* results) {
    const int32_t* const ends = block.string_ends.data();
    if (!has_bits(block)) {
      results[0] = kIsAscii || ends[0] > 0;
      for (int64_t i = 1; i < block.num_strings; ++i) results[i] = kIsAscii || ends[i] > ends[i - 1];
      return;
    }
    count(block, counts_);
    const int32_t* const marks = counts_.data();
    results[0] = marks[0] == 0 && (kIsAscii || ends[0] > 0);
    for (int64_t i = 1; i < block.num_strings; ++i) {
      results[i] = (marks[i] == marks[i - 1]) & (kIsAscii || ends[i] > ends[i - 1]);
    }
  }

  // Tests strings of ASCII. (For the class of all of ASCII, tests any strings.)
  void test_ascii(const Block& block, bool* results) {
    find(block, ascii_.others);
    take_unmarked(block, results);
    if constexpr (kHasSome) {
      find(block, ascii_.some);
      count(block, counts_);
      const int32_t* const marks = counts_.data();
      results[0] &= marks[0] > 0;
      for (int64_t i = 1; i < block.num_strings; ++i) results[i] &= marks[i] != marks[i - 1];
    }
  }

  // Tests strings by masks of the bytes that are not of the class. Returns false if strings have to be tested one by
  // one.
  bool test_short(const Block& block, bool* results) {
    if (kOnlyAscii) {
      if (!is_ascii(block.data, std::min<int64_t>(block.num_bytes, kWordBits))) return false;
      find(block, ascii_.could_be);
      if (!has_bits(block)) {
        std::fill_n(results, block.num_strings, false);
        return true;
      }
    }
    if (kIsAscii || is_ascii(block.data, block.num_bytes)) {
      test_ascii(block, results);
      return true;
    }
    if (kOnlyAscii) return false;
    find(block, ascii_.others);
    mark_leads(block, leads<kClass>().none_fits);
    take_unmarked(block, results);
    int64_t num_left = 0;
    for (int64_t i = 0; i < block.num_strings; ++i) num_left += results[i];
    if (num_left * kWorthScanning > block.num_strings && are_utf8(simd_, block, 0)) {
      mark_misfits(block);
      take_unmarked(block, results);
      return true;
    }
    for (int64_t i = block.starts_inside; i < block.num_strings; ++i) {
      if (results[i]) results[i] = test_(block.string(i));
    }
    return true;
  }

  void mark_leads(const Block& block, const simd::LeadSet& set) {
    simd_.find_leads(block.data, block.num_bytes, set, leads_.data());
    for (int64_t w = 0; w < words_for(block.num_bytes); ++w) words_[w] |= leads_[w];
  }

  // Marks the characters that are not of the class, if some that begin with the same byte are.
  void mark_misfits(const Block& block) {
    simd_.find_leads(block.data, block.num_bytes, leads<kClass>().some_fit, leads_.data());
    for (int64_t w = 0; w < words_for(block.num_bytes); ++w) {
      uint64_t marks = 0;
      for (uint64_t rest = leads_[static_cast<size_t>(w)]; rest; rest &= rest - 1) {
        const uint8_t* const p = block.data + w * kWordBits + first_bit(rest);
        const Codepoint c = read_codepoint(p, block.data + block.num_bytes);
        marks |= fits(kFlags[c.value], demand_of(kClass)) ? 0 : rest & (~rest + 1);
      }
      words_[static_cast<size_t>(w)] |= marks;
    }
  }

  // Strings of ASCII are of the class if they have only bytes of one set, and one of another. A block is read for these
  // sets only if many of its strings start as those of the class do: most strings of other classes end the test there.
  void test_each(const Block& block, bool* results);

  const IsOfClass<kClass> test_{};
  const simd::Primitives& simd_ = simd::primitives();
  const AsciiDemand& ascii_ = ascii_demand<kClass>();
  std::array<uint64_t, kBlockWords + 1> words_, leads_;
  std::array<int32_t, kBlockWords + 1> prefix_;
  Counts counts_;
};

template <TextClass kClass>
void BlockTester<kClass>::test_each(const Block& block, bool* results) {
  const std::array<bool, 256>& can_be_first = can_begin<kClass>();
  [[maybe_unused]] const std::array<uint64_t, 256>& some_fit = first_bytes<kClass>().some_fit;
  const int64_t k = block.starts_inside;
  const auto string = [&](int64_t i) { return block.string(i); };
  int64_t num_left = 0, num_beyond_ascii = 0;
  // These are local variables, because the compiler must assume that storing results changes members.
  const uint8_t* const data = block.data;
  const int32_t* const ends = block.string_ends.data();
  const int64_t num_strings = block.num_strings;
  for (int64_t i = k, begin = block.begin(k); i < num_strings; begin = ends[i++]) {
    const bool has_first = ends[i] > begin;
    const uint8_t byte = has_first ? data[begin] : 0;
    const bool can_be = has_first ? can_be_first[byte] : kIsAscii;
    results[i] = can_be;
    num_left += can_be;
    num_beyond_ascii += byte >= 0x80;
  }
  const int64_t few = block.num_strings / kWorthScanning;
  const bool is_worth_scanning = num_left > few && (kClass == TextClass::kAscii || num_beyond_ascii <= few);
  const bool is_all_ascii = is_worth_scanning && is_ascii(block.data, block.num_bytes);
  if (kClass == TextClass::kAscii && is_all_ascii) return;
  if (!is_worth_scanning || (kClass != TextClass::kAscii && !is_all_ascii)) {
    const auto can_fit = [&](StringView text) {
      const bool is_decided = kClass != TextClass::kAscii && *text.begin >= 0x80 && text.size() > 1;
      return !is_decided || (some_fit[*text.begin] >> (text.begin[1] & 0x3F) & 1);
    };
    // Few of the characters that begin with the same byte are of these classes.
    if (kIsRare && num_left > few) {
      num_left = 0;
      for (int64_t i = k; i < block.num_strings; ++i) {
        results[i] = results[i] && can_fit(string(i));
        num_left += results[i];
      }
    }
    // One character of ASCII decides most strings of several words.
    if (kClass != TextClass::kAscii && num_left > few) {
      find(block, ascii_.others);
      count(block, counts_);
      int32_t before = k > 0 ? counts_[0] : 0;
      for (int64_t i = k; i < block.num_strings; ++i) {
        const int32_t up_to = counts_[static_cast<size_t>(i)];
        results[i] &= up_to == before;
        before = up_to;
      }
    }
    for (int64_t i = k; i < block.num_strings; ++i) {
      if (results[i]) results[i] = can_fit(string(i)) && test_(string(i));
    }
    return;
  }
  test_ascii(block, results);
}

template <TextClass kClass>
void IsOfClass<kClass>::run(const StringSpan& in, int64_t first, int64_t last, bool* out) const {
  BlockTester<kClass> tester;
  const auto take = [&](const Block& block, int64_t) {
    tester.test(block, out + block.first_string);
    return true;
  };
  read_blocks(in, first, last, take, [&](int64_t i, StringView string) { out[i] = (*this)(string); });
}

template struct IsOfClass<TextClass::kAlpha>;
template struct IsOfClass<TextClass::kAlnum>;
template struct IsOfClass<TextClass::kDigit>;
template struct IsOfClass<TextClass::kSpace>;
template struct IsOfClass<TextClass::kUpper>;
template struct IsOfClass<TextClass::kLower>;
template struct IsOfClass<TextClass::kAscii>;

}  // namespace stringops::kernels
