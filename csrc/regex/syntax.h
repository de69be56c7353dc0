// The parser of patterns, and the tree that it makes. The syntax is that of Perl, as far as patterns can be searched in
// linear time: there are no references to groups, and no assertions about more than one code point. The ASCII classes
// are \d, \s, \w and [[:alpha:]], and \p{...} has Unicode's. Extensions, for the pre-tokenizers of language models, are
// possessive repetitions of one code point (`?+ *+ ++ {n,m}+`), and look-aheads at one code point (`(?=[a-z])`,
// `(?!\S)`).
//
// Different spellings of the same make the same tree, as far as possible: groups that do not capture are dissolved, an
// alternation of code points is a set, and so is a literal character.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/codepoint_set.h"
#include "core/testing.h"

namespace stringops {

enum class Assertion : uint8_t {
  kTextBegin,
  kTextEnd,
  kLineBegin,     // at the beginning of the text or after "\n"
  kLineEnd,       // at the end of the text or before "\n"
  kWordBoundary,  // of ASCII words
  kNotWordBoundary,
  kLookAhead,     // before a code point of `set`
  kLookAheadNot,  // before one that is not of `set`, or at the end of the text
};

struct Node {
  enum class Op : uint8_t {
    kEmpty,      // the empty text
    kSet,        // one code point of `set`; if that is empty, no text at all
    kConcat,     // the children, one after the other: at least two, no kConcat, no kEmpty
    kAlternate,  // one of the children, the first ones preferred: at least two, no kAlternate
    kRepeat,     // children[0], `min` to `max` times; max < 0: without limit
    kGroup,      // children[0], captured as `group`
    kAssertion,  // the empty text, where `assertion` holds
  };
  Op op = Op::kEmpty;
  Assertion assertion{};
  bool greedy = true;       // kRepeat: more are preferred, else fewer
  bool possessive = false;  // kRepeat: what the first choice has taken is not given back
  int32_t min = 0, max = 0;
  int32_t group = 0;  // from 1, in the order of their opening parentheses
  CodepointSet set;
  std::vector<Node> children;

  bool operator==(const Node& other) const;
  bool operator!=(const Node& other) const { return !(*this == other); }

  bool is_set() const { return op == Op::kSet; }
};

struct Syntax {
  Node root;
  int32_t num_groups = 0;
  std::vector<std::string> group_names;  // of each group, "" for one without a name
  bool has_extensions = false;
};

// Why a pattern is not accepted: what is wrong, at which code point of the pattern, and what to write instead.
struct SyntaxFault {
  std::string what;
  int64_t position;  // from 0
  std::string cure;
};

// The limits of patterns, which bound the time and the memory of the parser and of what follows.
constexpr int32_t kMaxDepth = 250;                // of groups in groups; the parser and the compiler are recursive
constexpr int32_t kMaxRepeat = 1000;              // of the counts in {n,m}, times those of the repetitions around it
constexpr int64_t kMaxRanges = int64_t{1} << 20;  // of all sets of code points in the pattern

// Parses a pattern of valid UTF-8.
std::variant<Syntax, SyntaxFault> parse_syntax(std::string_view pattern);

}  // namespace stringops

// Returns -1 for a pattern with a fault, 1 for one with extensions, and else 0.
STRINGOPS_TEST_HOOK int32_t stringops_parse(const char* pattern, int64_t size);

// The number of ranges of a pattern that is a set of code points, or -1; writes the first `capacity` ones.
STRINGOPS_TEST_HOOK int64_t stringops_parse_set(const char* pattern, int64_t size, uint32_t* ranges, int64_t capacity);
