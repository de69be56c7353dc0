#include "regex/syntax.h"

#include <utility>

#include "core/utf8.h"
#include "regex/syntax_sets.h"
#include "regex/syntax_tree.h"

namespace stringops {
namespace {

constexpr int64_t kMaxRepeat = 1000;  // RE2's limit

// A parser by recursive descent. A failure is an empty optional, which ends all.
class Parser {
 public:
  explicit Parser(std::string_view pattern) : all_(pattern), text_{pattern} {}

  std::optional<Syntax> run() {
    auto root = parse_alternatives();
    if (!root || !text_.rest.empty()) return std::nullopt;  // at a ")" without "("
    replace(position(), position(), "");
    Syntax syntax;
    syntax.root = std::move(*root);
    syntax.num_groups = num_groups_;
    syntax.is_beyond_re2 = is_beyond_re2_;
    syntax.without_extensions = std::move(without_extensions_);
    return syntax;
  }

 private:
  size_t position() const { return all_.size() - text_.rest.size(); }

  // Replaces [begin, end) of the pattern by `text`, for RE2.
  void replace(size_t begin, size_t end, std::string_view text) {
    without_extensions_ += all_.substr(copied_, begin - copied_);
    without_extensions_ += text;
    copied_ = end;
  }

  // Parses alternatives up to the end of the group.
  std::optional<Node> parse_alternatives() {
    if (depth_++ > kMaxDepth) return std::nullopt;
    std::vector<Node> alternatives;
    do {
      auto sequence = parse_sequence();
      if (!sequence) return std::nullopt;
      alternatives.push_back(std::move(*sequence));
    } while (text_.take("|"));
    --depth_;
    return make_alternate(std::move(alternatives));
  }

  std::optional<Node> parse_sequence() {
    std::vector<Node> items;
    while (!text_.rest.empty() && text_.rest[0] != '|' && text_.rest[0] != ')') {
      if (std::string_view("*+?{").find(text_.rest[0]) != std::string_view::npos) {
        const auto repeat = take_repeat();
        if (!repeat) {
          if (text_.rest[0] != '{') return std::nullopt;
          text_.rest.remove_prefix(1);  // an ordinary character, if no number follows
          items.push_back(literal('{'));
          continue;
        }
        if (items.empty() || !is_allowed(*repeat)) return std::nullopt;
        if (repeat->possessive && !items.back().is_set()) return std::nullopt;
        items.back() = make_repeat(std::move(items.back()), *repeat);
      } else if (text_.take("\\Q")) {
        const size_t end = text_.rest.find("\\E");
        SyntaxText quoted{text_.rest.substr(0, end)};
        text_.rest.remove_prefix(end == std::string_view::npos ? text_.rest.size() : end + 2);
        while (!quoted.rest.empty()) items.push_back(literal(quoted.take_codepoint()));
      } else if (text_.rest[0] == '(') {
        auto group = parse_group();
        if (!group) return std::nullopt;
        if (!only_flags_) items.push_back(std::move(*group));
      } else {
        auto item = parse_item();
        if (!item) return std::nullopt;
        items.push_back(std::move(*item));
      }
    }
    return make_concat(std::move(items));
  }

  static bool is_allowed(const Repeat& repeat) {
    return repeat.min <= kMaxRepeat && repeat.max <= kMaxRepeat && (repeat.max < 0 || repeat.min <= repeat.max);
  }

  // Nothing if there is none.
  std::optional<Repeat> take_repeat() {
    Repeat repeat;
    SyntaxText rest = text_;
    if (rest.take("{")) {
      const auto min = rest.take_number();
      if (!min) return std::nullopt;
      repeat.min = repeat.max = *min;
      if (rest.take(",")) repeat.max = rest.take_number().value_or(-1);
      if (!rest.take("}")) return std::nullopt;
    } else {
      repeat.min = rest.rest[0] == '+';
      repeat.max = rest.rest[0] == '?' ? 1 : -1;
      rest.rest.remove_prefix(1);
    }
    text_ = rest;
    if (text_.take("?")) {
      repeat.greedy = false;
    } else if (text_.take("+")) {
      repeat.possessive = true;
      is_beyond_re2_ = true;
      replace(position() - 1, position(), "");
    }
    if (flags_.swap_greed) repeat.greedy = !repeat.greedy;
    return repeat;
  }

  // A group in parentheses. Sets only_flags_ if it is only flags, for what follows.
  std::optional<Node> parse_group() {
    const size_t begin = position();
    const SyntaxFlags outer = flags_;
    int32_t index = 0;
    only_flags_ = false;
    for (const auto& [opening, assertion] :
         {std::pair{"(?=", Assertion::kLookAhead}, {"(?!", Assertion::kLookAheadNot}}) {
      if (!text_.take(opening)) continue;
      const size_t kept = without_extensions_.size();
      auto ahead = parse_alternatives();
      if (!ahead || !ahead->is_set() || !text_.take(")") || without_extensions_.size() != kept) return std::nullopt;
      flags_ = outer;
      only_flags_ = false;
      is_beyond_re2_ = true;
      replace(begin, position(), "(?:)");
      ahead->op = Node::Op::kAssertion;
      ahead->assertion = assertion;
      return ahead;
    }
    if (text_.take("(?P<") || text_.take("(?<")) {
      const size_t end = text_.rest.find('>');
      if (end == std::string_view::npos || text_.rest[0] == '=' || text_.rest[0] == '!') return std::nullopt;
      text_.rest.remove_prefix(end + 1);
      index = ++num_groups_;
    } else if (text_.take("(?")) {
      if (!flags_.take(&text_)) return std::nullopt;
      if (text_.take(")")) {
        only_flags_ = true;
        return Node{};
      }
      if (!text_.take(":")) return std::nullopt;
    } else {
      text_.rest.remove_prefix(1);
      index = ++num_groups_;
    }
    auto node = parse_alternatives();
    if (!node || !text_.take(")")) return std::nullopt;
    flags_ = outer;
    only_flags_ = false;
    return index == 0 ? std::move(node) : make_group(std::move(*node), index);
  }

  std::optional<Node> parse_item() {
    if (text_.take("^")) return assertion(flags_.multi_line ? Assertion::kLineBegin : Assertion::kTextBegin);
    if (text_.take("$")) return assertion(flags_.multi_line ? Assertion::kLineEnd : Assertion::kTextEnd);
    if (text_.take("\\A")) return assertion(Assertion::kTextBegin);
    if (text_.take("\\z")) return assertion(Assertion::kTextEnd);
    if (text_.take("\\b")) return assertion(Assertion::kWordBoundary);
    if (text_.take("\\B")) return assertion(Assertion::kNotWordBoundary);
    if (text_.take(".")) {
      CodepointSet set = flags_.dot_newline ? CodepointSet() : CodepointSet('\n', '\n');
      set.invert();
      return make_set(std::move(set));
    }
    if (text_.rest[0] == '[') {
      auto set = take_bracket_class(&text_, flags_.fold_case);
      if (!set) return std::nullopt;
      return make_set(std::move(*set));
    }
    if (auto set = take_escape_class(&text_, flags_.fold_case)) return make_set(std::move(*set));
    const auto codepoint = take_character(&text_);
    if (!codepoint) return std::nullopt;
    return literal(*codepoint);
  }

  Node literal(uint32_t codepoint) const {
    CodepointSet set(codepoint, codepoint);
    if (flags_.fold_case) set.fold_case();
    return make_set(std::move(set));
  }

  static Node assertion(Assertion assertion) {
    Node node;
    node.op = Node::Op::kAssertion;
    node.assertion = assertion;
    return node;
  }

  const std::string_view all_;
  SyntaxText text_;
  SyntaxFlags flags_;
  bool only_flags_ = false;
  bool is_beyond_re2_ = false;
  int32_t num_groups_ = 0;
  int32_t depth_ = 0;
  std::string without_extensions_;
  size_t copied_ = 0;
};

}  // namespace

std::optional<Syntax> parse_syntax(std::string_view pattern) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(pattern.data());
  if (find_invalid_utf8(bytes, bytes + pattern.size())) return std::nullopt;
  return Parser(pattern).run();
}

}  // namespace stringops

int64_t stringops_parse_set(const char* pattern, int64_t size, uint32_t* ranges, int64_t capacity) {
  const auto syntax = stringops::parse_syntax({pattern, static_cast<size_t>(size)});
  if (!syntax || !syntax->root.is_set()) return -1;
  const auto& found = syntax->root.set.ranges();
  for (int64_t i = 0; i < static_cast<int64_t>(found.size()) && i < capacity; ++i) {
    ranges[2 * i] = found[static_cast<size_t>(i)].first;
    ranges[2 * i + 1] = found[static_cast<size_t>(i)].last;
  }
  return static_cast<int64_t>(found.size());
}
