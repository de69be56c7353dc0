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

  // Each set divides the classes so far into those in it and those that are not.
  std::vector<uint32_t> classes(count);
  std::vector<uint8_t> in_set(count);
  uint32_t size = 1;
  for (const CodepointSet& set : sets) {
    std::fill(in_set.begin(), in_set.end(), uint8_t{0});
    for (const CodepointRange& range : set.ranges()) {
      std::fill(in_set.begin() + static_cast<int64_t>(at(range.first)),
                in_set.begin() + static_cast<int64_t>(at(range.last + 1)), uint8_t{1});
    }
    std::unordered_map<uint32_t, uint32_t> divided;
    for (size_t i = 0; i < count; ++i) {
      const uint32_t key = classes[i] << 1 | in_set[i];
      classes[i] = divided.emplace(key, static_cast<uint32_t>(divided.size())).first->second;
    }
    size = static_cast<uint32_t>(divided.size());
  }
  if (size >= 1u << 15) throw std::length_error("too many classes");
  size_ = static_cast<int32_t>(size);

  std::vector<uint32_t> example(size);  // a code point of each class
  beyond_ascii_.resize(size);
  for (size_t i = count; i-- > 0;) {
    example[classes[i]] = cuts[i];
    if (cuts[i + 1] > 0x80) beyond_ascii_[classes[i]] = true;
  }
  members_.resize(sets.size() * size);
  for (size_t s = 0; s < sets.size(); ++s) {
    for (uint32_t c = 0; c < size; ++c) members_[s * size + c] = sets[s].contains(example[c]);
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
