#include "kernels/classes.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/bits.h"
#include "core/codepoint.h"
#include "core/copy_bytes.h"
#include "core/strings.h"
#include "core/unicode_case.h"
#include "core/utf8.h"
#include "kernels/classes_demand.h"
#include "simd/primitives.h"
#include "split/block_splitter.h"
#include "split/utf8_blocks.h"

namespace stringops::kernels {
namespace {

// Tests strings one by one, each up to the first character that decides.
template <TextClass kClass>
class StringTester {
 public:
  bool operator()(StringView in) const {
    const uint8_t *p = in.begin, *const end = in.end;
    if (kClass == TextClass::kAscii) return p == end || (*p < 0x80 && is_short_ascii(p, in.size()));
    uint64_t seen = 0;
    for (; p < end; ++p) {
      uint8_t c = *p;
      if (c < 0x80) {
        if (p != in.begin + kScalarBytes) {
          if (!take(c, seen)) return false;
          continue;
        }
        const int64_t count = simd_.count_in_set(p, end - p, ascii_.all);
        if (kHasSome) seen |= simd_.count_in_set(p, count, ascii_.plain) < count;
        p += count;
        if (p == end) break;
        if (*p < 0x80) return false;
        c = *p;
      }
      // Most strings are decided by the first character that does not fit, so this is tested before its bytes are.
      if (c >= 0xF0) {
        const Codepoint rare = read_codepoint(p, end);
        if (rare.value == kInvalidByte || !fits(kFlags[rare.value], kDemand)) return false;
        seen |= (kFlags[rare.value] & kDemand.some) != 0;
        p += rare.length - 1;
      } else if (c >= 0xE0) {
        if (end - p < 3 || !take(decode_codepoint(p, 3), seen)) return false;
        if (!is_continuation(p[1]) || !is_continuation(p[2]) || decode_codepoint(p, 3) < 0x800) return false;
        p += 2;
      } else {
        if (end - p < 2 || !take(decode_codepoint(p, 2), seen) || c < 0xC2 || !is_continuation(p[1])) return false;
        ++p;
      }
    }
    return kHasSome ? seen != 0 : in.size() > 0;
  }

 private:
  static constexpr Demand kDemand = demand_of(kClass);
  // Otherwise any character that fits will do.
  static constexpr bool kHasSome = kClass != TextClass::kAscii && kDemand.all == 0;
  // After so many bytes, characters of ASCII are tested by vectors. Most strings are decided before.
  static constexpr int64_t kScalarBytes = 16;

  // Returns whether a character fits.
  bool take(uint32_t c, uint64_t& seen) const {
    if (kHasSome) seen |= bits_.some[c / kWordBits] >> c % kWordBits & 1;
    return bits_.fit[c / kWordBits] >> c % kWordBits & 1;
  }

  const simd::Primitives& simd_ = simd::primitives();
  const AsciiDemand& ascii_ = ascii_demand<kClass>();
  const Bitmaps& bits_ = bitmaps<kClass>();
};

// Tests strings by batches. What the first bytes of most strings decide takes less time than masks of all bytes, and
// these take less than strings one by one, each of which has branches that depend on its content.
template <TextClass kClass>
class BatchTester {
 public:
  // Tests strings from the first on, and returns the index after them. The span is a copy, which the results do not
  // alias.
  int64_t test(const StringSpan in, int64_t first, int64_t last, bool* results) {
    last = std::min(first + kBlockStrings, last);
    const auto mean_exceeds = [&](int64_t size) {
      return in.range(last - 1).end - in.range(first).begin > size * (last - first);
    };
    if (mean_exceeds(kShort)) {
      last = std::min(first + kHeads, last);
      const bool tries_all = num_batches_++ % kTryEvery == 0, is_long = mean_exceeds(kMaxMasked);
      if (tries_all || is_long || !uses_masks_) {
        const int64_t num_open = test_beginnings(in, first, last, tries_all, results);
        if (is_long || !uses_masks_) {
          for (int64_t k = 0; k < num_open; ++k) {
            const int64_t i = open_[static_cast<size_t>(k)];
            results[i] = test_(in.view(in.range(i)));
          }
          return last;
        }
      }
    }
    read_blocks(
        in, first, last,
        [&](const Block& block) {
          test_block(block, results + block.first_string);
          return true;
        },
        [&](int64_t i, StringView string) { results[i] = test_(string); });
    return last;
  }

 private:
  static constexpr bool kIsAscii = kClass == TextClass::kAscii;
  static constexpr bool kHasSome = !kIsAscii && demand_of(kClass).all == 0;
  // Classes of which many strings have no character at all. Masks do not tell their characters beyond ASCII.
  static constexpr bool kIsRare = kHasSome || kClass == TextClass::kDigit || kClass == TextClass::kSpace;

  static constexpr int64_t kHead = kShortCopy;  // bytes
  static constexpr int64_t kHeads = kBlockBytes / kHead;
  static constexpr int64_t kTryEvery = 8;  // batches
  // The limits of the mean size of strings whose heads are not tested, and of those that masks test, in bytes.
  static constexpr int64_t kShort = 16, kMaxMasked = 256;

  // Tests strings by what decided half of those before, or by all: by their first bytes, and by their heads. Returns
  // the number of strings that are left open.
  int64_t test_beginnings(const StringSpan& in, int64_t first, int64_t last, bool tries_all, bool* results) {
    const int64_t count = last - first;
    int64_t num_open = count;
    uses_masks_ = false;
    if (tries_all || starts_decide_) {
      num_open = test_starts(in, first, last, results);
      starts_decide_ = 2 * num_open < count;
    } else {
      std::iota(open_.begin(), open_.begin() + count, first);
    }
    if (num_open > 0 && (tries_all || heads_decide_)) {
      const int64_t num_left = test_heads(in, num_open, results);
      heads_decide_ = 2 * num_left < num_open;
      num_open = num_left;
      uses_masks_ = 2 * num_masked_ > count;
    }
    return num_open;
  }

  // Tests the open strings by their heads, which are the first 32 bytes. Sets the number of those that masks would
  // test.
  int64_t test_heads(const StringSpan& in, int64_t num_open, bool* results) {
    for (int64_t k = 0; k < num_open; ++k) {
      const StringView string = in.view(in.range(open_[static_cast<size_t>(k)]));
      uint8_t* const head = heads_.data() + k * kHead;
      copy_short(head, head + kHead, string.begin, in.data + in.num_bytes, std::min(kHead, string.size()));
    }
    simd_.find_set(heads_.data(), num_open * kHead, ascii_.others, words_.data());
    int64_t num_left = 0;
    num_masked_ = 0;
    for (int64_t k = 0; k < num_open; ++k) {
      const int64_t i = open_[static_cast<size_t>(k)], bit = k * kHead;
      const uint64_t marks = words_[static_cast<size_t>(bit / kWordBits)] >> bit % kWordBits;
      results[i] = false;
      open_[static_cast<size_t>(num_left)] = i;
      const bool is_left = (marks & low_bits(std::min(kHead, in.range(i).size()))) == 0;
      num_left += is_left;
      num_masked_ += is_left & (!kIsRare | (heads_[static_cast<size_t>(bit)] < 0x80));
    }
    return num_left;
  }

  // Leaves open the strings whose first bytes may begin one of the class, and returns their number.
  int64_t test_starts(const StringSpan& in, int64_t first, int64_t last, bool* results) {
    const auto& is_excluded = excluded_starts<kClass>();
    int64_t num_open = 0;
    for_each_string(in, first, last, [&](int64_t i, ByteRange string) {
      const bool is_empty = string.size() == 0;
      results[i] = kIsAscii && is_empty;
      open_[static_cast<size_t>(num_open)] = i;
      num_open += !(is_empty | is_excluded[in.data[std::min(string.begin, in.num_bytes - 1)]]);
    });
    return num_open;
  }

  // Tests the strings of a block by masks of its bytes, and one by one those that have characters beyond ASCII of which
  // the masks do not tell all.
  void test_block(const Block& block, bool* results) {
    if constexpr (kIsRare) {
      find(block, ascii_.could_be);
      if (!has_bits(block)) {
        std::fill_n(results, block.num_strings, false);
        return;
      }
    }
    find(block, ascii_.others);
    const bool all_ascii = kIsAscii || is_ascii(block.data, block.num_bytes);
    if (!all_ascii) {
      simd_.find_prefixes(block.data, block.num_bytes, block.num_bytes, leads<kClass>().none_fits, leads_.data());
      for (int64_t w = 0; w < words_for(block.num_bytes); ++w) words_[w] |= leads_[w];
    }
    const int32_t* const ends = block.string_ends.data();
    results[0] = kIsAscii || ends[0] > 0;
    for (int64_t k = 1; k < block.num_strings; ++k) results[k] = kIsAscii || ends[k] > ends[k - 1];
    if (has_bits(block)) keep(block, false, results);
    if constexpr (kHasSome) {
      find(block, ascii_.could_be);
      keep(block, true, results);
    }
    if (all_ascii) return;
    if (!kHasSome && are_utf8(simd_, block)) {
      simd_.find_prefixes(block.data, block.num_bytes, block.num_bytes, leads<kClass>().some_fit, words_.data());
    } else {
      find(block, beyond_ascii_);
    }
    count(block);
    for (int64_t k = 0; k < block.num_strings; ++k) {
      const auto at = static_cast<size_t>(k);
      if (results[k] && counts_[at] != counts_[at + 1]) results[k] = test_(block.string(k));
    }
  }

  void find(const Block& block, const CharSet& set) { simd_.find_set(block.data, block.num_bytes, set, words_.data()); }

  bool has_bits(const Block& block) const {
    uint64_t seen = 0;
    for (int64_t w = 0; w < words_for(block.num_bytes); ++w) seen |= words_[w];
    return seen != 0;
  }

  // Sets counts_[k + 1] to the number of marked bytes of strings 0..k.
  void count(const Block& block) {
    simd_.count_before(words_.data(), words_for(block.num_bytes), block.string_ends.data(), block.num_strings,
                       prefix_.data(), counts_.data() + 1);
  }

  // Keeps the results of strings that have a marked byte, or none.
  void keep(const Block& block, bool marked, bool* results) {
    count(block);
    const int32_t* const marks = counts_.data();
    for (int64_t k = 0; k < block.num_strings; ++k) results[k] &= (marks[k] != marks[k + 1]) == marked;
  }

  const StringTester<kClass> test_{};
  const simd::Primitives& simd_ = simd::primitives();
  const AsciiDemand& ascii_ = ascii_demand<kClass>();
  const CharSet beyond_ascii_ = [] {
    CharSet set;
    set.beyond_ascii = true;
    return set;
  }();
  bool starts_decide_ = false, heads_decide_ = false, uses_masks_ = false;
  int64_t num_masked_ = 0;
  int64_t num_batches_ = 0;
  std::array<uint8_t, kBlockBytes> heads_;
  std::array<int64_t, kHeads> open_;  // the strings that are not decided yet
  std::array<uint64_t, kBlockWords + 1> words_, leads_;
  std::array<int32_t, kBlockWords + 1> prefix_;
  std::array<int32_t, kBlockStrings + 1> counts_{};
};

}  // namespace

template <TextClass kClass>
void IsOfClass<kClass>::run(const StringSpan& in, int64_t first, int64_t last, bool* out) const {
  BatchTester<kClass> tester;
  while (first < last) first = tester.test(in, first, last, out);
}

template struct IsOfClass<TextClass::kAlpha>;
template struct IsOfClass<TextClass::kAlnum>;
template struct IsOfClass<TextClass::kDigit>;
template struct IsOfClass<TextClass::kSpace>;
template struct IsOfClass<TextClass::kUpper>;
template struct IsOfClass<TextClass::kLower>;
template struct IsOfClass<TextClass::kAscii>;

}  // namespace stringops::kernels
