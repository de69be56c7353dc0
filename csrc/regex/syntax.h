// The syntax tree of a pattern: what the patterns that RE2 accepts mean, without its engine. In addition, what the
// pre-tokenizers of language models use and RE2 rejects: possessive repetitions (`?+ *+ ++ {n,m}+`), and look-aheads of
// one code point (`(?=[a-z])`, `(?!\S)`).
//
// Different spellings of the same make the same tree, as far as possible: groups that do not capture are dissolved, an
// alternation of code points is a set, and so is a literal character.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/testing.h"
#include "regex/codepoint_set.h"

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
  int32_t group = 0;  // from 1, as in RE2
  CodepointSet set;
  std::vector<Node> children;

  bool operator==(const Node& other) const;
  bool operator!=(const Node& other) const { return !(*this == other); }

  bool is_set() const { return op == Op::kSet; }
};

struct Syntax {
  Node root;
  int32_t num_groups = 0;
  // Whether it uses what RE2 does not have; and the pattern without that, for RE2 to find errors.
  bool is_beyond_re2 = false;
  std::string without_extensions;
};

constexpr int32_t kMaxDepth = 1000;  // of groups in groups; the parser is recursive

// Nothing if the pattern has a fault, or syntax that is not known here (RE2 tells which), or deeper groups.
std::optional<Syntax> parse_syntax(std::string_view pattern);

}  // namespace stringops

// The number of ranges of a pattern that is a set of code points, or -1; writes the first `capacity` ones.
STRINGOPS_TEST_HOOK int64_t stringops_parse_set(const char* pattern, int64_t size, uint32_t* ranges, int64_t capacity);
