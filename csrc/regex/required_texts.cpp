#include "regex/required_texts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <utility>

#include "core/codepoints.h"

namespace stringops {
namespace {

using Op = Node::Op;
using Texts = std::vector<std::string>;

constexpr size_t kMaxTexts = 32;  // of a part; alternatives together may have more
constexpr size_t kMaxBytes = 64;  // of a text

// The texts of alternatives, of which every match has one; and the bytes of each, if there are more than a few.
constexpr size_t kMaxRequired = 4096;
constexpr size_t kMinOfMany = 3;

// Each text of `first`, followed by each of `then`.
std::optional<Texts> join(const Texts& first, const Texts& then) {
  if (first.size() * then.size() > kMaxTexts) return std::nullopt;
  Texts all;
  for (const std::string& a : first) {
    for (const std::string& b : then) {
      if (a.size() + b.size() > kMaxBytes) return std::nullopt;
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
      if (all.size() == kMaxTexts) return std::nullopt;
      uint8_t bytes[4];
      const uint8_t* const end = write_utf8(&c, 1, bytes);
      all.emplace_back(reinterpret_cast<const char*>(bytes), static_cast<size_t>(end - bytes));
    }
  }
  return all;
}

std::optional<Texts> texts_of_repeat(const Node& node) {
  if (node.max < 0) return std::nullopt;
  const auto child = texts_of(node.children[0]);
  if (!child || std::find(child->begin(), child->end(), "") != child->end()) return std::nullopt;
  std::optional<Texts> all = Texts{""};  // x{1,3} is x(x(x)?)?
  for (int32_t i = node.max; i-- > 0 && all;) {
    all = join(*child, *all);
    if (all && i >= node.min) all->emplace_back();
  }
  return all;
}

// Returns the texts of which a match is one, and perhaps others; nothing if they are many.
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
        if (!some || all.size() + some->size() > kMaxTexts) return std::nullopt;
        all.insert(all.end(), some->begin(), some->end());
      }
      return all;
    }
    default:
      return std::nullopt;
  }
}

size_t shortest_of(const Texts& texts) {
  size_t size = kMaxBytes;
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
    if (shortest_of(*texts) < (texts->size() > kMaxTexts ? kMinOfMany : 2)) return;
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

std::vector<std::string> required_texts(const Node& root) {
  return RequiredTexts(root).best().value_or(Texts());
}

}  // namespace stringops
