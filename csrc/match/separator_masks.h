// Separators that cut one after the other, each one what is left between those before it: `, ` and then ` `.
//
//   bytes       a , ␣ b ␣ c        first ", ", then " "
//   separators  0 1 1 0 1 0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/bits.h"
#include "core/char_class.h"
#include "match/pattern_rule.h"
#include "regex/literal_set.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

struct Separators {
  static constexpr size_t kMaxSearches = 8;
  static constexpr int64_t kMaxBytes = 64;  // of the longest texts of all searches

  // A search finds texts, or the characters of a set.
  struct Search {
    std::optional<LiteralSet> texts;
    CharSet set;
  };
  std::vector<Search> searches;

  void add(const CharSet& set) { searches.push_back({std::nullopt, set}); }
  void add(const LiteralSet& texts) { searches.push_back({texts, {}}); }

  // Characters that are separators wherever they are, and after which no text goes on.
  CharSet last() const;
  bool are_few() const;
};

class SeparatorMasks {
 public:
  SeparatorMasks(const Separators& separators, const simd::Primitives& simd) : separators_(separators), simd_(simd) {}

  // Sets the bits of the bytes that belong to separators, up to the one after the block, if the string continues. The
  // blocks of a string come in order.
  void find(const Block& block, uint64_t* words);

 private:
  static constexpr int64_t kWords = words_for(kBlockBytes + Separators::kMaxBytes) + 1;

  void find_texts(const Block& block, int64_t num_bytes, size_t search);
  // Returns the first separator so far in [begin, end), or `end`.
  int64_t first_found(int64_t begin, int64_t end) const;

  const Separators& separators_;
  const simd::Primitives& simd_;
  // For each search, the bytes of the next block that belong to a text in this one, if the string continues.
  std::array<int64_t, Separators::kMaxSearches> open_{};
  std::array<uint64_t, kWords> found_, candidates_;
};

// Words between separators, which must outlive the rule.
PatternRule rule_of_separators(const Separators& separators);

}  // namespace stringops::kernels
