#include "split/delimiter_finder.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/bits.h"
#include "core/find_text.h"

namespace stringops::kernels {
namespace {

// Whether two matches of the delimiter can share bytes.
bool can_overlap(std::string_view delimiter) {
  for (size_t shift = 1; shift < delimiter.size(); ++shift) {
    if (delimiter.substr(shift) == delimiter.substr(0, delimiter.size() - shift)) return true;
  }
  return false;
}

// Calls f with the length as a compile-time constant; it is from 1 to 8.
template <class F>
void with_constant(int64_t length, F&& f) {
  switch (length) {
    case 1:
      return f(std::integral_constant<int, 1>());
    case 2:
      return f(std::integral_constant<int, 2>());
    case 3:
      return f(std::integral_constant<int, 3>());
    case 4:
      return f(std::integral_constant<int, 4>());
    case 5:
      return f(std::integral_constant<int, 5>());
    case 6:
      return f(std::integral_constant<int, 6>());
    case 7:
      return f(std::integral_constant<int, 7>());
    default:
      return f(std::integral_constant<int, 8>());
  }
}

// For each set bit of `word` and of `before`, the word before it, sets the kLength - 1 bits that follow.
template <int kLength>
uint64_t smear_up(uint64_t before, uint64_t word) {
  for (int covered = 1; covered < kLength; covered *= 2) {
    const int shift = std::min(covered, kLength - covered);
    word |= word << shift | before >> (kWordBits - shift);
    before |= before << shift;
  }
  return word;
}

// For each set bit of `word` and of `after`, the word after it, sets the kLength - 1 bits before.
template <int kLength>
uint64_t smear_down(uint64_t word, uint64_t after) {
  for (int covered = 1; covered < kLength; covered *= 2) {
    const int shift = std::min(covered, kLength - covered);
    word |= word >> shift | after << (kWordBits - shift);
    after |= after >> shift;
  }
  return word;
}

bool has_bits(const uint64_t* words, int64_t count) {
  return std::any_of(words, words + count, [](uint64_t word) { return word != 0; });
}

}  // namespace

DelimiterFinder::DelimiterFinder(std::string_view delimiter, const simd::Primitives& simd)
    : delimiter_(delimiter), length_(static_cast<int64_t>(delimiter.size())), simd_(simd) {
  if (length_ < 2) return;
  overlaps_ = length_ <= kMaxExact && can_overlap(delimiter);
  num_probes_ = std::min(length_, kMaxExact);
  probes_ = simd::spread_bytes(delimiter, num_probes_);
}

bool DelimiterFinder::find_candidates(const Block& block, uint64_t* delimiters) {
  if (length_ == 1) {
    simd_.find_byte(block.data, block.num_bytes, static_cast<uint8_t>(delimiter_[0]), delimiters);
  } else {
    simd_.find_bytes(block.data, block.num_bytes, block.readable, probes_.data(), num_probes_, delimiters);
  }
  return any_ = has_bits(delimiters, words_for(block.num_bytes));
}

void DelimiterFinder::confirm(const Block& block, const uint64_t* string_starts, uint64_t* delimiters) {
  const int64_t num_words = words_for(block.num_bytes);
  if (!any_ || length_ == 1) return;
  if (length_ > kMaxExact) return check_matches(block, string_starts, delimiters);
  drop_crossing(string_starts, num_words, delimiters);
  if (num_words > 0) delimiters[0] &= ~low_bits(std::min(consumed_, block.num_bytes));
  if (overlaps_) drop_overlapping(num_words, delimiters);
}

// Drops the matches that cross the start of a string, which is at their second byte or later.
//
//   bytes       a : | : b             delimiter "::"
//   match       0 1   0 0
//   starts      0 0   1 0 1  of the second string, and after the last one
//   inside      0 1   0 1    the positions 1 to length - 1 before each start
void DelimiterFinder::drop_crossing(const uint64_t* __restrict string_starts, int64_t num_words,
                                    uint64_t* __restrict matches) const {
  with_constant(length_, [&](auto length) {
    for (int64_t w = 0; w < num_words; ++w) {
      const uint64_t last = string_starts[w] >> 1 | string_starts[w + 1] << 63;
      matches[w] &= ~smear_down<length - 1>(last, string_starts[w + 1] >> 1);
    }
  });
}

// Keeps the first of overlapping matches, then the first one after its end, and so on.
//
//   bytes      a b a b a b a       delimiter "aba"
//   matches    1 0 1 0 1 0 0
//   taken      1 0 0 0 1 0 0
//
// Those that begin inside no other match count. They cover others, which do not; mostly none is left then, so that the
// branch is predictable.
void DelimiterFinder::drop_overlapping(int64_t num_words, uint64_t* matches) const {
  with_constant(length_, [&](auto length) {
    uint64_t before = 0;
    for (int64_t w = 0; w < num_words; ++w) {
      uint64_t open = matches[w] & ~smear_up<length>(before, 0);
      uint64_t taken = 0;
      do {
        const uint64_t first = open & ~smear_up<length - 1>(0, open << 1);
        taken |= first;
        open &= ~smear_up<length>(0, first);
      } while (open != 0);
      matches[w] = before = taken;
    }
  });
}

bool DelimiterFinder::is_delimiter(const uint8_t* at) const {
  return std::memcmp(at, delimiter_.data(), delimiter_.size()) == 0;
}

// Whether a string starts in [begin, end). The positions may be after the block.
bool DelimiterFinder::has_start(const uint64_t* string_starts, int64_t num_words, int64_t begin, int64_t end) {
  for (end = std::min(end, num_words * kWordBits + 1); begin < end; begin += kWordBits) {
    const auto at = static_cast<uint64_t>(begin);
    const uint64_t* const words = string_starts + at / kWordBits;
    const uint64_t bit = at % kWordBits;
    const uint64_t starts = words[0] >> bit | words[1] << 1 << (kWordBits - 1 - bit);
    if ((starts & low_bits(end - begin)) != 0) return true;
  }
  return false;
}

// The next delimiter from `at` on that begins in the block and in the same string, or a position before which there is
// none.
int64_t DelimiterFinder::search(const Block& block, int64_t at) const {
  const int32_t* const ends = block.string_ends.data();
  const int32_t* const string_end = std::upper_bound(ends, ends + block.num_strings, at);
  int64_t end = string_end < ends + block.num_strings ? *string_end : block.readable;
  if (end - at < length_) return end;
  end = std::min(end, block.num_bytes + length_ - 1);
  const uint8_t* const found = find_text({block.data + at, block.data + end}, delimiter_);
  return found < block.data + end ? found - block.data : end - length_ + 1;
}

// Keeps the matches of a delimiter of more than kMaxExact bytes, of which the others are compared here, unless they
// cross the start of a string or overlap another one. After many comparisons that differ late, memmem goes on, because
// its time does not depend on how often the text resembles the delimiter.
void DelimiterFinder::check_matches(const Block& block, const uint64_t* string_starts, uint64_t* matches) const {
  const int64_t num_words = words_for(block.num_bytes);
  int64_t next = consumed_;          // where the next delimiter may begin
  int64_t budget = 4 * kBlockBytes;  // bytes of matches that differ
  for (int64_t w = 0; w < num_words; ++w) {
    if (matches[w] == 0) continue;
    const int64_t begin = w * kWordBits;
    const auto before_next = [&] { return low_bits(std::clamp<int64_t>(next - begin, 0, kWordBits)); };
    uint64_t taken = 0;
    for (uint64_t open = matches[w] & ~before_next(); open != 0; open &= ~before_next()) {
      const int64_t at = begin + first_bit(open);
      if (has_start(string_starts, num_words, at + 1, at + length_)) {
        next = next_bit(string_starts, at + 1);
      } else if (const int64_t found = budget > 0 ? at : search(block, at); found > at) {
        next = found;
      } else if (!is_delimiter(block.data + at)) {
        next = at + 1;
        budget -= length_;
      } else {
        next = at + length_;
        taken |= uint64_t{1} << first_bit(open);
      }
    }
    matches[w] = taken;
  }
}

void DelimiterFinder::cover(const Block& block, const uint64_t* __restrict delimiters,
                            uint64_t* __restrict covered) const {
  const int64_t num_words = words_for(block.num_bytes);
  if (!any_) {
    std::fill_n(covered, num_words, 0);
  } else if (length_ > kMaxExact) {
    cover_long(num_words, delimiters, covered);
  } else {
    with_constant(length_, [&](auto length) {
      if (num_words > 0) covered[0] = smear_up<length>(0, delimiters[0]);
      for (int64_t w = 1; w < num_words; ++w) covered[w] = smear_up<length>(delimiters[w - 1], delimiters[w]);
    });
  }
  set_bits(covered, 0, std::min(consumed_, block.num_bytes));
}

// The delimiters shifted to their ends, minus the delimiters, as long numbers: the difference of an end and a beginning
// has the bits between.
//
//   delimiters    0 1 0 0 0 0 0 0     bit 0 on the left, length 4
//   ends          0 0 0 0 0 1 0 0
//   difference    0 1 1 1 1 0 0 0
void DelimiterFinder::cover_long(int64_t num_words, const uint64_t* delimiters, uint64_t* covered) const {
  const int64_t words = length_ / kWordBits, bits = length_ % kWordBits;
  uint64_t before = 0, borrow = 0;
  for (int64_t w = 0; w < num_words; ++w) {
    const uint64_t word = w >= words ? delimiters[w - words] : 0;
    const uint64_t end = bits > 0 ? word << bits | before >> (kWordBits - bits) : word;
    before = word;
    const uint64_t difference = end - delimiters[w];
    covered[w] = difference - borrow;
    borrow = static_cast<uint64_t>(end < delimiters[w]) | static_cast<uint64_t>(difference < borrow);
  }
}

void DelimiterFinder::end_block(const Block& block, const uint64_t* delimiters) {
  int64_t consumed = std::max<int64_t>(consumed_ - block.num_bytes, 0);
  const int64_t first_word = std::max<int64_t>(block.num_bytes - length_, 0) / kWordBits;
  for (int64_t w = words_for(block.num_bytes) - 1; w >= first_word; --w) {
    if (delimiters[w] == 0) continue;
    consumed = std::max(consumed, w * kWordBits + last_bit(delimiters[w]) + length_ - block.num_bytes);
    break;
  }
  consumed_ = block.num_strings == 0 ? consumed : 0;  // a block of a string that continues holds no other string
}

}  // namespace stringops::kernels
