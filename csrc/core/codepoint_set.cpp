#include "core/codepoint_set.h"

#include <algorithm>
#include <utility>

namespace stringops {
namespace {

constexpr uint32_t kFirstSurrogate = 0xD800, kLastSurrogate = 0xDFFF;

bool is_before(const CodepointRange& a, const CodepointRange& b) {
  return a.first < b.first;
}

}  // namespace

CodepointSet::CodepointSet(std::vector<CodepointRange> ranges) {
  if (!std::is_sorted(ranges.begin(), ranges.end(), is_before)) std::sort(ranges.begin(), ranges.end(), is_before);
  const auto append = [&](uint32_t first, uint32_t last) {
    if (first > last) return;
    if (!ranges_.empty() && first <= ranges_.back().last + 1) {
      ranges_.back().last = std::max(ranges_.back().last, last);
    } else {
      ranges_.push_back({first, last});
    }
  };
  // Ranges below the surrogates and above them stay apart, because U+D7FF and U+E000 are not adjacent.
  for (const auto& range : ranges) append(range.first, std::min(range.last, kFirstSurrogate - 1));
  for (const auto& range : ranges)
    append(std::max(range.first, kLastSurrogate + 1), std::min(range.last, kMaxCodepoint));
}

bool CodepointSet::contains(uint32_t codepoint) const {
  const auto after = std::upper_bound(ranges_.begin(), ranges_.end(), codepoint,
                                      [](uint32_t c, const CodepointRange& range) { return c < range.first; });
  return after != ranges_.begin() && codepoint <= std::prev(after)->last;
}

void CodepointSet::add(const CodepointSet& other) {
  std::vector<CodepointRange> both(ranges_.size() + other.ranges_.size());
  std::merge(ranges_.begin(), ranges_.end(), other.ranges_.begin(), other.ranges_.end(), both.begin(), is_before);
  *this = CodepointSet(std::move(both));
}

void CodepointSet::invert() {
  std::vector<CodepointRange> gaps;
  uint32_t next = 0;
  for (const auto& range : ranges_) {
    if (range.first > next) gaps.push_back({next, range.first - 1});
    next = range.last + 1;
  }
  if (next <= kMaxCodepoint) gaps.push_back({next, kMaxCodepoint});
  *this = CodepointSet(std::move(gaps));
}

void CodepointSet::intersect(CodepointSet other) {
  invert();
  other.invert();
  add(other);
  invert();
}

}  // namespace stringops
