#include "kernels/subword_piece_run.h"

#include <algorithm>

#include "core/narrow.h"
#include "subword/find_text.h"

namespace stringops::kernels {

using namespace subword;

bool SubwordPieceRun::serves(const Table& table) {
  return table.concatenation && table.concatenation->has_independent_words() &&
         std::all_of(table.steps.begin(), table.steps.end(), SubwordNormalizer::is_normalizer);
}

SubwordPieceRun::SubwordPieceRun(const Table& table, int64_t num_bytes)
    : normalizer_(table.steps, table.step_texts, table.normalizer), words_(table, num_bytes) {}

void SubwordPieceRun::encode(const uint8_t* text, const uint8_t*, const int32_t* begins, int64_t count) {
  written_.clear();
  begins_.clear();
  first_ids_.clear();
  for (int64_t k = 0; k < count; ++k) {
    first_ids_.push_back(narrow<uint32_t>(begins_.size()));
    const StringView string{text + begins[k], text + begins[k + 1]};
    const bool changed = normalizer_.normalize(string, string.begin, normalized_, nullptr);
    add_words(changed ? StringView{normalized_.data(), normalized_.data() + normalized_.size()} : string);
  }
  const auto num_words = static_cast<int64_t>(begins_.size());
  first_ids_.push_back(narrow<uint32_t>(num_words));
  begins_.push_back(narrow<uint32_t>(written_.size()));
  written_.resize(written_.size() + 16);  // which keys of words read
  words_.clear();
  places_.resize(begins_.size());
  for (int64_t first = 0; first < num_words; first += SubwordWords::kBatch) {
    words_.encode(written_.data(), written_.data() + written_.size(), begins_.data() + first,
                  begins_.data() + first + 1, std::min(SubwordWords::kBatch, num_words - first),
                  places_.data() + first);
  }
  places_.back() = narrow<uint32_t>(words_.size());
  for (uint32_t& first : first_ids_) first = places_[first];
}

// The first word is at the beginning, each other one at U+2581.
void SubwordPieceRun::add_words(StringView text) {
  if (text.size() == 0) return;
  const size_t origin = written_.size();
  check_text_size(origin + static_cast<size_t>(text.size()));
  written_.insert(written_.end(), text.begin, text.end);
  for (const uint8_t* p = text.begin; p < text.end; p = find_text({p + 1, text.end}, kWordBegin)) {
    begins_.push_back(narrow<uint32_t>(origin) + narrow<uint32_t>(p - text.begin));
  }
}

}  // namespace stringops::kernels
