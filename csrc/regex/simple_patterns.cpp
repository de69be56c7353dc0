#include "regex/simple_patterns.h"

#include <algorithm>
#include <vector>

#include "core/codepoints.h"
#include "regex/unicode_sets.h"

namespace stringops {
namespace {

using Op = Node::Op;

// The node's only code point; if `folded`, the first of those that differ only in case, if it has all of them.
std::optional<uint32_t> single(const Node& node, bool folded) {
  if (!node.is_set() || node.set.empty()) return std::nullopt;
  const uint32_t first = node.set.ranges()[0].first;
  CodepointSet set(first, first);
  if (folded) set.add(case_variants(set));
  return set == node.set ? std::optional(first) : std::nullopt;
}

// Appends that code point; false if there is none.
bool append_single(const Node& node, bool folded, std::string* text) {
  const auto codepoint = single(node, folded);
  if (!codepoint) return false;
  uint8_t bytes[4];
  text->append(reinterpret_cast<const char*>(bytes), reinterpret_cast<const char*>(write_utf8(&*codepoint, 1, bytes)));
  return true;
}

// Takes the nodes that all matches pass, one after the other.
class TextsFinder {
 public:
  explicit TextsFinder(bool folded) : folded_(folded) {}

  void take(const Node& node) {
    if (node.op == Op::kAssertion || append_single(node, folded_, &text_)) return;
    if (node.op == Op::kGroup || node.op == Op::kConcat) {
      for (const Node& child : node.children) take(child);
      return;
    }
    end_text();
    if (node.op != Op::kRepeat || node.min == 0) return;
    take(node.children[0]);
    end_text();
  }

  MatchTexts finish() {
    end_text();
    return texts_;
  }

 private:
  void end_text() {
    if (is_first_) texts_.first = text_;
    is_first_ = false;
    if (text_.size() > texts_.longest.size()) texts_.longest = text_;
    for (const char c : text_) {
      const auto byte = static_cast<uint8_t>(c);
      if (byte < 0x80) texts_.chars.add(byte);
    }
    text_.clear();
  }

  const bool folded_;
  MatchTexts texts_;
  std::string text_;
  bool is_first_ = true;
};

}  // namespace

const Node& without_groups(const Node& root) {
  return root.op == Op::kGroup ? without_groups(root.children[0]) : root;
}

bool captures_all(const Syntax& syntax) {
  // A group that is repeated zero times is not in the tree.
  int32_t count = 0;
  for (const Node* node = &syntax.root; node->op == Op::kGroup; node = &node->children[0]) ++count;
  return count == syntax.num_groups;
}

CharSet ascii_chars(const CodepointSet& set) {
  CharSet chars;
  for (const auto& range : set.ranges()) {
    for (uint32_t c = range.first; c <= std::min(range.last, uint32_t{0x7F}); ++c) chars.add(static_cast<uint8_t>(c));
  }
  return chars;
}

std::optional<CharSet> char_set(const CodepointSet& set) {
  CodepointSet beyond(0x80, kMaxCodepoint);
  beyond.intersect(set);
  if (!beyond.empty() && beyond != CodepointSet(0x80, kMaxCodepoint)) return std::nullopt;
  CharSet chars = ascii_chars(set);
  chars.beyond_ascii = !beyond.empty();
  return chars;
}

bool intersect(const CharSet& a, const CharSet& b) {
  for (size_t i = 0; i < a.rows().size(); ++i) {
    if ((a.rows()[i] & b.rows()[i]) != 0) return true;
  }
  return a.beyond_ascii && b.beyond_ascii;
}

std::optional<uint8_t> only_char(const CharSet& set) {
  for (uint8_t b = 0; b < 0x80; ++b) {
    CharSet one;
    one.add(b);
    if (one == set) return b;
  }
  return std::nullopt;
}

std::optional<SetPattern> set_pattern(const Syntax& syntax) {
  const Node& node = without_groups(syntax.root);
  const bool repeated = node.op == Op::kRepeat && node.min == 1 && node.max < 0 && node.greedy;
  const Node& item = repeated ? node.children[0] : node;
  if (!item.is_set() || !captures_all(syntax)) return std::nullopt;
  const auto set = char_set(item.set);
  if (!set) return std::nullopt;
  return SetPattern{*set, repeated};
}

std::optional<CodepointSet> separator_set(const Syntax& syntax) {
  const Node& node = without_groups(syntax.root);
  const bool repeated = node.op == Op::kRepeat && node.min == 1 && node.max < 0 && node.greedy;
  const Node& item = repeated ? without_groups(node.children[0]) : node;
  if (!item.is_set()) return std::nullopt;
  return item.set;
}

std::optional<std::string> literal_pattern(const Syntax& syntax, bool folded) {
  const Node& node = without_groups(syntax.root);
  std::string text;
  if (node.op == Op::kConcat) {
    for (const Node& item : node.children) {
      if (!append_single(item, folded, &text)) return std::nullopt;
    }
  } else if (!append_single(node, folded, &text)) {
    return std::nullopt;
  }
  if (!captures_all(syntax)) return std::nullopt;
  return text;
}

MatchTexts match_texts(const Node& root, bool folded) {
  TextsFinder finder(folded);
  finder.take(root);
  return finder.finish();
}

// Rarely in texts: first what is neither a letter, a digit nor a space, then capitals and digits.
bool is_rarer(uint8_t c, uint8_t other) {
  const auto rank = [](uint8_t byte) {
    if (byte == ' ') return 3;
    if (byte >= 'a' && byte <= 'z') return 2;
    return (byte >= 'A' && byte <= 'Z') || (byte >= '0' && byte <= '9') ? 1 : 0;
  };
  return rank(c) < rank(other);
}

}  // namespace stringops
