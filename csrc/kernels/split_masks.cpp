#include "kernels/split_masks.h"

#include <algorithm>
#include <cstring>

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

// Bits of the mask that speak of bytes of the tile.
uint64_t valid_bits(const Tile& tile, int64_t word) { return low_bits(tile.num_bytes - word * kWordBits); }

}  // namespace

MaskSplitter::MaskSplitter(const Splitter& by, const simd::Primitives& simd)
    : by_(by),
      simd_(simd),
      length_(static_cast<int64_t>(by.delimiter.size())),
      self_overlapping_(overlaps_itself(by.delimiter)) {}

void MaskSplitter::split(const Tile& tile) {
  num_words_ = words_for(tile.num_bytes);
  num_repeats = 0;
  if (!tile.continues) {
    in_word_ = false;
    consumed_ = 0;
  }
  by_.whitespace() ? split_words(tile) : split_fields(tile);
}

void MaskSplitter::split_words(const Tile& tile) {
  uint64_t* const separators = ends.data();
  if (by_.onnxruntime) {
    simd_.find_byte(tile.data, tile.num_bytes, ' ', separators);
  } else {
    simd_.find_whitespace(tile.data, tile.num_bytes, separators);
    drop_straddling_whitespace(tile);
  }
  uint64_t carry = in_word_;
  for (int64_t w = 0; w < num_words_; ++w) {
    const uint64_t kept = ~separators[w] & valid_bits(tile, w);
    keep[w] = kept;
    ends[w] = separators[w] & (kept << 1 | carry);
    carry = kept >> 63;
  }
  ends[num_words_] = 0;
  // At a row's end p a word that reaches it ends on byte p - 1, not on the next row's first separator.
  for (int64_t k = 0; k < tile.num_rows; ++k) {
    const int32_t p = tile.row_ends[k];
    if (p == 0) continue;
    const uint64_t kept = test_bit(keep.data(), p - 1);
    ends[(p - 1) / kWordBits] |= kept << ((p - 1) % kWordBits);
    ends[p / kWordBits] &= ~(kept << (p % kWordBits));
  }
  if (tile.num_bytes > 0) in_word_ = test_bit(keep.data(), tile.num_bytes - 1);
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
      if (start + length > p) clear_range(ends.data(), start, start + length);
    }
  }
}

void MaskSplitter::split_fields(const Tile& tile) {
  find_delimiters(tile);
  uint64_t before = 0;
  for (int64_t w = 0; w < num_words_; ++w) {
    keep[w] = ~smear(before, ends[w], length_) & valid_bits(tile, w);
    before = ends[w];
  }
  ends[num_words_] = 0;
  clear_range(keep.data(), 0, std::min(consumed_, tile.num_bytes));
  end_fields_at_rows(tile);
}

// Sets in `ends` the first byte of each delimiter: matches from left to right in each row, none sharing a byte.
void MaskSplitter::find_delimiters(const Tile& tile) {
  const auto* delimiter = reinterpret_cast<const uint8_t*>(by_.delimiter.data());
  uint64_t* const matches = ends.data();
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
    const uint64_t word = ends[w];
    if (word == 0) continue;
    const int64_t first = w * kWordBits;
    const bool clash = (smear(0, word, length_ - 1) << 1 & word) || first + first_bit(word) < free_from;
    if (clash) {
      for (uint64_t rest = word; rest; rest &= rest - 1) {
        const int64_t i = first + first_bit(rest);
        if (i < free_from) clear_bit(ends.data(), i);
        else free_from = i + length_;
      }
    } else {
      free_from = first + last_bit(word) + length_;
    }
  }
}

void MaskSplitter::end_fields_at_rows(const Tile& tile) {
  // What the last match takes from the next tile must be read before row ends join the matches.
  int64_t consumed = std::max<int64_t>(consumed_ - tile.num_bytes, 0);
  if (length_ > 1 && num_words_ > 0) {
    for (int64_t w = num_words_ - 1; w >= std::max<int64_t>(num_words_ - 2, 0); --w) {
      if (ends[w] == 0) continue;
      consumed = std::max(consumed, w * kWordBits + last_bit(ends[w]) + length_ - tile.num_bytes);
      break;
    }
  }
  const bool row_goes_on = tile.num_rows == 0 || tile.row_ends[tile.num_rows - 1] < tile.num_bytes;
  consumed_ = row_goes_on ? consumed : 0;

  int32_t begin = tile.continues ? -1 : 0;
  for (int64_t k = 0; k < tile.num_rows; ++k) {
    const int32_t p = tile.row_ends[k];
    const bool empty = p == begin;
    const int32_t last = std::max(p - 1, 0);
    const bool repeat = empty || test_bit(ends.data(), last);
    // Written without branches: rows that end in a delimiter come as they like.
    ends[last / kWordBits] |= static_cast<uint64_t>(!repeat) << (last % kWordBits);
    repeat_rows[num_repeats] = static_cast<int32_t>(k);
    num_repeats += repeat && !(empty && by_.onnxruntime);
    begin = p;
  }
}

void MaskSplitter::count_rows(const Tile& tile) {
  simd_.count_before(ends.data(), num_words_, tile.row_ends.data(), tile.num_rows, prefix_.data(), row_pieces.data());
  if (num_repeats == 0) return;
  int64_t repeats = 0;
  for (int64_t k = repeat_rows[0]; k < tile.num_rows; ++k) {
    repeats += repeats < num_repeats && repeat_rows[repeats] == k;
    row_pieces[k] += static_cast<int32_t>(repeats);
  }
}

}  // namespace stringops::kernels
