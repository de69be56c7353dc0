// Fields of whole blocks, between delimiters: their masks, their number, and copies of them.
#include <algorithm>
#include <cstring>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "split/block_splitter.h"

namespace stringops::kernels {

// Returns false if the block has none, and its fields are the strings.
bool BlockSplitter::find_delimiters(const Block& block, bool marks_starts) {
  // If no string continues, and an empty one has a field too, the fields of a block without delimiters are its strings.
  const bool may_keep_strings = !block.continues && block.num_strings > 0 && rule_.empty_strings_have_a_field;
  if (block.num_bytes == 0 && !block.continues) {
    if (may_keep_strings) keep_strings(block);
    return false;
  }
  if (!finder_.find_candidates(block, delimiters_.data()) && may_keep_strings) {
    keep_strings(block);
    return false;
  }
  if (marks_starts) mark_string_starts(block, string_starts_.data());
  finder_.confirm(block, string_starts_.data(), delimiters_.data());
  if (may_keep_strings && !finder_.has_found()) {
    keep_strings(block);
    return false;
  }
  return true;
}

void BlockSplitter::split_fields(const Block& block) {
  copies_fields_ = copies_fields(block);
  if (copies_fields_) {
    kept_delimiters_ = finder_.take_positions();
    return;
  }
  if (!find_delimiters(block, true)) return;
  delimiters_[num_words_] = 0;
  limit_delimiters(block);
  const uint64_t* covered = delimiters_.data();
  if (finder_.length() > 1) {
    finder_.cover(block, delimiters_.data(), separators_.data());
    finder_.end_block(block, delimiters_.data());
    covered = separators_.data();
  }
  end_fields(block, covered);
}

// The fields between pieces, which take the place of delimiters.
void BlockSplitter::take_between(const Block& block) {
  has_none_ = false;
  const bool found = std::any_of(kept_.begin(), kept_.begin() + num_words_, [](uint64_t word) { return word != 0; });
  if (!found && !block.continues && block.num_strings > 0) return keep_strings(block);
  mark_begins(block);
  delimiters_[static_cast<size_t>(num_words_)] = 0;
  std::copy_n(kept_.begin(), num_words_, separators_.begin());
  mark_string_starts(block, string_starts_.data());
  end_fields(block, separators_.data());
}

// Of `delimiters_`, whose bytes are `covered`.
void BlockSplitter::end_fields(const Block& block, const uint64_t* covered) {
  const bool complete =
      simd_.end_fields(delimiters_.data(), covered, string_starts_.data(), num_words_, kept_.data(), ends_.data());
  trim_last_word(block, kept_.data());
  if (!complete || has_empty_strings(block)) {
    std::copy_n(delimiters_.data(), num_words_, ends_.data());
    end_fields_at_string_ends(block);
  }
}

void BlockSplitter::keep_strings(const Block& block) {
  num_words_ = 0;
  uncut_strings_ = block.num_strings;
  uncut_bytes_ = block.num_bytes;
}

// Without branches, as which strings are empty or end in a delimiter is unpredictable. The ends added to the current
// word and the count stay in registers, as loading them right after the stores would stall.
void BlockSplitter::end_fields_at_string_ends(const Block& block) {
  const bool empty_strings_have_a_field = rule_.empty_strings_have_a_field;
  int32_t begin = block.continues ? -1 : 0;
  uint64_t added = 0;
  uint32_t at = 0;
  int64_t num_repeats = 0;
  for (int64_t k = 0; k < block.num_strings; ++k) {
    const int32_t p = block.string_ends[k];
    const auto last = static_cast<uint32_t>(std::max(p - 1, 0));
    const uint32_t w = last / kWordBits;
    const uint64_t bit = uint64_t{1} << (last % kWordBits);
    added &= uint64_t{0} - static_cast<uint64_t>(w == at);
    const bool empty = p == begin;
    const bool repeat = empty | ((delimiters_[w] & bit) != 0);
    added |= bit & (static_cast<uint64_t>(repeat) - 1);
    ends_[w] = delimiters_[w] | added;
    const bool has_field = repeat & (!empty | empty_strings_have_a_field);
    ends_in_repeat_[k] = has_field;
    num_repeats += has_field;
    begin = p;
    at = w;
  }
  num_repeats_ = num_repeats;
}

// Fields are counted by their delimiters.
bool BlockSplitter::counts_fields(const Block& block) const {
  if (rule_.kind != BlockRule::Kind::kFields || !rule_.empty_strings_have_a_field || cuts_strings(block)) return false;
  return !limit_.exists() || (!block.continues && block.num_strings > 0);
}

simd::PieceCounts BlockSplitter::count_fields(const Block& block) {
  begin_block(block);
  const int64_t length = finder_.length();
  const int64_t consumed = std::min(finder_.consumed(), block.num_bytes);
  if (!find_delimiters(block, length > 1)) return {uncut_bytes_, uncut_strings_, true};
  has_counted_fields_ = true;
  int64_t cuts = 0;
  if (limit_.exists() && limit_.may_be_exceeded(block)) {
    count_fields_of_strings(block, rule_.max_cuts);
    cuts = string_pieces_[static_cast<size_t>(block.num_strings) - 1] - block.num_strings;
  } else {
    cuts = simd_.count_bits(delimiters_.data(), num_words_);
  }
  if (length > 1) finder_.end_block(block, delimiters_.data());
  const int64_t beyond = cuts > 0 ? finder_.consumed() : 0;  // bytes of the last delimiter that are after the block
  return {block.num_bytes - consumed - (cuts * length - beyond), cuts + block.num_strings, true};
}

// `max_cuts` is negative if no string has more than allowed.
void BlockSplitter::count_fields_of_strings(const Block& block, int64_t max_cuts) {
  simd_.count_before(delimiters_.data(), num_words_, block.string_ends.data(), block.num_strings, prefix_.data(),
                     string_pieces_.data());
  has_counted_strings_ = true;
  const auto num_strings = narrow<int32_t>(block.num_strings);
  int32_t* const counts = string_pieces_.data();
  if (max_cuts < 0) {
    for (int32_t k = 0; k < num_strings; ++k) counts[k] += k + 1;
    return;
  }
  const auto most = static_cast<int32_t>(std::min(max_cuts, kBlockBytes));
  int32_t before = 0, fields = 0;
  for (int32_t k = 0; k < num_strings; ++k) {
    const int32_t delimiters = counts[k];
    fields += std::min(delimiters - before, most) + 1;
    before = delimiters;
    counts[k] = fields;
  }
}

// Long delimiters whose positions are known; masks would take time by the byte.
bool BlockSplitter::copies_fields(const Block& block) const {
  if (!finder_.has_positions() || limit_.exists() || !rule_.empty_strings_have_a_field) return false;
  return !block.continues && block.num_strings > 0 && block.num_bytes > 0;
}

// Calls take(begin, size, bytes, pieces) for each field of the block, with the sizes and the number of those before it,
// until it returns false. There is no branch for the number of delimiters of a string, which is unpredictable.
// Positions that the block cannot have (race) give empty fields, or none.
template <class Take>
simd::PieceCounts BlockSplitter::for_each_field(const Block& block, Take&& take) {
  const int64_t length = finder_.length();
  const uint16_t* delimiter = kept_delimiters_.begin;
  int64_t bytes = 0, pieces = 0, field = 0;
  for (int64_t k = 0; k < block.num_strings;) {
    const int64_t string_end = block.end(k);
    const int64_t at = delimiter < kept_delimiters_.end ? *delimiter : kBlockBytes;
    const bool is_delimiter = at + length <= string_end;
    const int64_t end = is_delimiter ? at : string_end, size = std::max<int64_t>(end - field, 0);
    if (!take(end - size, size, bytes, pieces)) {
      std::fill(string_pieces_.begin() + k, string_pieces_.begin() + block.num_strings, narrow<int32_t>(pieces));
      return {bytes, pieces, false};
    }
    bytes += size;
    string_pieces_[static_cast<size_t>(k)] = narrow<int32_t>(++pieces);
    field = is_delimiter ? at + length : string_end;
    delimiter += is_delimiter;
    k += !is_delimiter;
  }
  return {bytes, pieces, true};
}

simd::PieceCounts BlockSplitter::copy_fields(const Block& block, const simd::PieceRoom& room) {
  constexpr int64_t kStep = 64;
  const int64_t limit = room.out_limit - room.out, max_pieces = room.out_ends_limit - room.out_ends;
  const int64_t readable = block.data_end - block.data - kStep;
  // Without a branch for sizes up to 64.
  return for_each_field(block, [&](int64_t begin, int64_t size, int64_t bytes, int64_t pieces) {
    if (size > limit - bytes || pieces == max_pieces) return false;
    uint8_t* const out = room.out + bytes;
    if (size <= kStep && limit - bytes >= kStep && begin <= readable) {
      std::memcpy(out, block.data + begin, kStep);
    } else {
      copy_bytes(out, block.data + begin, size);
    }
    room.out_ends[pieces] = narrow<int32_t>(room.base + bytes + size);
    return true;
  });
}

// There are at most as many fields as delimiters and strings together: block bytes and block strings.
simd::PieceCounts BlockSplitter::list_fields(const Block& block, int32_t* ends, uint32_t* positions) {
  return for_each_field(block, [&](int64_t begin, int64_t size, int64_t bytes, int64_t pieces) {
    ends[pieces] = narrow<int32_t>(bytes + size);
    positions[pieces] = narrow<uint32_t>(begin + size);
    return true;
  });
}

}  // namespace stringops::kernels
