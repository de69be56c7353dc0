#include "split/cut_limit.h"

#include <algorithm>

#include "core/bits.h"
#include "core/narrow.h"

namespace stringops::kernels {
namespace {

// Clears the first `count` of the set bits [begin, end).
void clear_first(uint64_t* words, int64_t begin, int64_t end, int64_t count) {
  while (begin < end && count > 0) {
    uint64_t& word = words[begin / kWordBits];
    const int64_t bit = begin % kWordBits;
    const int64_t size = std::min(end - begin, kWordBits - bit);
    uint64_t left = word >> bit & low_bits(size);
    word ^= left << bit;
    for (; left != 0 && count > 0; --count) left &= left - 1;
    word |= left << bit;
    begin += size;
  }
}

// Clears the first kBits set bits of each string, for all strings at once. For each bit, a carry runs from the start of
// each string over the bytes without a cut, up to its first cut or to the next string.
//
//   bytes      a b , c , | d e | f , g
//   starts     1           1     1           whether the first byte is one is an argument
//   passed     0 1 0 1 0   0 1   0 0 1       bytes that are neither a start nor a cut
//   + starts     1           1     1         shifted to the next byte; all of them but those that are cuts
//   sum        0 0 1 1 0   0 0   1 1 1       the comma after each carry is the first of its string
//
// Returns whether any are left.
template <int kBits>
bool clear_first_of_each(const uint64_t* string_starts, bool begins_string, int64_t num_words, uint64_t* cuts) {
  uint64_t carries[kBits] = {};
  uint64_t first = begins_string, any = 0;
  for (int64_t w = 0; w < num_words; ++w) {
    const uint64_t start = string_starts[w] | first;
    uint64_t cut = cuts[w];
    for (uint64_t& carry : carries) {
      const uint64_t searching = start & ~cut;
      const uint64_t sum = add_with_carry(~(start | cut), searching << 1, &carry);
      carry |= searching >> 63;
      cut &= ~(start | sum);
    }
    cuts[w] = cut;
    any |= cut;
    first = 0;
  }
  return any != 0;
}

}  // namespace

bool CutLimit::drop_allowed(const Block& block, const uint64_t* string_starts, uint64_t* cuts) {
  if (block.num_bytes == 0) return false;
  const int64_t num_words = words_for(block.num_bytes);
  if (block.num_strings == 0) {  // the block is part of one string
    const int64_t before = cuts_;
    cuts_ += simd_.count_bits(cuts, num_words);
    if (cuts_ <= max_cuts_) return false;
    clear_first(cuts, 0, block.num_bytes, max_cuts_ - before);
    return true;
  }
  if (!may_be_exceeded(block)) return false;
  int64_t begin = 0, string = 0;
  if (block.starts_inside) {
    begin = block.string_ends[0];
    string = 1;
    clear_first(cuts, 0, begin, max_cuts_ - cuts_);
  }
  // A step clears one cut of every string, and takes time by the word. Clearing the cuts of one string takes about as
  // long as a step over this many words.
  constexpr int64_t kWordsPerString = 32;
  if (max_cuts_ <= block.num_strings * kWordsPerString / num_words) {
    bool any = true;
    const auto clear = [&](auto clear_some) { any = clear_some(string_starts, !block.starts_inside, num_words, cuts); };
    int64_t left = max_cuts_;
    for (; left >= 4 && any; left -= 4) clear(clear_first_of_each<4>);
    if (left == 1 && any) clear(clear_first_of_each<1>);
    if (left == 2 && any) clear(clear_first_of_each<2>);
    if (left == 3 && any) clear(clear_first_of_each<3>);
    return any;
  }
  for (; string < block.num_strings; ++string) {
    clear_first(cuts, begin, block.string_ends[string], max_cuts_);
    begin = block.string_ends[string];
  }
  return true;
}

void CutLimit::drop_beyond(const Block& block, const uint64_t* string_starts, uint64_t* cuts, uint64_t* scratch) {
  const int64_t num_words = words_for(block.num_bytes);
  std::copy_n(cuts, num_words, scratch);
  if (!drop_allowed(block, string_starts, scratch)) return;
  for (int64_t w = 0; w < num_words; ++w) cuts[w] &= ~scratch[w];
}

bool CutLimit::suits_strings(const Block& block) const {
  if (!exists() || max_cuts_ > simd::LimitedCuts::kMaxCuts) return false;
  if (block.starts_inside || block.num_strings == 0) return false;
  return block.num_bytes >= block.num_strings * simd::LimitedCuts::kMinMeanBytes;
}

bool CutLimit::may_be_exceeded(const Block& block) const {
  if (block.starts_inside) return true;
  if (block.num_bytes <= max_cuts_) return false;
  const auto limit = narrow<int32_t>(max_cuts_);
  const int32_t* const ends = block.string_ends.data();
  bool exceeds = ends[0] > limit;
  for (int64_t k = 1; k < block.num_strings; ++k) exceeds |= ends[k] - ends[k - 1] > limit;
  return exceeds;
}

}  // namespace stringops::kernels
