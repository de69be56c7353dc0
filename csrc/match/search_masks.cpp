#include "match/search_masks.h"

#include <algorithm>
#include <utility>

#include "core/bits.h"
#include "core/utf8.h"

namespace stringops::kernels {
namespace {

void set_piece(int64_t begin, int64_t end, uint64_t* kept, uint64_t* ends) {
  set_bits(kept, begin, end);
  set_bit(ends, end - 1);
}

}  // namespace

void SearchMasks::split(const Block& block, uint64_t* kept, uint64_t* ends) {
  const int64_t words = words_for(block.num_bytes);
  std::fill_n(kept, words, 0);
  std::fill_n(ends, words, 0);
  const bool is_part = block.starts_inside || block.num_strings == 0;
  if (is_part && !block.starts_inside) begin_long(block);
  if (is_part) split_long(block, kept, ends);
  split_strings(block, is_part, block.num_strings, kept, ends);
}

// Takes a copy, which must not change while it is searched.
void SearchMasks::copy(StringView string) {
  copy_.assign(reinterpret_cast<const char*>(string.begin), static_cast<size_t>(string.size()));
  if (!searcher_) searcher_.emplace(pattern_);
}

void SearchMasks::search(StringView string) {
  copy(string);
  found_.clear();
  next_ = 0;
  if (!pattern_.may_match_at_edges(string.begin, string.size())) return;
  Match match{};
  for (int64_t at = 0; at < string.size() && searcher_->find(copy_, at, &match);) {
    at = match.end;
    if (match.begin < match.end) {
      found_.push_back(match);
      if (only_first_) break;
    } else if (at < string.size()) {
      at += codepoint_length(static_cast<uint8_t>(copy_[static_cast<size_t>(at)]));
    }
  }
}

void SearchMasks::begin_long(const Block& block) {
  const int64_t size = block.num_strings == 0 ? block.readable : block.end(0);
  search({block.data - block.num_before, block.data + size});
}

void SearchMasks::split_long(const Block& block, uint64_t* kept, uint64_t* ends) {
  const int64_t size = block.num_strings == 0 ? block.num_bytes : block.end(0);
  for (; next_ < found_.size() && found_[next_].begin < block.num_before + size; ++next_) {
    const int64_t begin = std::max<int64_t>(found_[next_].begin - block.num_before, 0);
    const int64_t end = found_[next_].end - block.num_before;
    if (end > size) {  // it goes on in the next block
      set_bits(kept, begin, size);
      break;
    }
    if (end > 0) set_piece(begin, end, kept, ends);
  }
}

// After a byte that is not taken, the bits are right up to the bytes taken around the next wrong begin.
void SearchMasks::split_at(const Block& block, int64_t k, const Begins& known, uint64_t* kept, uint64_t* ends) {
  copy(block.string(k));
  const int64_t begin = block.begin(k), end = block.end(k);
  bool is_first = true;
  const auto first_taken = [&](int64_t at) {
    if (at >= end) return end;
    while (at > begin && test_bit(known.taken, at) && test_bit(known.taken, at - 1)) --at;
    return at;
  };
  for (int64_t at = first_taken(next_bit(known.wrong, begin)); at < end;) {
    Match match{};
    const bool found = searcher_->find_at(copy_, at - begin, std::exchange(is_first, false), &match);
    const int64_t next = std::min(next_bit(known.begins, found ? begin + match.end : at + 1), end);
    clear_bits(kept, at, next);
    clear_bits(ends, at, next);
    if (found) set_piece(at, begin + match.end, kept, ends);
    at = next < end && test_bit(known.taken, next - 1) ? next : first_taken(next_bit(known.wrong, next));
    if (!searcher_->reads_in_vain()) continue;
    clear_bits(kept, begin, end);
    clear_bits(ends, begin, end);
    return split_strings(block, k, k + 1, kept, ends);
  }
}

void SearchMasks::split_strings(const Block& block, int64_t first, int64_t last, uint64_t* kept, uint64_t* ends) {
  for (int64_t k = first; k < last; ++k) {
    search(block.string(k));
    for (const Match& match : found_) set_piece(block.begin(k) + match.begin, block.begin(k) + match.end, kept, ends);
  }
}

}  // namespace stringops::kernels
