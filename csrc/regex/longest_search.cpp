#include "regex/longest_search.h"

#include <algorithm>

#include "core/testing.h"

namespace stringops {
namespace {

// Bytes that may be read in vain before a text is read backward, besides those that progress pays for.
constexpr int64_t kFree = block_size(4096, 16);
// A pattern whose texts had to be read backward is tried without it again after eight times as much text.
constexpr int64_t kPatience = 8;

constexpr int64_t kRememberStep = 32;
static_assert(kRememberStep % LookBack::kStep == 0, "searches stop there anyway");
constexpr size_t kMaxRemembered = 1 << 19;

const uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

}  // namespace

void LongestSearch::start(std::string_view text) {
  text_ = bytes_of(text);
  size_ = static_cast<int64_t>(text.size());
  looks_back_ = false;
  remembers_ = false;
  ends_.clear();
}

uint8_t LongestSearch::kind_before(const uint8_t* text, const uint8_t* at) const {
  const Program& program = automaton_.program;
  if (at == text) return program.kind_before(program.end_class());
  int64_t ignored = 0;
  return program.kind_before(program.classes().before(text, at, &ignored));
}

void LongestSearch::account(int64_t in_vain, int64_t progress) {
  debt_ = std::max(debt_ + in_vain - progress, -kFree);
}

// Moves `at` to the first position from there on where a match may begin; -1 if there is none.
int64_t LongestSearch::next_begin(int64_t at) {
  if (!looks_back_ && debt_ > kFree && automaton_.looks_back) {
    if (!look_back_) look_back_.emplace(automaton_);
    look_back_->read(text_, at, size_);
    looks_back_ = true;
    account(0, (size_ - at) / kPatience);  // so that later texts are not all read twice
  }
  if (looks_back_) return look_back_->next_begin(at);
  if (automaton_.matches_empty) return at <= size_ ? at : -1;
  const auto& can_begin = automaton_.can_begin;
  while (at < size_ && !can_begin[text_[at]]) ++at;
  return at < size_ ? at : -1;
}

// Reads code points that begin before `stop`, at `at`, until the state has no path to a match. Sets `end` to where the
// text matched last. Returns the state.
//
// Macros and lambdas would hide that this is the loop in which searches spend their time.
static SetDfa::Transition read_on(const Automaton& automaton, SetDfa& dfa, const uint8_t* text, int64_t size,
                                  int64_t stop, SetDfa::Transition t, int64_t* at, int64_t* end) {
  const CodepointClasses& classes = automaton.program.classes();
  int64_t i = *at, last = *end;
  while (i < stop) {
    const uint8_t byte = text[i];
    int64_t length = 1;
    const uint32_t c = byte < 0x80 ? classes.of_ascii(byte) : classes.beyond_ascii(text + i, text + size, &length);
    SetDfa::Transition after = dfa.known(t, c);
    if (dfa.is_special(after)) {
      after = dfa.next(t, c);
      if (SetDfa::is_dead(after)) {
        if (SetDfa::matches(after)) last = i;
        t = after;
        i += length;
        break;
      }
    }
    if (SetDfa::matches(after)) last = i;
    t = after;
    i += length;
  }
  *at = i;
  *end = last;
  return t;
}

int64_t LongestSearch::find_end(int64_t begin) {
  int64_t at = begin, end = -1;
  const Transition first = forward_.start(kind_before(text_, text_ + begin));
  const Transition t = read_on(automaton_, forward_, text_, size_, size_, first, &at, &end);
  if (!SetDfa::is_dead(t) && SetDfa::matches(forward_.next(t, automaton_.program.end_class()))) end = size_;
  account(at - (end < 0 ? begin : end), end < 0 ? 0 : end - begin);
  return end;
}

// The same, reading on only as long as a longer match is known to exist.
int64_t LongestSearch::longest_viable_end(int64_t begin) {
  int64_t at = begin, end = -1;
  Transition t = forward_.start(kind_before(text_, text_ + begin));
  constexpr int64_t kStep = LookBack::kStep;
  visits_.clear();
  for (int64_t step = begin / kStep * kStep + kStep; at < size_; step += kStep) {
    t = read_on(automaton_, forward_, text_, size_, std::min(step + 1, size_), t, &at, &end);
    if (SetDfa::is_dead(t)) break;
    if (step >= size_) continue;
    if (end >= 0 && step > end && !forward_.has_some(t, look_back_->alive(step))) break;
    if (remembers_ && step % kRememberStep == 0 && recall(t, step, &end)) break;
  }
  if (at >= size_ && !SetDfa::is_dead(t) && SetDfa::matches(forward_.next(t, automaton_.program.end_class()))) {
    end = size_;
  }
  for (const Visit& visit : visits_) ends_.emplace(visit, end > visit.at ? end : -1);
  return end;
}

// Whether an earlier search was in the same state after the same code point, so that it found the end.
bool LongestSearch::recall(Transition t, int64_t at, int64_t* end) {
  const Visit visit{mix(forward_.hash(t), forward_.kind(t) + 1u), at};
  const auto found = ends_.find(visit);
  if (found == ends_.end()) {
    if (ends_.size() + visits_.size() < kMaxRemembered) visits_.push_back(visit);
    return false;
  }
  if (found->second >= 0) *end = found->second;
  return true;
}

void LongestSearch::reject(int64_t begin, int64_t end) {
  account(2 * (end - begin), 1);  // once for what find() has counted as progress
  remembers_ = looks_back_;
}

bool LongestSearch::find(int64_t from, int64_t* begin, int64_t* end) {
  if (looks_back_ && from < look_back_->from()) looks_back_ = false;
  for (int64_t at = from; at <= size_;) {
    const int64_t found = next_begin(at);
    if (found < 0) return false;
    const int64_t last = looks_back_ ? longest_viable_end(found) : find_end(found);
    if (last >= 0) {
      *begin = found;
      *end = last;
      return true;
    }
    at = found + (found < size_ ? codepoint_length(text_[found]) : 1);
    account(0, 1);
  }
  return false;
}

bool LongestSearch::contains(std::string_view text) {
  if (!anywhere_) anywhere_.emplace(automaton_.program, automaton_.forward, true);
  const Program& program = automaton_.program;
  const uint8_t* const p = bytes_of(text);
  const auto size = static_cast<int64_t>(text.size());
  Transition t = anywhere_->start(program.kind_before(program.end_class()));
  for (int64_t i = 0; i < size;) {
    int64_t length = 1;
    t = anywhere_->next(t, program.classes().next(p + i, p + size, &length));
    if (SetDfa::matches(t)) return true;
    i += length;
  }
  return SetDfa::matches(anywhere_->next(t, program.end_class()));
}

bool LongestSearch::matches_all(std::string_view text) {
  const Program& program = automaton_.program;
  const uint8_t* const p = bytes_of(text);
  const auto size = static_cast<int64_t>(text.size());
  int64_t at = 0, end = -1;
  const Transition first = forward_.start(program.kind_before(program.end_class()));
  const Transition t = read_on(automaton_, forward_, p, size, size, first, &at, &end);
  return !SetDfa::is_dead(t) && SetDfa::matches(forward_.next(t, program.end_class()));
}

}  // namespace stringops
