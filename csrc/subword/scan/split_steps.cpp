#include "subword/scan/split_steps.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/bits.h"
#include "match/choose_rule.h"
#include "match/word_masks.h"
#include "split/block_rule.h"
#include "split/blocks.h"
#include "subword/scan/class_patterns.h"
#include "subword/scan/token_rules.h"

namespace stringops::kernels {

using namespace subword;

// Finds the pieces of one step in blocks of strings.
class SplitSteps::Splitter {
 public:
  virtual ~Splitter() = default;

  // Returns the bits of the bytes of a block with which pieces begin, those that are left out, too; the bits after the
  // block are arbitrary.
  virtual const uint64_t* find_begins(const Block& block) = 0;

  // Returns the bits of the bytes of pieces, or null if all are.
  virtual const uint64_t* kept() const { return nullptr; }
};

class SplitSteps::WordSplitter final : public Splitter {
 public:
  explicit WordSplitter(const WordRule& rule) : masks_(rule) {}

  const uint64_t* find_begins(const Block& block) override { return masks_.find_begins(block); }

 private:
  WordMasks masks_;
};

// Divides strings at the matches of a pattern, by the behavior of a step.
class SplitSteps::MatchSplitter final : public Splitter {
 public:
  MatchSplitter(std::shared_ptr<const Pattern> pattern, uint8_t behavior, bool inverts)
      : pattern_(std::move(pattern)), behavior_(behavior), invert_(inverts), masks_(simd::primitives()) {
    const auto rule = choose_rule(*pattern_, MatchUse::kPieces);
    rule_ = rule ? rule->cut : rule_of_matches(*pattern_).cut;
    maker_ = rule_.make_maker(0);
  }

  const uint64_t* find_begins(const Block& block) override {
    maker_->find(block, masks_);
    marker_.mark(block, masks_, begins_.data());
    mark_string_starts(block, masks_.string_starts.data());
    if (!block.starts_inside) last_kept_ = last_end_ = 0;
    // A piece begins where a match does, after a match, or where matches begin or end to be adjacent.
    const bool at_begins =
        behavior_ <= Step::kIsolated || behavior_ == (invert_ ? Step::kMergedWithPrevious : Step::kMergedWithNext);
    const bool at_ends =
        behavior_ <= Step::kIsolated || behavior_ == (invert_ ? Step::kMergedWithNext : Step::kMergedWithPrevious);
    const auto words = static_cast<size_t>(words_for(block.num_bytes));
    uint64_t kept_before = last_kept_, end_before = last_end_;
    if (const int64_t last = block.num_bytes - 1; last >= 0) {
      last_kept_ = test_bit(masks_.kept.data(), last);
      last_end_ = test_bit(masks_.ends.data(), last);
    }
    for (size_t w = 0; w < words; ++w) {
      const uint64_t kept = masks_.kept[w], ends = masks_.ends[w];
      uint64_t found = masks_.string_starts[w];
      if (at_begins) found |= begins_[w];
      if (at_ends) found |= ends << 1 | end_before;
      if (behavior_ == Step::kContiguous) found |= kept ^ (kept << 1 | kept_before);
      kept_before = kept >> (kWordBits - 1);
      end_before = ends >> (kWordBits - 1);
      begins_[w] = found;
      if (!invert_) masks_.kept[w] = ~kept;
    }
    if (!block.starts_inside) begins_[0] |= 1;
    return begins_.data();
  }

  const uint64_t* kept() const override { return behavior_ == Step::kRemoved ? masks_.kept.data() : nullptr; }

 private:
  const std::shared_ptr<const Pattern> pattern_;
  const uint8_t behavior_;
  const bool invert_;
  PieceMasks masks_;
  BlockRule rule_;
  std::unique_ptr<MaskMaker> maker_;
  PieceBegins marker_;
  std::array<uint64_t, kBlockWords> begins_;
  uint64_t last_kept_ = 0, last_end_ = 0;  // whether the last byte of the block before is of a match, or its last one
};

// Before each space, or before each run of spaces.
class SplitSteps::BlankSplitter final : public Splitter {
 public:
  explicit BlankSplitter(bool at_each) : simd_(simd::primitives()), at_each_(at_each) {}

  const uint64_t* find_begins(const Block& block) override {
    mark_string_starts(block, begins_.data());
    if (!block.starts_inside) begins_[0] |= 1;
    for (int64_t at = 0; at < block.num_bytes; at += kWordBits) {
      uint8_t rest[kWordBits] = {};
      const int64_t size = block.num_bytes - at;
      if (size < kWordBits) std::memcpy(rest, block.data + at, static_cast<size_t>(size));
      const uint64_t blanks = simd_.find_ascii_masks(size < kWordBits ? rest : block.data + at).blanks;
      begins_[static_cast<size_t>(at / kWordBits)] |= at_each_ ? blanks : blanks & ~(blanks << 1 | last_);
      last_ = size < kWordBits ? blanks >> (size - 1) & 1 : blanks >> (kWordBits - 1);
    }
    return begins_.data();
  }

 private:
  const simd::Primitives& simd_;
  const bool at_each_;
  std::array<uint64_t, kBlockWords + 2> begins_;
  uint64_t last_ = 0;  // whether the last byte of the block before is a space
};

std::unique_ptr<SplitSteps::Splitter> SplitSteps::new_splitter(const Step& step, const Table& table) {
  if (step.kind == Step::kBlankWords) return std::make_unique<BlankSplitter>(false);
  if (step.kind == Step::kWhitespace)
    return std::make_unique<MatchSplitter>(between_whitespace(), Step::kRemoved, true);
  const auto& pattern = table.patterns[step.from];
  const bool begins_pieces = step.option == Step::kMergedWithNext && step.invert == 0;
  if (begins_pieces && pattern->literal() == " ") return std::make_unique<BlankSplitter>(true);
  return std::make_unique<MatchSplitter>(pattern, step.option, step.invert != 0);
}

bool SplitSteps::is_split(const Step& step) {
  return word_rule_of(step) || step.kind == Step::kPattern || step.kind == Step::kWhitespace ||
         step.kind == Step::kBlankWords;
}

bool SplitSteps::leaves_out(const Step& step) {
  return step.kind == Step::kWhitespace || (step.kind == Step::kPattern && step.option == Step::kRemoved);
}

SplitSteps::SplitSteps(const Table& table, const std::vector<Step>& steps, size_t first)
    : simd_(simd::primitives()), end_(first) {
  while (end_ < steps.size() && is_split(steps[end_]) && !leaves_out_) {
    const Step& step = steps[end_++];
    leaves_out_ = leaves_out(step);
    if (const auto rule = word_rule_of(step)) {
      splitters_.push_back(std::make_unique<WordSplitter>(*rule));
    } else {
      only_words_ = false;
      splitters_.push_back(new_splitter(step, table));
    }
  }
}

SplitSteps::~SplitSteps() = default;

void SplitSteps::split(const uint8_t* text, const int32_t* begins, int64_t count) {
  size_ = 0;
  make_room(0);
  num_before_.assign(static_cast<size_t>(count) + 1, 0);
  if (begins[count] == 0) return;
  const int32_t* pieces = begins;
  int64_t num_pieces = count;
  for (const auto& splitter : splitters_) {
    divide(*splitter, text, pieces, num_pieces, begins, splitter == splitters_.back() ? count : 0);
    if (splitter == splitters_.back()) return;
    before_.swap(begins_);
    pieces = reinterpret_cast<const int32_t*>(before_.data());
    num_pieces = size_;
  }
}

void SplitSteps::make_room(int64_t num_more) {
  const auto need = static_cast<size_t>(size_ + num_more + 1);
  if (begins_.size() < need) begins_.resize(std::max(need, 2 * begins_.size()));
  if (leaves_out_ && ends_.size() < begins_.size()) ends_.resize(begins_.size());
}

// Divides pieces, and counts those before each of `count` strings.
void SplitSteps::divide(Splitter& splitter, const uint8_t* text, const int32_t* pieces, int64_t num_pieces,
                        const int32_t* begins, int64_t count) {
  const int32_t size = pieces[num_pieces];
  const StringSpan span{text, size, pieces, num_pieces};
  BlockReader reader(span, {0, 0}, {num_pieces, 0});
  Block block;
  int64_t num_ends = 0, string = 0;
  uint64_t inside = 0;  // whether the byte before is of a piece, if others are left out
  size_ = 0;
  while (reader.next(block)) {
    const uint64_t* const masks = splitter.find_begins(block);
    const uint64_t* const kept = splitter.kept();
    const int64_t block_begin = block.data - text, block_end = block_begin + block.num_bytes;
    make_room(block.num_bytes);
    for (int64_t at = block_begin; at < block_end; at += kWordBits) {
      const int64_t w = (at - block_begin) / kWordBits, end = std::min(at + kWordBits, block_end);
      uint64_t found = masks[w] & low_bits(block_end - at);
      if (kept) {
        const uint64_t stops = found & (kept[w] << 1 | inside);
        inside = kept[w] >> (end - at - 1) & 1;
        list_bits(stops, static_cast<uint32_t>(at), ends_.data() + num_ends);
        num_ends += popcount(stops);
        found &= kept[w];
      }
      for (; string < count && begins[string] < end; ++string) {
        const int before = popcount(found & low_bits(begins[string] - at));
        num_before_[static_cast<size_t>(string)] = static_cast<uint32_t>(size_ + before);
      }
      list_bits(found, static_cast<uint32_t>(at), begins_.data() + size_);
      size_ += popcount(found);
    }
  }
  if (inside != 0) ends_[static_cast<size_t>(num_ends)] = static_cast<uint32_t>(size);
  begins_[static_cast<size_t>(size_)] = static_cast<uint32_t>(size);
  for (; string <= count; ++string) num_before_[static_cast<size_t>(string)] = static_cast<uint32_t>(size_);
}

}  // namespace stringops::kernels
