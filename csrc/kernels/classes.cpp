#include "kernels/classes.h"

#include <algorithm>
#include <array>

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

// The limit of the mean size of strings that are tested by blocks.
constexpr int64_t kShort = 16;

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

// The strings of blocks, or of a batch. Short strings are tested by masks of the bytes of the block, without a branch
// that depends on their sizes.
template <TextClass kClass>
class BlockTester {
 public:
  static constexpr int64_t kHead = kShortCopy;  // bytes
  static constexpr int64_t kHeads = kBlockBytes / kHead;
  static constexpr int64_t kTestStartsEvery = 8;  // batches; each one while first bytes decide

  // Sets results[i] for strings [first, last), at most kHeads, that are longer than those of blocks: first by their
  // first bytes, without branches, if these decide half of the strings; then by their heads; the others one by one. The
  // span is a copy, which the results do not alias.
  void test_long(const StringSpan in, int64_t first, int64_t last, bool* results) {
    int64_t num_open = last - first;
    const auto next = [&](int64_t k) { return first + k; };
    const auto open = [&](int64_t k) { return open_[static_cast<size_t>(k)]; };
    if (starts_decide_ || num_batches_++ % kTestStartsEvery == 0) {
      num_open = test_starts(in, first, last, results);
      starts_decide_ = 2 * num_open < last - first;
      if (kUsesHeads && num_open > 0) num_open = test_heads(in, num_open, open, results);
    } else if (kUsesHeads) {
      num_open = test_heads(in, num_open, next, results);
    } else {
      return for_each_string(in, first, last,
                             [&](int64_t i, ByteRange string) { results[i] = test_(in.view(string)); });
    }
    for (int64_t k = 0; k < num_open; ++k) {
      const int64_t i = open_[static_cast<size_t>(k)];
      results[i] = test_(in.view(in.range(i)));
    }
  }

  // Sets results[i] for the strings i of the block by masks of the bytes that are not of the class, and for those that
  // the masks leave open one by one. Returns false if all are to be tested one by one.
  bool test(const Block& block, bool* results) {
    if (kOnlyAscii) {
      if (!is_ascii(block.data, block.num_bytes)) return false;
      find(block, ascii_.could_be);
      if (!has_bits(block, words_.data())) {
        std::fill_n(results, block.num_strings, false);
        return true;
      }
    }
    find(block, ascii_.others);
    const bool all_ascii = kIsAscii || kOnlyAscii || is_ascii(block.data, block.num_bytes);
    if (!all_ascii) {
      simd_.find_prefixes(block.data, block.num_bytes, block.num_bytes, leads<kClass>().none_fits, leads_.data());
      for (int64_t w = 0; w < words_for(block.num_bytes); ++w) words_[w] |= leads_[w];
    }
    take_unmarked(block, results);
    if (all_ascii) {
      if constexpr (kHasSome) {
        find(block, ascii_.some);
        take_marked(block, results);
      }
      return true;
    }
    // The other strings are decided, if all are UTF-8.
    simd_.find_prefixes(block.data, block.num_bytes, block.num_bytes, leads<kClass>().some_fit, words_.data());
    count(block, counts_);
    const bool all_open = !are_utf8(simd_, block);
    int32_t before = 0;
    for (int64_t k = 0; k < block.num_strings; ++k) {
      const int32_t marks = counts_[static_cast<size_t>(k)];
      if (results[k] && (all_open || marks != before)) results[k] = test_(block.string(k));
      before = marks;
    }
    return true;
  }

 private:
  static constexpr bool kIsAscii = kClass == TextClass::kAscii;
  static constexpr bool kHasSome = !kIsAscii && demand_of(kClass).all == 0;
  // Classes of which characters beyond ASCII are not tested by masks.
  static constexpr bool kOnlyAscii = kHasSome || kClass == TextClass::kDigit || kClass == TextClass::kSpace;

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

  // Most strings that begin with a letter have a space or another character of ASCII that is none in their heads, which
  // are their first bytes. Tested one by one, they would take a mispredicted branch each.
  static constexpr bool kUsesHeads = kClass == TextClass::kAlpha || kClass == TextClass::kAlnum;

  // Keeps those of the open strings that their heads do not decide, and returns their number. Characters of three bytes
  // or more are few in a head, and one of the first ones mostly does not fit: then all are kept.
  template <class Open>
  int64_t test_heads(const StringSpan& in, int64_t num_open, Open&& open, bool* results) {
    const int64_t begin = in.range(open(0)).begin;
    const uint8_t *const first = in.data + begin, *const end = in.data + std::min(begin + kHead, in.num_bytes);
    if (std::any_of(first, end, [](uint8_t byte) { return byte >= 0xE0; })) {
      for (int64_t k = 0; k < num_open; ++k) open_[static_cast<size_t>(k)] = open(k);
      return num_open;
    }
    for (int64_t k = 0; k < num_open; ++k) {
      const StringView string = in.view(in.range(open(k)));
      uint8_t* const head = heads_.data() + k * kHead;
      copy_short(head, head + kHead, string.begin, in.data + in.num_bytes, std::min(kHead, string.size()));
    }
    simd_.find_set(heads_.data(), num_open * kHead, ascii_.others, words_.data());
    int64_t num_left = 0;
    for (int64_t k = 0; k < num_open; ++k) {
      const int64_t i = open(k), bit = k * kHead;
      const uint64_t marks = words_[static_cast<size_t>(bit / kWordBits)] >> bit % kWordBits;
      results[i] = false;
      open_[static_cast<size_t>(num_left)] = i;
      num_left += (marks & low_bits(std::min(kHead, in.range(i).size()))) == 0;
    }
    return num_left;
  }

  using Counts = std::array<int32_t, kBlockStrings>;  // bytes of strings 0..k of the block that are in a set

  void find(const Block& block, const CharSet& set) { simd_.find_set(block.data, block.num_bytes, set, words_.data()); }
  void count(const Block& block, Counts& counts) {
    simd_.count_before(words_.data(), words_for(block.num_bytes), block.string_ends.data(), block.num_strings,
                       prefix_.data(), counts.data());
  }
  static bool has_bits(const Block& block, const uint64_t* words) {
    uint64_t seen = 0;
    for (int64_t w = 0; w < words_for(block.num_bytes); ++w) seen |= words[w];
    return seen != 0;
  }

  // Sets results[i] if no bit of string i is set and it is not empty. This serves one class only.
  void take_unmarked(const Block& block, bool* results) {
    const int32_t* const ends = block.string_ends.data();
    if (!has_bits(block, words_.data())) {
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

  const StringTester<kClass> test_{};
  const simd::Primitives& simd_ = simd::primitives();
  const AsciiDemand& ascii_ = ascii_demand<kClass>();
  std::array<uint8_t, kBlockBytes> heads_;
  bool starts_decide_ = false;
  int64_t num_batches_ = 0;
  std::array<int64_t, kHeads> open_;  // the strings that are not decided yet
  std::array<uint64_t, kBlockWords + 1> words_, leads_;
  std::array<int32_t, kBlockWords + 1> prefix_;
  Counts counts_;
};

}  // namespace

template <TextClass kClass>
void IsOfClass<kClass>::run(const StringSpan& in, int64_t first, int64_t last, bool* out) const {
  BlockTester<kClass> tester;
  const StringTester<kClass> test;
  const auto take_one = [&](int64_t i, StringView string) { out[i] = test(string); };
  const auto take = [&](const Block& block) { return tester.test(block, out + block.first_string); };
  for (int64_t next; first < last; first = next) {
    next = std::min(first + kBlockStrings, last);
    if (in.range(next - 1).end - in.range(first).begin > kShort * (next - first)) {
      next = std::min(first + tester.kHeads, next);
      tester.test_long(in, first, next, out);
    } else {
      read_blocks(in, first, next, take, take_one);
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
