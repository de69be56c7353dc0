// Regular expressions on UTF-8, whose syntax is that of syntax.h. Kernels use nothing else of the engines: a Pattern is
// compiled and cached, and each task makes a Searcher of it. Matches are found by an automaton (automaton_search.h), in
// time proportional to the text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/poll.h"
#include "regex/automaton.h"
#include "regex/class_rule.h"
#include "regex/folded_text.h"
#include "regex/match.h"
#include "regex/match_rule.h"
#include "regex/position_automaton.h"
#include "regex/simple_patterns.h"

namespace stringops {

class AutomatonSearch;

// The message names the fault, its position in the pattern in code points from 0, and what to write instead.
struct PatternError : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
  size_t index = 0;  // of the pattern among several
};

// Parses a pattern without compiling it. Throws PatternError.
Syntax parse_pattern(std::string_view text);

class Pattern {
 public:
  // From a cache of the most recently used patterns; thread-safe. Throws PatternError.
  static std::shared_ptr<const Pattern> compile(std::string_view text, MatchRule rule = MatchRule::kLongest);

  Pattern(std::string_view text, MatchRule rule);
  ~Pattern();
  Pattern(const Pattern&) = delete;
  Pattern& operator=(const Pattern&) = delete;

  // Groups in parentheses, besides the whole match, which is group 0.
  int64_t num_groups() const { return syntax_.num_groups; }

  const Syntax& syntax() const { return syntax_; }
  // If the pattern is one of these, which need no engine, with or without groups around all of it; the literal is empty
  // if not.
  const std::optional<SetPattern>& set() const { return set_; }
  std::string_view literal() const { return literal_; }

  // If its matches are runs of classes; groups capture the whole match.
  const std::optional<ClassRule>& class_rule() const { return class_rule_; }
  // False for texts that have no match because of their first character or their last one.
  bool may_match_at_edges(const uint8_t* text, int64_t size) const {
    return automaton_->may_match_at_edges(text, size);
  }
  const std::vector<RequiredChar>& chars_of_matches() const { return automaton_->required; }
  const std::optional<simd::PrefixSet>& prefixes() const { return automaton_->prefixes; }
  // Whether matches are only at the begin of a text, and only at its begin or only at its end.
  bool begins_text() const { return automaton_->begins_text; }
  bool is_anchored() const { return automaton_->begins_text || automaton_->ends_text; }
  // A text that every match has, or "".
  const std::string& text_of_matches() const { return automaton_->texts.longest; }
  // The text with which every match begins, or "".
  const std::string& text_at_begin() const { return automaton_->texts.first; }
  // A text that every match has if its case is ignored; whether matches begin with it, or are nothing else.
  const std::optional<FoldedText>& folded_text() const { return folded_text_; }
  bool begins_folded() const { return begins_folded_; }
  bool is_folded() const { return is_folded_; }
  // Texts of which every match has one, unless there is a folded text.
  const std::vector<std::string>& texts_in_matches() const { return texts_in_matches_; }
  // If masks can find its matches, but not the groups.
  const std::optional<PositionAutomaton>& position_automaton() const { return automaton_->positions; }

 private:
  friend class Searcher;
  struct Engine;
  struct DeleteEngine {
    void operator()(Engine* engine) const;
  };
  using EnginePtr = std::unique_ptr<Engine, DeleteEngine>;

  EnginePtr take_engine() const;
  void give_back(EnginePtr engine) const;

  const MatchRule rule_;
  const Syntax syntax_;
  std::optional<const Automaton> automaton_;  // always there
  std::optional<SetPattern> set_;
  std::optional<ClassRule> class_rule_;
  std::string literal_;
  std::optional<FoldedText> folded_text_;
  bool begins_folded_ = false, is_folded_ = false;
  std::vector<std::string> texts_in_matches_;
  int64_t max_bytes_ = 0;  // about what an engine takes at most
  // A list of the engines that no Searcher has. Two threads that search with the same one would wait for its lock most
  // of the time. Those that another thread had at a fork() are lost in the child.
  mutable EnginePtr idle_;
};

// Searches with a pattern, which must outlive it, on one thread at a time.
class Searcher {
 public:
  // For tests: whether Searchers that are made next use no short cuts (AutomatonSearch).
  static void force_closure(bool enable);

  explicit Searcher(const Pattern& pattern);
  ~Searcher();
  Searcher(const Searcher&) = delete;
  Searcher& operator=(const Searcher&) = delete;

  const Pattern& pattern() const { return pattern_; }

  // Finds the leftmost match at or after `from`, by the pattern's rule; ^ and \b see the text before `from`. Sets the
  // ranges of the first `count` >= 1 groups, more than one only of first matches; {-1, -1} for one that is not part of
  // the match. Returns false if there is no match. `text` is valid UTF-8, and no match begins or ends inside a code
  // point. The text may change before calls with `from` 0.
  bool find(std::string_view text, int64_t from, Match* groups, int64_t count = 1);

  // Finds the match that begins at `begin`, if there is one, in a text that find() has not seen if `is_first`. Whether
  // so much is read after matches that find() is faster.
  bool find_at(std::string_view text, int64_t begin, bool is_first, Match* match);
  bool reads_in_vain() const;

  // Tells that the match that find() has found is of no use, so that the next one is looked for after its first code
  // point. Results do not depend on it, but their time.
  void reject(const Match& match);

  // The same as find(text, 0, ...), for a copy of the first bytes of a text. Nothing if these do not tell.
  std::optional<bool> find_early(std::string_view text, Match* groups, int64_t count);

  // Whether there is such a match, or if the text goes on, one whatever follows; whether it can be all of `text`.
  bool contains(std::string_view text, bool is_part = false);
  bool matches_all(std::string_view text);

 private:
  const Pattern& pattern_;
  Pattern::EnginePtr engine_;
  const int exceptions_;
  AutomatonSearch& search_;  // of the engine
  Pace pace_;
};

}  // namespace stringops
