// Searches for the leftmost match by an automaton, in time proportional to the text.
//
// A search tries the code points that a match can begin with, one after the other, and reads on as long as a better
// match is possible: a longer one, or one that is preferred. If more tries fail than matches pay for, a first match is
// found in one pass, in which paths begin at each code point, and a pass back from its end to its begin. Reading on can
// be in vain, too, and then be repeated: a(.*b)? reads all of the text after each a. As soon as a text has cost much
// more than its size, it is read once backward (look_back.h), which finds where matches begin, and up to where reading
// on is worth it.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/bits.h"
#include "core/hash.h"
#include "regex/automaton.h"
#include "regex/first_dfa.h"
#include "regex/first_walk.h"
#include "regex/look_back.h"
#include "regex/set_dfa.h"
#include "simd/primitives.h"

namespace stringops {

// On one thread at a time.
class AutomatonSearch {
 public:
  // If `by_closure`, which is for tests, a search does without the short cuts that automata allow: without operations
  // on words, states of lists, and groups in one pass.
  AutomatonSearch(const Automaton& automaton, bool by_closure);

  // Begins with another text, which must not change while it is searched.
  void start(std::string_view text);

  // Finds the leftmost match at or after `from`, a boundary between code points, by the automaton's rule, or the one
  // that begins at `begin`. Sets the first `count` >= 1 groups, of which there is more than one only if the program has
  // captures.
  bool find(int64_t from, Match* groups, int64_t count);
  bool find_at(int64_t begin, Match* groups, int64_t count);
  // Whether much has been read after matches.
  bool reads_in_vain() const;
  bool is_by_closure() const { return by_closure_; }

  // Tells that the longest match, which was found last, is of no use, and that the next one is looked for after its
  // first code point.
  void reject(int64_t begin, int64_t end);

  // The same as find(0, ...), for the first bytes of a text. Nothing if these do not tell.
  std::optional<bool> find_early(std::string_view text, Match* groups, int64_t count);

  // Whether the text has a match, or if it is a part of one, has one whatever follows; whether it is one. It is not
  // copied.
  bool contains(std::string_view text, bool is_part);
  bool matches_all(std::string_view text);

 private:
  using Transition = LazyDfa::Transition;

  uint16_t kind_before(int64_t at) const;
  int64_t find_end(int64_t begin);
  // Sets the groups 1 to count - 1 of the match groups[0]. Returns false if it is no match of the text.
  bool capture(Match* groups, int64_t count);
  int64_t read_end(int64_t begin);
  int64_t read_with(LazyDfa& dfa, int64_t from, int64_t* at);
  int64_t best_viable_end(int64_t begin);
  int64_t next_begin(int64_t at);
  int64_t next_candidate(int64_t at);
  int64_t skip_to_required(int64_t at);
  int64_t skip_others(int64_t at) const;
  int64_t next_prefix(int64_t at);
  void choose_required();
  bool scans() const;
  bool can_try() const;  // whether little has been read in vain
  FirstDfa& scanner();
  std::optional<bool> scan(int64_t from, Match* groups, int64_t count);
  int64_t first_begin(int64_t from, int64_t end, bool any = false);
  void read_backward(int64_t from);
  bool recall(Transition t, int64_t at, int64_t* end);
  void account(int64_t in_vain, int64_t progress);
  void account_try(int64_t read, int64_t progress);

  const Automaton& automaton_;
  const bool by_closure_;
  const simd::Primitives& simd_;
  // These follow paths from one position to the longest match, or to the first one.
  std::optional<SetDfa> all_paths_;
  std::optional<FirstDfa> first_paths_;
  LazyDfa& forward_;
  std::optional<SetDfa> anywhere_;   // of contains()
  std::optional<FirstDfa> scanner_;  // first matches that begin anywhere
  std::optional<SetDfa> from_end_;   // back from the end of a match
  std::optional<LookBack> look_back_;
  std::optional<FirstWalk> walk_;  // instead of first_paths_ and look_back_, once that is exhausted
  std::optional<FirstWalk> captures_;
  // The bytes of all texts, and those after which the required characters of the next one are counted.
  int64_t num_seen_ = 0, next_counted_ = 0;
  std::vector<int64_t> counts_;
  size_t required_ = 0;         // the one that is least frequent
  int64_t required_at_ = -1;    // the first required character after the last begin that was looked for
  int64_t required_begin_ = 0;  // where matches with it begin, or after that
  int64_t next_required_ = 0;   // where the next one is looked for
  // Where matches may begin in a part of the text, by its first bytes.
  static constexpr int64_t kMostPrefixed = 1024;
  int64_t prefixed_ = 0, prefixed_end_ = 0;
  std::array<uint64_t, words_for(kMostPrefixed) + 1> may_begin_;
  bool looks_back_ = false;  // look_back_, or walk_, has read the text
  bool walks_ = false;
  const uint8_t* text_ = nullptr;
  int64_t size_ = 0;
  // Matches that are rejected can overlap: a+ in aaa has three ends. So where a search was in a state, at every
  // kRememberStep bytes, is kept with the end that it found after it, -1 if there was none.
  struct Visit {
    uint64_t state;
    int64_t at;
    bool operator==(const Visit& other) const { return state == other.state && at == other.at; }
  };
  struct HashVisit {
    size_t operator()(const Visit& v) const { return mix(v.state ^ static_cast<uint64_t>(v.at), 0x9e3779b97f4a7c15); }
  };
  bool remembers_ = false;
  std::unordered_map<Visit, int64_t, HashVisit> ends_;
  std::vector<Visit> visits_;  // of the current search
  // Bytes that were read in vain, less those that were not, of all texts.
  int64_t debt_ = 0;
  int64_t credit_;  // bytes that tries may read in vain before texts are scanned
};

}  // namespace stringops
