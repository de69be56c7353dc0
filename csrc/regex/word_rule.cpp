#include "regex/word_rule.h"

#include <string>

#include "regex/simple_patterns.h"

namespace stringops {
namespace {

using Words = ClassRule::Words;

struct Published {
  Node root;
  int64_t digits;
};

Node parse_alternatives(const std::string& numbers) {
  const std::string text = R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|)" + numbers +
                           R"(| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  return parse_syntax(text)->root;
}

// Of one number, and of up to three.
const std::vector<Published>& published() {
  static const std::vector<Published> all = {{parse_alternatives(R"(\p{N}{1,3})"), 3},
                                             {parse_alternatives(R"(\p{N})"), 1}};
  return all;
}

ClassRule make_rule(int64_t digits) {
  const CodepointSet letters = parse_syntax(R"(\p{L})")->root.set, numbers = parse_syntax(R"(\p{N})")->root.set;
  const CodepointSet spaces = parse_syntax(R"(\s)")->root.set;
  CodepointSet rest = letters;
  rest.add(numbers);
  rest.add(spaces);
  rest.invert();
  ClassRule rule;
  const std::vector<CodepointSet> sets = {letters, numbers, spaces, rest};
  for (const CodepointSet& set : sets) {
    ClassRule::Class made;
    made.chars = ascii_chars(set);
    made.has_beyond = set.ranges().back().last >= 0x80;
    rule.classes.push_back(made);
  }
  rule.table = std::make_shared<const ClassTable>(sets);
  const auto contractions = parse_syntax(R"((?i:'s|'t|'re|'ve|'m|'ll|'d))");
  const CharSet blanks = ascii_chars(parse_syntax(R"([\t\f ])")->root.set);
  rule.words = std::make_shared<const Words>(Words{digits, *literal_set(*contractions, MatchRule::kFirst), blanks});
  return rule;
}

}  // namespace

std::optional<ClassRule> word_rule(const Syntax& syntax, MatchRule rule) {
  const Node& root = without_groups(syntax.root);
  // Most patterns need not be compared.
  if (rule != MatchRule::kFirst || !syntax.is_beyond_re2 || root.op != Node::Op::kAlternate || !captures_all(syntax)) {
    return std::nullopt;
  }
  for (const Published& pattern : published()) {
    if (root == pattern.root) return make_rule(pattern.digits);
  }
  return std::nullopt;
}

}  // namespace stringops
