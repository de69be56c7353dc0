// Words between whitespace and between characters of a set, and single code points.
#include <algorithm>

#include "core/bits.h"
#include "core/utf8.h"
#include "core/whitespace.h"
#include "split/block_rule.h"
#include "split/cut_limit.h"
#include "split/mask_maker.h"

namespace stringops::kernels {
namespace {

// Words between runs of whitespace, or of characters of a set. If the cuts of a string are limited, the separators
// after them are dropped from the mask, so that their bytes are kept.
class RunWords final : public MaskMaker {
 public:
  // At whitespace if `set` is null.
  RunWords(const CharSet* set, bool trims_rest, int64_t max_cuts, int64_t cuts, const simd::Primitives& simd)
      : at_whitespace_(!set),
        set_(set ? *set : CharSet()),
        trims_rest_(trims_rest),
        simd_(simd),
        limit_(max_cuts, cuts, simd) {}

  Pieces find(const Block& block, PieceMasks& masks) override {
    if (!block.starts_inside) {
      limit_.begin_string();
      after_separator_ = true;
      trailing_ = -1;
    }
    if (at_whitespace_ && limit_.suits_strings(block)) return CutStrings{limit_.max_cuts(), true, 0};
    if (is_rest(block)) return WholeStrings();
    mark_string_starts(block, masks.string_starts.data());
    uint64_t* const separators = masks.separators.data();
    if (!at_whitespace_) {
      simd_.find_set(block.data, block.num_bytes, set_, separators);
    } else if (!simd_.find_whitespace(block.data, block.num_bytes, separators)) {
      drop_straddling(block, separators);
    }
    separators[words_for(block.num_bytes)] = 0;
    if (limit_.exists()) drop_beyond_limit(block, masks.string_starts.data(), separators, masks.ends.data());
    if (separator_follows(block)) set_bit(separators, block.num_bytes);
    return words_between(block, separators, masks);
  }

  int64_t cuts() const override { return limit_.cuts(); }

 private:
  // Whether the block is part of the rest of a long string after its last cut. Separators in the rest are bytes of it,
  // so that what the members know of them does not matter.
  bool is_rest(const Block& block) const {
    if (!block.starts_inside || block.num_strings > 0 || !limit_.is_reached() || trims_rest_) return false;
    return !after_separator_ || limit_.is_exceeded();
  }

  // Whether the string continues after the block, with a separator.
  bool separator_follows(const Block& block) {
    const uint8_t* const next = block.data + block.num_bytes;
    const int64_t left = block.readable - block.num_bytes;
    if (left == 0) return false;
    if (limit_.is_reached() && !(trims_rest_ && left == count_trailing(block))) return false;
    return at_whitespace_ ? whitespace_length(next, next + left) > 0 : set_.contains(*next);
  }

  static void drop_straddling(const Block& block, uint64_t* separators);
  void drop_beyond_limit(const Block& block, const uint64_t* starts, uint64_t* separators, uint64_t* scratch);
  void exclude_trailing(const Block& block, uint64_t* dropped);
  int64_t count_trailing(const Block& block);

  const bool at_whitespace_;
  const CharSet set_;
  const bool trims_rest_;
  const simd::Primitives& simd_;
  CutLimit limit_;
  bool after_separator_ = true;  // the last byte so far of the string that continues is one, or there is none
  int64_t trailing_ = -1;        // the trailing separators of the string that continues, once they have been counted
};

// The bytes of two adjacent strings can look like one character, if the second one begins with a continuation byte:
// it is malformed, hence rare.
void RunWords::drop_straddling(const Block& block, uint64_t* separators) {
  const uint8_t* const end = block.data + block.num_bytes;
  for (int64_t k = 0; k < block.num_strings; ++k) {
    const int64_t p = block.end(k);
    if (p >= block.num_bytes || p == 0 || !is_continuation(block.data[p])) continue;
    for (int64_t start = std::max<int64_t>(p - 2, 0); start < p; ++start) {
      const int64_t length = whitespace_length(block.data + start, end);
      if (start + length > p) clear_bits(separators, start, start + length);
    }
  }
}

// Each run of separators is a cut, at its first byte, unless its string begins with it. The runs of those beyond the
// limit are dropped: a carry from the cut to the end of the run clears it.
//
//   bytes       a ␣ b ␣ ␣ c ␣ | ␣ d        at most one cut
//   separators  0 1 0 1 1 0 1   1 0
//   beyond      0 0 0 1 0 0 1   0 0
//   dropped     0 0 0 1 1 0 1   0 0        a run does not reach over to the next string
void RunWords::drop_beyond_limit(const Block& block, const uint64_t* __restrict starts, uint64_t* __restrict separators,
                                 uint64_t* __restrict beyond) {
  const int64_t num_words = words_for(block.num_bytes);
  // If the string had passed the limit before the block, a run that continues is dropped as well.
  const auto continues_run = static_cast<uint64_t>(after_separator_ && !limit_.is_exceeded());
  beyond[0] = separators[0] & ~(separators[0] << 1 | continues_run | starts[0]);
  for (int64_t w = 1; w < num_words; ++w) {
    beyond[w] = separators[w] & ~(separators[w] << 1 | separators[w - 1] >> 63 | starts[w]);
  }
  if (block.num_bytes > 0) after_separator_ = test_bit(separators, block.num_bytes - 1);
  if (!limit_.drop_allowed(block, starts, beyond)) return;
  uint64_t* const dropped = beyond;
  uint64_t carry = 0;
  for (int64_t w = 0; w < num_words; ++w) {
    const uint64_t runs = separators[w] & ~starts[w];
    dropped[w] = runs & ~add_with_carry(runs, beyond[w], &carry);
  }
  if (trims_rest_) exclude_trailing(block, dropped);
  for (int64_t w = 0; w < num_words; ++w) separators[w] &= ~dropped[w];
}

// Clears the bits of separators at the end of a string.
void RunWords::exclude_trailing(const Block& block, uint64_t* dropped) {
  if (block.num_strings == 0) {
    const int64_t begin = std::max<int64_t>(block.readable - count_trailing(block), 0);
    return clear_bits(dropped, begin, block.num_bytes);
  }
  for (int64_t k = 0; k < block.num_strings; ++k) {
    for (int64_t p = block.end(k); p > 0 && test_bit(dropped, p - 1); --p) clear_bit(dropped, p - 1);
  }
}

// The trailing separators of the string that continues, as far as they are in this block and after it.
int64_t RunWords::count_trailing(const Block& block) {
  if (trailing_ >= 0) return trailing_;
  trailing_ = 0;
  while (trailing_ < block.readable && set_.contains(block.data[block.readable - trailing_ - 1])) ++trailing_;
  return trailing_;
}

class Codepoints final : public MaskMaker {
 public:
  Pieces find(const Block& block, PieceMasks& masks) override {
    // No block ends inside a code point.
    std::fill_n(masks.kept.begin(), words_for(block.num_bytes), ~uint64_t{0});
    trim_last_word(block, masks.kept.data());
    masks.simd.find_codepoint_ends(block.data, block.num_bytes, masks.ends.data());
    return MaskedPieces();
  }
};

}  // namespace

Pieces words_between(const Block& block, uint64_t* separators, PieceMasks& masks) {
  masks.simd.end_words(separators, masks.string_starts.data(), words_for(block.num_bytes), masks.kept.data(),
                       masks.ends.data());
  trim_last_word(block, masks.kept.data());
  return MaskedPieces();
}

BlockRule whitespace_words(int64_t max_cuts) {
  const auto make = [=](int64_t cuts) {
    return std::make_unique<RunWords>(nullptr, false, max_cuts, cuts, simd::primitives());
  };
  return {make, boundaries([](const uint8_t* p) { return is_ascii_whitespace(p[-1]); }), max_cuts};
}

BlockRule set_words(const CharSet& set, int64_t max_cuts, bool trims_rest) {
  const auto make = [=](int64_t cuts) {
    return std::make_unique<RunWords>(&set, trims_rest, max_cuts, cuts, simd::primitives());
  };
  const auto is_boundary = [=](const uint8_t* p) { return set.contains(p[-1]) && !is_continuation(*p); };
  return {make, boundaries(is_boundary), max_cuts};
}

BlockRule single_codepoints() {
  const auto make = [](int64_t) { return std::make_unique<Codepoints>(); };
  return {make, boundaries([](const uint8_t* p) { return !is_continuation(*p); })};
}

}  // namespace stringops::kernels
