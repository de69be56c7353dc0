// The rules by which the matches of patterns cut blocks of strings.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "split/block_rule.h"

namespace stringops {
struct ClassRule;
class Pattern;
}  // namespace stringops

namespace stringops::kernels {

// The question that the matches answer.
enum class MatchUse {
  kPieces,   // a group of each of them
  kBetween,  // the pieces between them
  kFirst,    // a group of the first one of each string
  kExists,   // which strings have one: those with more pieces than a string without a match has
};

struct PatternRule {
  BlockRule cut;  // its pieces are the matches, none of which is empty, or if `cuts_fields` the fields between them
  bool cuts_fields = false;
  bool is_between = false;  // whether the fields between the pieces of `cut` are wanted
  // Whether making the masks of the matches again takes longer than keeping them.
  bool saves_masks = false;
  std::shared_ptr<const void> owned{};  // what `cut` refers to, besides the pattern

  BlockRule pieces() const;

  // The same pieces in two passes over the same blocks, of about `num_bytes`: the first pass saves the masks in
  // `words`, and the second one takes them, unless making them is faster.
  BlockRule saving(std::vector<uint64_t>* words, int64_t num_bytes) const;
  BlockRule taking(const std::vector<uint64_t>& words) const;
};

// Matches of a class rule, which must outlive the result.
PatternRule rule_of_classes(const ClassRule& classes);

// Matches of any pattern, by its position automaton, or by the engine if it has none. Of kFirst, matches after the
// first one of a string may be left out; of kExists, finds some pieces of each string that has a match, and none of
// others.
PatternRule rule_of_matches(const Pattern& pattern, MatchUse use = MatchUse::kPieces);

}  // namespace stringops::kernels
