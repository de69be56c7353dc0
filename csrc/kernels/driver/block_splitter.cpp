#include "kernels/driver/block_splitter.h"

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "core/narrow.h"
#include "core/whitespace.h"

namespace stringops::kernels {
namespace {

bool overlaps_itself(std::string_view delimiter) {
  for (size_t shift = 1; shift < delimiter.size(); ++shift) {
    if (delimiter.substr(shift) == delimiter.substr(0, delimiter.size() - shift)) return true;
  }
  return false;
}

void clear_range(uint64_t* words, int64_t begin, int64_t end) {
  while (begin < end) {
    const int64_t bit = begin % kWordBits;
    const int64_t count = std::min(end - begin, kWordBits - bit);
    words[begin / kWordBits] &= ~(low_bits(count) << bit);
    begin += count;
  }
}

// For each set bit of `word`, sets `length` bits from it on.
template <class Word>
Word smear_up(Word word, int64_t length) {
  for (int64_t covered = 1; covered < length;) {
    const int64_t step = std::min(covered, length - covered);
    word |= word << step;
    covered += step;
  }
  return word;
}

// The same, including bits that reach over from set bits of `before`, the preceding word.
template <class Length>
uint64_t smear(uint64_t before, uint64_t word, Length length) {
  return static_cast<uint64_t>(smear_up(static_cast<unsigned __int128>(word) << 64 | before, length) >> 64);
}

// Clears the bits beyond the block.
void trim_last_word(const Block& block, uint64_t* words) {
  if (block.num_bytes > 0) words[(block.num_bytes - 1) / kWordBits] &= low_bits((block.num_bytes - 1) % kWordBits + 1);
}

}  // namespace

BlockSplitter::BlockSplitter(const BlockRule& rule, const simd::Primitives& simd, int64_t cuts)
    : rule_(rule),
      simd_(simd),
      length_(static_cast<int64_t>(rule.delimiter.size())),
      self_overlapping_(overlaps_itself(rule.delimiter)),
      limit_(rule.max_cuts, cuts) {}

void BlockSplitter::split(const Block& block) {
  num_words_ = words_for(block.num_bytes);
  num_repeats_ = 0;
  if (!block.continues) {
    consumed_ = 0;
    limit_.begin_string();
    after_separator_ = true;
    trailing_ = -1;
  }
  switch (rule_.kind) {
    case BlockRule::Kind::kFields:
      return split_fields(block);
    case BlockRule::Kind::kCodepoints:
      return split_codepoints(block);
    case BlockRule::Kind::kSetChars:
      return split_set_chars(block);
    default:
      return split_words(block);
  }
}

// Sets bit p of string_starts_ if a string begins at byte p, or ends there at the end of the block.
void BlockSplitter::mark_string_starts(const Block& block) {
  std::fill_n(string_starts_.begin(), num_words_ + 2, 0);
  // The current word stays in a register, as loading it right after the store would stall. There is no branch, as
  // whether two strings meet in a word is unpredictable.
  uint64_t marks = 0;
  uint32_t at = 0;
  for (int64_t k = 0; k < block.num_strings; ++k) {
    const auto p = static_cast<uint32_t>(block.string_ends[k]);
    const uint32_t w = p / kWordBits;
    marks &= uint64_t{0} - static_cast<uint64_t>(w == at);
    marks |= uint64_t{1} << (p % kWordBits);
    string_starts_[w] = marks;
    at = w;
  }
}

// Whether a string of the block is empty: its end then has no mark of its own.
bool BlockSplitter::has_empty_strings(const Block& block) const {
  if (!block.continues && test_bit(string_starts_.data(), 0)) return true;
  return simd_.count_bits(string_starts_.data(), num_words_ + 1) < block.num_strings;
}

void BlockSplitter::split_words(const Block& block) {
  mark_string_starts(block);
  uint64_t* const separators = separators_.data();
  if (rule_.kind == BlockRule::Kind::kSetWords) {
    simd_.find_set(block.data, block.num_bytes, rule_.set, separators);
  } else if (rule_.kind == BlockRule::Kind::kDelimiterWords && length_ == 1 && !limit_.exists()) {
    simd_.find_byte(block.data, block.num_bytes, static_cast<uint8_t>(rule_.delimiter[0]), separators);
  } else if (rule_.kind == BlockRule::Kind::kDelimiterWords) {
    find_delimiters(block);
    limit_delimiters(block);
    cover_delimiters(block);
    note_consumed(block);
  } else if (!simd_.find_whitespace(block.data, block.num_bytes, separators)) {
    drop_straddling_whitespace(block);
  }
  separators[num_words_] = 0;
  if (limit_.exists() && rule_.kind != BlockRule::Kind::kDelimiterWords) limit_words(block);
  if (separator_follows(block)) set_bit(separators, block.num_bytes);
  simd_.end_words(separators, string_starts_.data(), num_words_, kept_.data(), ends_.data());
  trim_last_word(block, kept_.data());
}

// Whether the string continues after the block, with a separator.
bool BlockSplitter::separator_follows(const Block& block) {
  const uint8_t* const next = block.data + block.num_bytes;
  const int64_t left = block.readable - block.num_bytes;
  if (left == 0) return false;
  if (limit_.is_reached() && !(rule_.trims_rest && left == count_trailing(block))) return false;
  switch (rule_.kind) {
    case BlockRule::Kind::kSetWords:
      return rule_.set.contains(*next);
    case BlockRule::Kind::kDelimiterWords:
      return left >= length_ && std::memcmp(next, rule_.delimiter.data(), rule_.delimiter.size()) == 0;
    default:
      return whitespace_length(next, next + left) > 0;
  }
}

// Each delimiter is a cut; those beyond the limit are dropped.
void BlockSplitter::limit_delimiters(const Block& block) {
  if (!limit_.exists()) return;
  uint64_t* const beyond = ends_.data();
  std::copy_n(delimiters_.data(), num_words_, beyond);
  if (!limit_.drop_allowed(block, string_starts_.data(), beyond)) return;
  for (int64_t w = 0; w < num_words_; ++w) delimiters_[w] &= ~beyond[w];
}

// Each run of separators is a cut, at its first byte, unless its string begins with it. The runs of those beyond the
// limit are dropped: a carry from the cut to the end of the run clears it.
//
//   bytes       a ␣ b ␣ ␣ c ␣ | ␣ d        at most one cut
//   separators  0 1 0 1 1 0 1   1 0
//   beyond      0 0 0 1 0 0 1   0 0
//   dropped     0 0 0 1 1 0 1   0 0        a run does not reach over to the next string
void BlockSplitter::limit_words(const Block& block) {
  const int64_t num_words = num_words_;
  uint64_t* const __restrict separators = separators_.data();
  uint64_t* const __restrict beyond = ends_.data();
  const uint64_t* const __restrict starts = string_starts_.data();
  // If the string had passed the limit before the block, a run that continues is dropped as well.
  const auto continues_run = static_cast<uint64_t>(after_separator_ && !limit_.is_exceeded());
  beyond[0] = separators[0] & ~(separators[0] << 1 | continues_run | starts[0]);
  for (int64_t w = 1; w < num_words; ++w) {
    beyond[w] = separators[w] & ~(separators[w] << 1 | separators[w - 1] >> 63 | starts[w]);
  }
  if (block.num_bytes > 0) after_separator_ = test_bit(separators, block.num_bytes - 1);
  if (!limit_.drop_allowed(block, string_starts_.data(), beyond)) return;
  uint64_t* const dropped = beyond;
  uint64_t carry = 0;
  for (int64_t w = 0; w < num_words; ++w) {
    const uint64_t runs = separators[w] & ~starts[w];
    dropped[w] = runs & ~add_with_carry(runs, beyond[w], &carry);
  }
  if (rule_.trims_rest) exclude_trailing(block, dropped);
  for (int64_t w = 0; w < num_words; ++w) separators[w] &= ~dropped[w];
}

// Clears the bits of separators at the end of a string.
void BlockSplitter::exclude_trailing(const Block& block, uint64_t* dropped) {
  if (block.num_strings == 0) {
    const int64_t begin = std::max<int64_t>(block.readable - count_trailing(block), 0);
    return clear_range(dropped, begin, block.num_bytes);
  }
  for (int64_t k = 0; k < block.num_strings; ++k) {
    for (int64_t p = block.string_ends[k]; p > 0 && test_bit(dropped, p - 1); --p) clear_bit(dropped, p - 1);
  }
}

// The trailing separators of the string that continues, as far as they are in this block and after it.
int64_t BlockSplitter::count_trailing(const Block& block) {
  if (trailing_ >= 0) return trailing_;
  trailing_ = 0;
  while (trailing_ < block.readable && rule_.set.contains(block.data[block.readable - trailing_ - 1])) ++trailing_;
  return trailing_;
}

// The bytes of two adjacent strings can look like one character, if the second one begins with a continuation byte:
// it is malformed, hence rare.
void BlockSplitter::drop_straddling_whitespace(const Block& block) {
  const uint8_t* const end = block.data + block.num_bytes;
  for (int64_t k = 0; k < block.num_strings; ++k) {
    const int64_t p = block.string_ends[k];
    if (p >= block.num_bytes || p == 0 || !is_continuation(block.data[p])) continue;
    for (int64_t start = std::max<int64_t>(p - 2, 0); start < p; ++start) {
      const int64_t length = whitespace_length(block.data + start, end);
      if (start + length > p) clear_range(separators_.data(), start, start + length);
    }
  }
}

void BlockSplitter::split_codepoints(const Block& block) {
  // No block ends inside a code point.
  uint64_t* const kept = kept_.data();
  std::fill_n(kept, num_words_, ~uint64_t{0});
  trim_last_word(block, kept);
  simd_.find_codepoint_ends(block.data, block.num_bytes, ends_.data());
}

void BlockSplitter::split_set_chars(const Block& block) {
  simd_.find_set(block.data, block.num_bytes, rule_.set, ends_.data());
  std::copy_n(ends_.data(), num_words_, kept_.data());
}

void BlockSplitter::split_fields(const Block& block) {
  mark_string_starts(block);
  find_delimiters(block);
  delimiters_[num_words_] = 0;
  limit_delimiters(block);
  const uint64_t* covered = delimiters_.data();
  if (length_ > 1) {
    cover_delimiters(block);
    covered = separators_.data();
  }
  const bool complete =
      simd_.end_fields(delimiters_.data(), covered, string_starts_.data(), num_words_, kept_.data(), ends_.data());
  trim_last_word(block, kept_.data());
  note_consumed(block);
  if (!complete || has_empty_strings(block)) {
    std::copy_n(delimiters_.data(), num_words_, ends_.data());
    end_fields_at_string_ends(block);
  }
}

// Sets the bits of all bytes of the delimiters in `separators_`, including one that began in the previous block.
void BlockSplitter::cover_delimiters(const Block& block) {
  uint64_t before = 0;
  const auto cover = [&](auto length) {
    for (int64_t w = 0; w < num_words_; ++w) {
      separators_[w] = smear(before, delimiters_[w], length);
      before = delimiters_[w];
    }
  };
  // Most delimiters of several bytes have two, so that case takes one step, known at compile time.
  length_ == 2 ? cover(std::integral_constant<int64_t, 2>()) : cover(length_);
  if (num_words_ > 0) separators_[0] |= low_bits(std::min(consumed_, block.num_bytes));
}

// Sets the bit of the first byte of each delimiter in `delimiters_`: non-overlapping matches in each string, from left
// to right.
void BlockSplitter::find_delimiters(const Block& block) {
  const auto* delimiter = reinterpret_cast<const uint8_t*>(rule_.delimiter.data());
  uint64_t* const matches = delimiters_.data();
  if (length_ == 1) {
    simd_.find_byte(block.data, block.num_bytes, delimiter[0], matches);
    return;
  }
  simd_.find_pair(block.data, block.num_bytes, block.readable, delimiter[0], delimiter[length_ - 1], length_ - 1,
                  matches);
  drop_crossing();
  if (num_words_ > 0) matches[0] &= ~low_bits(std::min(consumed_, block.num_bytes));
  if (length_ > 2) {
    for_each_bit(matches, num_words_, [&](int64_t i) {
      if (std::memcmp(block.data + i + 1, delimiter + 1, static_cast<size_t>(length_ - 2)) != 0) clear_bit(matches, i);
    });
  }
  if (self_overlapping_) drop_overlapping();
}

// Drops the matches that cross the start of a string, which is at their second byte or later.
//
//   bytes       a : | : b             delimiter "::"
//   match       0 1   0 0
//   string_starts  1     1
//   inside      0 1   0 0    the positions 1 to length - 1 before each string
void BlockSplitter::drop_crossing() {
  for (int64_t w = 0; w < num_words_; ++w) {
    auto inside = static_cast<unsigned __int128>(string_starts_[w + 1]) << 64 | string_starts_[w];
    inside >>= 1;
    for (int64_t reach = 1; reach < length_ - 1;) {
      const int64_t step = std::min(reach, length_ - 1 - reach);
      inside |= inside >> step;
      reach += step;
    }
    delimiters_[w] &= ~static_cast<uint64_t>(inside);
  }
}

// Of overlapping matches, the first one counts, then the first one after its end, and so on. Each step takes the
// matches of a word that no earlier match overlaps, and drops those that these overlap. In long runs that frees others.
//
//   bytes      a : : : : b       delimiter "::"
//   matches    0 1 1 1 0 0
//   taken      0 1 0 0 0 0   then   0 1 0 1 0 0
void BlockSplitter::drop_overlapping() {
  if (length_ == 2) return take_every_other();
  uint64_t before = 0;
  for (int64_t w = 0; w < num_words_; ++w) {
    uint64_t taken = 0;
    uint64_t open = delimiters_[w] & ~smear(before, 0, length_);
    while (open != 0) {
      const uint64_t first = open & ~(smear_up(open, length_ - 1) << 1);
      taken |= first;
      open &= ~smear_up(first, length_);
    }
    delimiters_[w] = before = taken;
  }
}

// The same for two bytes, without a branch: takes every other match of a run, starting with the first. (The subtraction
// is simdjson's, which finds escaped backslashes by it.)
//
//   matches        0 1 1 1 0 0 1 1      bit 0 on the left
//   after         0 0 1 1 1 0 0 1      matches << 1
//   odd            0 1 0 1 0 1 0 1
//   difference     0 0 0 0 1 1 1 1      (after | odd) - matches: a run borrows through to its end
//   ^ odd          0 1 0 1 1 0 1 0
//   taken          0 1 0 1 0 0 1 0      & matches
void BlockSplitter::take_every_other() {
  constexpr uint64_t kOdd = 0xAAAAAAAAAAAAAAAA;
  uint64_t taken_last = 0;
  for (int64_t w = 0; w < num_words_; ++w) {
    const uint64_t open = delimiters_[w] & ~taken_last;
    const uint64_t taken = (((open << 1 | kOdd) - open) ^ kOdd) & open;
    delimiters_[w] = taken;
    taken_last = taken >> 63;
  }
}

// If the string continues: how many bytes of the next block belong to its last delimiter.
void BlockSplitter::note_consumed(const Block& block) {
  int64_t consumed = std::max<int64_t>(consumed_ - block.num_bytes, 0);
  if (length_ > 1) {
    for (int64_t w = num_words_ - 1; w >= std::max<int64_t>(num_words_ - 2, 0); --w) {
      if (delimiters_[w] == 0) continue;
      consumed = std::max(consumed, w * kWordBits + last_bit(delimiters_[w]) + length_ - block.num_bytes);
      break;
    }
  }
  consumed_ = block.num_strings == 0 ? consumed : 0;  // a block of a string that continues holds no other string
}

void BlockSplitter::end_fields_at_string_ends(const Block& block) {
  int32_t begin = block.continues ? -1 : 0;
  for (int64_t k = 0; k < block.num_strings; ++k) {
    const int32_t p = block.string_ends[k];
    const bool empty = p == begin;
    const int32_t last = std::max(p - 1, 0);
    const bool repeat = empty || test_bit(ends_.data(), last);
    // Without branches, as which strings end in a delimiter is unpredictable.
    ends_[last / kWordBits] |= static_cast<uint64_t>(!repeat) << (last % kWordBits);
    repeat_strings_[num_repeats_] = narrow<int32_t>(k);
    num_repeats_ += repeat && (!empty || rule_.empty_strings_have_a_field);
    begin = p;
  }
}

void BlockSplitter::count_ends(const Block& block) {
  simd_.count_before(ends(), num_words_, block.string_ends.data(), block.num_strings, prefix_.data(),
                     string_pieces_.data());
}

void BlockSplitter::count_strings(const Block& block) {
  count_ends(block);
  if (num_repeats_ == 0) return;
  int64_t repeats = 0;
  for (int64_t k = repeat_strings_[0]; k < block.num_strings; ++k) {
    repeats += repeats < num_repeats_ && repeat_strings_[repeats] == k;
    string_pieces_[k] += narrow<int32_t>(repeats);
  }
}

}  // namespace stringops::kernels
