#include "subword/scan/masks.h"

#include <algorithm>
#include <cstring>

#include "core/bits.h"
#include "simd/text.h"
#include "subword/scan/scan_rules.h"

namespace stringops::kernels {

using namespace subword;

SubwordMasks::SubwordMasks(const Step& step)
    : step_(step),
      simd_(simd::text_primitives()),
      letters_(step.kind == Step::kLlama3 && step.marks ? kLetter | kMark : kLetter) {}

void SubwordMasks::start(const uint8_t* text, const int32_t* begins, int64_t count) {
  text_ = text;
  begins_ = begins;
  count_ = count;
  size_ = begins[count];
  at_ = marked_ = string_ = 0;
  now_ = ahead_ = straddling_ = {};
  carry_ = {};
  classify(0, ahead_, straddling_);
}

// The end of the string that the byte belongs to. Positions ascend.
int64_t SubwordMasks::end_of_string(int64_t at) {
  while (string_ < count_ && begins_[string_ + 1] <= at) ++string_;
  return begins_[std::min(string_ + 1, count_)];
}

// Adds the classes of the bytes from `at` on; of characters that end after the word, those of its bytes there.
void SubwordMasks::classify(int64_t at, Masks& masks, Masks& after) {
  for (; marked_ <= count_ && begins_[marked_] < at + 64; ++marked_) {
    masks.starts |= uint64_t{1} << (begins_[marked_] - at);
  }
  if (at >= size_) return;
  uint8_t copy[64];
  const uint8_t* bytes = text_ + at;
  if (size_ - at < 64) {
    std::memset(copy, 0, sizeof(copy));
    std::memcpy(copy, bytes, static_cast<size_t>(size_ - at));
    bytes = copy;
  }
  const simd::AsciiMasks ascii = simd_.find_ascii_masks(bytes);
  const uint64_t in = low_bits(size_ - at);
  masks.letters |= ascii.letters;
  masks.numbers |= ascii.numbers;
  masks.spaces |= ascii.spaces;
  masks.newlines = ascii.newlines;
  masks.blanks = ascii.blanks;
  masks.apostrophes = ascii.apostrophes;
  masks.rest |= in & ~(ascii.letters | ascii.numbers | ascii.spaces | ascii.beyond);
  const uint64_t beyond = ascii.beyond & ~masks.inside;
  if (beyond != 0) classify_beyond(at, beyond, masks, after);
}

void SubwordMasks::classify_beyond(int64_t at, uint64_t beyond, Masks& masks, Masks& after) {
  for (int64_t end = 0; beyond != 0;) {
    const int i = first_bit(beyond);
    if (at + i >= end) end = end_of_string(at + i);
    const Character c = read_character(text_ + at + i, text_ + end);
    const uint64_t bits = low_bits(c.length);
    const uint64_t here = bits << i, there = i > 0 ? bits >> (64 - i) : 0;
    const auto add = [&](uint64_t Masks::* mask) {
      masks.*mask |= here;
      after.*mask |= there;
    };
    if (c.is(letters_)) {
      add(&Masks::letters);
    } else if (c.is(kNumber)) {
      add(&Masks::numbers);
    } else if (c.is(kSpace)) {
      add(&Masks::spaces);
      (c.length == 2 ? masks.wide2 : masks.wide3) |= uint64_t{1} << i;
    } else {
      add(&Masks::rest);
    }
    masks.inside |= here & ~(uint64_t{1} << i);
    after.inside |= there;
    beyond &= ~here;
  }
}

uint64_t SubwordMasks::next() {
  now_ = ahead_;
  ahead_ = straddling_;
  straddling_ = {};
  classify(at_ + 64, ahead_, straddling_);
  uint64_t begins = step_.kind == Step::kGpt2 ? gpt2(now_, ahead_) : llama3(now_, ahead_);
  begins &= ~now_.inside;
  begins = (begins & ~carry_.clear) | carry_.set;
  begins |= now_.starts;
  begins = join_contractions(now_, begins);
  at_ += 64;
  return begins & low_bits(std::max<int64_t>(size_ - (at_ - 64), 0));
}

// The last character of whitespace before something else of the same string.
uint64_t SubwordMasks::last_spaces(const Masks& a, const Masks& b) const {
  const uint64_t other = ~a.spaces & ~a.starts, other_ahead = ~b.spaces & ~b.starts;
  uint64_t last = a.spaces & (other >> 1 | other_ahead << 63);
  if ((a.inside | a.wide2 | a.wide3) != 0) {
    last &= ~(a.inside | a.wide2 | a.wide3);
    last |= a.wide2 & (other >> 2 | other_ahead << 62);
    last |= a.wide3 & (other >> 3 | other_ahead << 61);
  }
  return last;
}

uint64_t SubwordMasks::gpt2(const Masks& a, const Masks& b) {
  const auto before = [&](uint64_t mask, uint64_t carry) { return (mask << 1 | carry) & ~a.starts; };
  Carry& c = carry_;
  const uint64_t same = (a.letters & before(a.letters, c.letters)) | (a.numbers & before(a.numbers, c.numbers)) |
                        (a.rest & before(a.rest, c.rest));
  const uint64_t begins = (~a.spaces & ~(same | before(a.blanks, c.blanks))) |
                          (a.spaces & (~before(a.spaces, c.spaces) | last_spaces(a, b)));
  c.letters = a.letters >> 63;
  c.numbers = a.numbers >> 63;
  c.rest = a.rest >> 63;
  c.spaces = a.spaces >> 63;
  c.blanks = a.blanks >> 63;
  return begins;
}

uint64_t SubwordMasks::llama3(const Masks& a, const Masks& b) {
  const auto before = [&](uint64_t mask, uint64_t carry) { return (mask << 1 | carry) & ~a.starts; };
  Carry& c = carry_;
  // Newlines after signs belong to their piece.
  uint64_t tail = 0;
  if (step_.newline_tail) {
    const uint64_t first = a.newlines & before(a.rest, c.rest | c.tail);
    // Each newline after them: the sum carries through the run, up to the beginning of a string.
    tail = first;
    for (uint64_t more = first; more != 0;) {
      more = (more << 1) & a.newlines & ~a.starts & ~tail;
      tail |= more;
    }
  }
  const uint64_t spaces = a.spaces & ~tail;
  // A character of the rest that is alone, not after a blank, leads the letters after it; so does whitespace.
  uint64_t solo = a.rest & ~a.inside & ~before(a.rest, c.rest) & ~before(a.blanks, c.blanks);
  const uint64_t rest_begins = solo;
  if (a.inside != 0) {
    for (int i = 0; i < 3; ++i) solo |= before(solo, i == 0 ? c.solo : 0) & a.inside & a.rest;
  }
  const uint64_t leads = before(solo, c.solo) | before(spaces & ~a.newlines, c.taken);
  const uint64_t words = a.letters & ~before(a.letters, c.letters) & ~leads;
  const uint64_t first_number = a.numbers & ~before(a.numbers, c.numbers);
  const uint64_t numbers = step_.digits == 0   ? first_number
                           : step_.digits == 1 ? a.numbers
                                               : group_numbers(a, first_number);
  uint64_t whitespace = spaces & ~before(spaces, c.spaces & ~c.tail);
  whitespace |= last_spaces(a, b) & spaces & ~a.newlines;
  const uint64_t candidates = spaces & ~a.newlines & before(spaces & a.newlines, c.newlines & ~c.tail);
  whitespace |= candidates == 0 ? 0 : after_newlines(a, candidates & ~a.inside);

  c.letters = a.letters >> 63;
  c.numbers = a.numbers >> 63;
  c.rest = a.rest >> 63;
  c.spaces = a.spaces >> 63;
  c.newlines = a.newlines >> 63;
  c.blanks = a.blanks >> 63;
  c.solo = solo >> 63;
  c.tail = tail >> 63;
  c.taken = (spaces & ~a.newlines) >> 63;
  return words | numbers | rest_begins | whitespace;
}

// Where pieces of at most `digits` numbers begin.
uint64_t SubwordMasks::group_numbers(const Masks& a, uint64_t first) {
  uint64_t begins = first;
  for (uint64_t rest = a.numbers & ~a.inside; rest != 0; rest &= rest - 1) {
    const int i = first_bit(rest);
    if (first >> i & 1) carry_.digits = 0;
    if (carry_.digits == step_.digits) {
      begins |= uint64_t{1} << i;
      carry_.digits = 0;
    }
    ++carry_.digits;
  }
  return begins;
}

// Of whitespace after a newline, that which no newline follows in the run; with `end_first`, nor the end of the string.
uint64_t SubwordMasks::after_newlines(const Masks& a, uint64_t candidates) const {
  uint64_t kept = candidates;
  const uint64_t stops = ~a.spaces | a.newlines | a.starts;
  for (uint64_t rest = candidates; rest != 0; rest &= rest - 1) {
    const int i = first_bit(rest);
    if (const uint64_t after = stops & ~low_bits(i + 1); after != 0) {  // the run ends in this word
      const uint64_t stop = after & -after;
      const bool drops = (a.starts & stop) != 0 ? step_.end_first : (a.newlines & stop) != 0;
      kept &= ~(uint64_t{drops} << i);
      continue;
    }
    const int64_t at = at_ + i;
    const uint8_t* const p = text_ + at;
    const uint8_t* const end = text_ + *std::upper_bound(begins_, begins_ + count_, static_cast<int32_t>(at));
    const uint8_t* const stop =
        run_of(p, end, [](const Character& x) { return x.is(kSpace) && !is_newline(x.codepoint); });
    if (stop == end ? step_.end_first : is_newline(*stop)) kept &= ~(uint64_t{1} << i);
  }
  return kept;
}

uint64_t SubwordMasks::join_contractions(const Masks& a, uint64_t begins) {
  carry_.clear = carry_.set = 0;
  const uint8_t mode = step_.kind == Step::kGpt2 ? uint8_t{Step::kLowerOnly} : step_.contractions;
  if (mode == Step::kNone) return begins;
  for (uint64_t rest = a.apostrophes & begins; rest != 0; rest &= rest - 1) {
    const int i = first_bit(rest);
    const int64_t at = at_ + i;
    const uint8_t* const p = text_ + at;
    // The end of its string, or a place before it that no contraction reaches.
    const uint64_t later = a.starts & ~low_bits(i + 1);
    const int64_t end_at = later != 0 ? first_bit(later) : ahead_.starts != 0 ? 64 + first_bit(ahead_.starts) : 128;
    const uint8_t* const end = text_ + at_ + end_at;
    const auto size = static_cast<int>(contraction(p, end, mode) - p);
    if (size == 0) continue;
    // No piece begins within it; one begins after it, as the next apostrophe cannot be part of this one.
    for (int k = 1; k < size; ++k) {
      if (i + k < 64) {
        begins &= ~(uint64_t{1} << (i + k));
      } else {
        carry_.clear |= uint64_t{1} << (i + k - 64);
      }
    }
    if (p + size == end) continue;
    if (i + size < 64) {
      begins |= uint64_t{1} << (i + size);
    } else {
      carry_.set |= uint64_t{1} << (i + size - 64);
    }
  }
  return begins;
}

}  // namespace stringops::kernels
