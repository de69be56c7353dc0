#include <atomic>
#include <cstring>
#include <exception>
#include <vector>

#include "core/testing.h"
#include "core/utf8.h"
#include "regex/engine.h"

namespace stringops {
namespace {

constexpr int64_t kSteps = 64;  // of a search

// Tests force RE2, to compare it with the automaton.
std::atomic<bool> re2_forced{false};

}  // namespace

Searcher::Searcher(const Pattern& pattern)
    : pattern_(pattern), engine_(pattern.take_engine()), exceptions_(std::uncaught_exceptions()) {
  const bool uses_re2 = re2_forced.load(std::memory_order_relaxed) && !pattern.syntax_->is_beyond_re2;
  if (pattern.automaton_ && !uses_re2) {
    if (!engine_->search) engine_->search.emplace(*pattern.automaton_);
    search_ = &*engine_->search;
  } else if (!engine_->re2) {
    pattern.add_re2(*engine_);
  }
}

void Searcher::force_re2(bool enable) {
  re2_forced = enable;
}

Searcher::~Searcher() {
  // A state that an automaton was building when memory was exhausted is not complete.
  if (std::uncaught_exceptions() == exceptions_) pattern_.give_back(std::move(engine_));
}

// Searches text[from, to), with groups.
bool Searcher::match(std::string_view text, int64_t from, int64_t to, int anchor, Match* groups, int64_t count) {
  if (text.data() == nullptr) text = "";  // the groups of a match have addresses
  constexpr int64_t kFewGroups = 8;
  re2::StringPiece few[kFewGroups];
  std::vector<re2::StringPiece> many(static_cast<size_t>(count > kFewGroups ? count : 0));
  re2::StringPiece* const found = count > kFewGroups ? many.data() : few;
  if (!engine_->re2->Match({text.data(), text.size()}, static_cast<size_t>(from), static_cast<size_t>(to),
                           static_cast<re2::RE2::Anchor>(anchor), found, static_cast<int>(count))) {
    return false;
  }
  for (int64_t g = 0; g < count; ++g) {
    const int64_t begin = found[g].data() == nullptr ? -1 : found[g].data() - text.data();
    groups[g] = {begin, begin + static_cast<int64_t>(found[g].size())};
  }
  return true;
}

// Tries the first places that have the pattern's prefix, with an anchored search each; only a few, or as long as the
// automaton reads little in vain, so that failed ones cannot add up. If there is no match, moves `from` to where one
// may still begin: beyond the text, if nowhere.
bool Searcher::find_by_prefix(std::string_view text, int64_t* from, Match* groups, int64_t count) {
  constexpr int kMaxAttempts = 4;
  const RunPrefix& prefix = *pattern_.prefix_;
  const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
  const auto size = static_cast<int64_t>(text.size());
  const auto matches_at = [&](int64_t begin) {
    if (!search_) return match(text, begin, size, re2::RE2::ANCHOR_START, groups, count);
    return search_->find_at(begin, groups, count);
  };
  int64_t at = *from;
  for (int attempts = 0; attempts < kMaxAttempts || (search_ && search_->can_try());) {
    const void* const found =
        at < size ? std::memchr(bytes + at, prefix.after, static_cast<size_t>(size - at)) : nullptr;
    if (!found) {
      *from = size + 1;
      return false;
    }
    const int64_t after = static_cast<const uint8_t*>(found) - bytes;
    int64_t begin = after;
    const int64_t first = prefix.count == 0 ? *from : std::max(*from, after - prefix.count);
    while (begin > first && prefix.run.contains(bytes[begin - 1])) --begin;
    while (begin < after && !prefix.first.contains(bytes[begin])) ++begin;
    if (begin < after && (prefix.count == 0 || after - begin == prefix.count)) {
      if (matches_at(begin)) return true;
      ++attempts;
    }
    if (search_) search_->skip(after + 1 - at);
    at = *from = after + 1;
  }
  return false;
}

bool Searcher::find_by_re2(std::string_view text, int64_t from, Match* groups, int64_t count) {
  if (pattern_.prefix_) {
    if (find_by_prefix(text, &from, groups, count)) return true;
    if (from > static_cast<int64_t>(text.size())) return false;
  } else if (pattern_.has_first_) {
    // A search takes two passes, forward for the end and backward for the beginning; an anchored one takes a single
    // pass. Only one such attempt, so that failed ones cannot add up.
    bool attempted = false;
    const auto size = static_cast<int64_t>(text.size());
    for (; from < size; ++from) {
      if (!pattern_.first_[static_cast<uint8_t>(text[static_cast<size_t>(from)])]) continue;
      if (attempted) break;
      attempted = true;
      if (match(text, from, size, re2::RE2::ANCHOR_START, groups, count)) return true;
    }
    if (from >= size) return false;
  }
  return match(text, from, static_cast<int64_t>(text.size()), re2::RE2::UNANCHORED, groups, count);
}

// Whether a match can begin at `from` or after it.
bool Searcher::has_required(std::string_view text, int64_t from) {
  if (!pattern_.required_) return true;
  if (from == 0) required_at_ = -1;
  if (required_at_ >= from) return true;
  const size_t found = text.find(static_cast<char>(*pattern_.required_), static_cast<size_t>(from));
  required_at_ = found == std::string_view::npos ? -1 : static_cast<int64_t>(found);
  return required_at_ >= 0;
}

bool Searcher::find_by_automaton(std::string_view text, int64_t from, Match* groups, int64_t count) {
  if (from == 0) search_->start(text);
  if (!has_required(text, from)) return false;
  if (pattern_.prefix_ && !search_->looks_back()) {
    if (find_by_prefix(text, &from, groups, count)) return true;
    if (from > static_cast<int64_t>(text.size())) return false;
  }
  return search_->find(from, groups, count);
}

bool Searcher::find(std::string_view text, int64_t from, Match* groups, int64_t count) {
  pace_.spend(kSteps);
  if (search_) {
    if (count == 1 || pattern_.automaton_->program.has_captures()) {
      return find_by_automaton(text, from, groups, count);
    }
    if (!find_by_automaton(text, from, groups, 1)) return false;
    if (!engine_->re2) pattern_.add_re2(*engine_);
    return match(text, groups->begin, groups->end, re2::RE2::ANCHOR_BOTH, groups, count);
  }
  while (find_by_re2(text, from, groups, count)) {
    from = groups[0].begin;
    if (!pattern_.matches_inside_codepoints_ || from == static_cast<int64_t>(text.size()) ||
        !is_continuation(static_cast<uint8_t>(text[static_cast<size_t>(from)])))
      return true;
    ++from;
  }
  return false;
}

void Searcher::reject(const Match& match) {
  if (search_) search_->reject(match.begin, match.end);
}

bool Searcher::contains(std::string_view text) {
  if (search_) {
    Match ignored{};
    if (pattern_.prefix_) return find_by_automaton(text, 0, &ignored, 1);
    return has_required(text, 0) && search_->contains(text);
  }
  if (pattern_.matches_inside_codepoints_) {
    Match ignored{};
    return find(text, 0, &ignored);
  }
  int64_t from = 0;
  const auto size = static_cast<int64_t>(text.size());
  if (pattern_.prefix_) {
    if (find_by_prefix(text, &from, nullptr, 0)) return true;
    if (from > size) return false;
  } else if (pattern_.has_first_) {
    while (from < size && !pattern_.first_[static_cast<uint8_t>(text[static_cast<size_t>(from)])]) ++from;
    if (from == size) return false;
  }
  return match(text, from, size, re2::RE2::UNANCHORED, nullptr, 0);
}

bool Searcher::matches_all(std::string_view text) {
  if (search_) return search_->matches_all(text);
  return match(text, 0, static_cast<int64_t>(text.size()), re2::RE2::ANCHOR_BOTH, nullptr, 0);
}

}  // namespace stringops

STRINGOPS_TEST_HOOK void stringops_force_re2(bool enable) {
  stringops::Searcher::force_re2(enable);
}
