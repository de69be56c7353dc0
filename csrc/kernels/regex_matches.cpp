#include "kernels/regex_matches.h"

#include <algorithm>

#include "core/utf8.h"
#include "match/choose_rule.h"
#include "simd/primitives.h"

namespace stringops::kernels {

MatchReader::MatchReader(const Pattern& pattern, int64_t last_group)
    : literal_(uses_masks() ? pattern.literal() : ""), groups_(static_cast<size_t>(last_group) + 1) {
  if (uses_masks() && pattern.is_folded()) {
    folded_.emplace(*pattern.folded_text());
  } else if (literal_.empty()) {
    searcher_.emplace(pattern);
  }
}

bool MatchReader::next_by_engine() {
  const auto size = static_cast<int64_t>(text_.size());
  const auto count = static_cast<int64_t>(groups_.size());
  if (from_ > size || !searcher_->find(text_, from_, groups_.data(), count)) return false;
  from_ = groups_[0].end;
  if (groups_[0].begin == from_) from_ += from_ < size ? codepoint_length(bytes_of(text_)[from_]) : 1;
  return true;
}

bool MatchReader::next_literal() {
  const uint8_t *const begin = bytes_of(text_), *const end = begin + text_.size();
  StringView found{nullptr, nullptr};
  if (folded_) {
    found = folded_->first({begin + from_, end});
  } else if (const uint8_t* const p = find_literal({begin + from_, end}, literal_); p < end) {
    found = {p, p + literal_.size()};
  }
  if (!found.begin) return false;
  const int64_t at = found.begin - begin;
  from_ = found.end - begin;
  std::fill(groups_.begin(), groups_.end(), Match{at, from_});  // groups are around all of the pattern
  return true;
}

std::optional<bool> MatchReader::find_early(std::string_view text) {
  if (searcher_) {
    return searcher_->find_early(text, groups_.data(), static_cast<int64_t>(groups_.size()));
  }
  start(text);
  if (next() && groups_[0].end < static_cast<int64_t>(text.size())) return true;
  return std::nullopt;
}

bool MatchReader::contains(std::string_view text, bool is_part) {
  if (searcher_) return searcher_->contains(text, is_part);
  start(text);
  return next_literal();
}

bool MatchReader::matches_all(std::string_view text) {
  if (folded_) {
    start(text);
    return next_literal() && groups_[0].begin == 0 && groups_[0].end == static_cast<int64_t>(text.size());
  }
  if (!searcher_) return text == literal_;
  const auto& set = searcher_->pattern().set();
  if (!set || !set->repeated || !uses_masks()) return searcher_->matches_all(text);
  const auto size = static_cast<int64_t>(text.size());
  return size > 0 && simd::primitives().count_in_set(bytes_of(text), size, set->set) == size;
}

}  // namespace stringops::kernels
