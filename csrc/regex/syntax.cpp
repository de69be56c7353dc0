#include "regex/syntax.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "core/lazy.h"
#include "core/stack.h"
#include "core/utf8.h"
#include "regex/syntax_sets.h"
#include "regex/unicode_sets.h"

namespace stringops {
namespace {

constexpr const char* kParenthesis = "write \\( for a parenthesis";

// A parser by recursive descent. Faults are thrown (SyntaxFaultAt).
class Parser {
 public:
  explicit Parser(std::string_view pattern) : text_{pattern} {}

  Syntax run() {
    Part all = parse_alternatives();
    if (!text_.rest.empty()) reject(text_.rest, "unexpected )", "write \\) for a parenthesis");
    return {std::move(all.node), num_groups_, std::move(group_names_), has_extensions_};
  }

 private:
  struct Part {
    Node node;
    // The product of the counts of repetitions in repetitions, where that is largest. An asterisk counts as 1.
    int64_t counts = 1;
  };

  [[noreturn]] static void reject(std::string_view place, std::string_view what, std::string_view cure) {
    throw SyntaxFaultAt{place, std::string(what), std::string(cure)};
  }

  // Parses alternatives up to the end of the group.
  Part parse_alternatives() {
    std::vector<Node> alternatives;
    int64_t counts = 1;
    do {
      Part sequence = parse_sequence();
      alternatives.push_back(std::move(sequence.node));
      counts = std::max(counts, sequence.counts);
    } while (text_.take("|"));
    return {make_alternate(std::move(alternatives)), counts};
  }

  Part parse_sequence() {
    std::vector<Node> items;
    int64_t counts = 1, last_counts = 1;
    const auto append = [&](Part part) {
      items.push_back(std::move(part.node));
      last_counts = part.counts;
      counts = std::max(counts, last_counts);
    };
    std::string_view repetition;  // the text from the repetition with which the last item ends; empty if there is none
    while (!text_.rest.empty() && text_.rest[0] != '|' && text_.rest[0] != ')') {
      const std::string_view begin = text_.rest, repeated = std::exchange(repetition, {});
      if (std::string_view("*+?{").find(begin[0]) != std::string_view::npos) {
        const auto repeat = take_repeat();
        if (!repeat) {  // { is an ordinary character, if no number follows
          append({literal(text_.take_codepoint())});
          continue;
        }
        if (items.empty()) reject(begin, "nothing to repeat before " + text_.taken_since(begin), escape_of(begin));
        if (!repeated.empty()) {
          reject(repeated, "repeated repetition " + text_.taken_since(repeated),
                 "put what is repeated in a group, as in (?:a*)*");
        }
        last_counts *= std::max(repeat->max < 0 ? repeat->min : repeat->max, 1);
        counts = std::max(counts, last_counts);
        check_repeat(*repeat, items.back(), last_counts, begin);
        items.back() = make_repeat(std::move(items.back()), *repeat);
        repetition = begin;
      } else if (text_.take("\\Q")) {
        const size_t end = text_.rest.find("\\E");
        SyntaxText quoted{text_.rest.substr(0, end)};
        text_.rest.remove_prefix(end == std::string_view::npos ? text_.rest.size() : end + 2);
        while (!quoted.rest.empty()) append({literal(quoted.take_codepoint())});
      } else if (begin[0] == '(') {
        if (auto group = parse_group()) append(std::move(*group));
      } else {
        append({parse_item()});
      }
    }
    return {make_concat(std::move(items)), counts};
  }

  static std::string escape_of(std::string_view begin) {
    return std::string("write \\") + begin[0] + " for the character";
  }

  void check_repeat(const Repetition& repeat, const Node& repeated, int64_t counts, std::string_view begin) const {
    if (repeat.max >= 0 && repeat.min > repeat.max) {
      reject(begin, "repetition " + text_.taken_since(begin) + " in reverse", "write the smaller count first");
    }
    if (counts > kMaxRepeat) {
      reject(begin, "repetitions of more than " + std::to_string(kMaxRepeat) + " times, those inside included",
             "use smaller counts");
    }
    if (repeat.possessive && !repeated.is_set()) {
      reject(begin, "possessive repetition of other than one character",
             "repeat a character or a class, or leave out the last +");
    }
  }

  // Returns nothing if there is none.
  std::optional<Repetition> take_repeat() {
    Repetition repeat;
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
      repeat.possessive = has_extensions_ = true;
    }
    if (flags_.swap_greed) repeat.greedy = !repeat.greedy;
    return repeat;
  }

  // Parses what a parenthesis begins. Returns nothing if that is only flags, for what follows.
  std::optional<Part> parse_group() {
    const std::string_view begin = text_.rest;
    const SyntaxFlags outer = flags_;
    for (const auto& [opening, assertion] :
         {std::pair{"(?=", Assertion::kLookAhead}, {"(?!", Assertion::kLookAheadNot}}) {
      if (text_.take(opening)) return Part{parse_look_ahead(begin, outer, assertion)};
    }
    int32_t index = 0;
    if (text_.take("(?<=") || text_.take("(?<!")) {
      reject(begin, "unsupported look-behind", "match what is before it, too, and use a group for the rest");
    } else if (text_.take("(?P<") || text_.take("(?<")) {
      index = add_group(take_name(begin));
    } else if (text_.take("(?P=") || text_.take("(?P>")) {
      reject(begin, "unsupported reference to a group", "write the group again");
    } else if (text_.take("(?P")) {
      reject(begin, "missing group name after (?P", "write (?P<name>...)");
    } else if (text_.take("(?")) {
      flags_.take(&text_);
      if (text_.take(")")) return std::nullopt;
      if (!text_.take(":")) reject(begin, "missing ) of the group", kParenthesis);
    } else {
      text_.take("(");
      index = add_group({});
    }
    Part part = parse_content(begin, outer);
    if (index != 0) part.node = make_group(std::move(part.node), index);
    return part;
  }

  // Parses what is in a group up to its end, after which `outer` are the flags.
  Part parse_content(std::string_view begin, const SyntaxFlags& outer) {
    check_depth(begin, ++depth_);
    Part part = parse_alternatives();
    --depth_;
    if (!text_.take(")")) reject(begin, "missing ) of the group", kParenthesis);
    flags_ = outer;
    return part;
  }

  // The parser takes about half of the stack that it asks for; the compiler takes more.
  static void check_depth(std::string_view begin, int32_t depth) {
    constexpr int64_t kBytesOfGroup = 2048, kBytesAfter = 24 * 1024;
    if (depth > kMaxDepth) {
      reject(begin, "more than " + std::to_string(kMaxDepth) + " groups inside each other", "use fewer groups");
    }
    if (stack_left() < depth * kBytesOfGroup + kBytesAfter) {
      reject(begin, std::to_string(depth) + " groups inside each other, for which the thread's stack is too small",
             "use fewer groups, or a thread with a larger stack");
    }
  }

  Node parse_look_ahead(std::string_view begin, const SyntaxFlags& outer, Assertion assertion) {
    Node ahead = parse_content(begin, outer).node;
    if (!ahead.is_set()) {
      reject(begin, "look-ahead at other than one character", "look at a character or a class, as in (?=[a-z])");
    }
    has_extensions_ = true;
    ahead.op = Node::Op::kAssertion;
    ahead.assertion = assertion;
    return ahead;
  }

  // Returns its number.
  int32_t add_group(std::string_view name) {
    group_names_.emplace_back(name);
    return ++num_groups_;
  }

  // Takes the name of a group and its end.
  std::string_view take_name(std::string_view begin) {
    const CodepointSet& allowed = lazy([] {
      CodepointSet set;
      for (const char* category : {"L", "Mc", "Mn", "Nd", "Nl", "Pc"}) set.add(*unicode_set(category));
      return set;
    });
    const size_t end = text_.rest.find('>');
    if (end == std::string_view::npos) reject(begin, "missing > of the group's name", "write (?P<name>...)");
    SyntaxText name{text_.rest.substr(0, end)};
    const std::string_view all = name.rest;
    bool is_name = !all.empty();
    while (!name.rest.empty()) is_name = allowed.contains(name.take_codepoint()) && is_name;
    if (!is_name) reject(begin, "invalid group name '" + name.taken_since(all) + "'", "use letters, digits and _");
    text_.rest.remove_prefix(end + 1);
    return all;
  }

  Node parse_item() {
    if (text_.take("^")) return assertion(flags_.multi_line ? Assertion::kLineBegin : Assertion::kTextBegin);
    if (text_.take("$")) return assertion(flags_.multi_line ? Assertion::kLineEnd : Assertion::kTextEnd);
    if (text_.take("\\A")) return assertion(Assertion::kTextBegin);
    if (text_.take("\\z")) return assertion(Assertion::kTextEnd);
    if (text_.take("\\b")) return assertion(Assertion::kWordBoundary);
    if (text_.take("\\B")) return assertion(Assertion::kNotWordBoundary);
    const std::string_view begin = text_.rest;
    if (text_.take(".")) {
      CodepointSet set = flags_.dot_newline ? CodepointSet() : CodepointSet('\n', '\n');
      set.invert();
      return make_bounded(begin, std::move(set));
    }
    if (begin[0] == '[') return make_bounded(begin, classes_.take_bracket_class(&text_, flags_.fold_case));
    auto set = classes_.take_escape_class(&text_, flags_.fold_case);
    if (set) return make_bounded(begin, std::move(*set));
    return literal(take_character(&text_));
  }

  Node make_bounded(std::string_view begin, CodepointSet set) {
    num_ranges_ += static_cast<int64_t>(set.ranges().size());
    if (num_ranges_ > kMaxRanges) {
      reject(begin, "classes with more than " + std::to_string(kMaxRanges) + " ranges of code points in all",
             "name fewer classes");
    }
    return make_set(std::move(set));
  }

  Node literal(uint32_t codepoint) const {
    CodepointSet set(codepoint, codepoint);
    if (flags_.fold_case) set.add(case_variants(set));
    return make_set(std::move(set));
  }

  static Node assertion(Assertion assertion) {
    Node node;
    node.op = Node::Op::kAssertion;
    node.assertion = assertion;
    return node;
  }

  SyntaxText text_;
  SyntaxFlags flags_;
  ClassParser classes_;
  bool has_extensions_ = false;
  int32_t num_groups_ = 0;
  std::vector<std::string> group_names_;
  int32_t depth_ = 0;
  int64_t num_ranges_ = 0;
};

int64_t count_codepoints(std::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(static_cast<uint8_t>(c)); });
}

}  // namespace

std::variant<Syntax, SyntaxFault> parse_syntax(std::string_view pattern) {
  try {
    return Parser(pattern).run();
  } catch (SyntaxFaultAt& fault) {
    const std::string_view before = pattern.substr(0, pattern.size() - fault.place.size());
    return SyntaxFault{std::move(fault.what), count_codepoints(before), std::move(fault.cure)};
  }
}

}  // namespace stringops

int32_t stringops_parse(const char* pattern, int64_t size) {
  const auto parsed = stringops::parse_syntax({pattern, static_cast<size_t>(size)});
  const auto* const syntax = std::get_if<stringops::Syntax>(&parsed);
  return syntax ? syntax->has_extensions : -1;
}

int64_t stringops_parse_set(const char* pattern, int64_t size, uint32_t* ranges, int64_t capacity) {
  const auto parsed = stringops::parse_syntax({pattern, static_cast<size_t>(size)});
  const auto* const syntax = std::get_if<stringops::Syntax>(&parsed);
  if (!syntax || !syntax->root.is_set()) return -1;
  const auto& found = syntax->root.set.ranges();
  for (int64_t i = 0; i < static_cast<int64_t>(found.size()) && i < capacity; ++i) {
    ranges[2 * i] = found[static_cast<size_t>(i)].first;
    ranges[2 * i + 1] = found[static_cast<size_t>(i)].last;
  }
  return static_cast<int64_t>(found.size());
}
