#include "regex/position_automaton.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "regex/simple_patterns.h"

namespace stringops {
namespace {

constexpr size_t kMaxPositionSets = 32;
constexpr size_t kMaxSingles = 1024;
constexpr size_t kMaxContexts = 64;
constexpr size_t kMaxTaken = 1 << 20;  // classes of all nodes
// Steps from a state of a pattern whose first matches are compared with its longest ones: 10 ms at most.
constexpr int kMaxSteps = 1 << 14;

constexpr uint32_t bit(size_t node) {
  return uint32_t{1} << node;
}

// A state of both automata: nodes in the order of preference, and those of all paths; the kind of the code point
// before.
struct Paths {
  std::vector<uint32_t> preferred;
  std::set<uint32_t> all;
  uint16_t kind = 0;

  bool operator<(const Paths& other) const {
    return std::tie(kind, all, preferred) < std::tie(other.kind, other.all, other.preferred);
  }
};

// Sets `next` to the state after a code point of class c. The list ends at a match, as less preferred paths do. Returns
// whether both automata match before the code point, or neither.
bool step_paths(const Program& program, const std::vector<Edges>& edges, const Paths& state, uint32_t c, Paths* next) {
  const Edges& in = edges[program.context(state.kind, program.kind_after(c))];
  const auto takes = [&](uint32_t node) { return c != program.end_class() && program.takes(node, c); };
  std::set<uint32_t> seen;
  bool first_matches = false, any_matches = false;
  for (const uint32_t from : state.preferred) {
    for (uint32_t k = in.begins[from]; k < in.begins[from + 1] && !first_matches; ++k) {
      const uint32_t node = in.targets[k];
      first_matches = node == program.accept();
      if (!first_matches && seen.insert(node).second && takes(node)) next->preferred.push_back(node);
    }
  }
  for (const uint32_t from : state.all) {
    for (uint32_t k = in.begins[from]; k < in.begins[from + 1]; ++k) {
      const uint32_t node = in.targets[k];
      any_matches |= node == program.accept();
      if (node != program.accept() && takes(node)) next->all.insert(node);
    }
  }
  next->kind = program.kind_before(c);
  return first_matches == any_matches;
}

// Whether the first match is always the longest one: after any text, both automata match, or neither.
bool first_is_longest(const Program& program, const std::vector<Edges>& edges) {
  std::set<Paths> known;
  int steps = 0;
  std::vector<Paths> left;
  for (uint16_t kind = 0; kind < program.num_kinds_before(); ++kind) {
    left.push_back({{program.start()}, {program.start()}, kind});
  }
  while (!left.empty()) {
    const Paths state = std::move(left.back());
    left.pop_back();
    for (uint32_t c = 0; c <= program.end_class(); ++c) {
      steps += static_cast<int>(1 + state.all.size() / 8);
      Paths next;
      if (steps > kMaxSteps || !step_paths(program, edges, state, c, &next)) return false;
      if (!next.all.empty() && known.insert(next).second) left.push_back(std::move(next));
    }
  }
  return true;
}

}  // namespace

std::optional<PositionAutomaton> PositionAutomaton::compile(const Program& program, const std::vector<Edges>& edges,
                                                            MatchRule rule) {
  if (program.start() == 0 || program.start() > kMaxSingles || edges.empty() || edges.size() > kMaxContexts ||
      size_t{program.start()} * program.num_classes() > kMaxTaken) {
    return std::nullopt;
  }
  PositionAutomaton result;
  Singles all(program.start());
  for (uint32_t node = 0; node < program.start(); ++node) {
    Single& single = all[node];
    single.node.set = result.add_classes(program, [&](uint32_t c) { return program.takes(node, c); });
    single.kinds_before.resize(program.num_kinds_before());
    single.kinds_after.resize(program.num_kinds_after());
    for (uint32_t c = 0; c < program.end_class(); ++c) {
      if (!program.takes(node, c)) continue;
      single.kinds_before[program.kind_before(c)] = true;
      single.kinds_after[program.kind_after(c)] = true;
    }
  }
  if (!result.add_edges(program, edges, &all) || !result.add_nodes(all)) return std::nullopt;
  if (result.sets_.size() > kMaxPositionSets) return std::nullopt;
  if (rule == MatchRule::kFirst && !first_is_longest(program, edges)) return std::nullopt;
  result.length_ = result.find_length();
  return result;
}

// Adds the set of the characters of classes.
template <class Has>
size_t PositionAutomaton::add_classes(const Program& program, const Has& has) {
  const CodepointClasses& classes = program.classes();
  CharSet set;
  bool has_all = true;
  for (uint8_t b = 0; b < 0x80; ++b) {
    if (has(classes.of_ascii(b))) set.add(b);
  }
  for (uint32_t c = 0; c < program.end_class(); ++c) {
    if (!classes.is_beyond_ascii(c)) continue;
    set.beyond_ascii |= has(c);
    has_all &= has(c);
  }
  needs_ascii_ |= set.beyond_ascii && !has_all;
  const auto found = std::find(sets_.begin(), sets_.end(), set);
  const auto at = static_cast<size_t>(found - sets_.begin());
  if (found == sets_.end()) sets_.push_back(set);
  return at;
}

// Returns the number of the condition that the code points on both sides, which are of some of the kinds each, make one
// of the contexts; -1 if they always do, -2 if never.
int PositionAutomaton::add_condition(const Program& program, uint64_t contexts, const std::vector<bool>& kinds_before,
                                     const std::vector<bool>& kinds_after) {
  bool always = true;
  std::map<std::vector<bool>, std::vector<bool>> cases;  // kinds before, by those that may be after them
  for (uint16_t before = 0; before < kinds_before.size(); ++before) {
    if (!kinds_before[before]) continue;
    std::vector<bool> allowed(kinds_after.size());
    for (uint16_t after = 0; after < kinds_after.size(); ++after) {
      allowed[after] = kinds_after[after] && (contexts >> program.context(before, after) & 1) != 0;
    }
    always &= allowed == kinds_after;
    std::vector<bool>& same = cases[allowed];
    same.resize(kinds_before.size());
    same[before] = true;
  }
  cases.erase(std::vector<bool>(kinds_after.size()));
  if (cases.empty()) return -2;
  if (always) return -1;
  Condition condition;
  const uint32_t end = program.end_class();
  for (const auto& found : cases) {
    const auto is_before = [&](uint32_t c) { return bool{found.second[program.kind_before(c)]}; };
    const auto is_after = [&](uint32_t c) { return bool{found.first[program.kind_after(c)]}; };
    condition.push_back(
        {add_classes(program, is_before), add_classes(program, is_after), is_before(end), is_after(end)});
  }
  const auto same = std::find(conditions_.begin(), conditions_.end(), condition);
  const auto at = static_cast<int>(same - conditions_.begin());
  if (same == conditions_.end()) conditions_.push_back(std::move(condition));
  return at;
}

bool PositionAutomaton::add_edges(const Program& program, const std::vector<Edges>& edges, Singles* all) {
  for (uint32_t from = 0; from <= program.start(); ++from) {
    std::map<uint32_t, uint64_t> targets;  // the contexts of each edge
    for (size_t context = 0; context < edges.size(); ++context) {
      for (uint32_t k = edges[context].begins[from]; k < edges[context].begins[from + 1]; ++k) {
        targets[edges[context].targets[k]] |= uint64_t{1} << context;
      }
    }
    if (targets.size() > kMaxNodes + 1) return false;
    for (const auto& [to, contexts] : targets) {
      if (!add_edge(program, from, to, contexts, all)) return false;
    }
  }
  return true;
}

bool PositionAutomaton::add_edge(const Program& program, uint32_t from, uint32_t to, uint64_t contexts, Singles* all) {
  const bool begins = from == program.start(), accepts = to == program.accept();
  if (begins && accepts) return false;
  const int condition = add_condition(
      program, contexts, begins ? std::vector(program.num_kinds_before(), true) : (*all)[from].kinds_before,
      accepts ? std::vector(program.num_kinds_after(), true) : (*all)[to].kinds_after);
  if (condition == -2) return true;
  if (begins) {
    (*all)[to].begins = true;
    (*all)[to].node.begin_if = condition;
  } else if (accepts) {
    (*all)[from].node.accepts = true;
    (*all)[from].node.accept_if = condition;
  } else if (condition != -1) {
    return false;
  } else {
    (*all)[from].after.push_back(to);
    (*all)[to].before.push_back(from);
  }
  return true;
}

// Returns the end of the nodes from `first` on that are like it but for the next one, which only the one before leads
// to. Those of a range may all be left in the same ways, and all others only to the next one.
size_t PositionAutomaton::end_of_repetition(const Singles& all, size_t first) const {
  const auto exits = [&](size_t i) {
    std::vector<uint32_t> others = all[i].after;
    others.erase(std::remove(others.begin(), others.end(), i + 1), others.end());
    return others;
  };
  const auto is_left = [&](size_t i) { return all[i].node.accepts || !exits(i).empty(); };
  size_t end = first + 1;
  for (; end < all.size(); ++end) {
    const Single &a = all[end - 1], &b = all[end];
    const bool follows = std::count(a.after.begin(), a.after.end(), end) == 1 && b.before.size() == 1;
    if (!follows || b.begins || b.node.set != a.node.set || is_left(end - 1) != is_left(first)) break;
    if (!is_left(first)) continue;
    if (b.node.accepts != a.node.accepts || b.node.accept_if != a.node.accept_if) break;
    if (b.after == exits(first)) return end + 1;
    if (exits(end) != exits(first)) break;
  }
  return end;
}

// Whether the nodes are a range, of which it makes no difference for its last byte which byte is the first: a match may
// end after each of its bytes, or the byte after a range is not of its set.
bool PositionAutomaton::is_range(const Singles& all, size_t first, size_t end) const {
  const Single& last = all[end - 1];
  if (end - first == 1 || (last.node.accepts && last.node.accept_if < 0)) return true;
  const CharSet& set = sets_[last.node.set];
  for (const uint32_t next : last.after) {
    if (intersect(set, sets_[all[next].node.set])) return false;
  }
  if (!last.node.accepts) return true;
  for (const Case& one : conditions_[static_cast<size_t>(last.node.accept_if)]) {
    if (intersect(set, sets_[one.before]) && intersect(set, sets_[one.after])) return false;
  }
  return true;
}

// Nodes are numbered from left to right, so that an edge to the left is part of a loop.
bool PositionAutomaton::add_nodes(const Singles& all) {
  std::vector<size_t> numbers(all.size());
  std::vector<size_t> lasts;  // of each node
  for (size_t first = 0, end = 0; first < all.size(); first = end) {
    end = end_of_repetition(all, first);
    const bool has_exits = all[first].node.accepts || all[first].after.size() > 1;
    if (has_exits && end - first > 1 && !is_range(all, first, end)) end = first + 1;
    if (nodes_.size() == kMaxNodes) return false;
    Node node = all[first].node;
    node.is_range = has_exits && end - first > 1;
    node.count = static_cast<int64_t>(end - first);
    node.accepts = all[end - 1].node.accepts;
    node.accept_if = all[end - 1].node.accept_if;
    if (all[first].begins) begins_ |= bit(nodes_.size());
    for (size_t i = first; i < end; ++i) numbers[i] = nodes_.size();
    lasts.push_back(end - 1);
    nodes_.push_back(node);
  }
  for (size_t i = 0; i < nodes_.size(); ++i) {
    for (const uint32_t single : all[lasts[i]].after) {
      const size_t to = numbers[single];
      if (to == i && nodes_[i].count == 1) {
        nodes_[i].loops = true;
        continue;
      }
      if (to <= i) loops_end_ = std::max(loops_end_, i + 1);
      nodes_[i].after |= bit(to);
      nodes_[to].before |= bit(i);
    }
  }
  for (size_t i = 0; i < nodes_.size(); ++i) {
    if (!sets_[nodes_[i].set].beyond_ascii) continue;
    begins_beyond_ascii_ |= (begins_ & bit(i)) != 0;
    needs_ascii_ |= !nodes_[i].loops;
    for (const int condition : {nodes_[i].begin_if, nodes_[i].accept_if}) {
      if (condition < 0) continue;
      for (const Case& one : conditions_[static_cast<size_t>(condition)]) {
        needs_ascii_ |= sets_[one.before].beyond_ascii && sets_[one.after].beyond_ascii;
      }
    }
    for (size_t k = 0; k < nodes_.size(); ++k) {
      needs_ascii_ |= (nodes_[i].after & bit(k)) != 0 && sets_[nodes_[k].set].beyond_ascii;
    }
  }
  return true;
}

int64_t PositionAutomaton::find_length() const {
  if (loops_end_ != 0) return 0;
  std::vector<int64_t> ends(nodes_.size());  // of each node, the bytes of a match up to its end
  int64_t length = 0;
  for (size_t i = 0; i < nodes_.size(); ++i) {
    const Node& node = nodes_[i];
    if (node.loops || (node.is_range && node.count > 1)) return 0;
    int64_t begin = (begins_ & bit(i)) != 0 ? 0 : -1;
    for (size_t k = 0; k < i; ++k) {
      if ((node.before & bit(k)) == 0) continue;
      if (begin >= 0 && begin != ends[k]) return 0;
      begin = ends[k];
    }
    ends[i] = begin + node.count;
    if (!node.accepts) continue;
    if (length > 0 && length != ends[i]) return 0;
    length = ends[i];
  }
  return length;
}

}  // namespace stringops
