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

// Tests compare searches with and without short cuts.
std::atomic<bool> closure_forced{false};

AutomatonSearch& search_of(std::optional<AutomatonSearch>* search, const Automaton& automaton) {
  const bool by_closure = closure_forced.load(std::memory_order_relaxed);
  if (!*search || (*search)->is_by_closure() != by_closure) search->emplace(automaton, by_closure);
  return **search;
}

}  // namespace

Searcher::Searcher(const Pattern& pattern)
    : pattern_(pattern),
      engine_(pattern.take_engine()),
      exceptions_(std::uncaught_exceptions()),
      search_(search_of(&engine_->search, *pattern.automaton_)) {}

void Searcher::force_closure(bool enable) {
  closure_forced = enable;
}

Searcher::~Searcher() {
  // A state that an automaton was building when memory was exhausted is not complete.
  if (std::uncaught_exceptions() == exceptions_) pattern_.give_back(std::move(engine_));
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

bool Searcher::find(std::string_view text, int64_t from, Match* groups, int64_t count) {
  pace_.spend(kSteps);
  if (from == 0) search_.start(text);
  if (!has_required(text, from)) return false;
  return search_.find(from, groups, count);
}

bool Searcher::find_at(std::string_view text, int64_t begin, bool is_first, Match* match) {
  pace_.spend(kSteps);
  if (is_first) search_.start(text);
  return search_.find_at(begin, match, 1);
}

bool Searcher::reads_in_vain() const {
  return search_.reads_in_vain();
}

void Searcher::reject(const Match& match) {
  search_.reject(match.begin, match.end);
}

std::optional<bool> Searcher::find_early(std::string_view text, Match* groups, int64_t count) {
  pace_.spend(kSteps);
  return search_.find_early(text, groups, count);
}

bool Searcher::contains(std::string_view text) {
  return has_required(text, 0) && search_.contains(text, 0, static_cast<int64_t>(text.size()));
}

bool Searcher::contains_early(std::string_view text, int64_t begin, int64_t end) {
  pace_.spend(kSteps);
  return search_.contains(text, begin, end);
}

bool Searcher::matches_all(std::string_view text) {
  return search_.matches_all(text);
}

}  // namespace stringops

STRINGOPS_TEST_HOOK void stringops_force_closure(bool enable) {
  stringops::Searcher::force_closure(enable);
}
