// Patterns whose matches are runs of sets and characters one after the other, in which what follows a run cannot be
// part of it: `(\d+)-(\d+)-(\d+)`, `^(\d+\.\d+) \S+ \[([^\]]+)\]$`. So there is one way to match at a position, with
// its groups, and the end of a run is found in a mask. What follows the sequence may be a pattern that is matched in
// one pass: `(\d+) (?:GET|PUT) (\S+)`. Runs before others that may be empty, `#\s*(.*)$`, have several ways, but if the
// preferred one fails, all do.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/char_class.h"
#include "regex/match.h"
#include "regex/match_rule.h"
#include "regex/one_pass.h"
#include "regex/program.h"
#include "regex/simple_patterns.h"
#include "regex/syntax.h"

namespace stringops {

class RunSequence {
 public:
  // Nothing if the pattern is another. `is_one_pass`: it can be matched in one pass.
  static std::optional<RunSequence> compile(const Syntax& syntax, MatchRule rule, bool is_one_pass);

  // Sets groups[0, count) of the match that begins at `begin` in a text of `size` bytes. Returns the number of bytes
  // from there that have been read, about; the match is {begin, -1} if there is none.
  int64_t match(const uint8_t* text, int64_t size, int64_t begin, Match* groups, int64_t count) const;

 private:
  struct Item {
    uint32_t set;
    int64_t min, max;      // of its characters; max < 0: without limit
    uint32_t borders_end;  // in borders_: those of groups that are before it
  };

  // What follows the sequence.
  struct Tail {
    explicit Tail(const Syntax& syntax) : program(Program::compile(syntax, true)), first(first_chars(syntax.root)) {}

    const Program program;
    const std::unique_ptr<const OnePass> one_pass = OnePass::compile(program);
    const std::optional<CharSet> first;
  };

  bool append_sequence(const Syntax& syntax, bool is_one_pass);
  bool append(const Node& node);
  bool append_set(const CodepointSet& set, int64_t min, int64_t max);
  bool has_one_way(MatchRule rule) const;

  bool begins_text_ = false, ends_text_ = false;
  std::shared_ptr<const Tail> tail_;
  std::vector<Item> items_;
  std::vector<CharSet> sets_;
  std::vector<uint32_t> borders_;        // of groups: twice the number, and 1 at the end
  std::array<uint32_t, 256> members_{};  // of each byte: a bit for each set that has it
};

}  // namespace stringops
