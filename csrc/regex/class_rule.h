// Patterns whose matches are runs of classes of code points: `\w+|[^\w\s]`, `\d+|[A-Z][a-z]+|[a-z]+`, and
// `'(?:[sdmt]|ll|ve|re)| ?\pL+| ?\pN+| ?[^\s\pL\pN]+|\s+(?!\S)|\s+`, and runs with single characters between them, as
// in `\d+(?:\.\d+)?|\w+(?:['-]\w+)*`.
//
// No two alternatives begin with the same code point, but for the lead. So the class of a code point, and those of the
// ones next to it, tell where a match begins and ends.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/char_class.h"
#include "regex/class_table.h"
#include "regex/match_rule.h"
#include "regex/syntax.h"
#include "regex/word_rule.h"

namespace stringops {

struct ClassRule {
  static constexpr size_t kMaxClasses = 7;
  static constexpr int64_t kMaxMinimum = 64;

  enum class Kind : uint8_t {
    kRun,             // S+
    kSingle,          // S
    kPrefix,          // ST+, where T is another run; S is ASCII
    kOptionalPrefix,  // ST*
  };

  struct Class {
    Kind kind = Kind::kRun;
    CharSet chars;  // its ASCII characters; and all others, if they all are of this class
    bool has_beyond = false;
    bool has_lead = false;  // a character of `lead` before a match is part of it
    int follow = -1;        // of a prefix: the class T
    // For a run: a character of `joints`, which are ASCII and not of the class, between two characters of the run is
    // part of the match, too; or only the first such character in a match.
    CharSet joints;
    bool joins_once = false;

    bool has_joints() const { return joints != CharSet(); }
  };

  std::vector<Class> classes;
  // The table is set for classes that have some of the code points beyond ASCII.
  std::shared_ptr<const ClassTable> table;
  // The lead: of no class, or all of class `lead_class`, and then ASCII. In a run of that class only the first
  // character can be a lead, unless the run gives its last one back. If the lead has code points beyond ASCII, the
  // table gives them the number of classes.
  std::optional<CharSet> lead;
  bool lead_has_beyond = false;
  int lead_class = -1;
  // The class of S in `S+(?!T)|S+`, where T are all others: before them, a run leaves its last character for the next
  // match, if it has two. Its code points are ASCII.
  int gives_back = -1;
  // A character, which is ASCII and of class `mark_class` or none, and endings of one or two characters that follow it
  // where a match begins with it: "'" and "s", "ll". They are ASCII and of runs.
  struct Ending {
    std::vector<CharSet> chars;
  };
  uint8_t mark = 0;
  int mark_class = -1;
  std::vector<Ending> endings;
  // If set, pieces are those of this rule, and there are no classes.
  std::optional<WordRule> words;
  // Matches of fewer code points are left out.
  int64_t min_codepoints = 1;

  bool has_joints() const {
    return std::any_of(classes.begin(), classes.end(), [](const Class& c) { return c.has_joints(); });
  }
};

std::optional<ClassRule> class_rule(const Syntax& syntax, MatchRule rule);

// The rule of matches that have at least `min_codepoints`, or nothing: where a shorter match is left out, the next one
// is searched from its second code point on.
std::optional<ClassRule> with_minimum(const ClassRule& rule, int64_t min_codepoints);

// The rule of runs of a set.
std::optional<ClassRule> class_rule_of_runs(const CodepointSet& set);

}  // namespace stringops
