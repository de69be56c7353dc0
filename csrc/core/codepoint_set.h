// A set of code points, as sorted ranges.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace stringops {

constexpr uint32_t kMaxCodepoint = 0x10FFFF;

// A range of code points, both ends included.
struct CodepointRange {
  uint32_t first, last;

  bool operator==(const CodepointRange& other) const { return first == other.first && last == other.last; }
};

// Never contains surrogates, as no valid UTF-8 does: so sets are equal if and only if they match the same text.
class CodepointSet {
 public:
  CodepointSet() = default;
  // Makes a set of ranges in any order, which may overlap.
  explicit CodepointSet(std::vector<CodepointRange> ranges);
  CodepointSet(uint32_t first, uint32_t last) : CodepointSet({{first, last}}) {}

  static CodepointSet all() { return CodepointSet(0, kMaxCodepoint); }

  bool contains(uint32_t codepoint) const;
  bool empty() const { return ranges_.empty(); }
  // Sorted; disjoint, and not adjacent, but for the gap of the surrogates.
  const std::vector<CodepointRange>& ranges() const { return ranges_; }

  void add(const CodepointSet& other);
  void invert();
  void intersect(CodepointSet other);

  bool operator==(const CodepointSet& other) const { return ranges_ == other.ranges_; }
  bool operator!=(const CodepointSet& other) const { return !(*this == other); }

 private:
  std::vector<CodepointRange> ranges_;
};

}  // namespace stringops
