#include "regex/class_rule.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/lazy.h"
#include "regex/simple_patterns.h"
#include "regex/word_rule.h"

namespace stringops {
namespace {

using Op = Node::Op;
using Kind = ClassRule::Kind;

bool intersect(CodepointSet a, const CodepointSet& b) {
  a.intersect(b);
  return !a.empty();
}

bool is_ascii(const CodepointSet& set) {
  return set.empty() || set.ranges().back().last < 0x80;
}

bool contains_all(const CodepointSet& all, CodepointSet some) {
  CodepointSet rest = all;
  rest.invert();
  some.intersect(rest);
  return some.empty();
}

const CodepointSet& ascii_word() {
  return lazy([] { return CodepointSet({{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}); });
}

// Reads the alternatives into a rule. Each step returns false if the pattern has no rule.
class Reader {
 public:
  explicit Reader(MatchRule rule) : longest_(rule == MatchRule::kLongest) {}

  std::optional<ClassRule> run(const Node& root) {
    if (root.op == Op::kAlternate) {
      const std::vector<Node>& all = root.children;
      for (size_t i = 0; i < all.size(); ++i) {
        if (i + 1 < all.size() && is_last_run(all[i], all[i + 1])) continue;
        if (i > 0 && is_given_back(all[i - 1], all[i])) {
          if (!add({all[i].set, Kind::kRun, {}, false})) return std::nullopt;
        } else if (!take(all[i])) {
          return std::nullopt;
        }
      }
    } else if (!take(root)) {
      return std::nullopt;
    }
    if (!finish()) return std::nullopt;
    return rule_;
  }

 private:
  struct Part {
    CodepointSet set;
    Kind kind;
    CodepointSet follow;
    bool has_lead;
    CodepointSet joints{};
    bool joins_once = false;
  };

  // S+ or S*, of which the longest matches are preferred.
  bool is_run(const Node& node, int32_t min) const {
    return node.op == Op::kRepeat && node.min == min && node.max < 0 && node.children[0].is_set() &&
           (node.greedy || longest_);
  }

  bool take(const Node& node) {
    if (node.is_set()) return add({node.set, Kind::kSingle, {}, false});
    if (is_run(node, 1)) return add({node.children[0].set, Kind::kRun, {}, false});
    if (take_minimum(node)) return true;
    if (node.op != Op::kConcat) return false;
    const std::vector<Node>& items = node.children;
    if (items.size() == 2 && is_optional_lead(items[0])) return take_lead(items[0], items[1]);
    if (items.size() == 2 && items[1].op == Op::kAssertion) return take_give_back(items[0], items[1]);
    if (items.size() == 2 && is_run(items[0], 1)) return take_joined(items[0].children[0].set, items[1]);
    if (items.size() == 2 && items[0].is_set() && (is_run(items[1], 0) || is_run(items[1], 1))) {
      const Kind kind = items[1].min == 0 ? Kind::kOptionalPrefix : Kind::kPrefix;
      return add({items[0].set, kind, items[1].children[0].set, false});
    }
    if (items.size() == 3 && is_boundary(items[0]) && is_boundary(items[2])) {
      // Runs of word characters begin and end at word boundaries.
      const Node& run = items[1];
      if (run.op != Op::kRepeat || !run.children[0].is_set() || run.children[0].set != ascii_word()) return false;
      return is_run(run, 1) ? add({ascii_word(), Kind::kRun, {}, false}) : take_minimum(run);
    }
    return take_mark(items);
  }

  static bool is_boundary(const Node& node) {
    return node.op == Op::kAssertion && node.assertion == Assertion::kWordBoundary;
  }

  static bool is_optional_lead(const Node& node) {
    return node.op == Op::kRepeat && node.min == 0 && node.max == 1 && node.greedy && node.children[0].is_set();
  }

  bool add(Part part) {
    if (part.set.empty() || parts_.size() == ClassRule::kMaxClasses) return false;
    for (const Part& other : parts_) {
      if (intersect(part.set, other.set)) return false;
    }
    parts_.push_back(std::move(part));
    return true;
  }

  // S{n,}, alone: shorter runs are left out.
  bool take_minimum(const Node& node) {
    if (node.op != Op::kRepeat || node.max >= 0 || node.min < 2 || node.min > ClassRule::kMaxMinimum) return false;
    if (!parts_.empty() || !node.children[0].is_set() || !(node.greedy || longest_)) return false;
    rule_.min_codepoints = node.min;
    return add({node.children[0].set, Kind::kRun, {}, false});
  }

  bool take_lead(const Node& optional, const Node& body) {
    const CodepointSet& lead = optional.children[0].set;
    if (lead.empty() || (!lead_.empty() && lead != lead_) || !(body.is_set() || is_run(body, 1))) return false;
    const CodepointSet& set = body.is_set() ? body.set : body.children[0].set;
    if (optional.possessive && intersect(lead, set)) return false;  // a lead can be the body's first character
    lead_ = lead;
    for (const Part& part : parts_) {
      if (!longest_ && intersect(part.set, lead)) return false;  // which comes first
    }
    return add({set, body.is_set() ? Kind::kSingle : Kind::kRun, {}, true});
  }

  // S+(?:JS+)* or S+(?:JS+)?, where no J is an S.
  bool take_joined(const CodepointSet& set, const Node& more) {
    if (more.op != Op::kRepeat || more.min != 0 || more.max > 1 || more.possessive || !(more.greedy || longest_)) {
      return false;
    }
    const Node& joined = more.children[0];
    if (joined.op != Op::kConcat || joined.children.size() != 2 || !joined.children[0].is_set()) return false;
    const Node& run = joined.children[1];
    const CodepointSet& joints = joined.children[0].set;
    if (!is_run(run, 1) || run.possessive || run.children[0].set != set) return false;
    if (joints.empty() || !is_ascii(joints) || intersect(joints, set)) return false;
    return add({set, Kind::kRun, {}, false, joints, more.max == 1});
  }

  // S+(?!T) before S+, where T is all but S.
  bool take_give_back(const Node& run, const Node& ahead) {
    if (longest_ || !is_run(run, 1) || run.possessive || ahead.assertion != Assertion::kLookAheadNot) return false;
    CodepointSet others = ahead.set;
    others.invert();
    if (others != run.children[0].set || !given_back_.empty() || !is_ascii(others)) return false;
    given_back_ = others;
    return true;
  }

  // S+$ before S+(?!T), which takes a run at the end, too.
  static bool is_last_run(const Node& node, const Node& next) {
    if (node.op != Op::kConcat || next.op != Op::kConcat || node.children.size() != 2) return false;
    Node run = node.children[0];
    run.possessive = false;
    const Node& end = node.children[1];
    return end.op == Op::kAssertion && end.assertion == Assertion::kTextEnd && run == next.children[0] &&
           next.children.size() == 2 && next.children[1].op == Op::kAssertion &&
           next.children[1].assertion == Assertion::kLookAheadNot;
  }

  // S after S+(?!T), which leaves runs of one S only: so it is S+.
  bool is_given_back(const Node& before, const Node& node) const {
    return node.is_set() && node.set == given_back_ && before.op == Op::kConcat && before.children.size() == 2 &&
           before.children[1].op == Op::kAssertion && before.children[1].assertion == Assertion::kLookAheadNot;
  }

  bool take_mark(const std::vector<Node>& items) {
    const auto& ranges = items[0].set.ranges();
    if (!items[0].is_set() || ranges.size() != 1 || ranges[0].first != ranges[0].last || ranges[0].last >= 0x80) {
      return false;
    }
    const auto mark = static_cast<uint8_t>(ranges[0].first);
    if (!rule_.endings.empty() && mark != rule_.mark) return false;
    rule_.mark = mark;
    for (const Part& part : parts_) {
      if (!longest_ && part.set.contains(mark)) return false;
    }
    if (items.size() != 2 || items[1].op != Op::kAlternate) return take_ending(&items[1], items.size() - 1);
    for (const Node& ending : items[1].children) {
      const bool is_text = ending.op == Op::kConcat;
      if (!take_ending(is_text ? ending.children.data() : &ending, is_text ? ending.children.size() : 1)) return false;
    }
    return true;
  }

  bool take_ending(const Node* characters, size_t count) {
    if (count > 2) return false;
    ClassRule::Ending ending;
    for (size_t i = 0; i < count; ++i) {
      if (!characters[i].is_set() || !is_ascii(characters[i].set)) return false;
      ending.chars.push_back(ascii_chars(characters[i].set));
      ending_sets_.push_back(characters[i].set);
    }
    // No two endings begin with the same character, so that their order does not count.
    const CodepointSet& first = characters[0].set;
    for (const CodepointSet& other : ending_firsts_) {
      if (intersect(first, other) && (count == 1 || has_short_)) return false;
    }
    has_short_ |= count == 1;
    ending_firsts_.push_back(first);
    rule_.endings.push_back(std::move(ending));
    return true;
  }

  int class_of(const CodepointSet& set) const {
    for (size_t k = 0; k < parts_.size(); ++k) {
      if (contains_all(parts_[k].set, set)) return static_cast<int>(k);
    }
    return -1;
  }

  bool meets_class(const CodepointSet& set) const {
    return std::any_of(parts_.begin(), parts_.end(), [&](const Part& part) { return intersect(part.set, set); });
  }

  bool finish() {
    if (parts_.empty() || (rule_.min_codepoints > 1 && parts_.size() > 1)) return false;
    if (parts_.size() == 1 && parts_[0].kind == Kind::kRun) {  // its characters go on with the run without being a lead
      CodepointSet others = parts_[0].set;
      others.invert();
      lead_.intersect(others);
    }
    const CodepointSet beyond(0x80, kMaxCodepoint);
    rule_.lead_has_beyond = !is_ascii(lead_);
    bool needs_table = rule_.lead_has_beyond;
    std::vector<CodepointSet> sets;
    for (const Part& part : parts_) {
      ClassRule::Class made;
      made.kind = part.kind;
      made.has_lead = part.has_lead;
      made.chars = ascii_chars(part.set);
      made.has_beyond = !is_ascii(part.set);
      made.chars.beyond_ascii = contains_all(part.set, beyond);
      made.joints = ascii_chars(part.joints);
      made.joins_once = part.joins_once;
      needs_table |= made.has_beyond && !made.chars.beyond_ascii;
      if (part.kind == Kind::kPrefix || part.kind == Kind::kOptionalPrefix) {
        made.follow = class_of(part.follow);
        if (made.has_beyond || made.follow < 0) return false;
        const Part& follow = parts_[static_cast<size_t>(made.follow)];
        if (follow.set != part.follow || follow.kind != Kind::kRun || !follow.joints.empty()) return false;
      }
      sets.push_back(part.set);
      rule_.classes.push_back(std::move(made));
    }
    if (rule_.lead_has_beyond) {
      if (meets_class(lead_)) return false;  // a table has disjoint sets
      sets.push_back(lead_);
    }
    if (needs_table) rule_.table = std::make_shared<const ClassTable>(sets);
    if (rule_.has_joints() && !(lead_.empty() && given_back_.empty() && rule_.endings.empty())) return false;
    return finish_lead() && finish_given_back() && finish_mark();
  }

  bool finish_lead() {
    if (lead_.empty()) return true;
    rule_.lead = ascii_chars(lead_);
    rule_.lead_class = class_of(lead_);
    if (rule_.lead_class < 0) return !meets_class(lead_);
    if (rule_.lead_has_beyond) return false;
    const Part& part = parts_[static_cast<size_t>(rule_.lead_class)];
    if (part.has_lead || part.kind == Kind::kPrefix || part.kind == Kind::kOptionalPrefix) return false;
    // A prefix ends in a run; this one would end in the lead.
    return std::none_of(parts_.begin(), parts_.end(), [&](const Part& p) { return intersect(p.follow, lead_); });
  }

  bool finish_given_back() {
    if (given_back_.empty()) return true;
    rule_.gives_back = class_of(given_back_);
    if (rule_.gives_back < 0) return false;
    const Part& part = parts_[static_cast<size_t>(rule_.gives_back)];
    const bool is_followed =
        std::any_of(parts_.begin(), parts_.end(), [&](const Part& p) { return intersect(p.follow, given_back_); });
    return part.set == given_back_ && part.kind == Kind::kRun && !part.has_lead && !is_followed;
  }

  bool finish_mark() {
    if (rule_.endings.empty()) return true;
    const CodepointSet mark(rule_.mark, rule_.mark);
    rule_.mark_class = class_of(mark);
    const auto is_plain_run = [&](int k) {
      return k >= 0 && parts_[static_cast<size_t>(k)].kind == Kind::kRun && k != rule_.gives_back &&
             k != rule_.lead_class;
    };
    if (rule_.mark_class >= 0 && !is_plain_run(rule_.mark_class)) return false;
    if (intersect(mark, lead_)) return false;
    for (const Part& part : parts_) {
      if (part.follow.contains(rule_.mark)) return false;
    }
    for (const CodepointSet& set : ending_sets_) {
      const int k = class_of(set);
      if (!is_plain_run(k) || k == rule_.mark_class) return false;
    }
    return true;
  }

  const bool longest_;
  ClassRule rule_;
  std::vector<Part> parts_;
  CodepointSet lead_, given_back_;
  std::vector<CodepointSet> ending_sets_, ending_firsts_;
  bool has_short_ = false;
};

}  // namespace

ClassTable::ClassTable(const std::vector<CodepointSet>& classes) {
  constexpr uint32_t kSize = 1u << kBits;
  const auto none = static_cast<uint8_t>(classes.size());
  std::map<std::vector<uint8_t>, uint16_t> numbers;
  std::vector<std::pair<CodepointRange, uint8_t>> ranges;
  for (size_t k = 0; k < classes.size(); ++k) {
    for (const CodepointRange& range : classes[k].ranges()) ranges.push_back({range, static_cast<uint8_t>(k)});
  }
  std::sort(ranges.begin(), ranges.end(), [](const auto& a, const auto& b) { return a.first.first < b.first.first; });
  std::vector<std::optional<uint16_t>> uniform(classes.size() + 1);
  size_t next = 0;
  for (uint32_t begin = 0; begin <= kMaxCodepoint; begin += kSize) {
    while (next < ranges.size() && ranges[next].first.last < begin) ++next;
    // Most blocks are of one class.
    const bool is_none = next == ranges.size() || ranges[next].first.first >= begin + kSize;
    const bool is_one = !is_none && ranges[next].first.first <= begin && ranges[next].first.last >= begin + kSize - 1;
    const uint8_t only = is_one ? ranges[next].second : none;
    if ((is_none || is_one) && uniform[only]) {
      blocks_.push_back(*uniform[only]);
      continue;
    }
    std::vector<uint8_t> block(kSize, none);
    for (size_t i = next; i < ranges.size() && ranges[i].first.first < begin + kSize; ++i) {
      const uint32_t first = std::max(ranges[i].first.first, begin);
      const uint32_t last = std::min(ranges[i].first.last, begin + kSize - 1);
      std::fill(block.begin() + (first - begin), block.begin() + (last - begin + 1), ranges[i].second);
    }
    const auto [entry, fresh] = numbers.try_emplace(block, static_cast<uint16_t>(numbers.size()));
    if (fresh) entries_.insert(entries_.end(), block.begin(), block.end());
    if (is_none || is_one) uniform[only] = entry->second;
    blocks_.push_back(entry->second);
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
  // After a match that is too short, another may begin inside it: at a lead in a run, in an ending, or after a joint.
  if (rule.words || rule.lead_class >= 0 || rule.gives_back >= 0 || !rule.endings.empty()) return std::nullopt;
  for (const ClassRule::Class& c : rule.classes) {
    if (c.joins_once) return std::nullopt;
  }
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
