#include "split/word_masks.h"

#include <algorithm>

#include "core/utf8.h"

namespace stringops::kernels {

using Class = ClassRule::Words;

void WordMasks::find_begins(const Block& block, int64_t num_bytes, const Classes& classes, uint64_t* begins) {
  rule_.has_cases ? find<true>(block, num_bytes, classes, begins) : find<false>(block, num_bytes, classes, begins);
}

template <bool kHasCases>
void WordMasks::find(const Block& block, int64_t num_bytes, const Classes& classes, uint64_t* begins) {
  CharSet newline;
  newline.add('\n');
  newline.add('\r');
  const int64_t words = words_for(num_bytes), last_word = (block.num_bytes - 1) / kWordBits;
  simd_.find_set(block.data, num_bytes, newline, newlines_.data());
  simd_.find_byte(block.data, num_bytes, ' ', blanks_.data());
  const uint64_t* tails = newlines_.data();
  if (rule_.after_signs != newline) {
    simd_.find_set(block.data, num_bytes, rule_.after_signs, tails_.data());
    tails = tails_.data();
  }
  if (rule_.has_suffixes) {
    simd_.find_byte(block.data, num_bytes, '\'', apostrophes_.data());
    suffix_ = {block.continues ? suffix_.end_in_block : -1};
    if (suffix_.end > 0) suffix_.inside_next = low_bits(suffix_.end);
  }
  Before b = block.continues ? last_ : Before();
  int64_t count = numbers_;
  uint64_t ends_before = 1;
  for (int64_t w = 0; w < words; ++w) {
    const auto of = [&](uint8_t c) { return classes.of[c][w]; };
    uint64_t letters = of(Class::kLetter), rest = of(Class::kRest);
    const uint64_t numbers = of(Class::kNumber), newlines = newlines_[static_cast<size_t>(w)];
    const uint64_t blanks = blanks_[static_cast<size_t>(w)];
    const uint64_t starts = classes.starts[w] | static_cast<uint64_t>(w == 0 && !block.continues);
    const auto before = [&](uint64_t mask, uint64_t carry) { return (mask << 1 | carry) & ~starts; };
    uint64_t inside = 0;  // not the first byte of a code point
    if (classes.codepoint_ends) {
      inside = ~(classes.codepoint_ends[w] << 1 | ends_before);
      ends_before = classes.codepoint_ends[w] >> (kWordBits - 1);
    }
    [[maybe_unused]] Masks m;
    if constexpr (kHasCases) {
      m = {starts,           inside,  newlines,          blanks,           tails[w], rest,
           of(Class::kMark), letters, of(Class::kLower), of(Class::kOther)};
      if (m.marks != 0) {
        const uint64_t signs = (m.marks & before(rest, b.rest)) != 0 ? marks_of_signs(m, b) : 0;
        m.other |= m.marks & ~signs;
        rest |= signs;
      }
      letters |= m.lower | m.other;
    }
    // Newlines after signs, and what may follow these, belong to their piece.
    uint64_t tail = tails[w] & ((newlines & before(rest, b.rest)) | before(0, b.tail));
    for (uint64_t more = tail; more != 0;) {
      more = more << 1 & tails[w] & ~starts & ~tail;
      tail |= more;
    }
    rest &= ~tail;
    const uint64_t spaces = of(Class::kSpace) & ~tail, taken = spaces & ~newlines;
    // A sign that is alone, not after a blank, leads the letters after it; so does whitespace.
    uint64_t solo = rest & ~inside & ~before(rest, b.rest) & ~before(blanks, b.blanks);
    uint64_t found = solo | starts;
    for (int i = 0; i < 3 && inside != 0; ++i) solo |= before(solo, b.solo) & inside & rest;
    found |= letters & ~before(letters, b.letters) & ~before(solo | taken, b.solo | b.taken);
    found |= spaces & ~before(spaces, b.spaces);
    // The last character of whitespace before something else of the same string.
    const auto others = [&](int64_t i) { return ~classes.of[Class::kSpace][i] & ~classes.starts[i]; };
    found |= taken & (others(w) >> 1 | others(w + 1) << (kWordBits - 1));
    const uint64_t candidates = taken & before(spaces & newlines, b.newlines);
    if (candidates != 0) found |= after_newlines(block, w, candidates);
    if (numbers != 0) {
      const uint64_t first = numbers & ~before(numbers, b.numbers);
      found |= rule_.digits == 1 ? numbers & ~inside
                                 : group_numbers(block.num_bytes - w * kWordBits, numbers & ~inside, first, &count);
    }
    if (kHasCases && rule_.has_suffixes) {
      const uint64_t marks = apostrophes_[static_cast<size_t>(w)];
      join_suffixes(block, classes.starts, w, marks & before(letters, b.letters));
    }
    Before cases;
    if constexpr (kHasCases) {
      found |= begin_capitals(block, w, m, b, &cases);
      found = (found & ~suffix_.inside) | suffix_.after;
    }
    begins[w] = found;
    const auto end_word = [&](int64_t bit) {
      const auto at = [&](uint64_t mask) { return mask >> bit & 1; };
      b = {at(letters), at(numbers), at(rest),  at(spaces),     at(newlines & ~tail), at(blanks),
           at(solo),    at(tail),    at(taken), at(cases.late), at(cases.early)};
    };
    if (w == last_word) {
      end_word((block.num_bytes - 1) % kWordBits);
      last_ = b;
    }
    end_word(kWordBits - 1);
  }
  if (rule_.contractions && !rule_.has_suffixes) join_contractions(block, classes.starts, begins);
}

// Where pieces of at most `digits` numbers begin, of which `count` are in the current one. The block has `room` bytes
// from the word on.
uint64_t WordMasks::group_numbers(int64_t room, uint64_t numbers, uint64_t first, int64_t* count) {
  uint64_t begins = first;
  for (uint64_t rest = numbers; rest != 0; rest &= rest - 1) {
    const int i = first_bit(rest);
    if ((first >> i & 1) != 0 || *count == rule_.digits) {
      begins |= uint64_t{1} << i;
      *count = 0;
    }
    ++*count;
    if (i < room) numbers_ = *count;
  }
  return begins;
}

int64_t WordMasks::end_of_string(const Block& block, int64_t at) {
  const auto* const ends = block.string_ends.data();
  const auto* const next = std::upper_bound(ends, ends + block.num_strings, at);
  return next == ends + block.num_strings ? block.readable : *next;
}

// Of whitespace after a newline, that which no newline follows in the run, nor the end of the string, if whitespace at
// the end is one piece.
uint64_t WordMasks::after_newlines(const Block& block, int64_t w, uint64_t candidates) const {
  uint64_t kept = 0;
  for (uint64_t rest = candidates; rest != 0; rest &= rest - 1) {
    const int64_t at = w * kWordBits + first_bit(rest), end = end_of_string(block, at);
    const int64_t stop = at + simd_.count_in_set(block.data + at, end - at, rule_.blanks);
    const bool joins = stop < end ? block.data[stop] == '\n' || block.data[stop] == '\r' : rule_.joins_last;
    if (!joins) kept |= rest & (~rest + 1);
  }
  return kept;
}

// The size of the contraction, in one string; 0 if there is none.
int64_t WordMasks::contraction_at(const Block& block, const uint64_t* starts, int64_t at) const {
  const int64_t size = rule_.contractions->match(block.data + at, block.readable - at);
  bool crosses = false;
  for (int64_t i = 1; i < size; ++i) crosses |= test_bit(starts, at + i);
  return crosses ? 0 : size;
}

// Where a piece begins with an apostrophe, a contraction is one.
void WordMasks::join_contractions(const Block& block, const uint64_t* starts, uint64_t* begins) {
  const int64_t n = block.num_bytes;
  int64_t end = 0;
  const auto take = [&](int64_t first) {
    for (int64_t i = first; i < end; ++i) clear_bit(begins, i);
    set_bit(begins, end);
  };
  if (block.continues && open_ > 0) {
    end = open_;
    take(0);
  }
  simd_.find_byte(block.data, n, '\'', apostrophes_.data());
  for (int64_t w = 0; w < words_for(n); ++w) {
    for (uint64_t rest = apostrophes_[static_cast<size_t>(w)] & begins[w]; rest != 0; rest &= rest - 1) {
      const int64_t at = w * kWordBits + first_bit(rest);
      const int64_t size = contraction_at(block, starts, at);
      if (size == 0) continue;
      end = at + size;
      take(at + 1);
    }
  }
  open_ = block.num_strings == 0 ? std::max<int64_t>(end - n, 0) : 0;
}

// Of combining marks, those that signs before them take into their piece. A sign that is alone leads a mark as a
// letter, and one after a letter is part of the word.
uint64_t WordMasks::marks_of_signs(const Masks& m, const Before& b) {
  enum { kOther, kBlank, kSolo, kSigns, kTail } state = kOther;
  if (b.blanks != 0) state = kBlank;
  if (b.tail != 0) state = kTail;
  if (b.rest != 0) state = b.solo != 0 ? kSolo : kSigns;
  uint64_t found = 0;
  for (int i = 0; i < kWordBits; ++i) {
    const auto is = [&](uint64_t mask) { return (mask >> i & 1) != 0; };
    if (is(m.starts)) state = kOther;
    if (is(m.marks)) {
      if (state == kSigns) {
        found |= uint64_t{1} << i;
      } else {
        state = kOther;
      }
    } else if (is(m.inside)) {
      continue;
    } else if (is(m.tails) && (state == kTail || (is(m.newlines) && (state == kSolo || state == kSigns)))) {
      state = kTail;
    } else if (is(m.rest)) {
      state = state == kOther || state == kTail ? kSolo : kSigns;
    } else {
      state = is(m.blanks) ? kBlank : kOther;
    }
  }
  return found;
}

// A word takes the contraction after it, at an apostrophe of `candidates`; what follows is another piece.
void WordMasks::join_suffixes(const Block& block, const uint64_t* starts, int64_t w, uint64_t candidates) {
  suffix_.inside = suffix_.inside_next;
  suffix_.inside_next = suffix_.after = 0;
  const int64_t begin = w * kWordBits;
  const auto mark_end = [&] {
    if (suffix_.end >= begin && suffix_.end < begin + kWordBits) suffix_.after |= uint64_t{1} << (suffix_.end - begin);
  };
  mark_end();
  for (uint64_t rest = candidates; rest != 0; rest &= rest - 1) {
    const int i = first_bit(rest);
    const int64_t at = begin + i;
    if (at == suffix_.end) continue;
    const int64_t size = contraction_at(block, starts, at);
    if (size == 0) continue;
    suffix_.inside |= low_bits(size) << i;
    if (i > 0) suffix_.inside_next |= low_bits(size) >> (kWordBits - i);
    suffix_.end = at + size;
    mark_end();
    if (at < block.num_bytes) suffix_.end_in_block = suffix_.end - block.num_bytes;
  }
}

// Where a capital begins a piece inside a word: after a small letter, or letters without case after one. After other
// letters without case, which can belong to the capitals before and after them, only if no other letter follows the
// capitals.
uint64_t WordMasks::begin_capitals(const Block& block, int64_t w, const Masks& m, const Before& b,
                                   Before* letters) const {
  const uint64_t borders = m.starts | suffix_.after;
  uint64_t late = m.lower, early = 0, found = 0;
  if (m.other != 0) {
    // The sum carries through the runs that begin after a small letter.
    const uint64_t runs = m.other & ~borders;
    const uint64_t after_lower = runs & ~(runs + (runs & (m.lower << 1 | b.late)));
    late |= after_lower;
    early = m.other & ~after_lower;
  }
  found = m.upper & ~borders & (late << 1 | b.late);
  for (uint64_t rest = m.upper & ~borders & (early << 1 | b.early); rest != 0; rest &= rest - 1) {
    const int64_t at = w * kWordBits + first_bit(rest);
    if (ends_word(block, at)) found |= rest & (~rest + 1);
  }
  letters->late = late;
  letters->early = early;
  return found;
}

// Whether only capitals follow, up to the end of the word.
bool WordMasks::ends_word(const Block& block, int64_t at) const {
  const uint8_t *p = block.data + at, *const end = block.data + end_of_string(block, at);
  while (p < end) {
    if (*p < 0x80) {
      if (!upper_.contains(*p)) return !(*p >= 'a' && *p <= 'z');
      ++p;
      continue;
    }
    const uint8_t c = table_.at(p, end);
    if (c != Class::kUpper) return c != Class::kLower && c != Class::kOther && c != Class::kMark;
    p += std::min<int64_t>(codepoint_length(*p), end - p);
  }
  return true;
}

}  // namespace stringops::kernels
