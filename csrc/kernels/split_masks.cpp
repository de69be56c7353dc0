#include "kernels/split_masks.h"

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

// Bits set from each set bit of `word` on, `length` in a row; those of `before`, the word in front of it, reach over.
template <class Word>
Word smear_up(Word word, int64_t length) {
  for (int64_t covered = 1; covered < length;) {
    const int64_t step = std::min(covered, length - covered);
    word |= word << step;
    covered += step;
  }
  return word;
}

template <class Length>
uint64_t smear(uint64_t before, uint64_t word, Length length) {
  return static_cast<uint64_t>(smear_up(static_cast<unsigned __int128>(word) << 64 | before, length) >> 64);
}

// Clears the bits beyond the tile.
void trim_last_word(const Tile& tile, uint64_t* words) {
  if (tile.num_bytes > 0) words[(tile.num_bytes - 1) / kWordBits] &= low_bits((tile.num_bytes - 1) % kWordBits + 1);
}

}  // namespace

MaskSplitter::MaskSplitter(const MaskRule& rule, const simd::Primitives& simd)
    : rule_(rule),
      simd_(simd),
      length_(static_cast<int64_t>(rule.delimiter.size())),
      self_overlapping_(overlaps_itself(rule.delimiter)) {}

void MaskSplitter::split(const Tile& tile) {
  num_words_ = words_for(tile.num_bytes);
  num_repeats_ = 0;
  if (!tile.continues) consumed_ = 0;
  switch (rule_.kind) {
    case MaskRule::Kind::kFields:
      return split_fields(tile);
    case MaskRule::Kind::kCodepoints:
      return split_codepoints(tile);
    case MaskRule::Kind::kSetChars:
      return split_set_chars(tile);
    default:
      return split_words(tile);
  }
}

// Bit p of row_starts_: a row begins at byte p, or ends there with the tile.
void MaskSplitter::mark_row_starts(const Tile& tile) {
  std::fill_n(row_starts_.begin(), num_words_ + 2, 0);
  // The word at hand stays in a register, for a mark that is stored makes the next row wait; and there is no branch,
  // for whether two rows meet in a word cannot be foreseen.
  uint64_t marks = 0;
  uint32_t at = 0;
  for (int64_t k = 0; k < tile.num_rows; ++k) {
    const auto p = static_cast<uint32_t>(tile.row_ends[k]);
    const uint32_t w = p / kWordBits;
    marks &= uint64_t{0} - static_cast<uint64_t>(w == at);
    marks |= uint64_t{1} << (p % kWordBits);
    row_starts_[w] = marks;
    at = w;
  }
}

// Whether a row of the tile has no bytes: its end has no mark of its own.
bool MaskSplitter::has_empty_rows(const Tile& tile) const {
  if (!tile.continues && test_bit(row_starts_.data(), 0)) return true;
  return simd_.count_bits(row_starts_.data(), num_words_ + 1) < tile.num_rows;
}

void MaskSplitter::split_words(const Tile& tile) {
  mark_row_starts(tile);
  uint64_t* const separators = separators_.data();
  if (rule_.kind == MaskRule::Kind::kSetWords) {
    simd_.find_set(tile.data, tile.num_bytes, rule_.set, separators);
  } else if (rule_.kind == MaskRule::Kind::kDelimiterWords && length_ == 1) {
    simd_.find_byte(tile.data, tile.num_bytes, static_cast<uint8_t>(rule_.delimiter[0]), separators);
  } else if (rule_.kind == MaskRule::Kind::kDelimiterWords) {
    find_delimiters(tile);
    cover_delimiters(tile);
    note_consumed(tile);
  } else if (!simd_.find_whitespace(tile.data, tile.num_bytes, separators)) {
    drop_straddling_whitespace(tile);
  }
  separators[num_words_] = 0;
  if (separator_behind(tile)) set_bit(separators, tile.num_bytes);
  simd_.end_words(separators, row_starts_.data(), num_words_, kept_.data(), ends_.data());
  trim_last_word(tile, kept_.data());
}

// Whether a row that goes on behind the tile goes on with a separator.
bool MaskSplitter::separator_behind(const Tile& tile) const {
  const uint8_t* const next = tile.data + tile.num_bytes;
  const int64_t left = tile.readable - tile.num_bytes;
  if (left == 0) return false;
  switch (rule_.kind) {
    case MaskRule::Kind::kSetWords:
      return rule_.set.contains(*next);
    case MaskRule::Kind::kDelimiterWords:
      return left >= length_ && std::memcmp(next, rule_.delimiter.data(), rule_.delimiter.size()) == 0;
    default:
      return whitespace_length(next, next + left) > 0;
  }
}

// The bytes of two rows side by side can look like one character. That takes a row which begins with a continuation
// byte: malformed, hence rare.
void MaskSplitter::drop_straddling_whitespace(const Tile& tile) {
  const uint8_t* const end = tile.data + tile.num_bytes;
  for (int64_t k = 0; k < tile.num_rows; ++k) {
    const int64_t p = tile.row_ends[k];
    if (p >= tile.num_bytes || p == 0 || !is_continuation(tile.data[p])) continue;
    for (int64_t start = std::max<int64_t>(p - 2, 0); start < p; ++start) {
      const int64_t length = whitespace_length(tile.data + start, end);
      if (start + length > p) clear_range(separators_.data(), start, start + length);
    }
  }
}

void MaskSplitter::split_codepoints(const Tile& tile) {
  // No tile ends inside of a code point.
  uint64_t* const kept = kept_.data();
  std::fill_n(kept, num_words_, ~uint64_t{0});
  trim_last_word(tile, kept);
  simd_.find_codepoint_ends(tile.data, tile.num_bytes, ends_.data());
}

void MaskSplitter::split_set_chars(const Tile& tile) {
  simd_.find_set(tile.data, tile.num_bytes, rule_.set, ends_.data());
  std::copy_n(ends_.data(), num_words_, kept_.data());
}

void MaskSplitter::split_fields(const Tile& tile) {
  mark_row_starts(tile);
  find_delimiters(tile);
  delimiters_[num_words_] = 0;
  const uint64_t* covered = delimiters_.data();
  if (length_ > 1) {
    cover_delimiters(tile);
    covered = separators_.data();
  }
  const bool complete =
      simd_.end_fields(delimiters_.data(), covered, row_starts_.data(), num_words_, kept_.data(), ends_.data());
  trim_last_word(tile, kept_.data());
  note_consumed(tile);
  if (!complete || has_empty_rows(tile)) {
    std::copy_n(delimiters_.data(), num_words_, ends_.data());
    end_fields_at_rows(tile);
  }
}

// Sets in `separators_` all bytes of the delimiters, and of the one that began in the tile before.
void MaskSplitter::cover_delimiters(const Tile& tile) {
  uint64_t before = 0;
  const auto cover = [&](auto length) {
    for (int64_t w = 0; w < num_words_; ++w) {
      separators_[w] = smear(before, delimiters_[w], length);
      before = delimiters_[w];
    }
  };
  // Two bytes are what most delimiters of several have: one step, known to the compiler.
  length_ == 2 ? cover(std::integral_constant<int64_t, 2>()) : cover(length_);
  if (num_words_ > 0) separators_[0] |= low_bits(std::min(consumed_, tile.num_bytes));
}

// Sets in `delimiters_` the first byte of each delimiter: matches from left to right in each row, none sharing a byte.
void MaskSplitter::find_delimiters(const Tile& tile) {
  const auto* delimiter = reinterpret_cast<const uint8_t*>(rule_.delimiter.data());
  uint64_t* const matches = delimiters_.data();
  if (length_ == 1) {
    simd_.find_byte(tile.data, tile.num_bytes, delimiter[0], matches);
    return;
  }
  simd_.find_pair(tile.data, tile.num_bytes, tile.readable, delimiter[0], delimiter[length_ - 1], length_ - 1, matches);
  drop_crossing();
  if (num_words_ > 0) matches[0] &= ~low_bits(std::min(consumed_, tile.num_bytes));
  if (length_ > 2) {
    for_each_bit(matches, num_words_, [&](int64_t i) {
      if (std::memcmp(tile.data + i + 1, delimiter + 1, static_cast<size_t>(length_ - 2)) != 0) clear_bit(matches, i);
    });
  }
  if (self_overlapping_) drop_overlapping();
}

// Drops the matches that a row begins in, at their second byte or later.
//
//   bytes       a : | : b             delimiter "::"
//   match       0 1   0 0
//   row_starts  1     1
//   inside      0 1   0 0    the places 1 to length - 1 in front of each row
void MaskSplitter::drop_crossing() {
  for (int64_t w = 0; w < num_words_; ++w) {
    auto inside = static_cast<unsigned __int128>(row_starts_[w + 1]) << 64 | row_starts_[w];
    inside >>= 1;
    for (int64_t reach = 1; reach < length_ - 1;) {
      const int64_t step = std::min(reach, length_ - 1 - reach);
      inside |= inside >> step;
      reach += step;
    }
    delimiters_[w] &= ~static_cast<uint64_t>(inside);
  }
}

// Of matches that share bytes, the first one counts, then the first one behind it, and so on. In each word the matches
// that none other reaches into are taken, and those drop out that they reach into; which frees others, in long runs.
//
//   bytes      a : : : : b       delimiter "::"
//   matches    0 1 1 1 0 0
//   taken      0 1 0 0 0 0   then   0 1 0 1 0 0
void MaskSplitter::drop_overlapping() {
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

// The same for two bytes, without a branch: of each run of matches every other one, from its first on. (Runs are what
// backslashes that escape each other are, too; the subtraction is simdjson's.)
//
//   matches        0 1 1 1 0 0 1 1      bit 0 on the left
//   behind         0 0 1 1 1 0 0 1      matches << 1
//   odd            0 1 0 1 0 1 0 1
//   difference     0 0 0 0 1 1 1 1      (behind | odd) - matches: a run borrows through to its end
//   ^ odd          0 1 0 1 1 0 1 0
//   taken          0 1 0 1 0 0 1 0      & matches
void MaskSplitter::take_every_other() {
  constexpr uint64_t kOdd = 0xAAAAAAAAAAAAAAAA;
  uint64_t taken_last = 0;
  for (int64_t w = 0; w < num_words_; ++w) {
    const uint64_t open = delimiters_[w] & ~taken_last;
    const uint64_t taken = (((open << 1 | kOdd) - open) ^ kOdd) & open;
    delimiters_[w] = taken;
    taken_last = taken >> 63;
  }
}

// How much of the next tile the last delimiter of a row that goes on takes.
void MaskSplitter::note_consumed(const Tile& tile) {
  int64_t consumed = std::max<int64_t>(consumed_ - tile.num_bytes, 0);
  if (length_ > 1) {
    for (int64_t w = num_words_ - 1; w >= std::max<int64_t>(num_words_ - 2, 0); --w) {
      if (delimiters_[w] == 0) continue;
      consumed = std::max(consumed, w * kWordBits + last_bit(delimiters_[w]) + length_ - tile.num_bytes);
      break;
    }
  }
  consumed_ = tile.num_rows == 0 ? consumed : 0;  // a row that goes on has its tile for itself
}

void MaskSplitter::end_fields_at_rows(const Tile& tile) {
  int32_t begin = tile.continues ? -1 : 0;
  for (int64_t k = 0; k < tile.num_rows; ++k) {
    const int32_t p = tile.row_ends[k];
    const bool empty = p == begin;
    const int32_t last = std::max(p - 1, 0);
    const bool repeat = empty || test_bit(ends_.data(), last);
    // Written without branches: rows that end in a delimiter come as they like.
    ends_[last / kWordBits] |= static_cast<uint64_t>(!repeat) << (last % kWordBits);
    repeat_rows_[num_repeats_] = narrow<int32_t>(k);
    num_repeats_ += repeat && (!empty || rule_.empty_rows_have_a_field);
    begin = p;
  }
}

void MaskSplitter::count_ends(const Tile& tile) {
  simd_.count_before(ends(), num_words_, tile.row_ends.data(), tile.num_rows, prefix_.data(), row_pieces_.data());
}

void MaskSplitter::count_rows(const Tile& tile) {
  count_ends(tile);
  if (num_repeats_ == 0) return;
  int64_t repeats = 0;
  for (int64_t k = repeat_rows_[0]; k < tile.num_rows; ++k) {
    repeats += repeats < num_repeats_ && repeat_rows_[repeats] == k;
    row_pieces_[k] += narrow<int32_t>(repeats);
  }
}

}  // namespace stringops::kernels
