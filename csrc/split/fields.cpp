// Words and fields between delimiters, and the fields between other pieces.
#include <algorithm>
#include <cstring>
#include <optional>

#include "core/bits.h"
#include "core/find_text.h"
#include "split/block_rule.h"
#include "split/cut_limit.h"
#include "split/delimiter_finder.h"
#include "split/mask_maker.h"

namespace stringops::kernels {
namespace {

// Whether a string of the block is empty: its end then has no mark of its own.
bool has_empty_strings(const simd::Primitives& simd, const Block& block, const uint64_t* string_starts) {
  if (!block.starts_inside && test_bit(string_starts, 0)) return true;
  return simd.count_bits(string_starts, words_for(block.num_bytes) + 1) < block.num_strings;
}

// Their fields are the only repeats. The loop is vectorized.
void list_empty_strings(const Block& block, PieceMasks& masks) {
  const int32_t* const ends = block.string_ends.data();
  uint8_t* const ends_in_repeat = masks.ends_in_repeat.data();
  uint8_t* const last = ends_in_repeat + block.num_strings;
  ends_in_repeat[0] = !block.starts_inside && ends[0] == 0;
  for (int64_t k = 1; k < block.num_strings; ++k) ends_in_repeat[k] = ends[k] == ends[k - 1];
  masks.num_repeats = std::count(ends_in_repeat, last, uint8_t{1});
}

// There are no branches, because it is unpredictable which strings are empty or end in a delimiter. The ends added to
// the current word and the count stay in registers, because loading them right after the stores would stall.
void end_fields_at_string_ends(const Block& block, const uint64_t* delimiters, bool empty_strings_have_a_field,
                               PieceMasks& masks) {
  uint64_t* const ends = masks.ends.data();
  uint8_t* const ends_in_repeat = masks.ends_in_repeat.data();
  int32_t begin = block.starts_inside ? -1 : 0;
  uint64_t added = 0;
  uint32_t at = 0;
  int64_t num_repeats = 0;
  for (int64_t k = 0; k < block.num_strings; ++k) {
    const int32_t p = block.end(k);
    const auto last = static_cast<uint32_t>(std::max(p - 1, 0));
    const uint32_t w = last / kWordBits;
    const uint64_t bit = uint64_t{1} << (last % kWordBits);
    added &= uint64_t{0} - static_cast<uint64_t>(w == at);
    const bool empty = p == begin;
    const bool repeat = empty | ((delimiters[w] & bit) != 0);
    added |= bit & (static_cast<uint64_t>(repeat) - 1);
    ends[w] = delimiters[w] | added;
    const bool has_field = repeat & (!empty | empty_strings_have_a_field);
    ends_in_repeat[k] = has_field;
    num_repeats += has_field;
    begin = p;
    at = w;
  }
  masks.num_repeats = num_repeats;
}

// Sets the masks of the fields between masks.delimiters, of which the word after those of the block is 0, and whose
// bytes are `covered`.
Pieces take_fields(const Block& block, const uint64_t* covered, bool empty_strings_have_a_field, PieceMasks& masks) {
  const int64_t num_words = words_for(block.num_bytes);
  const uint64_t *const delimiters = masks.delimiters.data(), *const string_starts = masks.string_starts.data();
  const bool complete =
      masks.simd.end_fields(delimiters, covered, string_starts, num_words, masks.kept.data(), masks.ends.data());
  trim_last_word(block, masks.kept.data());
  if (!complete) {
    std::copy_n(delimiters, num_words, masks.ends.data());
    end_fields_at_string_ends(block, delimiters, empty_strings_have_a_field, masks);
  } else if (empty_strings_have_a_field && has_empty_strings(masks.simd, block, string_starts)) {
    list_empty_strings(block, masks);
  }
  return MaskedPieces();
}

class Delimited final : public MaskMaker {
 public:
  Delimited(std::string_view delimiter, bool fields, bool empty_strings_have_a_field, int64_t max_cuts, int64_t cuts,
            const simd::Primitives& simd)
      : delimiter_(delimiter),
        fields_(fields),
        empty_strings_have_a_field_(empty_strings_have_a_field),
        finder_(delimiter, simd),
        limit_(max_cuts, cuts, simd) {}

  Pieces find(const Block& block, PieceMasks& masks) override {
    begin_block(block);
    if (cuts_strings(block)) return CutStrings{limit_.max_cuts(), false, static_cast<uint8_t>(delimiter_[0])};
    if (is_rest(block)) return WholeStrings();
    uint64_t* const delimiters = masks.delimiters.data();
    if (const auto without = find_delimiters(block, masks)) return *without;
    if (limit_.exists()) limit_.drop_beyond(block, masks.string_starts.data(), delimiters, masks.ends.data());
    const auto num_words = static_cast<size_t>(words_for(block.num_bytes));
    delimiters[num_words] = 0;
    uint64_t* covered = delimiters;
    if (finder_.length() > 1) {
      covered = masks.separators.data();
      finder_.cover(block, delimiters, covered);
      finder_.end_block(block, delimiters);
      covered[num_words] = 0;
    }
    if (fields_) {
      return take_fields(block, covered, empty_strings_have_a_field_, masks);
    }
    if (delimiter_follows(block)) set_bit(covered, block.num_bytes);
    return words_between(block, covered, masks);
  }

  int64_t cuts() const override { return limit_.cuts(); }

 private:
  void begin_block(const Block& block) {
    if (block.starts_inside) return;
    finder_.begin_string();
    limit_.begin_string();
  }

  bool all_strings_have_fields() const { return fields_ && empty_strings_have_a_field_; }

  bool cuts_strings(const Block& block) const {
    return all_strings_have_fields() && delimiter_.size() == 1 && limit_.suits_strings(block);
  }

  // Whether the block is part of the rest of a long string after its last cut.
  bool is_rest(const Block& block) const {
    return block.starts_inside && block.num_strings == 0 && limit_.is_reached() && finder_.consumed() == 0;
  }

  // Whether the string continues after the block, with a delimiter that counts.
  bool delimiter_follows(const Block& block) const {
    if (block.readable - block.num_bytes < finder_.length() || limit_.is_reached()) return false;
    return std::memcmp(block.data + block.num_bytes, delimiter_.data(), delimiter_.size()) == 0;
  }

  std::optional<Pieces> find_delimiters(const Block& block, PieceMasks& masks);

  const std::string_view delimiter_;
  const bool fields_;
  const bool empty_strings_have_a_field_;
  DelimiterFinder finder_;
  CutLimit limit_;
};

// Returns the pieces if they are known without delimiters.
std::optional<Pieces> Delimited::find_delimiters(const Block& block, PieceMasks& masks) {
  // If no string continues, and an empty one has a field too, the fields of a block without delimiters are its strings.
  const bool may_be_strings = !block.starts_inside && block.num_strings > 0 && all_strings_have_fields();
  if (block.num_bytes == 0 && !block.starts_inside) return may_be_strings ? Pieces(WholeStrings()) : NoPieces();
  if (!finder_.find_candidates(block, masks.delimiters.data()) && may_be_strings) return WholeStrings();
  mark_string_starts(block, masks.string_starts.data());
  finder_.confirm(block, masks.string_starts.data(), masks.delimiters.data());
  if (may_be_strings && !finder_.has_found()) return WholeStrings();
  return std::nullopt;
}

// The fields between pieces, which take the place of delimiters.
class Between final : public MaskMaker {
 public:
  explicit Between(std::unique_ptr<MaskMaker> maker) : maker_(std::move(maker)) {}

  Pieces find(const Block& block, PieceMasks& masks) override {
    maker_->find(block, masks);
    const int64_t num_words = words_for(block.num_bytes);
    const uint64_t* const kept = masks.kept.data();
    const bool found = std::any_of(kept, kept + num_words, [](uint64_t word) { return word != 0; });
    if (!found && !block.starts_inside && block.num_strings > 0) return WholeStrings();
    marker_.mark(block, masks, masks.delimiters.data());
    masks.delimiters[static_cast<size_t>(num_words)] = 0;
    std::copy_n(kept, num_words, masks.separators.begin());
    mark_string_starts(block, masks.string_starts.data());
    return take_fields(block, masks.separators.data(), true, masks);
  }

 private:
  const std::unique_ptr<MaskMaker> maker_;
  PieceBegins marker_;
};

// The first position in [from, end) after a match of the delimiter that overlaps no other in the string, which begins
// at `begin`: which of several overlapping matches count depends on the first of them. `end` if there is none.
const uint8_t* after_delimiter(std::string_view delimiter, const uint8_t* begin, const uint8_t* from,
                               const uint8_t* end) {
  const auto length = static_cast<int64_t>(delimiter.size());
  const auto matches_at = [&](const uint8_t* p) {
    return end - p >= length && std::memcmp(p, delimiter.data(), delimiter.size()) == 0;
  };
  for (int64_t tries = 0; tries < kMaxBoundaryTries && end - from >= length; ++tries) {
    const uint8_t* const at = find_text({from, end}, delimiter);
    if (at == end) return end;
    bool overlaps = false;
    for (const uint8_t* p = std::max(begin, at - length + 1); p < at + length && !overlaps; ++p) {
      overlaps = p != at && matches_at(p);
    }
    if (!overlaps) return at + length;
    from = at + 1;
  }
  return end;
}

BlockRule delimited(std::string_view delimiter, bool fields, bool empty_strings_have_a_field, int64_t max_cuts) {
  BlockRule rule;
  rule.make_maker = [=](int64_t cuts) {
    return std::make_unique<Delimited>(delimiter, fields, empty_strings_have_a_field, max_cuts, cuts,
                                       simd::primitives());
  };
  rule.max_cuts = max_cuts;
  if (static_cast<int64_t>(delimiter.size()) > kMaxBoundaryDelimiter) return rule;
  rule.find_boundary = [=](const uint8_t* begin, const uint8_t* from, const uint8_t* end) {
    return after_delimiter(delimiter, begin, from, end);
  };
  return rule;
}

}  // namespace

void PieceBegins::mark(const Block& block, const PieceMasks& masks, uint64_t* begins) {
  const uint64_t *const kept = masks.kept.data(), *const ends = masks.ends.data();
  uint64_t inside = block.starts_inside ? inside_ : 0;
  const int64_t num_words = words_for(block.num_bytes);
  for (int64_t w = 0; w < num_words; ++w) {
    const uint64_t goes_on = kept[w] & ~ends[w];
    begins[w] = kept[w] & ~(goes_on << 1 | inside);
    inside = goes_on >> (kWordBits - 1);
  }
  const int64_t last = block.num_bytes - 1;
  inside_ = last >= 0 ? test_bit(kept, last) && !test_bit(ends, last) : inside;
}

BlockRule delimiter_words(std::string_view delimiter, int64_t max_cuts) {
  return delimited(delimiter, false, false, max_cuts);
}

BlockRule delimited_fields(std::string_view delimiter, bool empty_strings_have_a_field, int64_t max_cuts) {
  return delimited(delimiter, true, empty_strings_have_a_field, max_cuts);
}

BlockRule fields_between(BlockRule rule) {
  const auto make = [make = std::move(rule.make_maker)](int64_t cuts) { return std::make_unique<Between>(make(cuts)); };
  return {make};
}

}  // namespace stringops::kernels
