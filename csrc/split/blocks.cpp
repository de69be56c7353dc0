#include "split/blocks.h"

#include <algorithm>

#include "core/bits.h"
#include "core/narrow.h"
#include "core/whitespace.h"
#include "simd/primitives.h"

namespace stringops::kernels {
namespace {

int64_t clamp(int64_t value, int64_t low, int64_t high) {
  return value < low ? low : value > high ? high : value;
}

}  // namespace

BlockReader::BlockReader(const StringSpan& span, Position begin, Position end) : span_(span), at_(begin), end_(end) {}

// Advances by `count` strings.
void BlockReader::advance(int64_t count) {
  at_.index += count;
  at_.skip = 0;
}

bool BlockReader::next(Block& block) {
  if (!(at_ < end_)) return false;
  pace_.spend(kBlockBytes);
  if (!read_first(block)) return true;
  extend(block);
  block.readable = block.num_bytes;
  return true;
}

// Reads the current string, or as much of it as fits into the block. Returns whether it ends in the block.
bool BlockReader::read_first(Block& block) {
  const ByteRange string = span_.range(at_.index);
  const int64_t begin = std::min(string.begin + at_.skip, string.end);
  const bool is_divided = end_.skip > 0 && at_.index == end_.index;
  const int64_t end = is_divided ? clamp(string.begin + end_.skip, begin, string.end) : string.end;
  block.first_string = at_.index;
  block.num_strings = 0;
  block.starts_inside = at_.skip > 0;
  block.num_before = begin - string.begin;
  block.data = span_.data + begin;
  block.data_end = span_.data + span_.num_bytes;
  block.readable = string.end - begin;

  if (end - begin > kBlockBytes) {
    int64_t size = kBlockBytes;
    while (size > kBlockBytes - 3 && is_continuation(block.data[size])) --size;
    if (is_continuation(block.data[size])) size = kBlockBytes;  // more continuation bytes than a code point has
    block.num_bytes = size;
    at_.skip += size;
    return false;
  }
  block.num_bytes = end - begin;
  if (is_divided) {
    at_ = end_;
    return false;
  }
  block.string_ends[0] = narrow<int32_t>(block.num_bytes);
  block.num_strings = 1;
  advance(1);
  return true;
}

// Appends whole strings while they fit.
void BlockReader::extend(Block& block) {
  const int64_t count = std::min(end_.index - at_.index, kBlockStrings - block.num_strings);
  const int32_t* const offsets = span_.offsets + at_.index;
  const int64_t position = block.data + block.num_bytes - span_.data;  // of the next byte, in span_.data
  if (count <= 0 || offsets[0] != position) return;
  const int64_t room = std::min(position + (kBlockBytes - block.num_bytes), span_.num_bytes);
  const int64_t origin = position - block.num_bytes;
  int32_t* const string_ends = block.string_ends.data() + block.num_strings;
  const auto [taken, ascend] = simd::primitives().take_offsets(
      offsets + 1, count, narrow<int32_t>(position), narrow<int32_t>(room), narrow<int32_t>(origin), string_ends);
  // The order is restored if the offsets have lost it.
  for (int64_t k = 1; k < taken && !ascend; ++k) string_ends[k] = std::max(string_ends[k], string_ends[k - 1]);
  block.num_strings += taken;
  if (taken > 0) block.num_bytes = string_ends[taken - 1];
  advance(taken);
}

void mark_string_starts(const Block& block, uint64_t* string_starts) {
  std::fill_n(string_starts, words_for(block.num_bytes) + 2, 0);
  // The current word stays in a register, as loading it right after the store would stall. There is no branch, as
  // whether two strings meet in a word is unpredictable.
  uint64_t marks = 0;
  uint32_t at = 0;
  for (int64_t k = 0; k < block.num_strings; ++k) {
    const auto p = static_cast<uint32_t>(block.string_ends[k]);
    const uint32_t w = p / kWordBits;
    marks &= uint64_t{0} - static_cast<uint64_t>(w == at);
    marks |= uint64_t{1} << (p % kWordBits);
    string_starts[w] = marks;
    at = w;
  }
}

void trim_last_word(const Block& block, uint64_t* words) {
  if (block.num_bytes > 0) words[(block.num_bytes - 1) / kWordBits] &= low_bits((block.num_bytes - 1) % kWordBits + 1);
}

}  // namespace stringops::kernels
