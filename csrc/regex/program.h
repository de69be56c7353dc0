// A pattern as an automaton without empty transitions (Glushkov's): a node for each place of the pattern that takes a
// code point, one before the first, and one that accepts. Its edges depend on what is around them, as far as there are
// assertions: on the kinds of the code points before and after.
//
// Unlike a program of bytes, one over code points is small: \pL is one node, and a\d{100} has 101. A deterministic
// automaton made of it reads code points, too, whose classes do not depend on its state, so that the processor finds
// them ahead.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "regex/codepoint_classes.h"
#include "regex/syntax.h"

namespace stringops {

// Edges, by the node from which they come; first those that a backtracking engine tries first.
struct Edges {
  std::vector<uint32_t> begins;  // of each node in `targets`, and its end
  std::vector<uint32_t> targets;
  std::vector<uint32_t> captures;  // of each target: a list of borders of groups (Program::borders)
};

class Program {
 public:
  // Nothing if the pattern has something that is not supported, or is too large. Edges tell what groups capture if
  // `captures`, and if that does not need too much memory.
  static std::optional<Program> compile(const Syntax& syntax, bool captures);

  const CodepointClasses& classes() const { return classes_; }
  // Classes are those of code points, and one after them: the end of the text, or its beginning.
  uint32_t num_classes() const { return static_cast<uint32_t>(classes_.size()) + 1; }
  uint32_t end_class() const { return static_cast<uint32_t>(classes_.size()); }

  uint32_t num_nodes() const { return start() + 2; }
  uint32_t start() const { return static_cast<uint32_t>(sets_.size()); }
  uint32_t accept() const { return start() + 1; }
  bool takes(uint32_t node, uint32_t c) const { return classes_.contains(sets_[node], static_cast<int32_t>(c)); }

  // The kind of a code point of class c, before or after an edge; and which edges there are between two.
  uint8_t kind_before(uint32_t c) const { return kinds_before_[c]; }
  uint8_t kind_after(uint32_t c) const { return kinds_after_[c]; }
  uint32_t context(uint8_t before, uint8_t after) const { return contexts_[before * num_kinds_after_ + after]; }
  const std::vector<Edges>& edges() const { return edges_; }  // of each context
  bool has_captures() const { return has_captures_; }
  // The borders of groups that an edge passes: twice the number of the group, and 1 at its end.
  const std::vector<uint32_t>& borders(uint32_t captures) const { return borders_[captures]; }

 private:
  friend class Compiler;
  CodepointClasses classes_;
  std::vector<uint32_t> sets_;  // of each node
  std::vector<uint8_t> kinds_before_, kinds_after_;
  uint32_t num_kinds_after_ = 1;
  std::vector<uint32_t> contexts_;
  std::vector<Edges> edges_;
  bool has_captures_ = false;
  std::vector<std::vector<uint32_t>> borders_;  // lists, the first one empty
};

}  // namespace stringops
