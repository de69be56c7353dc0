#include "regex/run_sequence.h"

#include <algorithm>
#include <cstddef>

#include "core/bits.h"
#include "core/poll.h"
#include "simd/primitives.h"

namespace stringops {
namespace {

using Op = Node::Op;

constexpr size_t kMaxSets = 16;
constexpr size_t kMaxItems = 64;
// A mask is made anew for a run that begins after so many of its bytes.
constexpr int64_t kUsed = 40;

}  // namespace

std::optional<RunSequence> RunSequence::compile(const Syntax& syntax, MatchRule rule, bool is_one_pass) {
  RunSequence sequence;
  if (!sequence.append_sequence(syntax, is_one_pass) || !sequence.has_one_way(rule)) return std::nullopt;
  for (uint32_t b = 0; b < 256; ++b) {
    for (size_t s = 0; s < sequence.sets_.size(); ++s) {
      if (sequence.sets_[s].contains(static_cast<uint8_t>(b))) sequence.members_[b] |= 1u << s;
    }
  }
  return sequence;
}

bool RunSequence::append_sequence(const Syntax& syntax, bool is_one_pass) {
  const Node& root = syntax.root;
  if (root.op != Op::kConcat || !is_one_pass) return append(root);
  for (auto child = root.children.begin(); child != root.children.end(); ++child) {
    const RunSequence before = *this;
    if (append(*child)) continue;
    *this = before;
    Syntax rest;
    rest.num_groups = syntax.num_groups;
    rest.root.op = Op::kConcat;
    rest.root.children.assign(child, root.children.end());
    if (rest.root.children.size() == 1) rest.root = Node(rest.root.children[0]);
    tail_ = std::make_shared<const Tail>(rest);
    return tail_->one_pass != nullptr;
  }
  return true;
}

bool RunSequence::append(const Node& node) {
  switch (node.op) {
    case Op::kAssertion:
      if (node.assertion == Assertion::kTextEnd) return ends_text_ = true;
      return node.assertion == Assertion::kTextBegin && items_.empty() && (begins_text_ = true);
    case Op::kSet:
      return append_set(node.set, 1, 1);
    case Op::kConcat:
      return std::all_of(node.children.begin(), node.children.end(), [&](const Node& child) { return append(child); });
    case Op::kGroup: {
      borders_.push_back(2 * static_cast<uint32_t>(node.group));
      if (!append(node.children[0])) return false;
      borders_.push_back(2 * static_cast<uint32_t>(node.group) + 1);
      return true;
    }
    case Op::kRepeat:
      // The preference of a match does not matter where there is only one way.
      return node.children[0].is_set() && node.greedy && append_set(node.children[0].set, node.min, node.max);
    default:
      return false;
  }
}

bool RunSequence::append_set(const CodepointSet& set, int64_t min, int64_t max) {
  const auto chars = char_set(set);
  if (!chars || set.empty() || max == 0 || items_.size() == kMaxItems || ends_text_) return false;
  if (chars->beyond_ascii && (min > 1 || max >= 0)) return false;  // they would have to be counted
  const auto found = std::find(sets_.begin(), sets_.end(), *chars);
  if (found == sets_.end() && sets_.size() == kMaxSets) return false;
  items_.push_back({static_cast<uint32_t>(found - sets_.begin()), min, max, static_cast<uint32_t>(borders_.size())});
  if (found == sets_.end()) sets_.push_back(*chars);
  return true;
}

bool RunSequence::has_one_way(MatchRule rule) const {
  const bool is_empty = std::all_of(items_.begin(), items_.end(), [](const Item& i) { return i.min == 0; });
  if (items_.empty() || (!begins_text_ && !ends_text_ && (items_.size() < 2 || is_empty))) return false;
  for (size_t i = 0; i < items_.size(); ++i) {
    if (items_[i].min == items_[i].max) continue;
    const bool may_fail = rule != MatchRule::kFirst || ends_text_ || tail_ ||
                          std::any_of(items_.begin() + static_cast<std::ptrdiff_t>(i) + 1, items_.end(),
                                      [](const Item& item) { return item.min > 0; });
    if (!may_fail) break;
    const CharSet& run = sets_[items_[i].set];
    size_t k = i + 1;
    for (; k < items_.size(); ++k) {
      // A last run up to the end of the text stops at the same character wherever it begins.
      const bool is_rest = ends_text_ && k + 1 == items_.size() && items_[k].min == 0 && items_[k].max < 0;
      if (intersect(run, sets_[items_[k].set]) && !is_rest) return false;
      if (items_[k].min > 0) break;
    }
    if (k == items_.size() && tail_ && (!tail_->first || intersect(run, *tail_->first))) return false;
  }
  return true;
}

int64_t RunSequence::match(const uint8_t* text, int64_t size, int64_t begin, Match* groups, int64_t count) const {
  const simd::Primitives& simd = simd::primitives();
  std::fill(groups, groups + count, Match{-1, -1});
  int64_t at = begin;
  uint32_t border = 0;
  const auto set_borders = [&](uint32_t end) {
    for (; border < end; ++border) {
      const uint32_t b = borders_[border];
      if (b / 2 >= count) continue;
      Match& group = groups[b / 2];
      (b & 1 ? group.end : group.begin) = at;
    }
  };
  const auto fail = [&] {
    std::fill(groups, groups + count, Match{-1, -1});
    groups[0] = {begin, -1};
    return at - begin;
  };
  if (begins_text_ && begin > 0) return fail();
  // Bit i of a mask that is known: byte mask_begin + i is of the set.
  std::array<uint64_t, kMaxSets> masks;
  int64_t mask_begin = begin;
  uint32_t known = 0;
  for (const Item& item : items_) {
    set_borders(item.borders_end);
    if (item.max == 1 && item.min == 1) {
      if (at == size || (members_[text[at]] >> item.set & 1) == 0) return fail();
      ++at;
      continue;
    }
    if (at - mask_begin >= kUsed) {
      mask_begin = at;
      known = 0;
    }
    uint64_t& mask = masks[item.set];
    if ((known >> item.set & 1) == 0) {
      mask = 0;
      if (mask_begin < size) {
        simd.find_set(text + mask_begin, std::min(size - mask_begin, kWordBits), sets_[item.set], &mask);
      }
      known |= 1u << item.set;
    }
    const int64_t first = at - mask_begin;
    const uint64_t others = ~mask >> first;
    int64_t length = 0;
    if (others != 0) {
      length = first_bit(others);
    } else {
      const int64_t end = mask_begin + kWordBits;
      length = kWordBits - first + simd.count_in_set(text + end, size - end, sets_[item.set]);
    }
    if (item.max >= 0) length = std::min(length, item.max);
    if (length < item.min) return fail();
    at += length;
  }
  set_borders(static_cast<uint32_t>(borders_.size()));
  if (ends_text_ && at < size) return fail();
  if (tail_) {
    const int64_t read = tail_->one_pass->match_more(text, size, at, groups, count);
    at += read;
    if (groups->end < 0) return fail();
    groups->begin = begin;
    return at - begin;
  }
  groups[0] = {begin, at};
  return at - begin;
}

}  // namespace stringops
