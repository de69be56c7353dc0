// Skips to where a match may begin: around the next character that every match has, the text with which matches begin,
// or one of their first characters.
#include <algorithm>
#include <cstring>

#include "core/testing.h"
#include "regex/automaton_search.h"

namespace stringops {
namespace {

// Required characters are counted in the first bytes of a text, and then in one after at most so many bytes.
constexpr int64_t kMostCounted = block_size(1024, 16), kMostBetween = block_size(1 << 16, 64);

}  // namespace

// Counts the required characters in the text, and chooses the one that texts have least of.
void AutomatonSearch::choose_required() {
  next_counted_ = num_seen_ + std::min(num_seen_, kMostBetween);
  for (size_t i = 0; i < counts_.size(); ++i) {
    counts_[i] += std::count(text_, text_ + std::min(size_, kMostCounted), automaton_.required[i].c);
    if (counts_[i] < counts_[required_]) required_ = i;
  }
}

// Moves `at` to where a match with the next required character may begin; -1 if there is none.
int64_t AutomatonSearch::skip_to_required(int64_t at) {
  const RequiredChar& required = automaton_.required[required_];
  while (required_at_ < at) {
    const int64_t from = std::max(at, next_required_);
    const void* const found =
        from < size_ ? std::memchr(text_ + from, required.c, static_cast<size_t>(size_ - from)) : nullptr;
    if (!found) return -1;
    next_required_ = static_cast<const uint8_t*>(found) - text_ + 1;
    const auto follows = [&](int64_t i) {
      return next_required_ + i >= size_ || required.after[static_cast<size_t>(i)].contains(text_[next_required_ + i]);
    };
    if (!follows(0) || !follows(1)) continue;
    required_begin_ = required_at_ = next_required_ - 1;
    while (required_begin_ > at && required.before.contains(text_[required_begin_ - 1])) --required_begin_;
  }
  return std::max(at, required_begin_);
}

// Skips code points with which no match begins.
int64_t AutomatonSearch::skip_others(int64_t at) const {
  const CodepointClasses& classes = automaton_.program.classes();
  while (at < size_) {
    if (automaton_.cannot_begin.contains(text_[at])) {
      at += simd_.count_in_set(text_ + at, size_ - at, automaton_.cannot_begin);
      continue;
    }
    const uint8_t lead = text_[at];
    int64_t length = 1;
    if (lead < 0x80 || automaton_.can_begin[classes.beyond_ascii(lead, text_ + at, text_ + size_, &length)]) break;
    at += length;
  }
  return at;
}

// Moves `at` to the next first bytes of matches. Each part of a text that has none is twice as long as the one before.
int64_t AutomatonSearch::next_prefix(int64_t at) {
  while (at < size_) {
    if (at < prefixed_ || at >= prefixed_end_) {
      const int64_t before = at == prefixed_end_ ? prefixed_end_ - prefixed_ : 0;
      const int64_t n = std::min(std::clamp<int64_t>(2 * before, kWordBits, kMostPrefixed), size_ - at);
      simd_.find_prefixes(text_ + at, n, size_ - at, *automaton_.prefixes, may_begin_.data());
      may_begin_[static_cast<size_t>(words_for(n))] = 1;  // so that there is a next one
      prefixed_ = at;
      prefixed_end_ = at + n;
    }
    const int64_t found = prefixed_ + next_bit(may_begin_.data(), at - prefixed_);
    if (found < prefixed_end_) return found;
    at = prefixed_end_;
  }
  return size_;
}

// Moves `at` to the first position from there on where a match may begin, as far as the next bytes tell; -1 if there is
// none.
int64_t AutomatonSearch::next_candidate(int64_t at) {
  if (automaton_.matches_empty) return at <= size_ ? at : -1;
  const std::string& first = automaton_.texts.first;
  const bool skips = !automaton_.required.empty() && first.size() <= 1;
  do {
    if (skips && (at = skip_to_required(at)) < 0) return -1;
    if (!first.empty()) {
      at = find_literal({text_ + at, text_ + size_}, first) - text_;
    } else {
      at = automaton_.prefixes && !skips ? next_prefix(at) : skip_others(at);
    }
    if (at >= size_) return -1;
  } while (skips && at > required_at_);
  return at;
}

}  // namespace stringops
