#include "subword/run/blank_run.h"

#include <algorithm>
#include <cstring>

#include "core/bits.h"
#include "core/find_text.h"
#include "core/narrow.h"
#include "subword/scan/cut_masks.h"

namespace stringops::kernels {

using namespace subword;

namespace {
bool is_text(const Table& table, uint16_t i, std::string_view text) {
  return i < table.step_texts.size() && table.step_texts[i] == text;
}

// Whether a normalizer may drop the first character, after which no piece is the first one of its string.
bool may_drop_first(const Table& table, const Step& step) {
  switch (step.kind) {
    case Step::kNfc:
    case Step::kNfd:
    case Step::kNfkd:
    case Step::kLower:
    case Step::kPrepend:
      return false;
    default:
      return step.kind != Step::kReplace || is_text(table, step.to, "");
  }
}
}  // namespace

bool SubwordBlankRun::serves(const Table& table) {
  const bool has_words =
      table.unigram ? table.unigram->has_words() : table.concatenation && table.concatenation->has_independent_words();
  if (!table.characters && !has_words) return false;
  bool cuts = false, drops = false;
  size_t num_metaspaces = 0;
  for (const Step& step : table.steps) {
    if (step.kind == Step::kMetaspace) {
      if (!is_text(table, step.to, " ") || step.from >= table.step_texts.size() || cuts || ++num_metaspaces > 1) {
        return false;
      }
      if (table.step_texts[step.from].empty()) return false;
      if (drops && (step.option & Step::kFirst) != 0) return false;
      cuts = (step.option & Step::kSplits) != 0;
    } else if (step.kind == Step::kBlankWords) {
      cuts = true;
    } else if (!SubwordNormalizer::is_normalizer(step) || num_metaspaces > 0 || cuts) {
      return false;
    } else {
      drops |= may_drop_first(table, step);
    }
  }
  return cuts || has_words;
}

SubwordBlankRun::SubwordBlankRun(const Table& table, int64_t num_bytes)
    : normalizer_(table.steps, table.step_texts, table.normalizer),
      simd_(simd::primitives()),
      cuts_(table.cuts),
      words_(table, num_bytes) {
  const auto text = [&](uint16_t i) { return i < table.step_texts.size() ? table.step_texts[i] : std::string(); };
  for (const Step& step : table.steps) {
    if (step.kind == Step::kReplace && text(step.to) == " ") blank_text_ = text(step.from);
    if (step.kind != Step::kMetaspace) continue;
    blank_text_ = text(step.from);
    has_metaspace_ = true;
    prepends_ = (step.option & (Step::kAlways | Step::kFirst)) != 0;
    at_each_ = (step.option & Step::kSplits) != 0;
  }
  for (const Step& step : table.steps) {
    if (!SubwordNormalizer::is_normalizer(step)) continue;
    const bool inserts = step.kind == Step::kPrepend && text(step.to) == " ";
    const bool replaces = step.kind == Step::kReplace && text(step.to) == " " && text(step.from) == blank_text_;
    is_simple_ &= inserts || replaces;
    num_prepended_ += inserts;
  }
  if (!is_simple_) num_prepended_ = 0;
}

void SubwordBlankRun::encode(const uint8_t* text, const uint8_t*, const int32_t* begins, int64_t count) {
  written_.clear();
  starts_.clear();
  const bool has_blank_texts =
      !is_simple_ ||
      (!blank_text_.empty() && find_short_text({text, text + begins[count]}, blank_text_) != text + begins[count]);
  for (int64_t k = 0; k < count; ++k) {
    starts_.push_back(static_cast<uint32_t>(written_.size()));
    if (begins[k] < begins[k + 1]) write({text + begins[k], text + begins[k + 1]}, has_blank_texts);
  }
  find_words();
  words_.begin_texts(&starts_);
  words_.encode(written_.data(), written_.data() + written_.size(), begins_.data(), begins_.data() + 1,
                static_cast<int64_t>(begins_.size()) - 1, first_ids_);
}

// Appends a string that is not empty, normalized.
void SubwordBlankRun::write(StringView string, bool has_blank_texts) {
  const auto append = [&](const uint8_t* begin, const uint8_t* end) {
    written_.insert(written_.end(), begin, end);
    check_text_size(written_.size());
  };
  if (!is_simple_ && normalizer_.normalize(string, string.begin, one_, nullptr)) {
    string = {one_.data(), one_.data() + one_.size()};
    if (string.size() == 0) return;
  }
  written_.insert(written_.end(), static_cast<size_t>(num_prepended_), ' ');
  if (prepends_ && num_prepended_ == 0 && *string.begin != ' ') {
    const auto size = static_cast<int64_t>(blank_text_.size());
    const bool begins_with =
        string.size() >= size && std::memcmp(string.begin, blank_text_.data(), blank_text_.size()) == 0;
    if (!begins_with) written_.push_back(' ');
  }
  const bool replaces = has_blank_texts && !blank_text_.empty() && (is_simple_ || has_metaspace_);
  for (const uint8_t* p = string.begin; p < string.end;) {
    const uint8_t* const found = replaces ? find_short_text({p, string.end}, blank_text_) : string.end;
    append(p, found);
    if (found == string.end) break;
    written_.push_back(' ');
    p = found + blank_text_.size();
  }
}

// Sets begins_, and first_ids_ to the first word of each string.
void SubwordBlankRun::find_words() {
  const size_t size = written_.size();
  written_.resize(size + CutMasks::kBlock);  // which blocks and keys of words read
  begins_.resize(size + 1);
  first_ids_.clear();
  uint32_t* out = begins_.data();
  CutMasks cut_masks(cuts_, 0);  // limits of words hold in texts of any size
  uint64_t last = 1;             // whether the byte before is a space; nothing is before the first one
  size_t string = 0;
  for (size_t at = 0; at < size; at += CutMasks::kBlock) {
    const simd::AsciiMasks masks = simd_.find_ascii_masks(written_.data() + at);
    const uint64_t blanks = masks.blanks, before = blanks << 1 | last;
    last = blanks >> 63;
    uint64_t found = at_each_ ? blanks : blanks & ~before;
    found |= cut_masks.find(written_.data() + at, masks, ~blanks & ~before);
    size_t end = string;
    for (; end < starts_.size() && starts_[end] < at + CutMasks::kBlock; ++end)
      found |= uint64_t{1} << (starts_[end] - at);
    if (size - at < CutMasks::kBlock) found &= low_bits(static_cast<int64_t>(size - at));
    for (; string < end; ++string) {
      const int before = popcount(found & low_bits(static_cast<int64_t>(starts_[string] - at)));
      first_ids_.push_back(static_cast<uint32_t>(out - begins_.data() + before));
    }
    out = list_bits(found, static_cast<uint32_t>(at), out);
  }
  const auto num_words = static_cast<uint32_t>(out - begins_.data());
  first_ids_.resize(starts_.size() + 1, num_words);
  begins_.resize(num_words + 1);
  begins_.back() = static_cast<uint32_t>(size);
}

}  // namespace stringops::kernels
