#include "kernels/classes.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/bits.h"
#include "core/codepoint.h"
#include "core/copy_bytes.h"
#include "core/prefetch.h"
#include "core/unicode_case.h"
#include "kernels/classes_demand.h"
#include "simd/primitives.h"
#include "split/block_splitter.h"
#include "split/utf8_blocks.h"

namespace stringops::kernels {

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

namespace {

// The strings of blocks. The heads of strings, which are their first bytes, decide most strings that are not of the
// class; if they leave many strings of a block open, all of its bytes are read. (For short strings, that is faster.)
template <TextClass kClass>
class BlockTester {
 public:
  // Sets results[i] for the strings i of the block, except one that continues.
  void test(const Block& block, bool* results) {
    const bool continued = block.starts_inside && results[0];
    if (!is_short(block)) {
      num_skipped_ > 0 ? (--num_skipped_, test_all(block, results)) : test_heads(block, results);
    } else if (kOnlyAscii && !is_ascii(block.data, std::min<int64_t>(block.num_bytes, kWordBits))) {
      test_heads(block, results);
    } else if (kOnlyAscii && !could_be(block)) {
      std::fill_n(results, block.num_strings, false);
    } else {
      test_all(block, results);
    }
    if (block.starts_inside) results[0] = continued;
  }

 private:
  static constexpr bool kIsAscii = kClass == TextClass::kAscii;
  // Otherwise any byte of the string will do.
  static constexpr bool kHasSome = !kIsAscii && demand_of(kClass).all == 0;
  // Classes of which characters beyond ASCII are not tested by masks.
  static constexpr bool kOnlyAscii = kHasSome || kClass == TextClass::kDigit || kClass == TextClass::kSpace;

  static constexpr int64_t kHead = 8;  // bytes
  static_assert(kHead * kBlockStrings == kBlockBytes);
  // The heads are far apart, and the processor does not prefetch them.
  static constexpr int64_t kAhead = 3072;

  // Limits of the mean size of short strings, and of those whose characters beyond ASCII are worth testing by masks.
  static constexpr int64_t kShort = 16, kShortUtf8 = 64;
  // Testing an open string by itself takes the time of reading so many bytes of a block, if its head is ASCII or not.
  static constexpr int64_t kOpenBytes = 128, kOpenUtf8Bytes = 512;
  // After a block whose heads leave many strings open, the heads of so many blocks are not tested.
  static constexpr int64_t kSkipped = 15;
  // If more than one of so many strings is left, testing all characters of a block is faster than testing the strings
  // one by one.
  static constexpr int64_t kWorthScanning = 8;

  using Counts = std::array<int32_t, kBlockStrings>;  // bytes of strings 0..k of the block that are in a set
  static constexpr uint64_t kOnes = 0x0101010101010101, kSigns = kOnes << 7;

  static bool is_short(const Block& block) { return block.num_bytes <= kShort * block.num_strings; }
  void find(const uint8_t* data, int64_t n, const CharSet& set) { simd_.find_set(data, n, set, words_.data()); }
  void count(const Block& block, Counts& counts) {
    simd_.count_before(words_.data(), words_for(block.num_bytes), block.string_ends.data(), block.num_strings,
                       prefix_.data(), counts.data());
  }
  bool has_bits(const Block& block) const {
    uint64_t seen = 0;
    for (int64_t w = 0; w < words_for(block.num_bytes); ++w) seen |= words_[static_cast<size_t>(w)];
    return seen != 0;
  }
  void mark_leads(const uint8_t* data, int64_t n, const simd::LeadSet& set) {
    simd_.find_leads(data, n, set, leads_.data());
    for (int64_t w = 0; w < words_for(n); ++w) words_[w] |= leads_[w];
  }

  // Returns 1 in each byte that is not 0.
  static uint64_t nonzero_bytes(uint64_t x) { return ((((x & ~kSigns) + ~kSigns) | x) & kSigns) >> 7; }

  // Copies the heads of the strings, shorter ones followed by characters that decide nothing. Returns whether all bytes
  // are ASCII.
  bool copy_heads(const Block& block) {
    // Masks of the bytes of a head by the size of the string, and the bytes after those. There are no branches on
    // sizes, which are unpredictable. An empty string is followed by NUL, which is not of a class of each character.
    uint64_t inside[kHead + 1], after[kHead + 1];
    for (int64_t size = 0; size <= kHead; ++size) {
      inside[size] = low_bits(8 * size);
      after[size] = size > 0 || kHasSome || kIsAscii ? kOnes * ascii_.neutral & ~inside[size] : 0;
    }
    const int32_t* const ends = block.string_ends.data();
    const uint8_t* const data = block.data;
    const int64_t last = block.data_end - data - kHead;
    uint8_t *const heads = heads_.data(), *const is_long = is_long_.data();
    uint64_t seen = 0;
    int64_t begin = 0;
    for (int64_t k = 0; k < block.num_strings; ++k) {
      const int64_t end = ends[k], size = std::min(end - begin, kHead);
      uint64_t head = 0;
      prefetch(reinterpret_cast<uintptr_t>(data) + static_cast<uintptr_t>(begin) + kAhead);
      if (__builtin_expect(begin <= last, true)) {
        std::memcpy(&head, data + begin, kHead);
      } else {
        copy_exact(reinterpret_cast<uint8_t*>(&head), data + begin, size);
      }
      head &= inside[size];
      seen |= head;
      head |= after[size];
      std::memcpy(heads + k * kHead, &head, kHead);
      is_long[k] = end - begin > kHead;
      begin = end;
    }
    return (seen & kSigns) == 0;
  }

  // Sets results[i] for the strings that their heads decide, and tests the others.
  void test_heads(const Block& block, bool* results) {
    const int64_t n = block.num_strings, num_bytes = n * kHead;
    const bool all_ascii = copy_heads(block);
    if (kHasSome) simd_.find_set(heads_.data(), num_bytes, ascii_.some, some_.data());
    find(heads_.data(), num_bytes, ascii_.others);
    if (!all_ascii && !kIsAscii) mark_leads(heads_.data(), num_bytes, leads<kClass>().none_fits);
    if (!all_ascii) simd_.find_set(heads_.data(), num_bytes, ascii_.beyond, leads_.data());
    std::array<uint64_t, words_for(kBlockStrings)> open{};
    int64_t num_open = 0;
    for (int64_t k = 0; k < n; k += 8) {
      const auto w = static_cast<size_t>(k / 8);
      // Each byte is one of eight strings.
      const uint64_t fit = kOnes & low_bits(8 * (n - k)) & ~nonzero_bytes(words_[w]);
      uint64_t undecided, found = fit;
      std::memcpy(&undecided, &is_long_[static_cast<size_t>(k)], 8);
      if (!all_ascii) undecided |= nonzero_bytes(leads_[w]);
      undecided &= fit;
      if (kHasSome) found = (fit & nonzero_bytes(some_[w])) | undecided;
      std::memcpy(results + k, &found, static_cast<size_t>(std::min<int64_t>(n - k, 8)));
      // The bytes become bits.
      const uint64_t bits = (undecided * 0x0102040810204080) >> 56 & low_bits(n - k);
      num_open += static_cast<int64_t>((undecided * kOnes) >> 56);
      open[static_cast<size_t>(k / kWordBits)] |= bits << (k % kWordBits);
    }
    if (block.starts_inside) clear_bit(open.data(), 0);
    if (!kIsAscii && !all_ascii) {
      for_each_bit(open.data(), words_for(n), [&](int64_t i) {
        if (can_fit(&heads_[static_cast<size_t>(i * kHead)])) return;
        results[i] = false;
        clear_bit(open.data(), i);
        --num_open;
      });
    }
    // Short strings that begin as those of the class are decided best by their next characters, unless all are ASCII.
    if (num_open * (all_ascii ? kOpenBytes : kOpenUtf8Bytes) > block.num_bytes && (all_ascii || !is_short(block))) {
      num_skipped_ = kSkipped;
      test_all(block, results);
      return;
    }
    for_each_bit(open.data(), words_for(n),
                 [&](int64_t i) { results[i] = all_ascii ? test_ascii(block.string(i)) : test_(block.string(i)); });
  }

  // Tests a string that begins with a character of ASCII.
  bool test_ascii(StringView in) const {
    const int64_t count = simd_.count_in_set(in.begin, in.size(), ascii_.all);
    if (count < in.size()) return in.begin[count] >= 0x80 && !kIsAscii && test_(in);
    return !kHasSome || simd_.count_in_set(in.begin, count, ascii_.plain) < count;
  }

  // Whether a string of the class can begin with these two bytes.
  bool can_fit(const uint8_t* text) const { return text[0] < 0x80 || (some_fit_[text[0]] >> (text[1] & 0x3F) & 1); }

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

  // Tests strings of ASCII, of which at least one byte is marked.
  void take_marked(const Block& block, bool* results) {
    count(block, counts_);
    const int32_t* const marks = counts_.data();
    results[0] &= marks[0] > 0;
    for (int64_t i = 1; i < block.num_strings; ++i) results[i] &= marks[i] != marks[i - 1];
  }

  // Tests all strings by masks of the bytes that are not of the class.
  void test_all(const Block& block, bool* results) {
    const bool marks_utf8 = !kOnlyAscii && block.num_bytes <= kShortUtf8 * block.num_strings;
    find(block.data, block.num_bytes, ascii_.others);
    const bool all_ascii = kIsAscii || is_ascii(block.data, block.num_bytes);
    if (!all_ascii && marks_utf8) mark_leads(block.data, block.num_bytes, leads<kClass>().none_fits);
    take_unmarked(block, results);
    if (all_ascii) {
      if constexpr (kHasSome) {
        find(block.data, block.num_bytes, ascii_.some);
        take_marked(block, results);
      }
      return;
    }
    int64_t num_left = 0;
    for (int64_t i = 0; i < block.num_strings; ++i) num_left += results[i];
    if (marks_utf8 && num_left * kWorthScanning > block.num_strings && are_utf8(simd_, block, 0)) {
      mark_misfits(block);
      take_unmarked(block, results);
      return;
    }
    for (int64_t i = block.starts_inside; i < block.num_strings; ++i) {
      const StringView string = block.string(i);
      if (results[i]) results[i] = (string.size() == 1 || can_fit(string.begin)) && test_(string);
    }
  }

  // Returns false if no string of the block is of the class.
  bool could_be(const Block& block) {
    find(block.data, block.num_bytes, ascii_.could_be);
    return has_bits(block);
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

  const IsOfClass<kClass> test_{};
  const simd::Primitives& simd_ = simd::primitives();
  const AsciiDemand& ascii_ = ascii_demand<kClass>();
  const std::array<uint64_t, 256>& some_fit_ = first_bytes<kClass>().some_fit;
  int64_t num_skipped_ = 0;  // of the next blocks, those whose heads are not tested
  std::array<uint8_t, kBlockBytes> heads_;
  std::array<uint8_t, kBlockStrings> is_long_{};  // 1 if a string is longer than its head
  std::array<uint64_t, kBlockWords + 1> words_, leads_, some_;
  std::array<int32_t, kBlockWords + 1> prefix_;
  Counts counts_;
};

}  // namespace

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
