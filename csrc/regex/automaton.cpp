#include "regex/automaton.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "core/bits.h"
#include "regex/closure.h"

namespace stringops {
namespace {

// Word operations of a step: if one takes more, it is not worth a pass over the text to read short matches only once.
constexpr int64_t kMaxCost = 384;
constexpr uint32_t kShortMatch = 64;  // code points
constexpr size_t kMaxRequiredChars = 4;
constexpr size_t kMaxPrefixes = 64;
constexpr uint32_t kMostNodes = 256;  // of programs whose paths are followed

// Whether all matches pass an assertion that holds only where the text begins, or where it ends (kBackward).
bool is_anchored(const Program& program, Direction direction) {
  const bool forward = direction == Direction::kForward;
  const auto kind = [&](uint32_t c) { return forward ? program.kind_before(c) : program.kind_after(c); };
  const uint16_t edge = kind(program.end_class());
  for (uint32_t c = 0; c < program.end_class(); ++c) {
    if (kind(c) == edge) return false;
  }
  Closure closure(program, direction);
  for (uint16_t before = 0; before < program.num_kinds_before(); ++before) {
    for (uint16_t after = 0; after < program.num_kinds_after(); ++after) {
      if ((forward ? before : after) == edge) continue;
      closure.begin(program.truth(program.context(before, after)));
      const auto stop = [](uint32_t) { return false; };
      if (!closure.follow(forward ? program.start() : program.accept(), stop)) return false;
    }
  }
  return true;
}

// The characters that a node takes, those beyond ASCII together.
CharSet chars_of(const Program& program, uint32_t node) {
  CharSet chars;
  for (uint8_t b = 0; b < 0x80; ++b) {
    if (program.takes(node, program.classes().of_ascii(b))) chars.add(b);
  }
  chars.beyond_ascii = program.classes().has_beyond_ascii(program.set(node));
  return chars;
}

// Returns the characters with which no match begins, or ends (kBackward), but an empty one, which it tells of; and the
// classes with which one can.
CharSet chars_beyond_edge(const Program& program, Direction direction, bool* matches_empty,
                          std::vector<bool>* can_begin) {
  const bool forward = direction == Direction::kForward;
  const uint32_t origin = forward ? program.start() : program.accept();
  const uint32_t goal = forward ? program.accept() : program.start();
  const CodepointClasses& classes = program.classes();
  std::vector<bool> seen(program.num_nodes());
  CharSet chars;
  Closure closure(program, direction);
  closure.begin(Closure::kAllHold);
  closure.follow(origin, [&](uint32_t node) {
    if (node == goal) {
      *matches_empty = true;
    } else if (!seen[program.set(node)]) {
      seen[program.set(node)] = true;
      chars.add(chars_of(program, node));
      if (can_begin) classes.for_each(program.set(node), [&](uint32_t c) { (*can_begin)[c] = true; });
    }
    return true;
  });
  chars.invert();
  return chars;
}

int64_t count_chars(const CharSet& set) {
  int64_t count = set.beyond_ascii;
  for (const uint8_t row : set.rows()) count += popcount(row);
  return count;
}

CharSet all_chars() {
  CharSet all;
  all.invert();
  return all;
}

// Follows the paths of matches up to the first `c` in them.
RequiredChar required_char(const Program& program, const std::vector<Edges>& edges, uint8_t c) {
  RequiredChar found{c, {}, {all_chars(), all_chars()}};
  if (edges.empty() || program.num_nodes() > kMostNodes) {
    found.before = all_chars();
    return found;
  }
  std::vector<bool> seen(program.num_nodes());
  std::vector<uint32_t> left{program.start()}, takers;
  const auto for_each_next = [&](uint32_t node, const auto& take) {
    for (const Edges& context : edges) {
      for (uint32_t k = context.begins[node]; k < context.begins[node + 1]; ++k) take(context.targets[k]);
    }
  };
  while (!left.empty()) {
    const uint32_t node = left.back();
    left.pop_back();
    for_each_next(node, [&](uint32_t next) {
      if (seen[next] || next == program.accept()) return;
      seen[next] = true;
      CharSet chars = chars_of(program, next);
      if (chars.contains(c)) takers.push_back(next);
      chars.remove(c);
      if (chars != CharSet()) left.push_back(next);
      found.before.add(chars);
    });
  }
  for (CharSet& after : found.after) {
    CharSet chars;
    std::vector<uint32_t> after_them;
    for (const uint32_t node : takers) {
      for_each_next(node, [&](uint32_t next) {
        chars.add(next == program.accept() ? all_chars() : chars_of(program, next));
        after_them.push_back(next);
      });
    }
    after = chars;
    if (chars.beyond_ascii) break;  // the byte after them may be of the same code point
    std::sort(after_them.begin(), after_them.end());
    after_them.erase(std::unique(after_them.begin(), after_them.end()), after_them.end());
    takers = std::move(after_them);
  }
  return found;
}

// Follows the paths of matches up to two or three bytes, or to one that is rare. Nothing if these are many, beyond
// ASCII, or all of a match.
std::optional<simd::PrefixSet> prefixes_of(const Program& program, const std::vector<Edges>& edges) {
  std::map<std::string, std::set<uint32_t>> known{{"", {program.start()}}};  // the nodes after each text
  simd::PrefixSet prefixes;
  prefixes.num_bytes = 0;
  if (edges.empty() || program.num_nodes() > kMostNodes) return std::nullopt;
  while (prefixes.num_bytes < static_cast<int64_t>(simd::PrefixSet::kMaxBytes)) {
    decltype(known) next;
    bool goes_on = true;
    const auto follow = [&](const std::string& text, uint32_t node) {
      goes_on = node != program.accept() && !program.classes().has_beyond_ascii(program.set(node));
      for (uint8_t b = 0; b < 0x80 && goes_on; ++b) {
        if (program.takes(node, program.classes().of_ascii(b))) next[text + static_cast<char>(b)].insert(node);
      }
      goes_on = goes_on && next.size() <= kMaxPrefixes;
    };
    for (const auto& [text, nodes] : known) {
      for (const uint32_t node : nodes) {
        for (const Edges& context : edges) {
          for (uint32_t k = context.begins[node]; k < context.begins[node + 1] && goes_on; ++k) {
            follow(text, context.targets[k]);
          }
        }
      }
    }
    if (!goes_on) break;
    known = std::move(next);
    ++prefixes.num_bytes;
  }
  const auto is_frequent = [](const auto& of) { return !is_rarer(static_cast<uint8_t>(of.first[0]), 'a'); };
  if (prefixes.num_bytes == 0) return std::nullopt;
  if (prefixes.num_bytes == 1 && std::any_of(known.begin(), known.end(), is_frequent)) return std::nullopt;
  size_t i = 0;  // texts that are next to each other in their order are alike, so they share a bit
  for (const auto& [text, nodes] : known) {
    prefixes.add(reinterpret_cast<const uint8_t*>(text.data()),
                 static_cast<int>(i++ * simd::PrefixSet::kBits / std::max<size_t>(known.size(), 8)));
  }
  return prefixes;
}

}  // namespace

Automaton::Automaton(const Syntax& syntax, MatchRule match_rule)
    : rule(match_rule),
      program(Program::compile(syntax, match_rule == MatchRule::kFirst)),
      edges_(find_edges(program)),
      forward(program, edges_, Direction::kForward),
      backward(program, edges_, Direction::kBackward),
      begins_text(is_anchored(program, Direction::kForward)),
      ends_text(is_anchored(program, Direction::kBackward)),
      positions(PositionAutomaton::compile(program, edges_, rule)),
      prefixes(prefixes_of(program, edges_)),
      one_pass(rule == MatchRule::kFirst && syntax.num_groups > 0 ? OnePass::compile(program) : nullptr),
      looks_back(backward.cost() <= kMaxCost || !program.matches_at_most(kShortMatch)),
      texts(match_texts(syntax.root)),
      looks_before(program.num_kinds_before() > 1) {
  std::vector<uint8_t> chars;
  for (uint8_t b = 0; b < 0x80; ++b) {
    if (texts.chars.contains(b)) chars.push_back(b);
  }
  std::stable_sort(chars.begin(), chars.end(), is_rarer);
  for (const uint8_t c : chars) {
    if (required.size() < kMaxRequiredChars) required.push_back(required_char(program, edges_, c));
  }
  std::stable_sort(required.begin(), required.end(), [](const RequiredChar& a, const RequiredChar& b) {
    return is_rarer(a.c, b.c) || (!is_rarer(b.c, a.c) && count_chars(a.before) < count_chars(b.before));
  });
  edges_ = {};
  can_begin.resize(program.num_classes());
  cannot_begin = chars_beyond_edge(program, Direction::kForward, &matches_empty, &can_begin);
  cannot_end = chars_beyond_edge(program, Direction::kBackward, &matches_empty, nullptr);
}

int64_t Automaton::max_bytes() const {
  constexpr int64_t kAutomata = 8 << 20;  // what an ordinary text lets the states take
  constexpr int64_t kPerInstruction = 256;
  return kAutomata + kPerInstruction * static_cast<int64_t>(program.code().size());
}

}  // namespace stringops
