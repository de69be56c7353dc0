#include "regex/program.h"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace stringops {
namespace {

// Bounds the time of a step and the memory. A pattern has at most as many bytes, so that hardly any without counts of
// repetitions exceeds it.
constexpr size_t kMaxInstructions = 1 << 18;
constexpr size_t kMaxAssertions = 64;
// Bounds the stack.
constexpr size_t kMaxShared = 64;

// Returns whether a node can match an empty text, regardless of assertions.
bool can_be_empty(const Node& node) {
  using Op = Node::Op;
  switch (node.op) {
    case Op::kSet:
      return false;
    case Op::kConcat:
      return std::all_of(node.children.begin(), node.children.end(), can_be_empty);
    case Op::kAlternate:
      return std::any_of(node.children.begin(), node.children.end(), can_be_empty);
    case Op::kRepeat:
      return node.min == 0 || can_be_empty(node.children[0]);
    case Op::kGroup:
      return can_be_empty(node.children[0]);
    default:
      return true;
  }
}

struct LessRanges {
  bool operator()(const CodepointSet& a, const CodepointSet& b) const {
    return std::lexicographical_compare(
        a.ranges().begin(), a.ranges().end(), b.ranges().begin(), b.ranges().end(),
        [](const auto& x, const auto& y) { return std::tie(x.first, x.last) < std::tie(y.first, y.last); });
  }
};

CodepointSet word_set() {
  return CodepointSet({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}});
}

}  // namespace

class Compiler {
 public:
  explicit Compiler(bool captures) : captures_(captures) {}

  Program run(const Syntax& syntax) {
    const uint32_t accept = add({Instruction::Op::kMatch});
    const uint32_t start = add({Instruction::Op::kStart, emit(syntax.root, accept)});
    number_nodes(start, accept);
    classify();
    return std::move(program_);
  }

 private:
  struct Condition {
    Assertion assertion;
    CodepointSet set;
  };

  uint32_t add(Instruction instruction) {
    if (code_.size() == kMaxInstructions) {
      throw std::length_error("expected at most " + std::to_string(kMaxInstructions) + " instructions, got more");
    }
    code_.push_back(instruction);
    return static_cast<uint32_t>(code_.size() - 1);
  }

  uint32_t set_number(const CodepointSet& set) {
    const auto [found, fresh] = numbers_.emplace(set, static_cast<uint32_t>(sets_.size()));
    if (fresh) sets_.push_back(set);
    return found->second;
  }

  // Adds what matches `node` and goes on at `next`. Returns where it begins.
  uint32_t emit(const Node& node, uint32_t next) {
    using Op = Instruction::Op;
    switch (node.op) {
      case Node::Op::kEmpty:
        return next;
      case Node::Op::kSet:
        if (node.set.empty()) return add({Op::kFail});
        return add({Op::kSet, next, 0, set_number(node.set)});
      case Node::Op::kConcat:
        return emit_sequence(sequence_of(node), next);
      case Node::Op::kAlternate: {
        std::vector<Sequence> alternatives;
        for (const Node& child : node.children) alternatives.push_back(sequence_of(child));
        return emit_alternatives(std::move(alternatives), next);
      }
      case Node::Op::kRepeat:
        return node.possessive ? emit_possessive(node, next) : emit_repeat(node, next);
      case Node::Op::kGroup:
        if (!captures_) return emit(node.children[0], next);
        next = add({Op::kBorder, next, 0, 2 * static_cast<uint32_t>(node.group) + 1});
        next = emit(node.children[0], next);
        return add({Op::kBorder, next, 0, 2 * static_cast<uint32_t>(node.group)});
      case Node::Op::kAssertion:
        return emit_assertion(node.assertion, node.set, next);
    }
    return next;
  }

  // Nodes one after the other.
  struct Sequence {
    const Node *begin, *end;
  };

  static Sequence sequence_of(const Node& node) {
    if (node.op == Node::Op::kEmpty) return {&node, &node};
    if (node.op != Node::Op::kConcat) return {&node, &node + 1};
    return {node.children.data(), node.children.data() + node.children.size()};
  }

  // Whether both have the same set at an index.
  static bool share(const Sequence& a, const Sequence& b, size_t index) {
    const auto has = [&](const Sequence& s) { return index < static_cast<size_t>(s.end - s.begin); };
    return has(a) && has(b) && a.begin[index].is_set() && a.begin[index] == b.begin[index];
  }

  uint32_t emit_sequence(Sequence sequence, uint32_t next) {
    while (sequence.end > sequence.begin) next = emit(*--sequence.end, next);
    return next;
  }

  // The character that a sequence begins with; nothing if it begins with something else.
  static std::optional<uint32_t> first_character(const Sequence& s) {
    if (s.begin == s.end || !s.begin->is_set()) return std::nullopt;
    const auto& ranges = s.begin->set.ranges();
    if (ranges.size() != 1 || ranges[0].first != ranges[0].last) return std::nullopt;
    return ranges[0].first;
  }

  // Adjacent alternatives that begin with the same sets share these, so that a list of words becomes a tree. The order
  // of alternatives that begin with different characters makes no difference.
  uint32_t emit_alternatives(std::vector<Sequence> all, uint32_t next) {
    for (auto begin = all.begin(), end = begin; begin < all.end(); begin = end + (end < all.end())) {
      end = std::find_if_not(begin, all.end(), first_character);
      std::stable_sort(begin, end,
                       [](const auto& a, const auto& b) { return first_character(a) < first_character(b); });
    }
    std::optional<uint32_t> rest;
    for (size_t end = all.size(), begin = end; end > 0; end = begin) {
      while (--begin > 0 && num_shared_ < kMaxShared && share(all[begin - 1], all[begin], 0)) {
      }
      uint32_t pc = next;
      if (end - begin == 1) {
        pc = emit_sequence(all[begin], next);
      } else {
        size_t shared = 1;
        const auto all_share = [&](const Sequence& s) { return share(all[begin], s, shared); };
        while (std::all_of(&all[begin], &all[end - 1] + 1, all_share)) ++shared;
        std::vector<Sequence> tails(&all[begin], &all[end - 1] + 1);
        for (Sequence& tail : tails) tail.begin += shared;
        ++num_shared_;
        pc = emit_sequence({all[begin].begin, all[begin].begin + shared}, emit_alternatives(std::move(tails), next));
        --num_shared_;
      }
      rest = rest ? add({Instruction::Op::kEither, pc, *rest}) : pc;
    }
    return *rest;
  }

  uint32_t emit_assertion(Assertion assertion, const CodepointSet& set, uint32_t next) {
    const bool is_ahead = assertion == Assertion::kLookAhead || assertion == Assertion::kLookAheadNot;
    size_t i = 0;
    while (i < conditions_.size() &&
           (conditions_[i].assertion != assertion || (is_ahead && conditions_[i].set != set))) {
      ++i;
    }
    if (i == conditions_.size()) {
      if (i == kMaxAssertions) {
        throw std::length_error("expected at most " + std::to_string(kMaxAssertions) +
                                " different look-aheads, got more");
      }
      conditions_.push_back({assertion, is_ahead ? set : CodepointSet()});
    }
    return add({Instruction::Op::kAssertion, next, 0, static_cast<uint32_t>(i)});
  }

  uint32_t either(bool greedy, uint32_t more, uint32_t enough) {
    return greedy ? add({Instruction::Op::kEither, more, enough}) : add({Instruction::Op::kEither, enough, more});
  }

  // x{2,4} is xx(x(x)?)?, x{2,} is xx+, and x* is (x+)? if x can be empty: the order of empty paths depends on it.
  uint32_t emit_repeat(const Node& node, uint32_t next) {
    const Node& child = node.children[0];
    if (node.max < 0) {
      const uint32_t loop = either(node.greedy, 0, next);
      uint32_t begin = emit(child, loop);
      (node.greedy ? code_[loop].next : code_[loop].other) = begin;
      for (int32_t i = 1; i < node.min; ++i) begin = emit(child, begin);
      if (node.min > 0) return begin;
      return can_be_empty(child) ? either(node.greedy, begin, next) : loop;
    }
    uint32_t begin = next;
    for (int32_t i = node.min; i < node.max; ++i) begin = either(node.greedy, emit(child, begin), next);
    for (int32_t i = 0; i < node.min; ++i) begin = emit(child, begin);
    return begin;
  }

  // Repeats one code point possessively: there may be fewer than the maximum only where another one does not follow.
  uint32_t emit_possessive(const Node& node, uint32_t next) {
    const Node& child = node.children[0];
    Node repeat = node;
    repeat.possessive = false;
    repeat.greedy = true;
    if (node.max < 0) return emit_repeat(repeat, emit_assertion(Assertion::kLookAheadNot, child.set, next));
    const uint32_t fewer = emit_assertion(Assertion::kLookAheadNot, child.set, next);
    uint32_t begin = next;
    for (int32_t i = node.min; i < node.max; ++i) begin = either(true, emit(child, begin), fewer);
    for (int32_t i = 0; i < node.min; ++i) begin = emit(child, begin);
    return begin;
  }

  // What follows in the pattern has been emitted before.
  void number_nodes(uint32_t start, uint32_t accept) {
    std::vector<uint32_t>& pcs = program_.pcs_;
    for (size_t pc = code_.size(); pc-- > 0;) {
      if (code_[pc].op == Instruction::Op::kSet) pcs.push_back(static_cast<uint32_t>(pc));
    }
    pcs.push_back(start);
    pcs.push_back(accept);
    program_.nodes_.resize(code_.size());
    for (size_t node = 0; node < pcs.size(); ++node) program_.nodes_[pcs[node]] = static_cast<uint32_t>(node);
  }

  void classify() {
    std::vector<CodepointSet> sets = sets_;
    const size_t first_ahead = sets.size();
    for (const Condition& condition : conditions_) sets.push_back(condition.set);
    const size_t words = sets.size(), newlines = words + 1;
    if (!conditions_.empty()) {
      sets.push_back(word_set());
      sets.emplace_back('\n', '\n');
    }
    program_.classes_ = CodepointClasses(sets);
    const uint32_t end = program_.end_class();
    program_.kinds_before_.assign(end + 1, 0);
    program_.kinds_after_.assign(end + 1, 0);
    program_.contexts_.assign(1, 0);
    program_.truths_.assign(1, 0);
    if (conditions_.empty()) return;

    const auto in = [&](size_t set, uint32_t c) {
      return c != end && program_.classes_.contains(set, static_cast<int32_t>(c));
    };
    // Whether each condition holds between code points of two classes; `end` is the end of the text.
    const auto truth = [&](uint32_t before, uint32_t after) {
      uint64_t all = 0;
      for (size_t i = 0; i < conditions_.size(); ++i) {
        const bool boundary = in(words, before) != in(words, after);
        bool holds = false;
        switch (conditions_[i].assertion) {
          case Assertion::kTextBegin:
            holds = before == end;
            break;
          case Assertion::kTextEnd:
            holds = after == end;
            break;
          case Assertion::kLineBegin:
            holds = before == end || in(newlines, before);
            break;
          case Assertion::kLineEnd:
            holds = after == end || in(newlines, after);
            break;
          case Assertion::kWordBoundary:
            holds = boundary;
            break;
          case Assertion::kNotWordBoundary:
            holds = !boundary;
            break;
          case Assertion::kLookAhead:
            holds = in(first_ahead + i, after);
            break;
          case Assertion::kLookAheadNot:
            holds = !in(first_ahead + i, after);
            break;
        }
        all |= uint64_t{holds} << i;
      }
      return all;
    };
    // Classes are of one kind if it makes no difference which of them is there. Before an edge, only words, newlines
    // and the beginning differ: four of them stand for all classes.
    std::vector<uint32_t> examples;
    std::vector<uint32_t> example_of(end + 1);
    for (uint32_t c = 0; c <= end; ++c) {
      size_t i = 0;
      const auto group = [&](uint32_t d) { return std::make_pair(d == end, in(words, d) ? 2 : in(newlines, d)); };
      while (i < examples.size() && group(examples[i]) != group(c)) ++i;
      if (i == examples.size()) examples.push_back(c);
      example_of[c] = static_cast<uint32_t>(i);
    }
    std::map<std::vector<uint64_t>, uint16_t> columns, rows;
    for (uint32_t c = 0; c <= end; ++c) {
      std::vector<uint64_t> column;
      for (const uint32_t before : examples) column.push_back(truth(before, c));
      program_.kinds_after_[c] = columns.emplace(column, static_cast<uint16_t>(columns.size())).first->second;
    }
    std::vector<const std::vector<uint64_t>*> by_kind(columns.size());
    for (const auto& [column, kind] : columns) by_kind[kind] = &column;
    std::vector<uint16_t> kind_of_example;
    for (size_t i = 0; i < examples.size(); ++i) {
      std::vector<uint64_t> row;
      for (const auto* column : by_kind) row.push_back((*column)[i]);
      kind_of_example.push_back(rows.emplace(row, static_cast<uint16_t>(rows.size())).first->second);
    }
    for (uint32_t c = 0; c <= end; ++c) program_.kinds_before_[c] = kind_of_example[example_of[c]];
    program_.num_kinds_after_ = static_cast<uint32_t>(columns.size());
    program_.contexts_.resize(rows.size() * columns.size());
    program_.truths_.clear();
    std::unordered_map<uint64_t, uint32_t> known;
    for (const auto& [row, before] : rows) {
      for (size_t after = 0; after < row.size(); ++after) {
        const auto [found, fresh] = known.emplace(row[after], program_.num_contexts());
        program_.contexts_[before * row.size() + after] = found->second;
        if (fresh) program_.truths_.push_back(row[after]);
      }
    }
  }

  Program program_;
  std::vector<Instruction>& code_ = program_.code_;
  std::vector<CodepointSet> sets_;
  std::map<CodepointSet, uint32_t, LessRanges> numbers_;  // of sets_
  std::vector<Condition> conditions_;
  size_t num_shared_ = 0;  // calls of emit_alternatives inside each other
  const bool captures_;
};

Program Program::compile(const Syntax& syntax, bool captures) {
  return Compiler(captures).run(syntax);
}

bool Program::matches_at_most(uint32_t limit) const {
  std::vector<uint32_t> lengths(code_.size());  // from each instruction on
  for (uint32_t pc = 0; pc < code_.size(); ++pc) {
    const Instruction& i = code_[pc];
    if (i.op == Instruction::Op::kMatch || i.op == Instruction::Op::kFail) continue;
    // What follows has been emitted before, but for the beginning of a loop.
    if (i.next >= pc || i.other >= pc) return false;
    lengths[pc] = lengths[i.next] + (i.op == Instruction::Op::kSet);
    if (i.op == Instruction::Op::kEither) lengths[pc] = std::max(lengths[pc], lengths[i.other]);
    if (lengths[pc] > limit) return false;
  }
  return true;
}

}  // namespace stringops
