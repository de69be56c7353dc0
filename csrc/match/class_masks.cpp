#include "match/class_masks.h"

#include <algorithm>
#include <cstring>

#include "core/utf8.h"

namespace stringops::kernels {

void ClassMasks::split(const Block& block, uint64_t* kept, uint64_t* ends) {
  if (words_) return words_->split(block, kept, ends);
  if (!block.starts_inside) last_ = {};
  const int64_t ahead = std::max<int64_t>(4 * rule_.min_codepoints, 8);
  num_bytes_ = std::min(block.num_bytes + ahead, block.readable);
  num_words_ = words_for(num_bytes_);
  std::fill_n(starts_.begin() + words_for(block.num_bytes), kWords - words_for(block.num_bytes), 0);
  mark_string_starts(block, starts_.data());
  if (block.readable > block.num_bytes && num_bytes_ == block.readable) set_bit(starts_.data(), num_bytes_);

  classify(block);
  end_runs();
  if (rule_.min_codepoints > 1) drop_short();

  const int64_t words = words_for(block.num_bytes);
  std::copy_n(kept_.begin(), words, kept);
  std::copy_n(ends_.begin(), words, ends);
  if (words == 0) return;
  const uint64_t inside = low_bits((block.num_bytes - 1) % kWordBits + 1);
  kept[words - 1] &= inside;
  ends[words - 1] &= inside;
  const auto last = [&](const BlockMask& mask) { return uint64_t{test_bit(mask.data(), block.num_bytes - 1)}; };
  last_.kept = last(kept_);
  last_.end = last(ends_);
}

void ClassMasks::classify(const Block& block) {
  bool needs_ends = rule_.min_codepoints > 1 || rule_.table;
  for (size_t k = 0; k < rule_.classes.size(); ++k) {
    const ClassRule::Class& c = rule_.classes[k];
    if (c.chars == CharSet()) {
      std::fill_n(classes_[k].begin(), num_words_, 0);
    } else {
      simd_.find_set(block.data, num_bytes_, c.chars, classes_[k].data());
    }
    classes_[k][static_cast<size_t>(num_words_)] = 0;
    needs_ends |= !c.is_run && c.has_beyond;
  }
  beyond_ascii_ = false;
  if (!needs_ends) return;
  CharSet beyond;
  beyond.beyond_ascii = true;
  simd_.find_set(block.data, num_bytes_, beyond, scratch_.data());
  for (int64_t w = 0; w < num_words_; ++w) beyond_ascii_ |= scratch_[static_cast<size_t>(w)] != 0;
  if (!beyond_ascii_) return;
  simd_.find_codepoint_ends(block.data, num_bytes_, codepoint_ends_.data());
  if (rule_.table) classify_beyond_ascii(block);
}

// Classifies the bytes beyond ASCII in scratch_: writes the class to 4 bytes per code point; the next code point
// overwrites the excess. Bytes that no code point has reached are of no class, in whichever block they are read.
void ClassMasks::classify_beyond_ascii(const Block& block) {
  const ClassTable& table = *rule_.table;
  const uint8_t* const data = block.data;
  const int64_t readable = block.readable;
  uint64_t carry = block.starts_inside && is_continuation(data[0]) ? 0 : 1, leads_before = 0;
  for (int64_t w = 0; w < num_words_; ++w) {
    const uint64_t last_bytes = codepoint_ends_[static_cast<size_t>(w)];
    uint64_t leads = scratch_[static_cast<size_t>(w)] & (last_bytes << 1 | carry);
    carry = last_bytes >> (kWordBits - 1);
    uint64_t reached = leads;
    for (int i = 1; i < 4; ++i) reached |= leads << i | leads_before >> (kWordBits - i);
    scratch_[static_cast<size_t>(w)] &= reached;
    leads_before = leads;
    for (; leads != 0; leads &= leads - 1) {
      const int64_t at = w * kWordBits + first_bit(leads);
      const uint32_t stored = table.at(data + at, data + readable) * 0x01010101u;
      std::memcpy(numbers_.data() + at, &stored, sizeof(stored));
    }
  }
  for (size_t k = 0; k < rule_.classes.size(); ++k) {
    if (!rule_.classes[k].has_beyond) continue;
    simd_.find_byte(numbers_.data(), num_bytes_, static_cast<uint8_t>(k), found_.data());
    for (size_t i = 0; i < static_cast<size_t>(num_words_); ++i) classes_[k][i] |= found_[i] & scratch_[i];
  }
}

// A run ends before another class, a single code point on its last byte.
void ClassMasks::end_runs() {
  const int64_t count = num_words_;
  uint64_t* const __restrict kept = kept_.data();
  uint64_t* const __restrict ends = ends_.data();
  uint64_t* const __restrict same = scratch_.data();  // whether the next byte is of the same string
  const uint64_t* const __restrict starts = starts_.data();
  for (int64_t w = 0; w < count; ++w) same[w] = ~(starts[w] >> 1 | starts[w + 1] << (kWordBits - 1));
  std::fill_n(kept, count + 1, 0);
  std::fill_n(ends, count + 1, 0);
  for (size_t k = 0; k < rule_.classes.size(); ++k) {
    const ClassRule::Class& c = rule_.classes[k];
    const uint64_t* const __restrict words = classes_[k].data();
    const auto next_follows = [&](int64_t w) { return (words[w] >> 1 | words[w + 1] << (kWordBits - 1)) & same[w]; };
    for (int64_t w = 0; w < count; ++w) kept[w] |= words[w];
    if (c.is_run) {
      for (int64_t w = 0; w < count; ++w) ends[w] |= words[w] & ~next_follows(w);
    } else if (c.has_beyond && beyond_ascii_) {
      for (int64_t w = 0; w < count; ++w) {
        ends[w] |= words[w] & (codepoint_ends_[static_cast<size_t>(w)] | ~next_follows(w));
      }
    } else {
      for (int64_t w = 0; w < count; ++w) ends[w] |= words[w];
    }
  }
}

bool ClassMasks::is_short(int64_t begin, int64_t end) const {
  const int64_t bytes = end - begin + 1, min = rule_.min_codepoints;
  if (bytes < min) return true;
  if (!beyond_ascii_ || bytes >= 4 * min) return false;
  int64_t count = 0;
  for (int64_t i = begin; i <= end; ++i) count += test_bit(codepoint_ends_.data(), i);
  return count < min;
}

// A piece that continues has been long enough. One that has been dropped begins anew, and is dropped again.
void ClassMasks::drop_short() {
  BlockMask& begins = scratch_;
  for (int64_t w = 0; w < num_words_; ++w) {
    const auto i = static_cast<size_t>(w);
    begins[i] = kept_[i] & ~(before(kept_, w, last_.kept) & ~before(ends_, w, last_.end));
  }
  Bits starts(begins.data(), num_words_), stops(ends_.data(), num_words_);
  int64_t begin = 0, end = 0;
  const bool continues = num_words_ > 0 && (kept_[0] & 1) != 0 && (begins[0] & 1) == 0;
  if (continues && !stops.next(&end)) return;
  while (starts.next(&begin) && stops.next(&end)) {
    if (!is_short(begin, end)) continue;
    clear_bits(kept_.data(), begin, end + 1);
    clear_bit(ends_.data(), end);
  }
}

}  // namespace stringops::kernels
