#include "subword/scan/ascii_words.h"

#include <cstring>

#include "core/bits.h"

namespace stringops::kernels {

bool SubwordAsciiWords::read(const uint8_t* text, int64_t size) {
  size_ = size;
  const int64_t num_masks = words_for(size);
  separators_.resize(static_cast<size_t>(num_masks) + 1);
  starts_.resize(separators_.size());
  others_.resize(separators_.size() + 1);
  uint64_t all_others = 0, carry = 0;
  for (int64_t w = 0; w < num_masks; ++w) {
    const int64_t at = w * kWordBits;
    uint8_t copy[kWordBits];
    const uint8_t* bytes = text + at;
    if (size - at < kWordBits) {
      std::memset(copy, ' ', sizeof(copy));
      std::memcpy(copy, bytes, static_cast<size_t>(size - at));
      bytes = copy;
    }
    const simd::AsciiMasks ascii = simd_.find_ascii_masks(bytes);
    const auto i = static_cast<size_t>(w);
    const uint64_t others = ascii.beyond | ascii.controls;
    const uint64_t punctuation = ~(ascii.letters | ascii.numbers | ascii.spaces | others);
    separators_[i] = ascii.spaces;
    starts_[i] = punctuation | punctuation << 1 | carry;
    others_[i] = others;
    all_others |= others;
    carry = punctuation >> (kWordBits - 1);
  }
  separators_[static_cast<size_t>(num_masks)] = ~uint64_t{0};
  starts_[static_cast<size_t>(num_masks)] = carry;
  return all_others == 0;
}

bool SubwordAsciiWords::is_plain(int64_t begin, int64_t end) const {
  for (int64_t at = begin; at < end; at += kWordBits) {
    if ((bits_at(others_.data(), at) & low_bits(end - at)) != 0) return false;
  }
  return true;
}

void SubwordAsciiWords::find(const int32_t* begins, int64_t count, int32_t origin, uint32_t base,
                             std::vector<uint32_t>& word_begins, std::vector<uint32_t>& word_ends,
                             std::vector<uint32_t>& first_words) {
  const int64_t num_masks = words_for(size_);
  const auto num_strings = static_cast<size_t>(count);
  const auto before = static_cast<uint32_t>(word_begins.size());
  if (num_masks == 0) return void(first_words.insert(first_words.end(), num_strings, before));
  // Only the beginning of the arrays that primitives write is used.
  const auto grow = [](auto& array, int64_t room) {
    if (array.size() < static_cast<size_t>(room)) array.resize(static_cast<size_t>(room));
  };
  grow(kept_, num_masks);
  grow(ends_, num_masks);
  grow(kept_ends_, size_ + kWordBits);
  grow(last_, size_ + kWordBits);
  grow(positions_, count);
  grow(counts_, count);
  grow(prefix_, num_masks + 1);
  for (size_t k = 0; k < num_strings; ++k) {
    positions_[k] = begins[k] - origin;
    set_bit(starts_.data(), positions_[k]);
  }
  set_bit(starts_.data(), size_);
  simd_.end_words(separators_.data(), starts_.data(), num_masks, kept_.data(), ends_.data());
  const auto num_words =
      static_cast<size_t>(simd_.list_pieces(kept_.data(), ends_.data(), size_, kept_ends_.data(), last_.data()).pieces);
  word_begins.resize(before + num_words);
  word_ends.resize(before + num_words);
  uint32_t *const out_begins = word_begins.data() + before, *const out_ends = word_ends.data() + before;
  for (size_t k = 0; k < num_words; ++k) {
    const int32_t size = kept_ends_[k] - (k > 0 ? kept_ends_[k - 1] : 0);
    out_ends[k] = base + last_[k];
    out_begins[k] = out_ends[k] - static_cast<uint32_t>(size);
  }
  simd_.count_before(ends_.data(), num_masks, positions_.data(), count, prefix_.data(), counts_.data());
  for (size_t k = 0; k < num_strings; ++k) first_words.push_back(before + static_cast<uint32_t>(counts_[k]));
}

}  // namespace stringops::kernels
