#include "regex/automaton_search.h"

#include <algorithm>

#include "core/poll.h"
#include "core/testing.h"
#include "simd/primitives.h"

namespace stringops {
namespace {

// Bytes that may be read in vain before a text is read backward, besides those that progress pays for.
constexpr int64_t kFree = block_size(4096, 16);
// A pattern whose texts had to be read backward is tried without it again after eight times as much text.
constexpr int64_t kPatience = 8;

// What tries may read in vain at first, and at most; and what each of them takes besides.
constexpr int64_t kFirstCredit = block_size(64, 4), kMaxCredit = block_size(256, 8);
constexpr int64_t kTextPerCredit = 8;  // bytes of a text that pay for one that is read in vain
constexpr int64_t kTry = block_size(16, 1);

constexpr int64_t kRememberStep = 32;
static_assert(kRememberStep % LookBack::kStep == 0, "searches stop there anyway");
constexpr size_t kMaxRemembered = 1 << 19;

LazyDfa& make_dfa(const Automaton& automaton, bool by_closure, std::optional<SetDfa>* all,
                  std::optional<FirstDfa>* first) {
  if (automaton.rule == MatchRule::kFirst) return first->emplace(automaton.program, false);
  return all->emplace(automaton.program, automaton.forward, false, by_closure);
}

}  // namespace

AutomatonSearch::AutomatonSearch(const Automaton& automaton, bool by_closure)
    : automaton_(automaton),
      by_closure_(by_closure),
      simd_(simd::primitives()),
      forward_(make_dfa(automaton, by_closure, &all_paths_, &first_paths_)),
      counts_(automaton.required.size(), 0),
      credit_(kFirstCredit) {}

void AutomatonSearch::start(std::string_view text) {
  text_ = bytes_of(text);
  size_ = static_cast<int64_t>(text.size());
  credit_ = std::min(credit_ + size_ / kTextPerCredit, kMaxCredit);
  if (counts_.size() > 1 && (num_seen_ += size_) > next_counted_) choose_required();
  required_at_ = -1;
  next_required_ = 0;
  prefixed_ = prefixed_end_ = 0;
  looks_back_ = false;
  walks_ = false;
  if (first_paths_) first_paths_->add_budget(size_);
  if (scanner_) scanner_->add_budget(size_);
  if (remembers_) ends_.clear();
  remembers_ = false;
}

uint16_t AutomatonSearch::kind_before(int64_t at) const {
  const Program& program = automaton_.program;
  if (!automaton_.looks_before) return program.kind_before(program.end_class());
  return program.kind_before(program.classes().class_before(text_, text_ + at, program.end_class()));
}

// Whether tries that fail need not go on, as texts can be scanned.
bool AutomatonSearch::scans() const {
  return first_paths_ && !by_closure_ && !(scanner_ && scanner_->is_exhausted());
}

bool AutomatonSearch::reads_in_vain() const {
  return debt_ > kFree;
}

bool AutomatonSearch::can_try() const {
  return scans() ? credit_ > 0 : !reads_in_vain();
}

void AutomatonSearch::account(int64_t in_vain, int64_t progress) {
  debt_ = std::max(debt_ + in_vain - progress, -kFree);
}

// Tells that a try has read so many bytes, and how many of these match.
void AutomatonSearch::account_try(int64_t read, int64_t progress) {
  if (progress == 0 && scans()) {
    credit_ -= read + kTry;
  } else {
    account(read - progress, progress);
    credit_ = std::min(credit_ + progress, kMaxCredit);
  }
}

void AutomatonSearch::read_backward(int64_t from) {
  if (walks_) {
    if (!walk_) walk_.emplace(automaton_, by_closure_);
    walk_->read(text_, from, size_, size_, true);
  } else {
    if (!look_back_) look_back_.emplace(automaton_, false, by_closure_);
    look_back_->read(text_, from, size_, size_, true);
  }
  looks_back_ = true;
}

// Moves `at` to the first position from there on where a match may begin; -1 if there is none.
int64_t AutomatonSearch::next_begin(int64_t at) {
  if (automaton_.begins_text) {
    return at == 0 && automaton_.may_match_at_edges(text_, size_) ? 0 : -1;
  }
  if (!looks_back_ && reads_in_vain() && automaton_.looks_back) {
    read_backward(at);
    account(0, (size_ - at) / kPatience);  // so that later texts are not all read twice
  }
  if (looks_back_) return walks_ ? walk_->next_begin(at) : look_back_->next_begin(at);
  return next_candidate(at);
}

constexpr int64_t kPolled = 1 << 16;  // bytes that are read between two polls

// Returns the first position, or if `any` the last one, at or after `from`, from which a match leads to `end`, -1 if
// there is none.
int64_t AutomatonSearch::first_begin(int64_t from, int64_t end, bool any) {
  if (!from_end_) from_end_.emplace(automaton_.program, automaton_.backward, false, by_closure_);
  const Program& program = automaton_.program;
  const CodepointClasses& classes = program.classes();
  int64_t found = -1, at = end, length = 0;
  Transition t = from_end_->start(
      program.kind_after(end == size_ ? program.end_class() : classes.next(text_ + end, text_ + size_, &length)));
  for (Pace pace;; pace.spend(1)) {
    const uint32_t c = at > 0 ? classes.before(text_, text_ + at, &length) : program.end_class();
    t = from_end_->next(t, c);
    if (LazyDfa::matches(t)) found = std::max(at, from);  // text that is not UTF-8 has other code points backward
    if (at <= from || LazyDfa::is_dead(t) || (any && found >= 0)) return found;
    at -= length;
  }
}

// Reads code points that begin before `stop`, at `at`, until the state has no path to a match, or if `until_match`, the
// text matches. Sets `end` to where the text matched last. Returns the state; the dead one if the automaton is
// exhausted. A state that was the same kStride bytes before may be a loop, of which the rest is skipped.
//
// Macros and lambdas would hide that this is the loop in which searches spend their time.
template <bool until_match>
static LazyDfa::Transition read_on(const Automaton& automaton, LazyDfa& dfa, const uint8_t* text, int64_t size,
                                   int64_t stop, LazyDfa::Transition t, int64_t* at, int64_t* end) {
  constexpr int64_t kStride = 16;
  const CodepointClasses& classes = automaton.program.classes();
  const simd::Primitives& simd = simd::primitives();
  int64_t i = *at, last = *end;
  while (i < stop) {
    const LazyDfa::Transition before = t;
    for (const int64_t stride = std::min(i + kStride, stop); i < stride;) {
      const uint8_t byte = text[i];
      int64_t length = 1;
      const uint32_t c =
          byte < 0x80 ? classes.of_ascii(byte) : classes.beyond_ascii(byte, text + i, text + size, &length);
      LazyDfa::Transition after = dfa.known(t, c);
      if (__builtin_expect(dfa.is_special(after), false)) {
        after = dfa.next(t, c);
        if (LazyDfa::is_dead(after) || dfa.is_exhausted()) {
          if (LazyDfa::matches(after)) last = i;
          *at = i + length;
          *end = last;
          return 0;
        }
      }
      if (until_match && LazyDfa::matches(after)) {
        *at = *end = i;
        return after;
      }
      last = LazyDfa::matches(after) ? i : last;
      t = after;
      i += length;
    }
    if (i >= stop || (t | 1) != (before | 1)) continue;
    const LazyDfa::Loop& loop = dfa.loop(t);
    if (until_match && loop.matches) continue;
    const int64_t first = i;
    i += simd.count_in_set(text + i, stop - i, loop.chars);
    if (loop.matches && i > first) {
      last = i - 1;
      while (last > first && is_continuation(text[last])) --last;
    }
    while (i == stop && i < size && is_continuation(text[i])) ++i, ++stop;
  }
  *at = i;
  *end = last;
  return t;
}

// Reads on from a position, and sets `at` to how far. Returns where the text matched last, -1 if nowhere.
int64_t AutomatonSearch::read_with(LazyDfa& dfa, int64_t from, int64_t* at) {
  int64_t end = -1;
  *at = from;
  Transition t = dfa.start(kind_before(from));
  while (true) {
    t = read_on<false>(automaton_, dfa, text_, size_, std::min(*at + kPolled, size_), t, at, &end);
    if (LazyDfa::is_dead(t)) return end;
    if (*at >= size_) break;
    poll();
  }
  return LazyDfa::matches(dfa.next(t, automaton_.program.end_class())) ? size_ : end;
}

int64_t AutomatonSearch::read_end(int64_t begin) {
  int64_t at = 0;
  const int64_t end = read_with(forward_, begin, &at);
  if (end < 0) {
    account_try(at - begin, 0);
  } else {
    account_try(at - begin, std::max<int64_t>(end - begin, 1));
  }
  return end;
}

FirstDfa& AutomatonSearch::scanner() {
  if (!scanner_) {
    scanner_.emplace(automaton_.program, true);
    scanner_->add_budget(size_);
  }
  return *scanner_;
}

// Finds the first match, of those that begin at or after `from`. Nothing if the automaton is exhausted.
std::optional<bool> AutomatonSearch::scan(int64_t from, Match* groups, int64_t count) {
  int64_t at = 0;
  const int64_t end = read_with(scanner(), from, &at);
  if (scanner_->is_exhausted()) return std::nullopt;
  if (end < 0) return false;
  account(at - end, end - from);
  *groups = {first_begin(from, end), end};
  if (groups->begin == from) credit_ += kTry;
  return groups->begin >= 0 && (count == 1 || capture(groups, count));
}

// The same, reading on only as long as a better match is known to exist.
int64_t AutomatonSearch::best_viable_end(int64_t begin) {
  int64_t at = begin, end = -1;
  Transition t = forward_.start(kind_before(begin));
  constexpr int64_t kStep = LookBack::kStep;
  visits_.clear();
  for (int64_t step = begin / kStep * kStep + kStep; at < size_; step += kStep) {
    t = read_on<false>(automaton_, forward_, text_, size_, std::min(step + 1, size_), t, &at, &end);
    if (LazyDfa::is_dead(t)) break;
    if (step >= size_) continue;
    if (end >= 0 && step > end && !forward_.has_some(t, look_back_->alive(step))) break;
    if (remembers_ && step % kRememberStep == 0 && recall(t, step, &end)) break;
  }
  if (at >= size_ && !LazyDfa::is_dead(t) && LazyDfa::matches(forward_.next(t, automaton_.program.end_class()))) {
    end = size_;
  }
  for (const Visit& visit : visits_) ends_.emplace(visit, end > visit.at ? end : -1);
  return end;
}

// Whether an earlier search was in the same state after the same code point, so that it found the end.
bool AutomatonSearch::recall(Transition t, int64_t at, int64_t* end) {
  const Visit visit{mix(forward_.hash(t), forward_.kind(t) + 1u), at};
  const auto found = ends_.find(visit);
  if (found == ends_.end()) {
    if (ends_.size() + visits_.size() < kMaxRemembered) visits_.push_back(visit);
    return false;
  }
  if (found->second >= 0) *end = found->second;
  return true;
}

void AutomatonSearch::reject(int64_t begin, int64_t end) {
  account(2 * (end - begin), 1);  // once for what find() has counted as progress
  remembers_ = looks_back_;
}

int64_t AutomatonSearch::find_end(int64_t begin) {
  if (!walks_) {
    if (!forward_.is_exhausted() && !(by_closure_ && first_paths_)) {
      const int64_t end = looks_back_ ? best_viable_end(begin) : read_end(begin);
      if (!forward_.is_exhausted()) return end;
    }
    walks_ = true;
    read_backward(begin);
  }
  return walk_->find_end(begin, nullptr, 0);
}

bool AutomatonSearch::capture(Match* groups, int64_t count) {
  const Match match = groups[0];
  if (automaton_.one_pass && !by_closure_) {
    automaton_.one_pass->match(text_, size_, match.begin, groups, count);
    return groups->end == match.end;
  }
  if (!captures_) captures_.emplace(automaton_, by_closure_);
  if (captures_->backtrack(text_, match, size_, groups, count)) return true;
  captures_->read(text_, match.begin, match.end, size_, false);
  return captures_->find_end(match.begin, groups, count) == match.end;
}

bool AutomatonSearch::find_at(int64_t begin, Match* groups, int64_t count) {
  if (count > 1 && automaton_.one_pass && !looks_back_ && !by_closure_) {
    const int64_t read = automaton_.one_pass->match(text_, size_, begin, groups, count);
    account_try(read, groups->end < 0 ? 0 : std::max<int64_t>(groups->end - begin, 1));
    return groups->end >= 0;
  }
  *groups = {begin, find_end(begin)};
  return groups->end >= 0 && (count == 1 || capture(groups, count));
}

bool AutomatonSearch::find(int64_t from, Match* groups, int64_t count) {
  // If a match can end with most characters, a pass back from the end of the text reads far.
  const bool may_try = !automaton_.texts.first.empty() && !automaton_.cannot_end.beyond_ascii && can_try();
  if (automaton_.ends_text && !automaton_.begins_text && from == 0 && !may_try) {
    *groups = {first_begin(0, size_), size_};
    return groups->begin >= 0 && (count == 1 || capture(groups, count));
  }
  if (looks_back_ && from < (walks_ ? walk_->from() : look_back_->from())) looks_back_ = walks_ = false;
  for (int64_t at = from; at <= size_;) {
    const int64_t found = next_begin(at);
    if (found < 0) return false;
    credit_ = std::min(credit_ + found - at, kMaxCredit);  // as tries pass over bytes that a scan would read
    if (credit_ <= 0 && scans() && !looks_back_ && !automaton_.begins_text && (at > 0 || !automaton_.ends_text)) {
      if (const std::optional<bool> result = scan(found, groups, count)) return *result;
    }
    if (find_at(found, groups, count)) return true;
    at = found + (found < size_ ? codepoint_length(text_[found]) : 1);
    account(0, at - found);
  }
  return false;
}

// If no path goes on before the end of these bytes, what follows makes no difference.
std::optional<bool> AutomatonSearch::find_early(std::string_view text, Match* groups, int64_t count) {
  start(text);
  if (!scans()) return std::nullopt;
  const bool is_first = automaton_.begins_text;
  for (int64_t from = 0; is_first ? from == 0 : (from = next_candidate(from)) >= 0;) {
    const bool tries = is_first || (credit_ > 0 && !reads_in_vain());
    FirstDfa& dfa = tries ? *first_paths_ : scanner();
    int64_t at = from, end = -1;
    const Transition t = read_on<false>(automaton_, dfa, text_, size_, size_, dfa.start(kind_before(from)), &at, &end);
    if (!LazyDfa::is_dead(t) || dfa.is_exhausted()) return std::nullopt;
    if (tries) account_try(at - from, end < 0 ? 0 : std::max<int64_t>(end - from, 1));
    if (end >= 0) {
      *groups = {tries ? from : first_begin(from, end), end};
      return groups->begin >= 0 && (count == 1 || capture(groups, count));
    }
    if (!tries) return false;
    from += from < size_ ? codepoint_length(text_[from]) : 1;
  }
  if (is_first) return false;
  return std::nullopt;
}

// Without a position, so that it can be told as soon as a match has been read.
bool AutomatonSearch::contains(std::string_view text, bool is_part) {
  start(text);
  const bool anywhere = !automaton_.begins_text;
  if (automaton_.ends_text && anywhere) return !is_part && first_begin(0, size_, true) >= 0;
  int64_t at = 0, stop = 0;
  const auto read = [&](LazyDfa& dfa) {
    int64_t found = -1;
    stop = at;
    const Transition t = read_on<true>(automaton_, dfa, text_, size_, size_, dfa.start(kind_before(at)), &stop, &found);
    return found >= 0 ||
           (!is_part && !LazyDfa::is_dead(t) && LazyDfa::matches(dfa.next(t, automaton_.program.end_class())));
  };
  while (anywhere && scans() && !automaton_.matches_empty) {
    const int64_t found = next_candidate(at);
    if (found < 0) return false;
    credit_ = std::min(credit_ + found - at, kMaxCredit);
    at = found;
    if (credit_ <= 0) break;
    const bool matches = read(*first_paths_);
    account_try(stop - at, matches ? std::max<int64_t>(stop - at, 1) : 0);
    if (matches) return true;
    if (first_paths_->is_exhausted()) break;
    at = std::min(at + codepoint_length(text_[at]), size_);
  }
  if (!anywhere_) anywhere_.emplace(automaton_.program, automaton_.forward, anywhere, by_closure_);
  return read(*anywhere_);
}

bool AutomatonSearch::matches_all(std::string_view text) {
  if (!all_paths_) all_paths_.emplace(automaton_.program, automaton_.forward, false, by_closure_);
  const Program& program = automaton_.program;
  const uint8_t* const p = bytes_of(text);
  const auto size = static_cast<int64_t>(text.size());
  int64_t at = 0, end = -1;
  const Transition first = all_paths_->start(program.kind_before(program.end_class()));
  const Transition t = read_on<false>(automaton_, *all_paths_, p, size, size, first, &at, &end);
  return !LazyDfa::is_dead(t) && LazyDfa::matches(all_paths_->next(t, program.end_class()));
}

}  // namespace stringops
