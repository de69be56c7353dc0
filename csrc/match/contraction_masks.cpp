#include "match/contraction_masks.h"

#include "core/bits.h"

namespace stringops::kernels {
namespace {

// Returns the size of the contraction at p: 's, 't, 'm, 'd, 're, 've or 'll. 0 if there is none.
int64_t contraction_size(const uint8_t* p, const uint8_t* end, bool any_case) {
  if (end - p < 2 || *p != '\'') return 0;
  const auto fold = [&](uint8_t c) { return any_case && c >= 'A' && c <= 'Z' ? static_cast<uint8_t>(c | 0x20) : c; };
  const uint8_t a = fold(p[1]);
  if (a == 's' || a == 't' || a == 'm' || a == 'd') return 2;
  if (end - p < 3) return 0;
  // U+017F, the long s, is an s in any case.
  if (any_case && p[1] == 0xC5 && p[2] == 0xBF) return 3;
  const uint8_t b = fold(p[2]);
  return (a == 'l' && b == 'l') || ((a == 'r' || a == 'v') && b == 'e') ? 3 : 0;
}

}  // namespace

void ContractionMasks::begin_block(const Block& block) {
  end_ = block.starts_inside ? end_in_block_ : -1;
  end_in_block_ = -1;
  inside_ = after_ = 0;
  inside_next_ = end_ > 0 ? low_bits(end_) : 0;
}

// The rests of contractions of the word before are in this one.
void ContractionMasks::begin_word(int64_t w) {
  inside_ = inside_next_;
  inside_next_ = after_ = 0;
  if (end_ / kWordBits == w && end_ >= 0) after_ = uint64_t{1} << end_ % kWordBits;
}

void ContractionMasks::find(const Block& block, int64_t w, const uint64_t* string_starts, uint64_t candidates) {
  const bool is_suffix = kind_ == WordRule::kSuffixes;
  for (uint64_t rest = candidates; rest != 0; rest &= rest - 1) {
    const int i = first_bit(rest);
    const int64_t at = w * kWordBits + i;
    if (is_suffix && at == end_) continue;
    const int64_t size = size_at(block, at, string_starts);
    if (size == 0) continue;
    const uint64_t bits = is_suffix ? low_bits(size) : low_bits(size) & ~uint64_t{1};
    inside_ |= bits << i;
    if (i > 0) inside_next_ |= bits >> (kWordBits - i);
    end_ = at + size;
    if (i + size < kWordBits) after_ |= uint64_t{1} << (i + size);
    if (at < block.num_bytes) end_in_block_ = end_ - block.num_bytes;
  }
}

int64_t ContractionMasks::size_at(const Block& block, int64_t at, const uint64_t* string_starts) const {
  const int64_t size = contraction_size(block.data + at, block.data + block.readable, kind_ != WordRule::kLowerCase);
  bool crosses = false;
  for (int64_t i = 1; i < size; ++i) crosses |= test_bit(string_starts, at + i);
  return crosses ? 0 : size;
}

}  // namespace stringops::kernels
