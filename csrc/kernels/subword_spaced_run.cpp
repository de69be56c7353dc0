#include "kernels/subword_spaced_run.h"

#include <algorithm>

#include "core/narrow.h"
#include "subword/classes.h"
#include "subword/find_text.h"

namespace stringops::kernels {

using namespace subword;

namespace {

// The step Metaspace, if it is the last one, and only normalizers and a split at whitespace are before it.
const Step* last_metaspace(const Table& table) {
  bool split = false;
  for (const Step& step : table.steps) {
    if (SubwordNormalizer::is_normalizer(step)) continue;
    if (step.kind == Step::kWhitespace && !split) {
      split = true;
      continue;
    }
    return step.kind == Step::kMetaspace && &step == &table.steps.back() ? &step : nullptr;
  }
  return nullptr;
}

bool is_whitespace(const uint8_t* p, const uint8_t* end) {
  return read_character(p, end).is(kSpace);
}

}  // namespace

bool SubwordSpacedRun::serves(const Table& table) {
  const Step* const step = last_metaspace(table);
  return table.unigram && step && table.step_texts[step->to] == " " && !table.step_texts[step->from].empty() &&
         step->option == (Step::kAlways | Step::kSplits) && table.normal.nodes[0].num_edges == 0;
}

SubwordSpacedRun::SubwordSpacedRun(const Table& table, int64_t num_bytes)
    : splits_whitespace_(table.steps.size() > 1 && table.steps[table.steps.size() - 2].kind == Step::kWhitespace),
      escaped_(table.step_texts[table.steps.back().from]),
      normalizer_(table.steps, table.step_texts, table.normalizer),
      words_(table, num_bytes) {}

void SubwordSpacedRun::encode(const uint8_t* text, const uint8_t*, const int32_t* begins, int64_t count) {
  find_words(text, begins, count);
  words_.clear();
  const auto num_words = static_cast<int64_t>(begins_.size());
  places_.resize(begins_.size() + 1);
  for (int64_t first = 0; first < num_words; first += SubwordWords::kBatch) {
    words_.encode(written_.data(), written_.data() + written_.size(), begins_.data() + first, ends_.data() + first,
                  std::min(SubwordWords::kBatch, num_words - first), places_.data() + first);
  }
  places_.back() = static_cast<uint32_t>(words_.size());
  for (uint32_t& first : first_ids_) first = places_[first];
}

// Sets written_, the words in it, and first_ids_ to the first word of each string.
void SubwordSpacedRun::find_words(const uint8_t* text, const int32_t* begins, int64_t count) {
  written_.clear();
  begins_.clear();
  ends_.clear();
  first_ids_.clear();
  for (int64_t k = 0; k < count; ++k) {
    first_ids_.push_back(static_cast<uint32_t>(begins_.size()));
    const StringView string{text + begins[k], text + begins[k + 1]};
    const size_t before = written_.size();
    const bool changed = normalizer_.normalize(string, string.begin, normalized_, nullptr);
    write_words(changed ? StringView{normalized_.data(), normalized_.data() + normalized_.size()} : string);
    // Each space begins a word; the first one does.
    for (size_t at = before; at < written_.size();) {
      begins_.push_back(narrow<uint32_t>(at));
      const uint8_t* const next = std::find(written_.data() + at + 1, written_.data() + written_.size(), ' ');
      at = static_cast<size_t>(next - written_.data());
      ends_.push_back(narrow<uint32_t>(at));
    }
  }
  first_ids_.push_back(static_cast<uint32_t>(begins_.size()));
  written_.resize(written_.size() + 16);  // which keys of words read
}

void SubwordSpacedRun::write_words(StringView text) {
  if (!splits_whitespace_) {
    if (text.size() > 0) write(text);
    return;
  }
  for (const uint8_t* p = text.begin; p < text.end;) {
    const uint8_t* const begin = p;
    while (p < text.end && (*p >= 0x80 ? !is_whitespace(p, text.end) : (kClasses[*p] & kSpace) == 0)) {
      p += *p >= 0x80 ? read_codepoint(p, text.end).length : 1;
    }
    if (begin < p) write({begin, p});
    if (p < text.end) p += read_codepoint(p, text.end).length;
  }
}

// A piece with a space before it, unless it begins with one.
void SubwordSpacedRun::write(StringView piece) {
  const uint8_t* found = find_text(piece, escaped_);
  if (found != piece.begin && *piece.begin != ' ') written_.push_back(' ');
  const uint8_t* p = piece.begin;
  for (; found < piece.end; found = find_text({p, piece.end}, escaped_)) {
    written_.insert(written_.end(), p, found);
    written_.push_back(' ');
    p = found + escaped_.size();
  }
  written_.insert(written_.end(), p, piece.end);
  check_text_size(written_.size());
}

}  // namespace stringops::kernels
