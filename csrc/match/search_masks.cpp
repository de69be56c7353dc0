#include "match/search_masks.h"

#include <algorithm>

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
  split_strings(block, split_long(block, kept, ends) > 0 ? 1 : 0, kept, ends);
}

// Finds all matches of a copy, which must not change while it is searched.
void SearchMasks::search(StringView string) {
  copy_.assign(reinterpret_cast<const char*>(string.begin), static_cast<size_t>(string.size()));
  if (!searcher_) searcher_.emplace(pattern_);
  found_.clear();
  next_ = 0;
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

int64_t SearchMasks::split_long(const Block& block, uint64_t* kept, uint64_t* ends) {
  if (!block.starts_inside) {
    if (block.num_strings > 0) return 0;
    search({block.data, block.data + block.readable});
    passed_ = 0;
  }
  const int64_t size = block.num_strings == 0 ? block.num_bytes : block.end(0);
  for (; next_ < found_.size() && found_[next_].begin < passed_ + size; ++next_) {
    const int64_t begin = std::max<int64_t>(found_[next_].begin - passed_, 0), end = found_[next_].end - passed_;
    if (end > size) {  // it goes on in the next block
      set_bits(kept, begin, size);
      break;
    }
    set_piece(begin, end, kept, ends);
  }
  passed_ += size;
  return size;
}

void SearchMasks::split_strings(const Block& block, int64_t first, uint64_t* kept, uint64_t* ends) {
  for (int64_t k = first; k < block.num_strings; ++k) {
    search(block.string(k));
    for (const Match& match : found_) set_piece(block.begin(k) + match.begin, block.begin(k) + match.end, kept, ends);
  }
}

}  // namespace stringops::kernels
