#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <exception>
#include <vector>

#include "core/bits.h"
#include "core/find_text.h"
#include "core/testing.h"
#include "core/utf8.h"
#include "regex/engine.h"
#include "simd/primitives.h"

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

// A first part of a few bytes is enough where there are many.
const uint8_t* find_literal(StringView string, std::string_view text) {
  constexpr size_t kLong = 256;  // bytes of a text for which memmem is sure to take linear time
  if (text.size() > kLong) return find_text(string, text);
  constexpr int64_t kFirstPart = block_size(64, 8), kPart = block_size(8192, 64);
  const simd::Primitives& simd = simd::primitives();
  const auto size = static_cast<int64_t>(text.size()), count = std::min<int64_t>(size, simd::kMaxBytesAt);
  const auto probes = simd::spread_bytes(text, count);
  std::array<uint64_t, words_for(kPart)> words;
  for (int64_t at = 0, n = kFirstPart; at < string.size(); at += n, n = std::min(8 * n, kPart)) {
    const uint8_t* const data = string.begin + at;
    n = std::min(n, string.size() - at);
    if (count == 1) {
      simd.find_byte(data, n, probes[0].byte, words.data());
    } else {
      simd.find_bytes(data, n, string.size() - at, probes.data(), count, words.data());
    }
    int64_t found = 0;
    for (Bits bits(words.data(), words_for(n)); bits.next(&found);) {
      const uint8_t* const p = data + found;
      if (string.end - p >= size && std::memcmp(p, text.data(), text.size()) == 0) return p;
    }
  }
  return string.end;
}

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

bool Searcher::find(std::string_view text, int64_t from, Match* groups, int64_t count) {
  pace_.spend(kSteps);
  if (from == 0) search_.start(text);
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

bool Searcher::contains(std::string_view text, bool is_part) {
  pace_.spend(kSteps);
  return search_.contains(text, is_part);
}

bool Searcher::matches_all(std::string_view text) {
  return search_.matches_all(text);
}

}  // namespace stringops

STRINGOPS_TEST_HOOK void stringops_force_closure(bool enable) {
  stringops::Searcher::force_closure(enable);
}
