// A pattern as a program of instructions: those that take a code point are the nodes of its automaton, and the others
// are the empty steps (epsilon transitions) between them.
//
// Unlike a program of bytes, one over code points is small: \pL is one node, and a\d{100} has 101. A deterministic
// automaton made of it reads code points, too, whose classes do not depend on its state, so that the processor finds
// them ahead.
#pragma once

#include <cstdint>
#include <vector>

#include "regex/codepoint_classes.h"
#include "regex/syntax.h"

namespace stringops {

struct Instruction {
  enum class Op : uint8_t { kSet, kEither, kAssertion, kBorder, kFail, kMatch, kStart };
  Op op;
  uint32_t next = 0;
  uint32_t other = 0;  // kEither: tried after `next`
  uint32_t arg = 0;  // kSet: the set; kAssertion: its number; kBorder: twice the number of the group, plus 1 at its end
};

class Program {
 public:
  // Throws std::length_error, which says what there is too much of. Without `captures`, groups have no borders.
  static Program compile(const Syntax& syntax, bool captures);

  const CodepointClasses& classes() const { return classes_; }
  // Classes are those of code points, and one after them: the end of the text, or its beginning.
  uint32_t num_classes() const { return static_cast<uint32_t>(classes_.size()) + 1; }
  uint32_t end_class() const { return static_cast<uint32_t>(classes_.size()); }

  // Nodes are numbered from left to right: those that take a code point, then the one where paths begin, and the one
  // where they end.
  uint32_t num_nodes() const { return static_cast<uint32_t>(pcs_.size()); }
  uint32_t start() const { return num_nodes() - 2; }
  uint32_t accept() const { return num_nodes() - 1; }
  uint32_t set(uint32_t node) const { return code_[pcs_[node]].arg; }
  bool takes(uint32_t node, uint32_t c) const { return classes_.contains(set(node), static_cast<int32_t>(c)); }

  const std::vector<Instruction>& code() const { return code_; }
  uint32_t pc(uint32_t node) const { return pcs_[node]; }
  uint32_t node(uint32_t pc) const { return nodes_[pc]; }

  // Assertions hold or not between code points of two kinds, which is the context of the empty steps there.
  uint16_t kind_before(uint32_t c) const { return kinds_before_[c]; }
  uint16_t kind_after(uint32_t c) const { return kinds_after_[c]; }
  uint32_t context(uint16_t before, uint16_t after) const { return contexts_[before * num_kinds_after_ + after]; }
  uint32_t num_kinds_before() const { return static_cast<uint32_t>(contexts_.size()) / num_kinds_after_; }
  uint32_t num_kinds_after() const { return num_kinds_after_; }
  uint32_t num_contexts() const { return static_cast<uint32_t>(truths_.size()); }
  // A bit for each assertion that holds there.
  uint64_t truth(uint32_t context) const { return truths_[context]; }

  // Returns whether a match has at most so many code points.
  bool matches_at_most(uint32_t limit) const;

 private:
  friend class Compiler;
  CodepointClasses classes_;
  std::vector<Instruction> code_;
  std::vector<uint32_t> pcs_;    // of each node
  std::vector<uint32_t> nodes_;  // of each instruction that is one
  std::vector<uint16_t> kinds_before_, kinds_after_;
  uint32_t num_kinds_after_ = 1;
  std::vector<uint32_t> contexts_;
  std::vector<uint64_t> truths_;  // of each context
};

}  // namespace stringops
