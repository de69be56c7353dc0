#include "split/block_splitter.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "core/whitespace.h"

namespace stringops::kernels {

BlockSplitter::BlockSplitter(const BlockRule& rule, const simd::Primitives& simd, int64_t cuts,
                             const KeptDelimiters& kept)
    : rule_(rule),
      simd_(simd),
      finder_(rule.delimiter, simd, kept),
      kept_masks_(rule.masks),
      limit_(rule.max_cuts, cuts, simd) {
  if (rule.classes) classes_.emplace(*rule.classes, simd);
  if (rule.literals) literals_.emplace(*rule.literals, simd);
  if (rule.separators) separated_.emplace(*rule.separators, simd);
  if (rule.pattern) matches_.emplace(*rule.pattern, rule.only_begins, simd);
}

void BlockSplitter::begin_block(const Block& block) {
  num_words_ = words_for(block.num_bytes);
  num_repeats_ = uncut_strings_ = uncut_bytes_ = 0;
  has_none_ = false;
  if (!block.continues) {
    finder_.begin_string();
    limit_.begin_string();
    inside_piece_ = 0;
    after_separator_ = true;
    trailing_ = -1;
  }
  cuts_strings_ = cuts_strings(block);
  has_counted_fields_ = has_counted_strings_ = false;
  copies_fields_ = false;
}

void BlockSplitter::split(const Block& block) {
  begin_block(block);
  if (cuts_strings_) return;
  if (is_rest(block)) {
    num_words_ = 0;
    uncut_bytes_ = block.num_bytes;
    return;
  }
  find_or_take_pieces(block);
  if (rule_.between) take_between(block);
}

void BlockSplitter::find_or_take_pieces(const Block& block) {
  const bool keeps = rule_.keeps_masks();
  if (keeps && kept_masks_.take_from) {
    has_none_ = !kept_masks_.take(kept_.data(), ends_.data(), block.num_bytes);
    return;
  }
  find_pieces(block);
  if (keeps && kept_masks_.keep_in) has_none_ = !kept_masks_.keep(kept_.data(), ends_.data(), block.num_bytes);
}

void BlockSplitter::find_pieces(const Block& block) {
  switch (rule_.kind) {
    case BlockRule::Kind::kFields:
      return split_fields(block);
    case BlockRule::Kind::kCodepoints:
      return split_codepoints(block);
    case BlockRule::Kind::kSetChars:
      return split_set_chars(block);
    case BlockRule::Kind::kClasses:
      return classes_->split(block, kept_.data(), ends_.data());
    case BlockRule::Kind::kLiterals:
      return literals_->split(block, kept_.data(), ends_.data());
    case BlockRule::Kind::kMatches:
      return matches_->split(block, kept_.data(), ends_.data());
    default:
      return split_words(block);
  }
}

const uint64_t* BlockSplitter::mark_begins(const Block& block) {
  uint64_t inside = inside_piece_;
  for (size_t w = 0; w < static_cast<size_t>(num_words_); ++w) {
    const uint64_t goes_on = kept_[w] & ~ends_[w];
    delimiters_[w] = kept_[w] & ~(goes_on << 1 | inside);
    inside = goes_on >> (kWordBits - 1);
  }
  const int64_t last = block.num_bytes - 1;
  if (last >= 0) inside_piece_ = test_bit(kept_.data(), last) && !test_bit(ends_.data(), last);
  return delimiters_.data();
}

// Whether a string of the block is empty: its end then has no mark of its own.
bool BlockSplitter::has_empty_strings(const Block& block) const {
  if (!block.continues && test_bit(string_starts_.data(), 0)) return true;
  return simd_.count_bits(string_starts_.data(), num_words_ + 1) < block.num_strings;
}

void BlockSplitter::split_words(const Block& block) {
  mark_string_starts(block, string_starts_.data());
  uint64_t* const separators = separators_.data();
  if (separated_) {
    separated_->find(block, string_starts_.data(), separators);
    simd_.end_words(separators, string_starts_.data(), num_words_, kept_.data(), ends_.data());
    return trim_last_word(block, kept_.data());
  }
  if (rule_.kind == BlockRule::Kind::kSetWords) {
    simd_.find_set(block.data, block.num_bytes, rule_.set, separators);
  } else if (rule_.kind == BlockRule::Kind::kDelimiterWords && finder_.length() == 1 && !limit_.exists()) {
    simd_.find_byte(block.data, block.num_bytes, static_cast<uint8_t>(rule_.delimiter[0]), separators);
  } else if (rule_.kind == BlockRule::Kind::kDelimiterWords) {
    finder_.find(block, string_starts_.data(), delimiters_.data());
    limit_delimiters(block);
    finder_.cover(block, delimiters_.data(), separators);
    finder_.end_block(block, delimiters_.data());
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
      return left >= finder_.length() && std::memcmp(next, rule_.delimiter.data(), rule_.delimiter.size()) == 0;
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
    return clear_bits(dropped, begin, block.num_bytes);
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
      if (start + length > p) clear_bits(separators_.data(), start, start + length);
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

// Whether the block is part of the rest of a long string after its last cut. Separators in the rest are bytes of it, so
// that what the members know of them does not matter.
bool BlockSplitter::is_rest(const Block& block) const {
  if (!block.continues || block.num_strings > 0 || !limit_.is_reached() || rule_.trims_rest) return false;
  if (rule_.kind == BlockRule::Kind::kWhitespaceWords) return !after_separator_ || limit_.is_exceeded();
  return finder_.consumed() == 0;
}

// Masks take time by the byte, and less if no string is longer than its limit; cutting strings takes time by the
// string.
bool BlockSplitter::cuts_strings(const Block& block) const {
  if (!limit_.exists() || rule_.max_cuts > simd::LimitedCuts::kMaxCuts) return false;
  if (block.continues || block.num_strings == 0) return false;
  const int64_t min_bytes = std::max(simd_.min_limited_bytes, rule_.max_cuts / 2);
  if (block.num_bytes < block.num_strings * min_bytes) return false;
  if (rule_.kind == BlockRule::Kind::kFields) return rule_.delimiter.size() == 1 && rule_.empty_strings_have_a_field;
  return rule_.kind == BlockRule::Kind::kWhitespaceWords;
}

simd::PieceCounts BlockSplitter::cut_strings(const Block& block, const simd::PieceRoom* room) {
  const bool at_whitespace = rule_.kind == BlockRule::Kind::kWhitespaceWords;
  const auto delimiter = static_cast<uint8_t>(at_whitespace ? 0 : rule_.delimiter[0]);
  return simd_.cut_limited({block.data, block.data_end - block.data, block.string_ends.data(), block.num_strings,
                            rule_.max_cuts, at_whitespace, delimiter},
                           room, string_pieces_.data());
}

simd::PieceCounts BlockSplitter::count(const Block& block) {
  if (counts_fields(block)) return count_fields(block);
  split(block);
  if (cuts_strings_) return cut_strings(block, nullptr);
  if (has_none_) return {0, 0, true};
  return {uncut_bytes_ + simd_.count_bits(kept_.data(), num_words_),
          uncut_strings_ + simd_.count_bits(ends_.data(), num_words_) + num_repeats_, true};
}

void BlockSplitter::count_ends(const Block& block) {
  if (cuts_strings_ || copies_fields_) return;  // they are counted
  if (has_none_) return static_cast<void>(std::fill_n(string_pieces_.data(), block.num_strings, 0));
  if (uncut_strings_ > 0) return std::iota(string_pieces_.data(), string_pieces_.data() + block.num_strings, 1);
  simd_.count_before(ends_.data(), num_words_, block.string_ends.data(), block.num_strings, prefix_.data(),
                     string_pieces_.data());
}

void BlockSplitter::count_strings(const Block& block) {
  if (has_counted_fields_) {
    if (!has_counted_strings_) count_fields_of_strings(block, -1);
    return;
  }
  count_ends(block);
  if (num_repeats_ == 0) return;
  int32_t repeats = 0;
  for (int64_t k = 0; k < block.num_strings; ++k) {
    repeats += ends_in_repeat_[k];
    string_pieces_[k] += repeats;
  }
}

simd::PieceCounts BlockSplitter::list(const Block& block, int32_t* ends, uint32_t* positions) {
  if (copies_fields_) return list_fields(block, ends, positions);
  if (has_none_) return {0, 0, true};
  if (uncut_strings_ == 0) return simd_.list_pieces(kept_.data(), ends_.data(), block.num_bytes, ends, positions);
  std::copy_n(block.string_ends.data(), uncut_strings_, ends);
  std::copy_n(block.string_ends.data(), uncut_strings_, positions);
  return {uncut_bytes_, uncut_strings_, true};
}

void BlockSplitter::mark_repeats(const Block& block, int64_t count, uint8_t* is_repeat) const {
  std::fill_n(is_repeat, count, 0);
  for (int64_t k = 0; k < block.num_strings; ++k) is_repeat[string_pieces_[k] - 1] |= ends_in_repeat_[k];
}

simd::PieceCounts BlockSplitter::write(const Block& block, int32_t base, uint8_t* out, const uint8_t* out_limit,
                                       int32_t* out_ends, const int32_t* out_ends_limit) {
  const simd::PieceRoom room{base, out, out_limit, out_ends, out_ends_limit};
  if (cuts_strings_) return cut_strings(block, &room);
  if (copies_fields_) return copy_fields(block, room);
  if (has_none_) return {0, 0, true};
  if (uncut_strings_ == 0 && uncut_bytes_ == 0) {
    return simd_.write_pieces(
        {block.data, kept_.data(), ends_.data(), block.num_bytes, base, out, out_limit, out_ends, out_ends_limit});
  }
  const int64_t bytes = std::min<int64_t>(uncut_bytes_, out_limit - out);
  const int64_t strings = std::min<int64_t>(uncut_strings_, out_ends_limit - out_ends);
  copy_bytes(out, block.data, bytes);
  simd_.clamp_offsets(block.string_ends.data(), strings, 0, narrow<int32_t>(bytes), -base, out_ends);
  return {bytes, strings, bytes == uncut_bytes_ && strings == uncut_strings_};
}

}  // namespace stringops::kernels
