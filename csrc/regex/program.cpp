#include "regex/program.h"

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>

namespace stringops {
namespace {

// Instructions are the nodes, and the empty steps between them.
struct Instruction {
  enum class Op : uint8_t { kSet, kEither, kAssertion, kBorder, kMatch, kFail };
  Op op;
  uint32_t next = 0;
  uint32_t other = 0;  // kEither: tried after `next`
  uint32_t arg = 0;    // kSet: the set; kAssertion: its number; kBorder: of a group (Program::borders)
};

// Larger patterns are not supported. RE2 rejects most of these before.
constexpr size_t kMaxInstructions = 1 << 18;
constexpr size_t kMaxEdges = 1 << 21;  // of all contexts
constexpr size_t kMaxSteps = 1 << 24;  // empty ones, to find the edges: 50 ms
constexpr size_t kMaxAssertions = 32;
constexpr size_t kMaxContexts = 64;
constexpr size_t kMaxBorders = 1 << 18;  // of groups, in all lists

struct Unsupported {};

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

CodepointSet word_set() {
  return CodepointSet({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}});
}

}  // namespace

class Compiler {
 public:
  explicit Compiler(bool captures) : captures_(captures) {}

  Program run(const Syntax& syntax) {
    first_ = emit(syntax.root, add({Instruction::Op::kMatch}));
    number_nodes();
    classify();
    program_.borders_.emplace_back();
    for (uint64_t truth : truths_) program_.edges_.push_back(find_edges(truth));
    program_.has_captures_ = captures_;
    return std::move(program_);
  }

 private:
  struct Condition {
    Assertion assertion;
    CodepointSet set;
  };

  uint32_t add(Instruction instruction) {
    if (code_.size() >= kMaxInstructions) throw Unsupported();
    code_.push_back(instruction);
    return static_cast<uint32_t>(code_.size() - 1);
  }

  uint32_t set_number(const CodepointSet& set) {
    for (size_t i = recent_.size(); i-- > 0;) {
      if (sets_[recent_[i]] == set) return recent_[i];
    }
    for (size_t i = 0; i < sets_.size(); ++i) {
      if (sets_[i] != set) continue;
      remember(static_cast<uint32_t>(i));
      return static_cast<uint32_t>(i);
    }
    sets_.push_back(set);
    remember(static_cast<uint32_t>(sets_.size() - 1));
    return static_cast<uint32_t>(sets_.size() - 1);
  }

  void remember(uint32_t set) {
    if (recent_.size() >= 4) recent_.erase(recent_.begin());
    recent_.push_back(set);
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
        for (size_t i = node.children.size(); i-- > 0;) next = emit(node.children[i], next);
        return next;
      case Node::Op::kAlternate: {
        uint32_t rest = emit(node.children.back(), next);
        for (size_t i = node.children.size() - 1; i-- > 0;) {
          const uint32_t child = emit(node.children[i], next);
          rest = add({Op::kEither, child, rest});
        }
        return rest;
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
    throw Unsupported();
  }

  uint32_t emit_assertion(Assertion assertion, const CodepointSet& set, uint32_t next) {
    const bool is_ahead = assertion == Assertion::kLookAhead || assertion == Assertion::kLookAheadNot;
    size_t i = 0;
    while (i < conditions_.size() &&
           (conditions_[i].assertion != assertion || (is_ahead && conditions_[i].set != set))) {
      ++i;
    }
    if (i == conditions_.size()) {
      if (i == kMaxAssertions) throw Unsupported();
      conditions_.push_back({assertion, is_ahead ? set : CodepointSet()});
    }
    return add({Instruction::Op::kAssertion, next, 0, static_cast<uint32_t>(i)});
  }

  uint32_t either(bool greedy, uint32_t more, uint32_t enough) {
    return greedy ? add({Instruction::Op::kEither, more, enough}) : add({Instruction::Op::kEither, enough, more});
  }

  // The expansion is that of RE2, so that empty paths come in the same order: x{2,4} is xx(x(x)?)?, x{2,} is xx+, and
  // x* is (x+)? if x can be empty.
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

  // Nodes are numbered from left to right: what follows in the pattern has been emitted before.
  void number_nodes() {
    for (size_t pc = code_.size(); pc-- > 0;) {
      if (code_[pc].op != Instruction::Op::kSet) continue;
      program_.sets_.push_back(code_[pc].arg);
      pcs_.push_back(static_cast<uint32_t>(pc));
    }
    node_of_.resize(code_.size());
    for (size_t i = 0; i < pcs_.size(); ++i) node_of_[pcs_[i]] = static_cast<uint32_t>(i);
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
    truths_.assign(1, 0);
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
    std::map<std::vector<uint64_t>, uint8_t> columns, rows;
    for (uint32_t c = 0; c <= end; ++c) {
      std::vector<uint64_t> column;
      for (const uint32_t before : examples) column.push_back(truth(before, c));
      if (columns.size() == kMaxContexts) throw Unsupported();
      program_.kinds_after_[c] = columns.emplace(column, static_cast<uint8_t>(columns.size())).first->second;
    }
    std::vector<const std::vector<uint64_t>*> by_kind(columns.size());
    for (const auto& [column, kind] : columns) by_kind[kind] = &column;
    std::vector<uint8_t> kind_of_example;
    for (size_t i = 0; i < examples.size(); ++i) {
      std::vector<uint64_t> row;
      for (const auto* column : by_kind) row.push_back((*column)[i]);
      kind_of_example.push_back(rows.emplace(row, static_cast<uint8_t>(rows.size())).first->second);
    }
    for (uint32_t c = 0; c <= end; ++c) program_.kinds_before_[c] = kind_of_example[example_of[c]];
    program_.num_kinds_after_ = static_cast<uint32_t>(columns.size());
    program_.contexts_.resize(rows.size() * columns.size());
    truths_.clear();
    for (const auto& [row, before] : rows) {
      for (size_t after = 0; after < row.size(); ++after) {
        const auto found = std::find(truths_.begin(), truths_.end(), row[after]);
        program_.contexts_[before * row.size() + after] = static_cast<uint32_t>(found - truths_.begin());
        if (found == truths_.end()) truths_.push_back(row[after]);
      }
    }
    if (truths_.size() > kMaxContexts) throw Unsupported();
  }

  Edges find_edges(uint64_t truth) {
    Edges edges;
    visited_.assign(code_.size(), 0);
    uint32_t mark = 0;
    for (uint32_t node = 0; node < program_.num_nodes(); ++node) {
      edges.begins.push_back(static_cast<uint32_t>(edges.targets.size()));
      if (node == program_.accept()) break;
      stack_.assign(1, {node == program_.start() ? first_ : code_[pcs_[node]].next, 0});
      passed_.assign(1, {0, 0});
      ++mark;
      while (!stack_.empty()) {
        const auto [pc, passed] = stack_.back();
        stack_.pop_back();
        if (visited_[pc] == mark) continue;
        visited_[pc] = mark;
        if (++num_steps_ > kMaxSteps) throw Unsupported();
        const Instruction& i = code_[pc];
        switch (i.op) {
          case Instruction::Op::kSet:
            edges.targets.push_back(node_of_[pc]);
            edges.captures.push_back(list_of(passed));
            break;
          case Instruction::Op::kMatch:
            edges.targets.push_back(program_.accept());
            edges.captures.push_back(list_of(passed));
            break;
          case Instruction::Op::kEither:
            stack_.push_back({i.other, passed});
            stack_.push_back({i.next, passed});
            break;
          case Instruction::Op::kBorder:
            passed_.push_back({passed, i.arg});
            stack_.push_back({i.next, static_cast<uint32_t>(passed_.size() - 1)});
            break;
          case Instruction::Op::kAssertion:
            if (truth >> i.arg & 1) stack_.push_back({i.next, passed});
            break;
          case Instruction::Op::kFail:
            break;
        }
      }
      if ((num_edges_ + edges.targets.size()) > kMaxEdges) throw Unsupported();
    }
    num_edges_ += edges.targets.size();
    edges.begins.push_back(static_cast<uint32_t>(edges.targets.size()));
    return edges;
  }

  // The number of the list of borders that end with this one.
  uint32_t list_of(uint32_t passed) {
    if (passed == 0 || !captures_) return 0;
    std::vector<uint32_t> borders;
    for (; passed != 0; passed = passed_[passed].before) borders.push_back(passed_[passed].border);
    std::reverse(borders.begin(), borders.end());
    const auto [found, fresh] = lists_.emplace(std::move(borders), static_cast<uint32_t>(program_.borders_.size()));
    if (fresh) {
      program_.borders_.push_back(found->first);
      num_borders_ += found->first.size();
      captures_ = num_borders_ <= kMaxBorders;
    }
    return found->second;
  }

  struct Reached {
    uint32_t pc, passed;
  };
  struct Passed {
    uint32_t before, border;
  };

  Program program_;
  std::vector<Instruction> code_;
  uint32_t first_ = 0;
  std::vector<CodepointSet> sets_;
  std::vector<uint32_t> recent_;  // sets
  std::vector<Condition> conditions_;
  std::vector<uint32_t> pcs_, node_of_;
  std::vector<uint64_t> truths_;  // of each context
  std::vector<uint32_t> visited_;
  std::vector<Reached> stack_;
  std::vector<Passed> passed_;  // borders on the way, each with the one before; the first one stands for none
  std::map<std::vector<uint32_t>, uint32_t> lists_;
  size_t num_steps_ = 0, num_edges_ = 0, num_borders_ = 0;
  bool captures_;
};

std::optional<Program> Program::compile(const Syntax& syntax, bool captures) {
  try {
    return Compiler(captures).run(syntax);
  } catch (const Unsupported&) {
    return std::nullopt;
  } catch (const std::length_error&) {
    return std::nullopt;
  }
}

}  // namespace stringops
