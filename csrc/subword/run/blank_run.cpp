#include "subword/run/blank_run.h"

#include <algorithm>
#include <cstring>

#include "core/bits.h"
#include "core/find_text.h"
#include "core/narrow.h"
#include "subword/scan/classes.h"
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
  bool cuts = false, drops = false, splits = false;
  size_t num_metaspaces = 0;
  for (const Step& step : table.steps) {
    if (step.kind == Step::kWhitespace && !splits && num_metaspaces == 0 && !cuts) {
      splits = true;
    } else if (step.kind == Step::kMetaspace) {
      if (!is_text(table, step.to, " ") || step.from >= table.step_texts.size() || cuts || ++num_metaspaces > 1) {
        return false;
      }
      if (table.step_texts[step.from].empty()) return false;
      if (drops && (step.option & Step::kFirst) != 0) return false;
      if (splits && (step.option & Step::kAlways) == 0) return false;  // each piece begins with a space
      cuts = (step.option & Step::kSplits) != 0;
    } else if (step.kind == Step::kBlankWords) {
      cuts = true;
    } else if (!SubwordNormalizer::is_normalizer(step) || num_metaspaces > 0 || cuts || splits) {
      return false;
    } else {
      drops |= may_drop_first(table, step);
    }
  }
  if (splits && (num_metaspaces == 0 || !cuts)) return false;
  return has_words || (cuts && (table.characters || (table.unigram && num_metaspaces > 0)));
}

SubwordBlankRun::SubwordBlankRun(const Table& table, int64_t num_bytes)
    : normalizer_(table.steps, table.step_texts, table.normalizer),
      simd_(simd::primitives()),
      cuts_(table.cuts),
      has_limits_(table.unigram && table.unigram->has_words()),
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
    splits_whitespace_ |= step.kind == Step::kWhitespace;
    if (!SubwordNormalizer::is_normalizer(step)) continue;
    const bool inserts = step.kind == Step::kPrepend && text(step.to) == " ";
    const bool replaces = step.kind == Step::kReplace && text(step.to) == " " && text(step.from) == blank_text_;
    is_simple_ &= inserts || replaces;
    num_prepended_ += inserts;
  }
  is_simple_ &= !splits_whitespace_;
  if (!is_simple_) num_prepended_ = 0;
}

void SubwordBlankRun::encode(const uint8_t* text, const uint8_t*, const int32_t* begins, int64_t count) {
  written_.clear();
  starts_.clear();
  longest_ = 0;
  const bool has_blank_texts =
      !is_simple_ ||
      (!blank_text_.empty() && find_short_text({text, text + begins[count]}, blank_text_) != text + begins[count]);
  for (int64_t k = 0; k < count; ++k) {
    starts_.push_back(static_cast<uint32_t>(written_.size()));
    if (begins[k] < begins[k + 1]) write({text + begins[k], text + begins[k + 1]}, has_blank_texts);
    longest_ = std::max(longest_, written_.size() - starts_.back());
  }
  find_words();
  words_.begin_texts(&starts_);
  words_.encode(written_.data(), written_.data() + written_.size(), begins_.data(), begins_.data() + 1,
                static_cast<int64_t>(begins_.size()) - 1, first_ids_);
}

// Appends a string that is not empty, normalized.
void SubwordBlankRun::write(StringView string, bool has_blank_texts) {
  if (!is_simple_ && normalizer_.normalize(string, string.begin, one_, nullptr)) {
    string = {one_.data(), one_.data() + one_.size()};
  }
  const bool replaces = has_blank_texts && !blank_text_.empty() && (is_simple_ || has_metaspace_) &&
                        find_short_text(string, blank_text_) != string.end;
  if (!splits_whitespace_) return write_piece(string, replaces);
  if (!replaces) return write_words(string);
  for (const uint8_t *p = string.begin, *begin = p; begin < string.end; begin = p) {
    const auto is_space = [&] { return read_character(p, string.end).is(kSpace); };
    while (p < string.end && !is_space()) p += read_codepoint(p, string.end).length;
    write_piece({begin, p}, replaces);
    while (p < string.end && is_space()) p += read_codepoint(p, string.end).length;
  }
}

// Appends what is between whitespace, each with a space before it.
void SubwordBlankRun::write_words(StringView string) {
  const size_t before = written_.size();
  written_.resize(before + 2 * static_cast<size_t>(string.size()) + 1);
  uint8_t* out = written_.data() + before;
  bool after_space = true;
  for (const uint8_t* p = string.begin; p < string.end;) {
    const Character c = *p < 0x80 ? Character{*p, kClasses[*p], 1} : read_character(p, string.end);
    const bool is_space = c.is(kSpace);
    *out = ' ';
    out += static_cast<int>(after_space && !is_space);
    for (int i = 0; i < c.length; ++i) {
      *out = *p++;
      out += static_cast<int>(!is_space);
    }
    after_space = is_space;
  }
  written_.resize(static_cast<size_t>(out - written_.data()));
  check_text_size(written_.size());
}

void SubwordBlankRun::write_piece(StringView piece, bool replaces) {
  if (piece.size() == 0) return;
  const auto append = [&](const uint8_t* begin, const uint8_t* end) {
    written_.insert(written_.end(), begin, end);
    check_text_size(written_.size());
  };
  written_.insert(written_.end(), static_cast<size_t>(num_prepended_), ' ');
  if (prepends_ && num_prepended_ == 0 && *piece.begin != ' ') {
    const auto size = static_cast<int64_t>(blank_text_.size());
    const bool begins_with =
        piece.size() >= size && std::memcmp(piece.begin, blank_text_.data(), blank_text_.size()) == 0;
    if (!begins_with) written_.push_back(' ');
  }
  for (const uint8_t* p = piece.begin; p < piece.end;) {
    const uint8_t* const found = replaces ? find_short_text({p, piece.end}, blank_text_) : piece.end;
    append(p, found);
    if (found == piece.end) break;
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
  CutMasks cut_masks(cuts_, has_limits_ ? 0 : longest_);  // limits of words hold in texts of any size
  uint64_t last = 1;  // whether the byte before is a space; nothing is before the first one
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
