// Patterns that match one of a few texts: `the|and|of`, `colou?r`, `(?i)usd`.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "regex/match_rule.h"
#include "regex/syntax.h"
#include "simd/primitives.h"

namespace stringops {

class LiteralSet {
 public:
  static constexpr size_t kMaxTexts = 32;
  static constexpr size_t kMaxBytes = 64;  // of a text

  // None is empty; those that are preferred to others with which the same text begins come first.
  explicit LiteralSet(std::vector<std::string> texts);

  // Returns the prefixes of all matches; some other texts begin with one, too.
  const simd::PrefixSet& prefixes() const { return prefixes_; }
  const std::vector<std::string>& texts() const { return texts_; }

  // The size of the text of the set with which the `room` > 0 bytes at p begin; 0 if there is none.
  int64_t match(const uint8_t* p, int64_t room) const {
    uint64_t word = 0;
    std::memcpy(&word, p, room >= 8 ? 8 : static_cast<size_t>(room));
    for (uint32_t i = groups_[p[0]]; i < groups_[p[0] + size_t{1}]; ++i) {
      const Literal& text = by_first_[i];
      if (((word ^ text.word) & text.mask) != 0 || text.size > room) continue;
      if (text.size <= 8 ||
          std::memcmp(p + 8, texts_[text.index].data() + 8, static_cast<size_t>(text.size - 8)) == 0) {
        return text.size;
      }
    }
    return 0;
  }

 private:
  struct Literal {
    uint64_t word, mask;  // its first 8 bytes
    int64_t size;
    size_t index;
  };

  std::vector<std::string> texts_;
  std::vector<Literal> by_first_;  // of each first byte, in order
  std::array<uint8_t, 257> groups_{};
  simd::PrefixSet prefixes_;
};

// Texts of which every match has at least one: `^(?:class|def)\s+\w+`. None if there are too many, or if they are so
// short that most strings have one.
std::vector<std::string> texts_in_matches(const Node& root);

// Nothing if there are too many texts, or an empty one. Groups capture the whole match.
std::optional<LiteralSet> literal_set(const Syntax& syntax, MatchRule rule);

}  // namespace stringops
