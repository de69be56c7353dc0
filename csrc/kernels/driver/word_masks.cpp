#include "kernels/driver/word_masks.h"

#include <algorithm>

namespace stringops::kernels {

void WordMasks::find_begins(const Block& block, int64_t num_bytes, const Classes& classes, uint64_t* begins) {
  CharSet newline;
  newline.add('\n');
  newline.add('\r');
  const int64_t words = words_for(num_bytes), last_word = (block.num_bytes - 1) / kWordBits;
  simd_.find_set(block.data, num_bytes, newline, newlines_.data());
  simd_.find_byte(block.data, num_bytes, ' ', blanks_.data());
  Before b = block.continues ? last_ : Before();
  int64_t count = numbers_;
  uint64_t ends_before = 1;
  for (int64_t w = 0; w < words; ++w) {
    const uint64_t letters = classes.letters[w], numbers = classes.numbers[w], rest = classes.rest[w];
    const uint64_t newlines = newlines_[static_cast<size_t>(w)], blanks = blanks_[static_cast<size_t>(w)];
    const uint64_t starts = classes.starts[w] | static_cast<uint64_t>(w == 0 && !block.continues);
    const auto before = [&](uint64_t mask, uint64_t carry) { return (mask << 1 | carry) & ~starts; };
    uint64_t inside = 0;  // not the first byte of a code point
    if (classes.codepoint_ends) {
      inside = ~(classes.codepoint_ends[w] << 1 | ends_before);
      ends_before = classes.codepoint_ends[w] >> (kWordBits - 1);
    }
    // Newlines after signs belong to their piece.
    uint64_t tail = newlines & before(rest, b.rest | b.tail);
    for (uint64_t more = tail; more != 0;) {
      more = more << 1 & newlines & ~starts & ~tail;
      tail |= more;
    }
    const uint64_t spaces = classes.spaces[w] & ~tail, taken = spaces & ~newlines;
    // A sign that is alone, not after a blank, leads the letters after it; so does whitespace.
    uint64_t solo = rest & ~inside & ~before(rest, b.rest) & ~before(blanks, b.blanks);
    uint64_t found = solo | starts;
    for (int i = 0; i < 3 && inside != 0; ++i) solo |= before(solo, b.solo) & inside & rest;
    found |= letters & ~before(letters, b.letters) & ~before(solo | taken, b.solo | b.taken);
    found |= spaces & ~before(spaces, b.spaces);
    // The last character of whitespace before something else of the same string.
    const auto others = [&](int64_t i) { return ~classes.spaces[i] & ~classes.starts[i]; };
    found |= taken & (others(w) >> 1 | others(w + 1) << (kWordBits - 1));
    const uint64_t candidates = taken & before(spaces & newlines, b.newlines);
    if (candidates != 0) found |= after_newlines(block, w, candidates);
    if (numbers != 0) {
      const uint64_t first = numbers & ~before(numbers, b.numbers);
      found |= rule_.digits == 1 ? numbers & ~inside
                                 : group_numbers(block.num_bytes - w * kWordBits, numbers & ~inside, first, &count);
    }
    begins[w] = found;
    const auto end_word = [&](int64_t bit) {
      const auto at = [&](uint64_t mask) { return mask >> bit & 1; };
      b = {at(letters), at(numbers), at(rest), at(spaces), at(newlines & ~tail),
           at(blanks),  at(solo),    at(tail), at(taken)};
    };
    if (w == last_word) {
      end_word((block.num_bytes - 1) % kWordBits);
      last_ = b;
    }
    end_word(kWordBits - 1);
  }
  join_contractions(block, classes.starts, begins);
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

// Of whitespace after a newline, that which no newline follows in the run.
uint64_t WordMasks::after_newlines(const Block& block, int64_t w, uint64_t candidates) const {
  uint64_t kept = 0;
  for (uint64_t rest = candidates; rest != 0; rest &= rest - 1) {
    const int64_t at = w * kWordBits + first_bit(rest);
    const auto* const next =
        std::upper_bound(block.string_ends.data(), block.string_ends.data() + block.num_strings, at);
    const int64_t end = next == block.string_ends.data() + block.num_strings ? block.readable : *next;
    const int64_t stop = at + simd_.count_in_set(block.data + at, end - at, rule_.blanks);
    const bool is_newline = stop < end && (block.data[stop] == '\n' || block.data[stop] == '\r');
    if (!is_newline) kept |= rest & (~rest + 1);
  }
  return kept;
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
  Words& marks = blanks_;
  simd_.find_byte(block.data, n, '\'', marks.data());
  for (int64_t w = 0; w < words_for(n); ++w) {
    for (uint64_t rest = marks[static_cast<size_t>(w)] & begins[w]; rest != 0; rest &= rest - 1) {
      const int64_t at = w * kWordBits + first_bit(rest);
      const int64_t size = rule_.contractions.match(block.data + at, block.readable - at);
      bool crosses = false;
      for (int64_t i = 1; i < size; ++i) crosses |= test_bit(starts, at + i);
      if (size == 0 || crosses) continue;
      end = at + size;
      take(at + 1);
    }
  }
  open_ = block.num_strings == 0 ? std::max<int64_t>(end - n, 0) : 0;
}

}  // namespace stringops::kernels
