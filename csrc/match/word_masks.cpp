#include "match/word_masks.h"

#include <algorithm>
#include <cstring>

#include "core/utf8.h"

namespace stringops::kernels {

using Class = WordRule::Class;

WordMasks::WordMasks(const WordRule& rule) : rule_(rule), simd_(simd::primitives()), contractions_(rule.contractions) {
  capitals_.add('A', 'Z');
  for (const uint8_t c : {'\t', '\f', ' '}) spaces_.add(c);
  if (rule_.has_vertical_tab) spaces_.add('\v');
}

const uint64_t* WordMasks::find_begins(const Block& block) {
  num_bytes_ = std::min(block.num_bytes + kAhead, block.readable);
  mark_string_starts(block, starts_.data());
  starts_[static_cast<size_t>(words_for(num_bytes_)) + 1] = 0;
  if (block.readable > block.num_bytes && num_bytes_ == block.readable) set_bit(starts_.data(), num_bytes_);
  if (rule_.has_cases) simd_.find_set(block.data, num_bytes_, capitals_, upper_.data());
  if (rule_.slash_tail) simd_.find_byte(block.data, num_bytes_, '/', slashes_.data());
  if (!rule_.has_vertical_tab) simd_.find_byte(block.data, num_bytes_, '\v', vertical_tabs_.data());
  if (rule_.has_cases) {
    find<kCases>(block);
  } else if (rule_.has_gaps) {
    find<kGaps>(block);
  } else {
    rule_.only_blanks_lead ? find<kBlanks>(block) : find<kLeads>(block);
  }
  return begins_.data();
}

// All is kept; a piece ends before the next one, and with its string.
void WordMasks::split(const Block& block, uint64_t* kept, uint64_t* ends) {
  find_begins(block);
  const auto words = static_cast<size_t>(words_for(num_bytes_));
  begins_[words] = 0;
  for (size_t w = 0; w <= words; ++w) begins_[w] |= starts_[w];
  const int64_t count = words_for(block.num_bytes);
  for (int64_t w = 0; w < count; ++w) {
    const auto i = static_cast<size_t>(w);
    kept[w] = ~uint64_t{0};
    ends[w] = begins_[i] >> 1 | begins_[i + 1] << (kWordBits - 1);
  }
  trim_last_word(block, kept);
  trim_last_word(block, ends);
}

// Reads the masks of a word, or of none after the last byte.
template <WordMasks::Mode kMode>
void WordMasks::read(const Block& block, int64_t w, Masks* masks) {
  const auto i = static_cast<size_t>(w);
  const int64_t at = w * kWordBits, left = num_bytes_ - at;
  Masks& m = *masks;
  m.starts = starts_[i];
  m.inside = 0;
  if (left <= 0) {
    m.of.fill(0);
    m.newlines = m.blanks = m.tails = m.apostrophes = m.beyond = 0;
    return;
  }
  const uint8_t* bytes = block.data + at;
  uint8_t copy[kWordBits];
  if (block.data_end - bytes < kWordBits) {
    std::memset(copy, 0, sizeof(copy));
    std::memcpy(copy, bytes, static_cast<size_t>(std::min(left, kWordBits)));
    bytes = copy;
  }
  const simd::AsciiMasks ascii = simd_.find_ascii_masks(bytes);
  const uint64_t in = low_bits(left);
  uint64_t letters = ascii.letters & in, spaces = ascii.spaces & in;
  const uint64_t beyond = ascii.beyond & in;
  if (!rule_.has_vertical_tab) spaces &= ~vertical_tabs_[i];
  m.of[Class::kNumber] = ascii.numbers & in;
  m.of[Class::kSpace] = spaces;
  m.of[Class::kRest] = in & ~(letters | ascii.numbers | spaces | beyond);
  if constexpr (kMode == kCases) {
    m.of[Class::kUpper] = upper_[i];
    m.of[Class::kLower] = letters & ~upper_[i];
    m.of[Class::kOther] = m.of[Class::kMark] = 0;
  } else {
    m.of[Class::kLetter] = letters;
  }
  if constexpr (kMode == kGaps) {
    m.of[WordRule::kGap] = ascii.controls & in;
    m.of[Class::kRest] &= ~ascii.controls;
    m.of[WordRule::kCjkLetter] = m.of[WordRule::kCjkSign] = m.of[WordRule::kCjkGap] = 0;
    m.beyond = beyond;
  }
  m.newlines = ascii.newlines & in;
  m.blanks = ascii.blanks & in;
  m.apostrophes = ascii.apostrophes & in;
  m.tails = !rule_.newline_tail ? 0 : rule_.slash_tail ? m.newlines | slashes_[i] : m.newlines;
  if (beyond != 0) read_beyond_ascii(block, w, beyond, masks);
}

void WordMasks::read_beyond_ascii(const Block& block, int64_t w, uint64_t beyond, Masks* masks) {
  const ClassTable& table = rule_.table();
  const uint8_t *const word = block.data + w * kWordBits, *const end = block.data + block.readable;
  masks->of[straddling_.in] |= straddling_.bits;
  masks->inside = straddling_.bits;
  beyond &= ~straddling_.bits;
  straddling_.bits = 0;
  while (beyond != 0) {
    const int i = first_bit(beyond);
    const uint8_t* const p = word + i;
    const size_t in = std::min<size_t>(table.at(p, end), WordRule::kNumClasses - 1);
    const uint64_t bits = low_bits(codepoint_length(*p)), here = bits << i;
    masks->of[in] |= here;
    masks->inside |= here & ~(uint64_t{1} << i);
    if (i > kWordBits - 4) straddling_ = {bits >> (kWordBits - i), in};
    beyond &= ~here;
  }
}

// Returns the first bytes of characters of a class before a byte of `others`.
uint64_t WordMasks::last_before(const Masks& m, const Masks& next, uint64_t in, uint64_t in_next, uint64_t others,
                                uint64_t others_next) {
  const auto after = [](uint64_t mask, uint64_t mask_next, int bytes) {
    return mask >> bytes | mask_next << (kWordBits - bytes);
  };
  const auto other_after = [&](int bytes) { return after(others, others_next, bytes); };
  const uint64_t last = in & other_after(1);
  if (((m.inside | next.inside) & (in | in_next)) == 0) return last;
  // These are the first bytes of characters that have at least two bytes, at least three, and four.
  const uint64_t two = after(m.inside, next.inside, 1), three = two & after(m.inside, next.inside, 2);
  const uint64_t four = three & after(m.inside, next.inside, 3);
  return in & ~m.inside &
         ((last & ~two) | (other_after(2) & two & ~three) | (other_after(3) & three & ~four) | (other_after(4) & four));
}

// Returns the last characters of whitespace before another character of the same string.
uint64_t WordMasks::last_spaces(const Masks& m, const Masks& next, uint64_t spaces) {
  return last_before(m, next, spaces, next.of[Class::kSpace], ~m.of[Class::kSpace] & ~m.starts,
                     ~next.of[Class::kSpace] & ~next.starts);
}

// Marks where runs of numbers, and runs in CJK ranges, begin and end as starts of strings. `b` is the state before.
void WordMasks::cut_first(const Before& b, Masks* masks) {
  const uint64_t numbers = masks->of[Class::kNumber], cjk = cjk_of(*masks);
  masks->starts |= (numbers ^ (numbers << 1 | b.numbers)) | (cjk ^ (cjk << 1 | b.cjk));
}

template <WordMasks::Mode kMode>
void WordMasks::find(const Block& block) {
  const int64_t words = words_for(num_bytes_), last_word = (block.num_bytes - 1) / kWordBits;
  const bool has_contractions = rule_.contractions != WordRule::kNone;
  contractions_.begin_block(block);
  Before b = block.starts_inside ? last_ : Before();
  int64_t count = numbers_;
  straddling_ = {};
  std::array<Masks, 2> pair{};
  read<kMode>(block, 0, &pair[0]);
  if (!block.starts_inside) pair[0].starts |= 1;
  if constexpr (kMode == kGaps) cut_first(b, &pair[0]);
  for (int64_t w = 0; w < words; ++w) {
    Masks& m = pair[w & 1];
    Masks& next = pair[~w & 1];
    read<kMode>(block, w + 1, &next);
    uint64_t letters = m.of[Class::kLetter], rest = m.of[Class::kRest];
    [[maybe_unused]] uint64_t led = 0, gaps = 0, cjk = 0;
    if constexpr (kMode == kGaps) {
      letters |= m.of[WordRule::kCjkLetter];
      rest |= m.of[WordRule::kCjkSign];
      gaps = m.of[WordRule::kGap] | m.of[WordRule::kCjkGap];
      cjk = cjk_of(m);
      Before after;
      after.numbers = m.of[Class::kNumber] >> (kWordBits - 1);
      after.cjk = cjk >> (kWordBits - 1);
      cut_first(after, &next);
    }
    const uint64_t numbers = m.of[Class::kNumber], starts = m.starts;
    const auto before = [&](uint64_t mask, uint64_t carry) { return (mask << 1 | carry) & ~starts; };
    uint64_t found = starts, tail = 0, solo = 0, taken = 0;
    if (has_contractions) contractions_.begin_word(w);
    [[maybe_unused]] Before cases;
    if constexpr (kMode == kBlanks) {
      const uint64_t spaces = m.of[Class::kSpace];
      const uint64_t same = (letters & before(letters, b.letters)) | (numbers & before(numbers, b.numbers)) |
                            (rest & before(rest, b.rest));
      found |= (letters | numbers | rest) & ~same & ~before(m.blanks, b.blanks);
      found |= (spaces & ~before(spaces, b.spaces)) | last_spaces(m, next, spaces);
    } else {
      if constexpr (kMode == kCases) {
        const uint64_t marks = m.of[Class::kMark];
        m.of[Class::kOther] |= marks;
        if ((marks & before(rest, b.rest)) != 0) {
          const uint64_t signs = marks_of_signs(m, b);
          m.of[Class::kOther] &= ~signs;
          rest |= signs;
        }
        letters |= m.of[Class::kLower] | m.of[Class::kOther];
      }
      // Newlines after signs, and what may follow these, belong to their piece.
      tail = m.tails & ((m.newlines & before(rest, b.rest)) | before(0, b.tail));
      for (uint64_t more = tail; more != 0;) {
        more = more << 1 & m.tails & ~starts & ~tail;
        tail |= more;
      }
      rest &= ~tail;
      const uint64_t spaces = m.of[Class::kSpace] & ~tail;
      taken = spaces & ~m.newlines;
      // A sign that is alone, not after a blank, leads the letters after it; so does whitespace.
      solo = rest & ~m.inside & ~before(rest, b.rest) & ~before(m.blanks, b.blanks);
      found |= solo;
      if (m.inside != 0) {
        for (int i = 0; i < 3; ++i) solo |= before(solo, b.solo) & m.inside & rest;
      }
      const uint64_t first_letters = letters & ~before(letters, b.letters);
      if constexpr (kMode == kGaps) {
        solo &= ~m.beyond;
        const uint64_t ascii = letters & ~m.beyond & ~starts;
        const uint64_t after_solo = ascii & before(solo, b.solo);
        led = ascii & ~(ascii + (after_solo | (ascii & b.led)));  // the sum carries through their run
        found |= first_letters & ~after_solo & ~before(taken | gaps, b.taken | b.gaps);
        found |= letters & m.beyond & before(led, b.led);
        found |= gaps & ~before(gaps, b.gaps);
        found |= last_before(m, next, gaps, next.of[WordRule::kGap] | next.of[WordRule::kCjkGap], letters & ~starts,
                             (next.of[Class::kLetter] | next.of[WordRule::kCjkLetter]) & ~next.starts);
      } else {
        found |= first_letters & ~before(solo | taken, b.solo | b.taken);
      }
      found |= spaces & ~before(spaces, b.spaces);
      found |= last_spaces(m, next, taken);
      const uint64_t candidates = taken & before(spaces & m.newlines, b.newlines);
      if (candidates != 0) found |= after_newlines(block, w, candidates);
      if (numbers != 0) {
        const uint64_t first = numbers & ~before(numbers, b.numbers);
        found |= rule_.digits == 0 ? first
                 : rule_.digits == 1
                     ? numbers & ~m.inside
                     : group_numbers(block.num_bytes - w * kWordBits, numbers & ~m.inside, first, &count);
      }
    }
    if constexpr (kMode == kCases) {
      if (has_contractions) contractions_.find(block, w, starts_.data(), m.apostrophes & before(letters, b.letters));
      found |= begin_capitals(block, w, m, b, &cases);
    }
    if (has_contractions) {
      if (kMode != kCases && m.apostrophes != 0) contractions_.find(block, w, starts_.data(), m.apostrophes & found);
      found = (found & ~contractions_.inside()) | contractions_.after();
    }
    begins_[static_cast<size_t>(w)] = found;
    const auto end_word = [&](int64_t bit) {
      const auto at = [&](uint64_t mask) { return mask >> bit & 1; };
      b = {at(letters),
           at(numbers),
           at(rest),
           at(m.of[Class::kSpace] & ~tail),
           at(m.newlines & ~tail),
           at(m.blanks),
           at(solo),
           at(tail),
           at(taken),
           at(cases.late),
           at(cases.early),
           at(led),
           at(gaps),
           at(cjk)};
    };
    if (w == last_word) {
      end_word((block.num_bytes - 1) % kWordBits);
      last_ = b;
    }
    end_word(kWordBits - 1);
  }
}

// Returns the begins of pieces of at most `digits` numbers; the current piece has `count` of them. The block has `room`
// bytes from the word on.
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

// Keeps candidates whose whitespace run has no later newline; and, if whitespace at the end is one piece, does not end
// the string.
uint64_t WordMasks::after_newlines(const Block& block, int64_t w, uint64_t candidates) const {
  uint64_t kept = 0;
  for (uint64_t rest = candidates; rest != 0; rest &= rest - 1) {
    const int64_t at = w * kWordBits + first_bit(rest);
    const uint8_t *p = block.data + at, *const end = block.data + end_of_string(block, at);
    for (;;) {
      p += simd_.count_in_set(p, end - p, spaces_);
      if (p == end || *p < 0x80 || rule_.table().at(p, end) != Class::kSpace) break;
      p += std::min<int64_t>(codepoint_length(*p), end - p);
    }
    const bool joins = p < end ? *p == '\n' || *p == '\r' : rule_.joins_last;
    if (!joins) kept |= rest & (~rest + 1);
  }
  return kept;
}

// Returns the combining marks that belong to the piece of the signs before them. A single sign leads a mark like a
// letter, and a mark after a letter is part of the word.
uint64_t WordMasks::marks_of_signs(const Masks& m, const Before& b) {
  enum { kOther, kBlank, kSolo, kSigns, kTail } state = kOther;
  if (b.blanks != 0) state = kBlank;
  if (b.tail != 0) state = kTail;
  if (b.rest != 0) state = b.solo != 0 ? kSolo : kSigns;
  uint64_t found = 0;
  for (int i = 0; i < kWordBits; ++i) {
    const auto is = [&](uint64_t mask) { return (mask >> i & 1) != 0; };
    if (is(m.starts)) state = kOther;
    if (is(m.of[Class::kMark])) {
      if (state == kSigns) {
        found |= uint64_t{1} << i;
      } else {
        state = kOther;
      }
    } else if (is(m.inside)) {
      continue;
    } else if (is(m.tails) && (state == kTail || (is(m.newlines) && (state == kSolo || state == kSigns)))) {
      state = kTail;
    } else if (is(m.of[Class::kRest])) {
      state = state == kOther || state == kTail ? kSolo : kSigns;
    } else {
      state = is(m.blanks) ? kBlank : kOther;
    }
  }
  return found;
}

// Returns the capitals that begin a piece inside a word: after a small letter, or after letters without case that
// follow one. Other letters without case can belong to the capitals before and after them; after these, a capital
// begins a piece only if no other letter follows the capitals.
uint64_t WordMasks::begin_capitals(const Block& block, int64_t w, const Masks& m, const Before& b,
                                   Before* letters) const {
  const uint64_t borders = m.starts | contractions_.after();
  uint64_t late = m.of[Class::kLower], early = 0, found = 0;
  if (m.of[Class::kOther] != 0) {
    // The sum carries through the runs that begin after a small letter.
    const uint64_t runs = m.of[Class::kOther] & ~borders;
    const uint64_t after_lower = runs & ~(runs + (runs & (m.of[Class::kLower] << 1 | b.late)));
    late |= after_lower;
    early = m.of[Class::kOther] & ~after_lower;
  }
  found = m.of[Class::kUpper] & ~borders & (late << 1 | b.late);
  for (uint64_t rest = m.of[Class::kUpper] & ~borders & (early << 1 | b.early); rest != 0; rest &= rest - 1) {
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
      if (!capitals_.contains(*p)) return !(*p >= 'a' && *p <= 'z');
      ++p;
      continue;
    }
    const uint8_t c = rule_.table().at(p, end);
    if (c != Class::kUpper) return c != Class::kLower && c != Class::kOther && c != Class::kMark;
    p += std::min<int64_t>(codepoint_length(*p), end - p);
  }
  return true;
}

}  // namespace stringops::kernels
