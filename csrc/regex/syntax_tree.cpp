#include "regex/syntax_sets.h"

#include <utility>

namespace stringops {
namespace {

using Op = Node::Op;

Repetition repeat_of(const Node& node) {
  if (node.op != Op::kRepeat) return {};
  return {node.min, node.max, node.greedy, node.possessive};
}

// The set of a node that is one, or a repetition of one.
const CodepointSet* repeated_set(const Node& node) {
  if (node.is_set()) return &node.set;
  return node.op == Op::kRepeat && node.children[0].is_set() ? &node.children[0].set : nullptr;
}

bool is_fixed(const Repetition& repeat) {
  return repeat.min == repeat.max;
}

// Makes \w\w+ and \w+\w into \w{2,}: of two repetitions of one set the longer matches come first, as of one.
bool merge_repeats(Node* first, const Node& second) {
  const CodepointSet *a = repeated_set(*first), *b = repeated_set(second);
  if (!a || !b || *a != *b) return false;
  const Repetition one = repeat_of(*first), two = repeat_of(second);
  if (is_fixed(one) && is_fixed(two)) return false;  // the characters of a text
  if (!one.greedy || !two.greedy || one.possessive || (two.possessive && !is_fixed(one))) return false;
  const int32_t max = one.max < 0 || two.max < 0 ? -1 : one.max + two.max;
  *first = make_repeat(make_set(*a), {one.min + two.min, max, true, two.possessive});
  return true;
}

bool is_simple(const Repetition& repeat) {
  return !repeat.possessive && repeat.min <= 1 && (repeat.max < 0 || repeat.max == 1);
}

}  // namespace

bool Node::operator==(const Node& other) const {
  return op == other.op && assertion == other.assertion && greedy == other.greedy && possessive == other.possessive &&
         min == other.min && max == other.max && group == other.group && set == other.set && children == other.children;
}

Node make_set(CodepointSet set) {
  Node node;
  node.op = Op::kSet;
  node.set = std::move(set);
  return node;
}

Node make_concat(std::vector<Node> items) {
  Node node;
  node.op = Op::kConcat;
  std::vector<Node>& out = node.children;
  const auto append = [&](Node item) {
    if (item.op == Op::kEmpty) return;
    out.push_back(std::move(item));
    while (out.size() > 1 && merge_repeats(&out[out.size() - 2], out.back())) out.pop_back();
  };
  for (Node& item : items) {
    if (item.op != Op::kConcat) {
      append(std::move(item));
    } else {
      for (Node& part : item.children) append(std::move(part));
    }
  }
  if (out.empty()) return {};
  if (out.size() > 1) return node;
  Node only = std::move(out[0]);
  return only;
}

Node make_alternate(std::vector<Node> alternatives) {
  std::vector<Node> flat;
  for (Node& alternative : alternatives) {
    if (alternative.op != Op::kAlternate) {
      flat.push_back(std::move(alternative));
    } else {
      std::move(alternative.children.begin(), alternative.children.end(), std::back_inserter(flat));
    }
  }
  Node node;
  node.op = Op::kAlternate;
  for (size_t i = 0; i < flat.size(); ++i) {
    // Adjacent sets are one.
    std::vector<CodepointRange> ranges;
    size_t end = i;
    for (; end < flat.size() && flat[end].is_set(); ++end) {
      ranges.insert(ranges.end(), flat[end].set.ranges().begin(), flat[end].set.ranges().end());
    }
    if (end - i > 1) {
      node.children.push_back(make_set(CodepointSet(std::move(ranges))));
      i = end - 1;
    } else {
      node.children.push_back(std::move(flat[i]));
    }
  }
  if (node.children.size() > 1) return node;
  Node only = std::move(node.children[0]);
  return only;
}

Node make_repeat(Node item, Repetition repeat) {
  if (item.op == Op::kEmpty || repeat.max == 0) return {};
  if (item.is_set() && is_fixed(repeat)) repeat.possessive = false;
  if (is_fixed(repeat) || repeat.possessive) repeat.greedy = true;
  if (is_fixed(repeat) && repeat.min == 1 && !repeat.possessive) return item;
  if (item.op == Op::kRepeat && item.children[0].is_set() && item.greedy == repeat.greedy) {
    // \w+ repeated, optionally or not.
    const Repetition inner = repeat_of(item);
    if (is_simple(inner) && is_simple(repeat)) {
      item.min *= repeat.min;
      item.max = inner.max < 0 || repeat.max < 0 ? -1 : 1;
      return item;
    }
  }
  Node node;
  node.op = Op::kRepeat;
  node.min = repeat.min;
  node.max = repeat.max;
  node.greedy = repeat.greedy;
  node.possessive = repeat.possessive;
  node.children.push_back(std::move(item));
  return node;
}

Node make_group(Node item, int32_t index) {
  Node node;
  node.op = Op::kGroup;
  node.group = index;
  node.children.push_back(std::move(item));
  return node;
}

}  // namespace stringops
