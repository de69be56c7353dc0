#include "subword/run/spaced_run.h"

#include <algorithm>
#include <cstring>

#include "core/bits.h"
#include "core/find_text.h"
#include "subword/scan/classes.h"
#include "subword/scan/cut_masks.h"

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
      simd_(simd::primitives()),
      cuts_(table.cuts),
      words_(table, num_bytes) {}

void SubwordSpacedRun::encode(const uint8_t* text, const uint8_t*, const int32_t* begins, int64_t count) {
  find_words(text, begins, count);
  words_.encode(written_.data(), written_.data() + written_.size(), begins_.data(), ends_.data(),
                static_cast<int64_t>(num_words_), first_ids_);
}

// Sets written_, the words in it, and first_ids_ to the first word of each string.
void SubwordSpacedRun::find_words(const uint8_t* text, const int32_t* begins, int64_t count) {
  written_.clear();
  num_words_ = 0;
  first_ids_.clear();
  for (int64_t k = 0; k < count; ++k) {
    first_ids_.push_back(static_cast<uint32_t>(num_words_));
    const StringView string{text + begins[k], text + begins[k + 1]};
    const size_t before = written_.size();
    const bool changed = normalizer_.normalize(string, string.begin, normalized_, nullptr);
    const StringView piece = changed ? StringView{normalized_.data(), normalized_.data() + normalized_.size()} : string;
    if (splits_whitespace_ && find_short_text(piece, escaped_) == piece.end) {
      write_plain(piece);
      find_plain_words(before);
      continue;
    }
    write_words(piece);
    find_spaced_words(before);
  }
  first_ids_.push_back(static_cast<uint32_t>(num_words_));
  written_.resize(written_.size() + 16);  // which keys of words read
}

// A text of which words are what is between whitespace: all of it, after a space, with spaces instead of whitespace.
void SubwordSpacedRun::write_plain(StringView text) {
  const size_t begin = written_.size() + 1;
  const auto size = static_cast<size_t>(text.size());
  check_text_size(begin + size);
  written_.resize(begin + size);
  uint8_t* const out = written_.data() + begin;
  out[-1] = ' ';
  uint8_t all = 0;
  for (size_t i = 0; i < size; ++i) {
    const uint8_t c = text.begin[i];
    all |= c;
    out[i] = static_cast<uint8_t>(c - '\t') <= '\r' - '\t' ? ' ' : c;
  }
  if (all < 0x80) return;
  for (const uint8_t* p = text.begin; p < text.end;) {
    const int64_t length = *p < 0x80 ? 1 : read_codepoint(p, text.end).length;
    if (length > 1 && is_whitespace(p, text.end)) std::memset(out + (p - text.begin), ' ', static_cast<size_t>(length));
    p += length;
  }
}

// Makes room for the words that begin in a block, after those so far, and for one more.
void SubwordSpacedRun::make_room(size_t num_words) {
  if (begins_.size() > num_words + CutMasks::kBlock) return;
  begins_.resize(2 * (num_words + CutMasks::kBlock));
  ends_.resize(begins_.size());
}

// The words of the text that was written from `begin` on, each with the space before it, and their parts.
void SubwordSpacedRun::find_plain_words(size_t begin) {
  const size_t size = written_.size();
  written_.resize(size + CutMasks::kBlock);  // which blocks read
  size_t num_begins = num_words_, num_ends = num_words_;
  CutMasks cut_masks(cuts_, size - begin);
  uint64_t last = 0;  // whether the byte before is in a word
  for (size_t at = begin; at < size; at += CutMasks::kBlock) {
    make_room(num_begins);
    const simd::AsciiMasks masks = simd_.find_ascii_masks(written_.data() + at);
    uint64_t inside = ~masks.blanks;
    if (size - at < CutMasks::kBlock) inside &= low_bits(static_cast<int64_t>(size - at));
    const uint64_t before = inside << 1 | last;
    last = inside >> 63;
    const uint64_t cuts = cut_masks.find(written_.data() + at, masks, inside & before);
    for (uint64_t bits = (inside & ~before) | cuts; bits != 0; bits &= bits - 1) {
      const int bit = first_bit(bits);
      begins_[num_begins++] =
          static_cast<uint32_t>(at) + static_cast<uint32_t>(bit) - static_cast<uint32_t>(~cuts >> bit & 1);
    }
    for (uint64_t bits = (before & ~inside) | cuts; bits != 0; bits &= bits - 1) {
      ends_[num_ends++] = static_cast<uint32_t>(at) + static_cast<uint32_t>(first_bit(bits));
    }
  }
  if (num_ends < num_begins) ends_[num_ends] = static_cast<uint32_t>(size);
  num_words_ = num_begins;
  written_.resize(size);
}

// Same as above if each space begins a word. The first byte is a space.
void SubwordSpacedRun::find_spaced_words(size_t begin) {
  const size_t size = written_.size();
  if (begin == size) return;
  written_.resize(size + CutMasks::kBlock);  // which blocks read
  size_t num_begins = num_words_, num_ends = num_words_;
  CutMasks cut_masks(cuts_, size - begin);
  uint64_t last = 0;  // whether the byte before is no space
  make_room(num_begins);
  begins_[num_begins++] = static_cast<uint32_t>(begin);
  for (size_t at = begin; at < size; at += CutMasks::kBlock) {
    make_room(num_begins);
    const simd::AsciiMasks masks = simd_.find_ascii_masks(written_.data() + at);
    const uint64_t inside = ~masks.blanks, before = inside << 1 | last;
    last = inside >> 63;
    uint64_t found = masks.blanks | cut_masks.find(written_.data() + at, masks, inside & before);
    if (at == begin) found &= ~uint64_t{1};
    if (size - at < CutMasks::kBlock) found &= low_bits(static_cast<int64_t>(size - at));
    for (; found != 0; found &= found - 1) {
      begins_[num_begins++] = ends_[num_ends++] = static_cast<uint32_t>(at) + static_cast<uint32_t>(first_bit(found));
    }
  }
  ends_[num_ends] = static_cast<uint32_t>(size);
  num_words_ = num_begins;
  written_.resize(size);
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
  const uint8_t* found = find_short_text(piece, escaped_);
  if (found != piece.begin && *piece.begin != ' ') written_.push_back(' ');
  const uint8_t* p = piece.begin;
  for (; found < piece.end; found = find_short_text({p, piece.end}, escaped_)) {
    written_.insert(written_.end(), p, found);
    written_.push_back(' ');
    p = found + escaped_.size();
  }
  written_.insert(written_.end(), p, piece.end);
  check_text_size(written_.size());
}

}  // namespace stringops::kernels
