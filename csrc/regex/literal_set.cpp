#include "regex/literal_set.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "core/codepoints.h"
#include "regex/simple_patterns.h"

namespace stringops {
namespace {

using Op = Node::Op;
using Texts = std::vector<std::string>;

constexpr int32_t kMaxRepeat = 8;

// The texts of alternatives, of which every match has one; and the bytes of each, if there are more than a few.
constexpr size_t kMaxRequired = 4096;
constexpr size_t kMinOfMany = 3;

// Each text of `first`, followed by each of `then`.
std::optional<Texts> join(const Texts& first, const Texts& then) {
  if (first.size() * then.size() > LiteralSet::kMaxTexts) return std::nullopt;
  Texts all;
  for (const std::string& a : first) {
    for (const std::string& b : then) {
      if (a.size() + b.size() > LiteralSet::kMaxBytes) return std::nullopt;
      all.push_back(a + b);
    }
  }
  return all;
}

std::optional<Texts> texts_of(const Node& node);

std::optional<Texts> texts_of_set(const CodepointSet& set) {
  Texts all;
  for (const CodepointRange& range : set.ranges()) {
    for (uint32_t c = range.first; c <= range.last; ++c) {
      if (all.size() == LiteralSet::kMaxTexts) return std::nullopt;
      uint8_t bytes[4];
      const uint8_t* const end = write_utf8(&c, 1, bytes);
      all.emplace_back(reinterpret_cast<const char*>(bytes), static_cast<size_t>(end - bytes));
    }
  }
  return all;
}

// x{1,3} is x(x(x)?)?, in which more or less is preferred each time.
std::optional<Texts> texts_of_repeat(const Node& node) {
  if (node.max < 0 || node.max > kMaxRepeat || node.possessive) return std::nullopt;
  const auto child = texts_of(node.children[0]);
  if (!child || std::find(child->begin(), child->end(), "") != child->end()) return std::nullopt;
  std::optional<Texts> all = Texts{""};
  for (int32_t i = node.max; i-- > 0 && all;) {
    all = join(*child, *all);
    if (all && i >= node.min) all->insert(node.greedy ? all->end() : all->begin(), "");
  }
  return all;
}

// Returns the texts in the order of preference.
std::optional<Texts> texts_of(const Node& node) {
  switch (node.op) {
    case Op::kEmpty:
      return Texts{""};
    case Op::kSet:
      return texts_of_set(node.set);
    case Op::kGroup:
      return texts_of(node.children[0]);
    case Op::kRepeat:
      return texts_of_repeat(node);
    case Op::kConcat: {
      std::optional<Texts> all = Texts{""};
      for (const Node& child : node.children) {
        const auto then = texts_of(child);
        if (!then) return std::nullopt;
        all = join(*all, *then);
        if (!all) return std::nullopt;
      }
      return all;
    }
    case Op::kAlternate: {
      Texts all;
      for (const Node& child : node.children) {
        const auto some = texts_of(child);
        if (!some || all.size() + some->size() > LiteralSet::kMaxTexts) return std::nullopt;
        all.insert(all.end(), some->begin(), some->end());
      }
      return all;
    }
    default:
      return std::nullopt;
  }
}

size_t shortest_of(const Texts& texts) {
  size_t size = LiteralSet::kMaxBytes;
  for (const std::string& text : texts) size = std::min(size, text.size());
  return size;
}

// Texts of two bytes or more, one of which every match of a node has; of several such sets, the one whose shortest text
// is the longest.
class RequiredTexts {
 public:
  explicit RequiredTexts(const Node& node) {
    switch (node.op) {
      case Op::kSet:
        add(texts_of_set(node.set));
        break;
      case Op::kGroup:
        add(RequiredTexts(node.children[0]).best_);
        break;
      case Op::kRepeat:
        if (node.min > 0) add(RequiredTexts(node.children[0]).best_);
        break;
      case Op::kConcat:
        take_items(node.children);
        break;
      case Op::kAlternate:
        take_alternatives(node.children);
        break;
      default:
        break;
    }
  }

  std::optional<Texts>& best() { return best_; }

 private:
  void add(std::optional<Texts> texts) {
    if (!texts || texts->empty()) return;
    if (shortest_of(*texts) < (texts->size() > LiteralSet::kMaxTexts ? kMinOfMany : 2)) return;
    if (!best_ || shortest_of(*texts) > shortest_of(*best_)) best_ = std::move(texts);
  }

  // Items that match a few texts each are joined, as far as these are not too many.
  void take_items(const std::vector<Node>& items) {
    Texts joined{""};
    for (const Node& item : items) {
      if (item.op == Op::kAssertion) continue;
      const auto texts = texts_of(item);
      auto more = texts ? join(joined, *texts) : std::nullopt;
      if (!more) {
        add(std::move(joined));
        add(RequiredTexts(item).best_);
        more = texts.value_or(Texts{""});
      }
      joined = *std::move(more);
    }
    add(std::move(joined));
  }

  void take_alternatives(const std::vector<Node>& alternatives) {
    Texts all;
    for (const Node& alternative : alternatives) {
      std::optional<Texts> some = std::move(RequiredTexts(alternative).best_);
      if (!some || all.size() + some->size() > kMaxRequired) return;
      std::move(some->begin(), some->end(), std::back_inserter(all));
    }
    add(std::move(all));
  }

  std::optional<Texts> best_;
};

}  // namespace

std::vector<std::string> texts_in_matches(const Node& root) {
  return RequiredTexts(root).best().value_or(Texts());
}

LiteralSet::LiteralSet(std::vector<std::string> texts) : texts_(std::move(texts)) {
  size_t shortest = simd::PrefixSet::kMaxBytes;
  for (const std::string& text : texts_) shortest = std::min(shortest, text.size());
  prefixes_.num_bytes = static_cast<int64_t>(shortest);
  for (int b = 0; b < 256; ++b) {
    groups_[static_cast<size_t>(b)] = static_cast<uint8_t>(by_first_.size());
    for (size_t i = 0; i < texts_.size(); ++i) {
      const std::string& text = texts_[i];
      if (static_cast<uint8_t>(text[0]) != b) continue;
      Literal entry{0, 0, static_cast<int64_t>(text.size()), i};
      const size_t size = std::min<size_t>(text.size(), 8);
      std::memcpy(&entry.word, text.data(), size);
      std::memset(&entry.mask, 0xFF, size);
      by_first_.push_back(entry);
    }
  }
  groups_[256] = static_cast<uint8_t>(by_first_.size());
  // Texts that are next to each other in this order are often alike, so they share a bit.
  for (size_t i = 0; i < by_first_.size(); ++i) {
    const auto* const bytes = reinterpret_cast<const uint8_t*>(texts_[by_first_[i].index].data());
    prefixes_.add(bytes, static_cast<int>(i * 8 / std::max<size_t>(by_first_.size(), 8)));
  }
}

std::optional<LiteralSet> literal_set(const Syntax& syntax, MatchRule rule) {
  if (!captures_all(syntax)) return std::nullopt;
  auto texts = texts_of(without_groups(syntax.root));
  if (!texts || texts->empty() || std::find(texts->begin(), texts->end(), "") != texts->end()) return std::nullopt;
  if (rule == MatchRule::kLongest) {
    std::stable_sort(texts->begin(), texts->end(), [](const auto& a, const auto& b) { return a.size() > b.size(); });
  }
  return LiteralSet(*std::move(texts));
}

}  // namespace stringops
