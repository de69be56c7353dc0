#include "subword/run/split_run.h"

#include <algorithm>

#include "core/narrow.h"

namespace stringops::kernels {

using namespace subword;

namespace {

size_t first_split(const std::vector<Step>& steps) {
  size_t at = 0;
  while (at < steps.size() && SubwordNormalizer::is_normalizer(steps[at])) ++at;
  return at;
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

bool SubwordSplitRun::serves(const Table& table) {
  if (table.wordpiece && table.wordpiece->max_codepoints() < kShortBytes) return false;
  if (table.unigram && table.unigram->has_words()) return false;
  if (!are_forms(table.steps) && has_normal_tokens(table)) return false;
  const size_t first = first_split(table.steps);
  for (size_t at = first; at < table.steps.size(); ++at) {
    const bool is_last = at + 1 == table.steps.size();
    if (!SplitSteps::is_split(table.steps[at]) || (SplitSteps::leaves_out(table.steps[at]) && !is_last)) return false;
  }
  return first < table.steps.size();
}

SubwordSplitRun::SubwordSplitRun(const Table& table, int64_t num_bytes)
    : normalizes_(!has_normal_tokens(table)),
      keeps_parts_(are_forms(table.steps)),
      normalizer_(table.steps, table.step_texts, table.normalizer),
      splits_(table, first_split(table.steps)),
      words_(table, num_bytes) {}

void SubwordSplitRun::encode(const uint8_t* text, const uint8_t* readable_end, const int32_t* begins, int64_t count) {
  if (!normalizes_ || !normalize(text, begins, count)) return encode_normal(text, readable_end, begins, count);
  const uint8_t* const normalized = normalized_.data();
  encode_normal(normalized, normalized + normalized_.size(), normalized_begins_.data(), count);
}

// Sets normalized_ and normalized_begins_ to the normalized strings and returns true, or returns false if all of them
// stay as they are.
bool SubwordSplitRun::normalize(const uint8_t* text, const int32_t* begins, int64_t count) {
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

void SubwordSplitRun::encode_normal(const uint8_t* text, const uint8_t* readable_end, const int32_t* begins,
                                    int64_t count) {
  splits_.split(valid_.of(text, begins, count), begins, count);
  words_.encode(text, readable_end, splits_.begins(), splits_.ends(), splits_.size(), splits_.num_before());
}

}  // namespace stringops::kernels
