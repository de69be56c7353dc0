#include "regex/required_texts.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "regex/folded_text.h"
#include "regex/simple_patterns.h"

namespace stringops {
namespace {

using Op = Node::Op;
using Texts = std::vector<std::string>;

constexpr size_t kMaxVariants = 32;  // of a text whose case is ignored; alternatives together may have more

// The texts of alternatives, of which every match has one; and the bytes of each, if there are few, or more.
constexpr size_t kMaxRequired = 4096;
constexpr size_t kMinBytes = 2, kMinOfMany = 3;

size_t shortest_of(const Texts& texts) {
  size_t size = texts[0].size();
  for (const std::string& text : texts) size = std::min(size, text.size());
  return size;
}

Texts texts_of(const Node& node);

// Returns a text of each alternative; {""} if one has none, or if there are too many.
Texts texts_of_alternatives(const Node& node) {
  Texts all;
  for (const Node& alternative : node.children) {
    Texts some = texts_of(alternative);
    if (shortest_of(some) < kMinBytes || all.size() + some.size() > kMaxRequired) return {""};
    std::move(some.begin(), some.end(), std::back_inserter(all));
  }
  return all;
}

// Returns the alternatives that every match of a node passes whose shortest text is the longest.
Texts best_alternatives(const Node& node) {
  if (node.op == Op::kAlternate) return texts_of_alternatives(node);
  Texts best{""};
  if (node.op == Op::kRepeat ? node.min == 0 : node.op != Op::kGroup && node.op != Op::kConcat) return best;
  for (const Node& child : node.children) {
    Texts some = best_alternatives(child);
    if (shortest_of(some) > shortest_of(best)) best = std::move(some);
  }
  return best;
}

// Returns texts of which every match of a node has one.
Texts texts_of(const Node& node) {
  std::string text = match_texts(node).longest;
  const std::string folded = match_texts(node, true).longest;
  Texts one = folded.size() > text.size() ? FoldedText(folded).variants(0, kMaxVariants) : Texts{std::move(text)};
  Texts alternatives = best_alternatives(node);
  return shortest_of(alternatives) > shortest_of(one) ? alternatives : one;
}

}  // namespace

std::vector<std::string> required_texts(const Node& root) {
  const Texts texts = texts_of(root);
  return shortest_of(texts) < (texts.size() > kMaxVariants ? kMinOfMany : kMinBytes) ? Texts() : texts;
}

}  // namespace stringops
