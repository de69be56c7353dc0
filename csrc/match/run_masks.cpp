#include "match/run_masks.h"

#include <algorithm>

namespace stringops::kernels {

// The first byte of [begin, end) that a piece can begin with, or `end`.
int64_t RunMasks::first_in_run(int64_t begin, int64_t end) const {
  if (rule_.begins_anywhere) return begin;
  for (int64_t w = begin / kWordBits; w * kWordBits < end; ++w) {
    uint64_t word = firsts_[static_cast<size_t>(w)];
    if (w == begin / kWordBits) word &= ~low_bits(begin % kWordBits);
    if (word != 0) return std::min(w * kWordBits + first_bit(word), end);
  }
  return end;
}

// Returns the begin of the run that contains byte `last`.
int64_t RunMasks::begin_of_run(int64_t last) const {
  int64_t w = last / kWordBits;
  uint64_t word = begins_[static_cast<size_t>(w)] & low_bits(last % kWordBits + 1);
  while (word == 0) word = begins_[static_cast<size_t>(--w)];
  return w * kWordBits + last_bit(word);
}

void RunMasks::split(const Block& block, uint64_t* kept, uint64_t* ends) {
  const int64_t n = block.num_bytes, words = words_for(n);
  std::fill_n(kept, words, 0);
  std::fill_n(ends, words, 0);
  if (!block.starts_inside) open_ = {};
  if (n == 0) return;
  simd_.find_byte(block.data, n, rule_.after, after_.data());
  uint64_t any = 0;
  for (size_t w = 0; w < static_cast<size_t>(words); ++w) any |= after_[w];
  const bool may_go_on = block.num_strings == 0 && rule_.run.contains(block.data[n - 1]);
  if (any == 0 && !open_.exists && !may_go_on) return;
  simd_.find_set(block.data, n, rule_.run, runs_.data());
  if (!rule_.begins_anywhere) simd_.find_set(block.data, n, rule_.first, firsts_.data());
  mark_string_starts(block, starts_.data());
  uint64_t before = 0;  // whether the byte before the word is of a run
  for (size_t w = 0; w < static_cast<size_t>(words); ++w) {
    const uint64_t follows = (runs_[w] << 1 | before) & ~starts_[w];
    before = runs_[w] >> (kWordBits - 1);
    begins_[w] = runs_[w] & ~follows;
    after_[w] &= follows;
  }
  const int64_t from = open_.exists ? continue_run(block, kept, ends) : 0;
  for_each_bit(after_.data(), words, [&](int64_t at) {
    if (at < from) return;
    const int64_t begin = first_in_run(begin_of_run(at - 1), at);
    if (begin == at) return;
    set_bits(kept, begin, at + 1);
    set_bit(ends, at);
  });
  if (from == n && open_.exists) return;  // the run goes on
  open_ = {};
  if (block.num_strings == 0 && block.readable > n && test_bit(runs_.data(), n - 1)) open_run(block, kept);
}

// The run that began before the block. Returns where the search goes on: at the end, if the run does.
int64_t RunMasks::continue_run(const Block& block, uint64_t* kept, uint64_t* ends) {
  const int64_t n = block.num_bytes, end = std::min(open_.left, n);
  const bool ends_here = open_.left < n;
  if (open_.matches) {
    const int64_t begin = open_.has_begun ? 0 : first_in_run(0, end);
    open_.has_begun |= begin < end;
    if (open_.has_begun) {
      set_bits(kept, begin, ends_here ? end + 1 : end);
      if (ends_here) set_bit(ends, end);
    }
  }
  open_.left -= end;
  if (!ends_here) return n;
  open_.exists = false;
  return end + 1;
}

// The run at the end of the block, which the string may go on with.
void RunMasks::open_run(const Block& block, uint64_t* kept) {
  const int64_t n = block.num_bytes, left = block.readable - n;
  open_.exists = true;
  open_.left = simd_.count_in_set(block.data + n, left, rule_.run);
  open_.matches = open_.left < left && block.data[n + open_.left] == rule_.after;
  if (!open_.matches) return;
  const int64_t begin = first_in_run(begin_of_run(n - 1), n);
  open_.has_begun = begin < n;
  set_bits(kept, begin, n);
}

}  // namespace stringops::kernels
