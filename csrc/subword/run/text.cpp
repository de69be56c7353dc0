#include "subword/run/text.h"

#include <algorithm>

#include "core/codepoint.h"
#include "core/narrow.h"
#include "core/utf8.h"
#include "subword/normalize/sentencepiece.h"

namespace stringops::kernels {

using namespace subword;

namespace {

// Whether a text has the tokens of its normalized form: nothing normalizes it, or they are pieces of SentencePiece that
// the user defined, which have no spaces, and the normalizer changes nothing else (write_model_spaces).
bool keeps_tokens(const Table& table) {
  if (table.steps.empty() || !SubwordNormalizer::is_normalizer(table.steps[0])) return true;
  return table.steps[0].kind == Step::kSentencePiece && (table.steps[0].option & SentencePieceRules::kBlanks) != 0;
}

}  // namespace

SubwordText::SubwordText(const Table& table, std::vector<uint32_t>& ids, std::vector<PackedRange>* spans)
    : table_(table),
      ids_(ids),
      spans_(spans),
      keeps_maps_(spans != nullptr),
      raw_(table, table.raw),
      normal_(table, table.normal),
      normalizer_(table.steps, table.step_texts, table.normalizer),
      keeps_tokens_(keeps_tokens(table)),
      merger_(table),
      written_(table.steps.size()),
      splits_(table.steps.size()) {
  merger_.keep_ends(spans != nullptr);
  if (spans && table.characters) byte_tokens_ = table.characters->byte_tokens();
  for (const Step& step : table.steps) {
    keeps_maps_ |= step.kind == Step::kMetaspace && (step.option & Step::kFirst) != 0;
  }
}

void SubwordText::encode(StringView text) {
  string_ = text;
  const Source source{text.begin, nullptr};
  raw_.cut(
      text, [&](StringView piece) { encode_normalized(piece, source); },
      [&](StringView piece, uint32_t id) { add_token(piece, id, source); });
}

void SubwordText::encode_normalized(StringView text, const Source& source) {
  StringView piece = text;
  Source from = source;
  if (normalizer_.normalize(text, source.text, normalized_, keeps_maps_ ? &normalized_map_ : nullptr)) {
    piece = {normalized_.data(), normalized_.data() + normalized_.size()};
    from = {piece.begin, &normalized_map_};
  }
  normal_.cut(
      piece, [&](StringView part) { run_steps(part, 0, from); },
      [&](StringView part, uint32_t id) { add_token(part, id, from); });
}

void SubwordText::run_steps(StringView piece, size_t at, const Source& source) {
  while (at < table_.steps.size() && SubwordNormalizer::is_normalizer(table_.steps[at])) ++at;
  if (at == table_.steps.size()) return encode_word(piece, source);
  if (PieceWriter::writes(table_.steps[at])) return write(piece, at, source);
  if (!splits_[at]) splits_[at] = std::make_unique<SplitSteps>(table_, table_.steps, at);
  SplitSteps& splits = *splits_[at];  // deeper steps have others
  const int32_t begins[] = {0, narrow<int32_t>(piece.size())};
  splits.split(valid_.of(piece.begin, begins, 1), begins, 1);
  for (int64_t i = 0; i < splits.size(); ++i) {
    run_steps({piece.begin + splits.begins()[i], piece.begin + splits.ends()[i]}, splits.end(), source);
  }
}

void SubwordText::write(StringView piece, size_t at, const Source& source) {
  Written& written = written_[at];
  written.bytes.clear();
  written.map.clear();
  const bool is_first = keeps_maps_ && source_of(piece.begin, source).begin == 0;
  const PieceWriter writer(table_.steps[at], table_.step_texts);
  writer.append(piece, is_first, written.bytes, keeps_maps_ ? &written.map : nullptr);
  for (PackedRange& range : written.map) {
    range = {source_of(piece.begin + range.begin, source).begin, source_of(piece.begin + range.end - 1, source).end};
  }
  const StringView text{written.bytes.data(), written.bytes.data() + written.bytes.size()};
  run_steps(text, at + 1, {text.begin, &written.map});
}

constexpr int64_t kStepsOfWord = 32;

void SubwordText::encode_word(StringView word, const Source& source) {
  const int64_t n = word.size();
  pace_.spend(n + kStepsOfWord);
  if (words_) return keep_words_of(word);
  if (table_.wordpiece && table_.wordpiece->is_too_long(word)) return encode_pieces(word, source);
  WordIds known{};
  if (n <= kShortBytes) {
    const ShortKey key = short_key(word.begin, static_cast<size_t>(n));
    known = table_.find_short(key.low, key.high);
  } else {
    known = table_.find_long(word.begin, n);
  }
  const int64_t count = std::min<int64_t>(known.ids[0] >> kIdBits, kMaxWordIds);
  if (count == 1 || (count > 1 && !spans_)) {
    ids_.push_back(known.ids[0] & ((1u << kIdBits) - 1));
    ids_.insert(ids_.end(), known.ids + 1, known.ids + count);
    if (spans_) add_span(word, source);
    return;
  }
  if (table_.wordpiece) return encode_pieces(word, source);
  if (table_.unigram || table_.concatenation) return encode_parts(word, source);
  const size_t before = ids_.size();
  ids_.resize(before + static_cast<size_t>(n));
  const int64_t merged = merger_.merge(word.begin, n, ids_.data() + before);
  ids_.resize(before + static_cast<size_t>(merged));
  if (!spans_) return;
  const std::vector<uint32_t>& ends = merger_.ends();
  const uint8_t* begin = word.begin;
  for (size_t i = 0; i < ends.size(); ++i) {
    const uint8_t* const end = word.begin + ends[i];
    if (!byte_tokens_.empty() && byte_tokens_.count(ids_[before + i]) > 0 &&
        end < begin + read_codepoint(begin, word.end).length) {
      add_span({begin, begin}, source);  // the token of the last byte stands for the character
      continue;
    }
    add_span({begin, end}, source);
    begin = end;
  }
}

// Those that runs look up.
void SubwordText::keep_words_of(StringView text) {
  const bool has_words = table_.unigram && table_.unigram->has_words();
  for (const uint8_t* p = text.begin; p < text.end;) {
    const uint8_t* const begin = p;
    while (has_words && p < text.end && *p == ' ') ++p;
    p = has_words ? std::find(p, text.end, ' ') : text.end;
    keep_word({begin, p});
  }
}

void SubwordText::keep_word(StringView word) {
  const auto [at, is_new] = words_->try_emplace(std::string(word.begin, word.end));
  if (!is_new) return;
  IdsOfWords* const words = words_;
  const StringView string = string_;
  words_ = nullptr;
  string_ = word;
  ids_.clear();
  spans_->clear();
  try {
    encode_word(word, {word.begin, nullptr});
  } catch (const MissingPiece&) {
    spans_->clear();
  }
  const bool covers = !spans_->empty() && spans_->front().begin == 0 && spans_->back().end == word.size();
  if (covers && ids_.size() <= static_cast<size_t>(kMaxWordIds)) at->second = ids_;
  string_ = string;
  words_ = words;
}

// Encodes a word that is not a piece itself.
void SubwordText::encode_pieces(StringView word, const Source& source) {
  piece_ends_.clear();
  table_.wordpiece->encode(word, ids_, spans_ ? &piece_ends_ : nullptr);
  const uint8_t* begin = word.begin;
  for (const uint8_t* end : piece_ends_) {
    add_span({begin, end}, source);
    begin = end;
  }
}

void SubwordText::encode_parts(StringView word, const Source& source) {
  parts_.clear();
  std::vector<StringView>* const parts = spans_ ? &parts_ : nullptr;
  if (table_.unigram) {
    table_.unigram->encode(word, scratch_, ids_, parts);
  } else {
    table_.concatenation->encode(word, ids_, parts);
  }
  for (const StringView part : parts_) add_span(part, source);
}

void SubwordText::add_token(StringView text, uint32_t id, const Source& source) {
  ids_.push_back(id);
  if (spans_) add_span(text, source);
}

// How many bytes before this one its character begins.
int64_t SubwordText::bytes_before(int64_t at) const {
  const uint8_t* const p = string_.begin + at;
  if (p >= string_.end || !is_continuation(*p)) return 0;
  for (int64_t back = 1; back <= std::min<int64_t>(kMaxCodepointBytes - 1, at); ++back) {
    if (is_continuation(p[-back])) continue;
    return p[-back] >= 0x80 && long_codepoint(p - back, string_.end) > back ? back : 0;
  }
  return 0;
}

PackedRange SubwordText::source_of(const uint8_t* p, const Source& source) const {
  const int64_t at = p - source.text;
  return source.map ? (*source.map)[static_cast<size_t>(at)]
                    : PackedRange{narrow<int32_t>(at), narrow<int32_t>(at + 1)};
}

// The bytes of the string that a part of a text comes from: whole characters. An empty part is before a byte.
void SubwordText::add_span(StringView piece, const Source& source) {
  int64_t begin = source_of(piece.begin, source).begin;
  int64_t end = piece.size() == 0 ? begin : source_of(piece.end - 1, source).end;
  if (begin < end) {
    begin -= bytes_before(begin);
    if (const int64_t before = bytes_before(end); before > 0) {
      const uint8_t* const character = string_.begin + end - before;
      end += long_codepoint(character, string_.end) - before;
    }
  }
  spans_->push_back({narrow<int32_t>(begin), narrow<int32_t>(end)});
}

}  // namespace stringops::kernels
