#include "kernels/subword_text.h"

#include <algorithm>

#include "core/codepoint.h"
#include "core/narrow.h"
#include "core/utf8.h"
#include "subword/scan.h"

namespace stringops::kernels {

using namespace subword;

SubwordText::SubwordText(const Table& table, std::vector<uint32_t>& ids, std::vector<PackedRange>* spans)
    : table_(table),
      ids_(ids),
      spans_(spans),
      raw_(table, table.raw),
      normal_(table, table.normal),
      normalizer_(table.steps),
      merger_(table),
      prefixed_(table.steps.size()) {
  merger_.keep_ends(spans != nullptr);
}

void SubwordText::encode(StringView text) {
  string_ = text;
  const Source source{text.begin, 0, 0, nullptr};
  raw_.cut(
      text, [&](StringView piece) { encode_normalized(piece, source); },
      [&](StringView piece, uint32_t id) { add_token(piece, id, source); });
}

void SubwordText::encode_normalized(StringView text, const Source& source) {
  StringView piece = text;
  Source from = source;
  if (normalizer_.normalize(text, source.text, normalized_, spans_ ? &normalized_map_ : nullptr)) {
    piece = {normalized_.data(), normalized_.data() + normalized_.size()};
    from = {piece.begin, 0, 0, &normalized_map_};
  }
  normal_.cut(
      piece, [&](StringView part) { run_steps(part, 0, from); },
      [&](StringView part, uint32_t id) { add_token(part, id, from); });
}

void SubwordText::run_steps(StringView piece, size_t at, const Source& source) {
  while (at < table_.steps.size() && SubwordNormalizer::is_normalizer(table_.steps[at])) ++at;
  if (at == table_.steps.size()) return encode_word(piece, source);
  const Step& step = table_.steps[at];
  if (step.kind == Step::kPrefixSpace) {
    if (*piece.begin == ' ') return run_steps(piece, at + 1, source);
    std::vector<uint8_t>& copy = prefixed_[at];
    copy.assign(1, ' ');
    copy.insert(copy.end(), piece.begin, piece.end);
    const int64_t begin = piece.begin - source.text;
    const Source from{copy.data(), source.origin + std::max<int64_t>(begin - source.inserted, 0), 1, source.map};
    return run_steps({copy.data(), copy.data() + copy.size()}, at + 1, from);
  }
  if (step.kind == Step::kBertWords) {
    return bert_words_.for_each(piece, [&](StringView word) { run_steps(word, at + 1, source); });
  }
  for (const uint8_t* p = piece.begin; p < piece.end;) {
    const uint8_t* const end = next_piece(step, p, piece.end);
    run_steps({p, end}, at + 1, source);
    p = end;
  }
}

void SubwordText::encode_word(StringView word, const Source& source) {
  const int64_t n = word.size();
  if (table_.wordpiece && table_.wordpiece->is_too_long(word)) return encode_pieces(word, source);
  WordIds known{};
  if (n <= kShortBytes) {
    const WordIds key = short_key(word.begin, n);
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
  const size_t before = ids_.size();
  ids_.resize(before + static_cast<size_t>(n));
  const int64_t merged = merger_.merge(word.begin, n, ids_.data() + before);
  ids_.resize(before + static_cast<size_t>(merged));
  if (!spans_) return;
  const uint8_t* begin = word.begin;
  for (const uint32_t end : merger_.ends()) {
    add_span({begin, word.begin + end}, source);
    begin = word.begin + end;
  }
}

// Of a word that is not a piece.
void SubwordText::encode_pieces(StringView word, const Source& source) {
  piece_ends_.clear();
  table_.wordpiece->encode(word, ids_, spans_ ? &piece_ends_ : nullptr);
  const uint8_t* begin = word.begin;
  for (const uint8_t* end : piece_ends_) {
    add_span({begin, end}, source);
    begin = end;
  }
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

// The bytes of the string that a part of a text comes from: whole characters.
void SubwordText::add_span(StringView piece, const Source& source) {
  const auto place = [&](const uint8_t* p) {
    return source.origin + std::max<int64_t>(p - source.text - source.inserted, 0);
  };
  int64_t begin = place(piece.begin), end = place(piece.end);
  if (source.map) {
    const auto map_of = [&](int64_t at) { return (*source.map)[static_cast<size_t>(at)]; };
    const bool empty = begin == end;
    end = empty ? map_of(begin).begin : map_of(end - 1).end;
    begin = map_of(begin).begin;
  }
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
