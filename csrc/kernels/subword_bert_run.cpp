#include "kernels/subword_bert_run.h"

#include <algorithm>

#include "core/narrow.h"

namespace stringops::kernels {

bool SubwordBertRun::serves(const subword::Table& table) {
  if (table.wordpiece && table.wordpiece->max_codepoints() < subword::kShortBytes) return false;
  const auto is_normalizer = [](const subword::Step& step) { return SubwordNormalizer::is_normalizer(step); };
  return !table.steps.empty() && table.steps.back().kind == subword::Step::kBertWords &&
         std::all_of(table.steps.begin(), table.steps.end() - 1, is_normalizer);
}

SubwordBertRun::SubwordBertRun(const subword::Table& table, int64_t num_bytes)
    : normalizer_(table.steps, table.step_texts, table.normalizer), words_(table, num_bytes) {}

void SubwordBertRun::encode(const uint8_t* text, const uint8_t*, const int32_t* begins, int64_t count) {
  find_words(text, begins, count);
  words_.clear();
  const auto num_words = static_cast<int64_t>(begins_.size());
  places_.resize(begins_.size() + 1);
  for (int64_t first = 0; first < num_words; first += SubwordWords::kBatch) {
    words_.encode(normalized_.data(), normalized_.data() + normalized_.size(), begins_.data() + first,
                  ends_.data() + first, std::min(SubwordWords::kBatch, num_words - first), places_.data() + first);
  }
  places_.back() = static_cast<uint32_t>(words_.size());
  for (uint32_t& first : first_ids_) first = places_[first];
}

// Sets normalized_, the words in it, and first_ids_ to the first word of each string.
void SubwordBertRun::find_words(const uint8_t* text, const int32_t* begins, int64_t count) {
  normalized_.clear();
  begins_.clear();
  ends_.clear();
  first_ids_.clear();
  for (int64_t k = 0; k < count; ++k) {
    first_ids_.push_back(static_cast<uint32_t>(begins_.size()));
    const StringView string{text + begins[k], text + begins[k + 1]};
    const size_t before = normalized_.size();
    if (normalizer_.normalize(string, text, one_, nullptr)) {
      normalized_.insert(normalized_.end(), one_.begin(), one_.end());
    } else {
      normalized_.insert(normalized_.end(), string.begin, string.end);
    }
    const uint8_t* const origin = normalized_.data();
    bert_words_.for_each({origin + before, origin + normalized_.size()}, [&](StringView word) {
      begins_.push_back(narrow<uint32_t>(word.begin - origin));
      ends_.push_back(narrow<uint32_t>(word.end - origin));
    });
  }
  first_ids_.push_back(static_cast<uint32_t>(begins_.size()));
  normalized_.resize(normalized_.size() + 16);  // which keys of words read
}

}  // namespace stringops::kernels
