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
template <int kFrom = 1, class F>
void with_constant(int64_t length, F&& f) {
  if constexpr (kFrom < 8) {
    if (length > kFrom) return with_constant<kFrom + 1>(length, f);
  }
  f(std::integral_constant<int, kFrom>());
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
    any_ = std::any_of(delimiters, delimiters + words_for(block.num_bytes), [](uint64_t word) { return word != 0; });
  } else {
    any_ = simd_.find_bytes(block.data, block.num_bytes, block.readable, probes_.data(), num_probes_, delimiters);
  }
  return any_;
}

void DelimiterFinder::confirm(const Block& block, const uint64_t* string_starts, uint64_t* delimiters) {
  const int64_t num_words = words_for(block.num_bytes);
  if (!any_ || length_ == 1) return;
  if (length_ > kMaxExact) return check_matches(block, delimiters);
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

// Keeps the matches of a delimiter of more than kMaxExact bytes, of which the others are compared here, unless they
// cross the end of a string or overlap another one. After many comparisons that differ late, memmem goes on, because
// its time does not depend on how often the text resembles the delimiter.
void DelimiterFinder::check_matches(const Block& block, uint64_t* matches) const {
  int64_t next = consumed_, end = 0;  // where the next delimiter may begin, and the end of string k - 1
  int64_t k = 0;
  int64_t budget = 4 * kBlockBytes;  // bytes of matches that differ
  const auto is_match = [&](int64_t at) {
    while (end <= at) {
      end = k < block.num_strings ? block.end(k) : block.readable;
      ++k;
    }
    if (at < next || end - at < length_) return false;
    if (budget <= 0) {
      const int64_t last = std::min(end, block.num_bytes + length_ - 1);
      next = find_text({block.data + at, block.data + last}, delimiter_) - block.data;
      if (next > at) return false;
    }
    const bool is_found = std::memcmp(block.data + at, delimiter_.data(), delimiter_.size()) == 0;
    budget -= is_found ? 0 : length_;
    if (is_found) next = at + length_;
    return is_found;
  };
  for (int64_t w = 0; w < words_for(block.num_bytes); ++w) {
    for (uint64_t rest = matches[w]; rest != 0; rest &= rest - 1) {
      if (!is_match(w * kWordBits + first_bit(rest))) matches[w] ^= rest & (0 - rest);
    }
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
