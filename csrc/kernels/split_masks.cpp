#include "kernels/split_masks.h"

#include <algorithm>
#include <cstring>

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
uint64_t smear(uint64_t before, uint64_t word, int64_t length) {
  auto both = static_cast<unsigned __int128>(word) << 64 | before;
  for (int64_t covered = 1; covered < length;) {
    const int64_t step = std::min(covered, length - covered);
    both |= both << step;
    covered += step;
  }
  return static_cast<uint64_t>(both >> 64);
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
  uint64_t* const separators = separators_.data();
  if (rule_.kind == MaskRule::Kind::kSetWords) {
    simd_.find_set(tile.data, tile.num_bytes, rule_.set, separators);
  } else if (rule_.kind == MaskRule::Kind::kDelimiterWords) {
    find_delimiters(tile);
    smear_delimiters(tile, separators);
    note_consumed(tile);
  } else if (!simd_.find_whitespace(tile.data, tile.num_bytes, separators)) {
    drop_straddling_whitespace(tile);
  }
  mark_row_starts(tile);
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
  find_delimiters(tile);
  uint64_t* const kept = kept_.data();
  smear_delimiters(tile, kept);
  for (int64_t w = 0; w < num_words_; ++w) kept[w] = ~kept[w];
  trim_last_word(tile, kept);
  note_consumed(tile);
  ends_[num_words_] = 0;
  std::copy_n(ends_.begin(), num_words_ + 1, separators_.data());
  mark_row_starts(tile);
  if (!simd_.end_fields(separators_.data(), row_starts_.data(), num_words_, ends_.data()) || has_empty_rows(tile)) {
    std::copy_n(separators_.data(), num_words_, ends_.data());
    end_fields_at_rows(tile);
  }
}

// All bytes of the delimiters that begin in `ends_`, and of the one that began in the tile before.
void MaskSplitter::smear_delimiters(const Tile& tile, uint64_t* covered) {
  uint64_t before = 0;
  for (int64_t w = 0; w < num_words_; ++w) {
    covered[w] = smear(before, ends_[w], length_);
    before = ends_[w];
  }
  for (int64_t i = 0; i < std::min(consumed_, tile.num_bytes); ++i) set_bit(covered, i);
}

// Sets in `ends` the first byte of each delimiter: matches from left to right in each row, none sharing a byte.
void MaskSplitter::find_delimiters(const Tile& tile) {
  const auto* delimiter = reinterpret_cast<const uint8_t*>(rule_.delimiter.data());
  uint64_t* const matches = ends_.data();
  if (length_ == 1) {
    simd_.find_byte(tile.data, tile.num_bytes, delimiter[0], matches);
    return;
  }
  simd_.find_pair(tile.data, tile.num_bytes, tile.readable, delimiter[0], delimiter[length_ - 1], length_ - 1, matches);
  for (int64_t k = 0; k < tile.num_rows; ++k) {
    const int64_t p = tile.row_ends[k];
    clear_range(matches, std::max<int64_t>(p - length_ + 1, 0), p);
  }
  clear_range(matches, 0, std::min(consumed_, tile.num_bytes));
  if (length_ > 2) {
    for_each_bit(matches, num_words_, [&](int64_t i) {
      if (std::memcmp(tile.data + i + 1, delimiter + 1, static_cast<size_t>(length_ - 2)) != 0) clear_bit(matches, i);
    });
  }
  if (self_overlapping_) drop_overlapping(tile);
}

void MaskSplitter::drop_overlapping(const Tile& tile) {
  int64_t free_from = 0;  // first byte behind the last match
  for (int64_t w = 0; w < num_words_; ++w) {
    const uint64_t word = ends_[w];
    if (word == 0) continue;
    const int64_t first = w * kWordBits;
    const bool clash = (smear(0, word, length_ - 1) << 1 & word) || first + first_bit(word) < free_from;
    if (clash) {
      for (uint64_t rest = word; rest; rest &= rest - 1) {
        const int64_t i = first + first_bit(rest);
        if (i < free_from)
          clear_bit(ends_.data(), i);
        else
          free_from = i + length_;
      }
    } else {
      free_from = first + last_bit(word) + length_;
    }
  }
}

// How much of the next tile the last delimiter of a row that goes on takes.
void MaskSplitter::note_consumed(const Tile& tile) {
  int64_t consumed = std::max<int64_t>(consumed_ - tile.num_bytes, 0);
  if (length_ > 1) {
    for (int64_t w = num_words_ - 1; w >= std::max<int64_t>(num_words_ - 2, 0); --w) {
      if (ends_[w] == 0) continue;
      consumed = std::max(consumed, w * kWordBits + last_bit(ends_[w]) + length_ - tile.num_bytes);
      break;
    }
  }
  const bool row_goes_on = tile.num_rows == 0 || tile.row_ends[tile.num_rows - 1] < tile.num_bytes;
  consumed_ = row_goes_on ? consumed : 0;
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
    repeat_rows_[num_repeats_] = static_cast<int32_t>(k);
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
    row_pieces_[k] += static_cast<int32_t>(repeats);
  }
}

}  // namespace stringops::kernels
