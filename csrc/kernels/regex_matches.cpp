#include "kernels/regex_matches.h"

#include <algorithm>
#include <cstring>

#include "core/utf8.h"
#include "match/choose_rule.h"

namespace stringops::kernels {
MatchReader::MatchReader(const Pattern& pattern, int64_t last_group)
    : simd_(simd::primitives()), groups_(static_cast<size_t>(last_group) + 1) {
  if (uses_masks()) {
    if (const auto& set = pattern.set()) {
      kind_ = set->repeated ? Kind::kRuns : Kind::kCharacters;
      set_ = set->set;
      return;
    }
    literal_ = pattern.literal();
    if (!literal_.empty()) {
      kind_ = Kind::kLiteral;
      num_probes_ = std::min<int64_t>(static_cast<int64_t>(literal_.size()), simd::kMaxBytesAt);
      probes_ = simd::spread_bytes(literal_, num_probes_);
      return;
    }
    if (pattern.literals()) {
      kind_ = Kind::kTexts;
      texts_ = &*pattern.literals();
      return;
    }
  }
  searcher_.emplace(pattern);
}

bool MatchReader::next_by_engine() {
  const auto size = static_cast<int64_t>(text_.size());
  const auto count = static_cast<int64_t>(groups_.size());
  if (from_ > size || !searcher_->find(text_, from_, groups_.data(), count)) return false;
  from_ = groups_[0].end;
  if (groups_[0].begin == from_) from_ += from_ < size ? codepoint_length(bytes_of(text_)[from_]) : 1;
  return true;
}

// Reads the masks of the next bytes of the text; false if there are none.
bool MatchReader::read_words() {
  const auto size = static_cast<int64_t>(text_.size());
  if (next_chunk_ == size) return false;
  chunk_ = next_chunk_;
  const int64_t n = std::min(kChunkBytes, size - chunk_);
  next_chunk_ += n;
  word_ = 0;
  num_words_ = words_for(n);
  const uint8_t* const data = bytes_of(text_) + chunk_;
  if (kind_ == Kind::kTexts) {
    simd_.find_prefixes(data, n, size - chunk_, texts_->prefixes(), words_.data());
  } else if (kind_ != Kind::kLiteral) {
    simd_.find_set(data, n, set_, words_.data());
  } else if (num_probes_ == 1) {
    simd_.find_byte(data, n, probes_[0].byte, words_.data());
  } else {
    simd_.find_bytes(data, n, size - chunk_, probes_.data(), num_probes_, words_.data());
  }
  return true;
}

bool MatchReader::next_run() {
  Match& found = groups_[0];
  if (!next_bit(&found.begin)) return false;
  if (!next_bit(&found.end)) found.end = static_cast<int64_t>(text_.size());
  return true;
}

bool MatchReader::next_character() {
  Match& found = groups_[0];
  do {
    if (!next_bit(&found.begin)) return false;
  } while (found.begin < from_ || is_continuation(bytes_of(text_)[found.begin]));
  const int64_t length = codepoint_length(bytes_of(text_)[found.begin]);
  from_ = found.end = std::min(found.begin + length, static_cast<int64_t>(text_.size()));
  return true;
}

bool MatchReader::next_literal() {
  Match& found = groups_[0];
  const auto size = static_cast<int64_t>(literal_.size());
  do {
    if (!next_bit(&found.begin)) return false;
  } while (found.begin < from_ ||
           (size > num_probes_ && text_.compare(static_cast<size_t>(found.begin), literal_.size(), literal_) != 0));
  from_ = found.end = found.begin + size;
  return true;
}

bool MatchReader::next_text() {
  Match& found = groups_[0];
  const auto size = static_cast<int64_t>(text_.size());
  int64_t length = 0;
  while (length == 0) {
    if (!next_bit(&found.begin)) return false;
    if (found.begin >= from_) length = texts_->match(bytes_of(text_) + found.begin, size - found.begin);
  }
  from_ = found.end = found.begin + length;
  return true;
}

std::optional<bool> MatchReader::find_early(std::string_view text) {
  if (kind_ == Kind::kEngine) {
    return searcher_->find_early(text, groups_.data(), static_cast<int64_t>(groups_.size()));
  }
  start(text);
  if (next() && groups_[0].end < static_cast<int64_t>(text.size())) return true;
  return std::nullopt;
}

bool MatchReader::contains_early(std::string_view text, int64_t begin, int64_t end) {
  if (kind_ == Kind::kEngine) return searcher_->contains_early(text, begin, end);
  return contains(text.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
}

bool MatchReader::contains(std::string_view text) {
  if (kind_ == Kind::kEngine) return searcher_->contains(text);
  start(text);
  if (kind_ == Kind::kLiteral) return next_literal();
  if (kind_ == Kind::kTexts) return next_text();
  int64_t ignored = 0;
  return next_bit(&ignored);
}

bool MatchReader::matches_all(std::string_view text) {
  const auto size = static_cast<int64_t>(text.size());
  switch (kind_) {
    case Kind::kEngine:
      return searcher_->matches_all(text);
    case Kind::kLiteral:
      return text == literal_;
    case Kind::kTexts:
      return std::find(texts_->texts().begin(), texts_->texts().end(), text) != texts_->texts().end();
    case Kind::kCharacters:
      return size > 0 && size <= 4 && set_.contains(bytes_of(text)[0]) && codepoint_length(bytes_of(text)[0]) == size;
    default:
      break;
  }
  start(text);
  if (size == 0) return false;
  while (read_words()) {
    const int64_t whole = (next_chunk_ - chunk_) / kWordBits;
    uint64_t all = ~uint64_t{0};
    for (int64_t w = 0; w < whole; ++w) all &= words_[static_cast<size_t>(w)];
    const uint64_t rest = low_bits((next_chunk_ - chunk_) % kWordBits);
    if (all != ~uint64_t{0} || (rest != 0 && words_[static_cast<size_t>(whole)] != rest)) return false;
  }
  return true;
}

}  // namespace stringops::kernels
