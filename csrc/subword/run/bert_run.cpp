#include "subword/run/bert_run.h"

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
    : normalizer_(table.steps, table.step_texts, table.normalizer),
      has_bert_normalizer_(table.steps.size() == 2 && table.steps[0].kind == subword::Step::kBert),
      lowers_((table.steps[0].bert & subword::Step::kLowerCase) != 0),
      words_(table, num_bytes) {}

void SubwordBertRun::encode(const uint8_t* text, const uint8_t*, const int32_t* begins, int64_t count) {
  find_words(text, begins, count);
  words_.encode(normalized_.data(), normalized_.data() + normalized_.size(), begins_.data(), ends_.data(),
                static_cast<int64_t>(begins_.size()), first_ids_);
}

// Sets normalized_, the words in it, and first_ids_ to the first word of each string.
void SubwordBertRun::find_words(const uint8_t* text, const int32_t* begins, int64_t count) {
  normalized_.clear();
  begins_.clear();
  ends_.clear();
  first_ids_.clear();
  if (has_bert_normalizer_ && ascii_words_.read(text, begins[count])) {
    find_plain_words(text, begins, count);
  } else {
    std::vector<bool> is_plain(static_cast<size_t>(count));
    const auto plain = [&](int64_t k) -> auto { return is_plain[static_cast<size_t>(k)]; };
    for (int64_t k = 0; k < count; ++k) {
      plain(k) = has_bert_normalizer_ && ascii_words_.is_plain(begins[k], begins[k + 1]);
    }
    for (int64_t k = 0; k < count;) {
      int64_t end = k;
      while (end < count && plain(end)) ++end;
      if (k < end) {
        ascii_words_.read(text + begins[k], begins[end] - begins[k]);
        find_plain_words(text, begins + k, end - k);
      }
      for (; end < count && !plain(end); ++end) find_words_of_one({text + begins[end], text + begins[end + 1]});
      k = end;
    }
  }
  first_ids_.push_back(static_cast<uint32_t>(begins_.size()));
  normalized_.resize(normalized_.size() + 16);  // which keys of words read
}

// Finds the words of strings that ascii_words_ has read.
void SubwordBertRun::find_plain_words(const uint8_t* text, const int32_t* begins, int64_t count) {
  const size_t before = normalized_.size();
  const int64_t size = begins[count] - begins[0];
  text += begins[0];
  if (lowers_) {
    normalized_.resize(before + static_cast<size_t>(size));
    simd::primitives().map_ascii(text, size, simd::AsciiCase::kLower, normalized_.data() + before);
  } else {
    normalized_.insert(normalized_.end(), text, text + size);
  }
  ascii_words_.find(begins, count, begins[0], narrow<uint32_t>(before), begins_, ends_, first_ids_);
}

void SubwordBertRun::find_words_of_one(StringView string) {
  first_ids_.push_back(static_cast<uint32_t>(begins_.size()));
  const size_t before = normalized_.size();
  if (normalizer_.normalize(string, string.begin, one_, nullptr)) {
    normalized_.insert(normalized_.end(), one_.begin(), one_.end());
  } else {
    normalized_.insert(normalized_.end(), string.begin, string.end);
  }
  const uint8_t* const origin = normalized_.data();
  subword::BertWords::for_each({origin + before, origin + normalized_.size()}, [&](StringView word) {
    begins_.push_back(narrow<uint32_t>(word.begin - origin));
    ends_.push_back(narrow<uint32_t>(word.end - origin));
  });
}

}  // namespace stringops::kernels
