#include "regex/codepoint_classes.h"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

namespace stringops {

CodepointClasses::CodepointClasses(const std::vector<CodepointSet>& sets) {
  // Between two cuts, no set begins or ends.
  std::vector<uint32_t> cuts{0, kMaxCodepoint + 1};
  for (const CodepointSet& set : sets) {
    for (const CodepointRange& range : set.ranges()) {
      cuts.push_back(range.first);
      cuts.push_back(range.last + 1);
    }
  }
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  const size_t count = cuts.size() - 1;
  const auto at = [&](uint32_t codepoint) {
    return static_cast<size_t>(std::lower_bound(cuts.begin(), cuts.end(), codepoint) - cuts.begin());
  };

  // Calls f for the intervals of a set, or for all others if these are fewer, as both divide classes likewise. Returns
  // whether they are those of the set.
  const auto for_each_interval = [&](const CodepointSet& set, const auto& f) {
    std::vector<size_t> ends{0};  // of others, of the set, in turn
    size_t num_inside = 0;
    for (const CodepointRange& range : set.ranges()) {
      ends.push_back(at(range.first));
      ends.push_back(at(range.last + 1));
      num_inside += ends.back() - ends[ends.size() - 2];
    }
    ends.push_back(count);
    const bool inside = num_inside <= count / 2;
    for (size_t k = inside; k + 1 < ends.size(); k += 2) {
      for (size_t i = ends[k]; i < ends[k + 1]; ++i) f(i);
    }
    return inside;
  };

  // Each set divides the classes so far into those in it and those that are not.
  std::vector<uint32_t> classes(count);
  std::unordered_map<uint32_t, uint32_t> numbers;
  uint32_t fresh = 1;
  for (const CodepointSet& set : sets) {
    numbers.clear();
    for_each_interval(set, [&](size_t i) {
      const auto [found, is_fresh] = numbers.emplace(classes[i], fresh);
      fresh += is_fresh;
      classes[i] = found->second;
    });
  }
  numbers.clear();
  for (uint32_t& c : classes) c = numbers.emplace(c, static_cast<uint32_t>(numbers.size())).first->second;
  const auto size = static_cast<uint32_t>(numbers.size());
  if (size >= 1u << 15)
    throw std::length_error("expected at most 32767 classes of characters that sets tell apart, got more");
  size_ = static_cast<int32_t>(size);

  std::vector<uint32_t> example(size);  // a code point of each class
  beyond_ascii_.resize(size);
  for (size_t i = count; i-- > 0;) {
    example[classes[i]] = cuts[i];
    // No set contains surrogates, which thus have a class, but no text has them.
    const bool in_text = !is_surrogate(cuts[i]) || !is_surrogate(cuts[i + 1] - 1);
    if (cuts[i + 1] > 0x80 && in_text) beyond_ascii_[classes[i]] = true;
  }
  std::vector<uint32_t> some;  // classes of a set, or all others
  for (const CodepointSet& set : sets) {
    some.clear();
    Members members;
    members.inverted = !for_each_interval(set, [&](size_t i) { some.push_back(classes[i]); });
    members.has_beyond_ascii = !set.empty() && set.ranges().back().last >= 0x80;
    members.words = words_.size();
    std::sort(some.begin(), some.end());
    some.erase(std::unique(some.begin(), some.end()), some.end());
    members.size = members.inverted ? size - some.size() : some.size();
    if (!some.empty()) {
      members.first = some.front();
      members.count = some.back() + 1 - members.first;
      words_.resize(words_.size() + static_cast<size_t>(words_for(members.count)));
    }
    for (const uint32_t c : some) set_bit(&words_[members.words], c - members.first);
    members_.push_back(members);
  }

  // Most blocks are of one class.
  constexpr uint16_t kNone = UINT16_MAX;
  std::vector<uint16_t> uniform(size, kNone);
  index_.reserve(kDecodable >> kBlockBits);
  size_t i = 0;
  for (uint32_t first = 0; first <= kMaxCodepoint; first += kBlock) {
    while (cuts[i + 1] <= first) ++i;
    const bool is_uniform = cuts[i + 1] >= first + kBlock;
    if (is_uniform && uniform[classes[i]] != kNone) {
      index_.push_back(uniform[classes[i]]);
      continue;
    }
    const auto number = static_cast<uint16_t>(blocks_.size() >> kBlockBits);
    if (is_uniform) uniform[classes[i]] = number;
    index_.push_back(number);
    size_t k = i;
    for (uint32_t c = first; c < first + kBlock; ++c) {
      if (c == cuts[k + 1]) ++k;
      blocks_.push_back(static_cast<uint16_t>(classes[k]));
    }
  }
  index_.resize(kDecodable >> kBlockBits, index_.back());
  for (uint8_t b = 0; b < 128; ++b) ascii_[b] = static_cast<uint16_t>(of(b));
}

}  // namespace stringops
