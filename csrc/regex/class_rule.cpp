#include "regex/class_rule.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>
#include <utility>

#include "core/lazy.h"
#include "regex/simple_patterns.h"
#include "regex/word_rule.h"

namespace stringops {
namespace {

using Op = Node::Op;
bool intersect(CodepointSet a, const CodepointSet& b) {
  a.intersect(b);
  return !a.empty();
}

bool is_ascii(const CodepointSet& set) {
  return set.empty() || set.ranges().back().last < 0x80;
}

const CodepointSet& ascii_word() {
  return lazy([] { return CodepointSet({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}); });
}

// Reads the alternatives into a rule. Each step returns false if the pattern has no rule.
class Reader {
 public:
  explicit Reader(MatchRule rule) : longest_(rule == MatchRule::kLongest) {}

  std::optional<ClassRule> run(const Node& root) {
    const bool is_list = root.op == Op::kAlternate;
    const bool has_rule = is_list ? std::all_of(root.children.begin(), root.children.end(),
                                                [&](const Node& alternative) { return take(alternative); })
                                  : take(root);
    if (!has_rule) return std::nullopt;
    return finish();
  }

 private:
  struct Part {
    CodepointSet set;
    bool is_run;
  };

  bool take(const Node& node) {
    if (node.is_set()) return add({node.set, false});
    // Runs of word characters begin and end at word boundaries.
    const bool has_boundaries = node.op == Op::kConcat && node.children.size() == 3 && is_boundary(node.children[0]) &&
                                is_boundary(node.children[2]);
    const Node& run = has_boundaries ? node.children[1] : node;
    // Of a run, the longest matches are preferred.
    if (run.op != Op::kRepeat || run.min == 0 || run.max >= 0 || !run.children[0].is_set()) return false;
    if (!(run.greedy || longest_) || (has_boundaries && run.children[0].set != ascii_word())) return false;
    if (run.min > ClassRule::kMaxMinimum || (run.min > 1 && !parts_.empty())) return false;
    if (!add({run.children[0].set, true})) return false;
    rule_.min_codepoints = run.min;  // shorter runs are left out
    return true;
  }

  static bool is_boundary(const Node& node) {
    return node.op == Op::kAssertion && node.assertion == Assertion::kWordBoundary;
  }

  bool add(Part part) {
    if (part.set.empty() || parts_.size() == ClassRule::kMaxClasses || rule_.min_codepoints > 1) return false;
    for (const Part& other : parts_) {
      if (intersect(part.set, other.set)) return false;
    }
    parts_.push_back(std::move(part));
    return true;
  }

  std::optional<ClassRule> finish() {
    CodepointSet outside(0x80, kMaxCodepoint);
    outside.invert();
    bool needs_table = false;
    std::vector<CodepointSet> sets;
    for (const Part& part : parts_) {
      ClassRule::Class made;
      made.is_run = part.is_run;
      made.chars = ascii_chars(part.set);
      made.has_beyond = !is_ascii(part.set);
      CodepointSet all = part.set;
      all.add(outside);
      all.invert();
      made.chars.beyond_ascii = all.empty();
      needs_table |= made.has_beyond && !made.chars.beyond_ascii;
      sets.push_back(part.set);
      rule_.classes.push_back(std::move(made));
    }
    if (needs_table) rule_.table = std::make_shared<const ClassTable>(sets);
    return rule_;
  }

  const bool longest_;
  ClassRule rule_;
  std::vector<Part> parts_;
};

}  // namespace

ClassTable::ClassTable(const std::vector<CodepointSet>& classes) {
  constexpr size_t kSize = size_t{1} << kBits;
  std::vector<uint8_t> all(kMaxCodepoint + 1, static_cast<uint8_t>(classes.size()));
  for (size_t k = 0; k < classes.size(); ++k) {
    for (const auto& [first, last] : classes[k].ranges())
      std::memset(&all[first], static_cast<int>(k), last - first + 1);
  }
  std::map<std::string_view, uint16_t> numbers;
  std::string_view before;  // most blocks are like the one before them
  for (size_t begin = 0; begin < all.size(); begin += kSize) {
    const std::string_view block(reinterpret_cast<const char*>(&all[begin]), kSize);
    if (block == before) {
      blocks_.push_back(blocks_.back());
      continue;
    }
    const auto [entry, fresh] = numbers.try_emplace(block, static_cast<uint16_t>(numbers.size()));
    if (fresh) entries_.insert(entries_.end(), block.begin(), block.end());
    blocks_.push_back(entry->second);
    before = block;
  }
}

std::optional<ClassRule> class_rule(const Syntax& syntax, MatchRule rule) {
  if (!captures_all(syntax)) return std::nullopt;
  if (const auto words = word_rule(syntax, rule)) {
    ClassRule made;
    made.words = words;
    return made;
  }
  return Reader(rule).run(without_groups(syntax.root));
}

std::optional<ClassRule> with_minimum(const ClassRule& rule, int64_t min_codepoints) {
  if (min_codepoints <= rule.min_codepoints) return rule;
  if (min_codepoints > ClassRule::kMaxMinimum) return std::nullopt;
  if (rule.words) return std::nullopt;
  ClassRule result = rule;
  result.min_codepoints = min_codepoints;
  return result;
}

std::optional<ClassRule> class_rule_of_runs(const CodepointSet& set) {
  Syntax syntax;
  syntax.root.op = Op::kRepeat;
  syntax.root.min = 1;
  syntax.root.max = -1;
  syntax.root.children.resize(1);
  syntax.root.children[0].op = Op::kSet;
  syntax.root.children[0].set = set;
  return class_rule(syntax, MatchRule::kLongest);
}

}  // namespace stringops
