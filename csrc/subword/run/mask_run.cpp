#include "subword/run/mask_run.h"

#include <algorithm>
#include <optional>

#include "core/bits.h"
#include "split/blocks.h"
#include "subword/scan/word_rules.h"

namespace stringops::kernels {

using namespace subword;

namespace {

std::optional<WordRule> only_split(const Table& table) {
  std::optional<WordRule> split;
  for (const Step& step : table.steps) {
    if (step.kind == Step::kNfc) continue;
    if (split) return std::nullopt;
    split = word_rule_of(step);
    if (!split) return std::nullopt;
  }
  return split;
}

}  // namespace

bool SubwordMaskRun::serves(const Table& table) {
  return only_split(table).has_value();
}

SubwordMaskRun::SubwordMaskRun(const Table& table, int64_t num_bytes)
    : simd_(simd::text_primitives()), masks_(*only_split(table)), words_(table, num_bytes) {}

void SubwordMaskRun::encode(const uint8_t* text, const uint8_t* readable_end, const int32_t* begins, int64_t count) {
  const int64_t size = begins[count];
  const uint8_t* const valid = valid_.of(text, begins, count);
  words_.clear();
  first_ids_.resize(static_cast<size_t>(count) + 1);
  num_words_ = placed_ = 0;
  int64_t string = 0;
  const StringSpan span{valid, size, begins, 1, count};
  BlockReader reader(span, {0, 0}, {count, 0});
  Block block;
  while (reader.next(block)) {
    const uint64_t* const masks = masks_.find_begins(block);
    const int64_t block_begin = block.data - valid, block_end = block_begin + block.num_bytes;
    for (int64_t at = block_begin; at < block_end; at += kWordBits) {
      const uint64_t found = masks[(at - block_begin) / kWordBits] & low_bits(block_end - at);
      const int64_t end = std::min(at + kWordBits, block_end);
      for (; string < count && begins[string] < end; ++string) {
        const int before = popcount(found & low_bits(begins[string] - at));
        first_ids_[static_cast<size_t>(string)] = static_cast<uint32_t>(num_words_ + before);
      }
      simd_.list_bits(found, static_cast<uint32_t>(at), begins_.data() + num_words_);
      num_words_ += popcount(found);
      if (num_words_ > SubwordWords::kBatch - kWordBits) flush(text, readable_end, num_words_ - 1, string);
    }
  }
  for (; string < count; ++string) first_ids_[static_cast<size_t>(string)] = static_cast<uint32_t>(num_words_);
  begins_[static_cast<size_t>(num_words_)] = static_cast<uint32_t>(size);
  flush(text, readable_end, num_words_, count);
  first_ids_[static_cast<size_t>(count)] = static_cast<uint32_t>(words_.size());
}

// Encodes the first `closed` words; `strings` strings begin at or before the end of the last word.
void SubwordMaskRun::flush(const uint8_t* text, const uint8_t* readable_end, int64_t closed, int64_t strings) {
  for (int64_t first = 0; first < closed; first += SubwordWords::kBatch) {
    const int64_t count = std::min(SubwordWords::kBatch, closed - first);
    words_.encode(text, readable_end, begins_.data() + first, begins_.data() + first + 1, count,
                  places_.data() + first);
  }
  places_[static_cast<size_t>(closed)] = static_cast<uint32_t>(words_.size());
  const auto num_closed = static_cast<uint32_t>(closed);
  for (; placed_ < strings && first_ids_[static_cast<size_t>(placed_)] < num_closed; ++placed_) {
    uint32_t& first = first_ids_[static_cast<size_t>(placed_)];
    first = places_[first];
  }
  for (int64_t k = placed_; k < strings; ++k) first_ids_[static_cast<size_t>(k)] -= num_closed;
  begins_[0] = begins_[static_cast<size_t>(closed)];
  num_words_ -= closed;
  if (num_words_ == 0) {
    for (; placed_ < strings; ++placed_)
      first_ids_[static_cast<size_t>(placed_)] = static_cast<uint32_t>(words_.size());
  }
}

}  // namespace stringops::kernels
