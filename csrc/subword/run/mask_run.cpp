#include "subword/run/mask_run.h"

#include <algorithm>
#include <optional>

#include "core/bits.h"
#include "core/narrow.h"
#include "split/blocks.h"
#include "subword/scan/word_rules.h"

namespace stringops::kernels {

using namespace subword;

namespace {

std::optional<WordRule> only_split(const Table& table) {
  std::optional<WordRule> split;
  for (size_t at = 0; at < table.steps.size();) {
    if (split) return std::nullopt;
    if (SubwordNormalizer::is_normalizer(table.steps[at])) {
      ++at;
      continue;
    }
    split = word_rule_of(table.steps, &at);
    if (!split) return std::nullopt;
  }
  return split;
}

// A part of a text that is in a form of Unicode is in that form, too.
bool are_forms(const std::vector<Step>& steps) {
  return std::all_of(steps.begin(), steps.end(), [](const Step& step) {
    return !SubwordNormalizer::is_normalizer(step) || step.kind == Step::kNfc || step.kind == Step::kNfd ||
           step.kind == Step::kNfkd;
  });
}

bool has_normal_tokens(const Table& table) {
  return table.normal.nodes[0].num_edges > 0;
}

constexpr size_t kAfter = 16;  // bytes after the words, which keys read

}  // namespace

bool SubwordMaskRun::serves(const Table& table) {
  return (are_forms(table.steps) || !has_normal_tokens(table)) && only_split(table).has_value();
}

SubwordMaskRun::SubwordMaskRun(const Table& table, int64_t num_bytes)
    : normalizes_(!has_normal_tokens(table)),
      keeps_parts_(are_forms(table.steps)),
      normalizer_(table.steps, table.step_texts, table.normalizer),
      simd_(simd::text_primitives()),
      masks_(*only_split(table)),
      words_(table, num_bytes) {}

void SubwordMaskRun::encode(const uint8_t* text, const uint8_t* readable_end, const int32_t* begins, int64_t count) {
  if (!normalizes_ || !normalize(text, begins, count)) return encode_normal(text, readable_end, begins, count);
  const uint8_t* const normalized = normalized_.data();
  encode_normal(normalized, normalized + normalized_.size(), normalized_begins_.data(), count);
}

// Sets normalized_ and normalized_begins_ to the normalized strings and returns true, or returns false if all of them
// stay as they are.
bool SubwordMaskRun::normalize(const uint8_t* text, const int32_t* begins, int64_t count) {
  if (normalizer_.is_empty() || (keeps_parts_ && normalizer_.keeps({text, text + begins[count]}, one_))) return false;
  normalized_.clear();
  normalized_begins_.assign(1, 0);
  for (int64_t k = 0; k < count; ++k) {
    StringView string{text + begins[k], text + begins[k + 1]};
    if (normalizer_.normalize(string, string.begin, one_, nullptr)) string = {one_.data(), one_.data() + one_.size()};
    normalized_.insert(normalized_.end(), string.begin, string.end);
    check_text_size(normalized_.size());
    normalized_begins_.push_back(narrow<int32_t>(static_cast<int64_t>(normalized_.size())));
  }
  normalized_.resize(normalized_.size() + kAfter);
  return true;
}

void SubwordMaskRun::encode_normal(const uint8_t* text, const uint8_t* readable_end, const int32_t* begins,
                                   int64_t count) {
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
