// The "precompiled charsmap" of SentencePiece: texts and what replaces them, in a double-array trie.
//
//   uint32             the bytes of the trie
//   uint32 [units]     the trie, by bytes, as darts-clone writes it; values are positions in the texts
//   bytes              the texts, each with a zero byte after it
//
// All of it comes from strangers: every position is checked before it is used, so a malformed charsmap gives other
// texts, never a read out of bounds.
#pragma once

#include <cstdint>
#include <cstring>

#include "core/string_span.h"

namespace stringops::subword {

class Charsmap {
 public:
  static constexpr int64_t kMaxRule = 96;  // bytes of what replaces a text; of a longer one, the beginning

  Charsmap() = default;
  explicit Charsmap(StringView blob);

  bool is_empty() const { return num_units_ == 0; }

  // The replacement of a text, and the number of its bytes that the rule has; size -1 if there is no rule.
  struct Rule {
    StringView by;
    int64_t size;
  };
  // Returns the shortest of the rules of prefixes, like Hugging Face: never one with a zero byte.
  Rule find_shortest(StringView text) const;
  // The longest, as SentencePiece takes it.
  Rule find_longest(StringView text) const;
  bool has_rules() const { return num_units_ > 0; }
  // Whether a rule may begin with an ASCII character, and end there or go on with another one that is not zero.
  bool may_have_ascii_rule(uint8_t first) const;
  // Whether a rule may begin with a byte.
  bool may_have_rule(uint8_t first) const;
  // Whether there is a rule of this ASCII character alone.
  bool has_rule(uint8_t character) const;

 private:
  uint32_t unit(uint64_t i) const {
    uint32_t unit = 0;
    if (i < num_units_) std::memcpy(&unit, units_ + i * sizeof(unit), sizeof(unit));
    return unit;
  }
  static uint64_t offset(uint32_t unit) { return uint64_t{unit >> 10} << ((unit & (1u << 9)) >> 6); }
  StringView text_at(uint64_t begin) const;

  template <class OnLeaf>
  void walk(StringView text, OnLeaf&& on_leaf) const {
    uint64_t at = offset(unit(0));
    for (const uint8_t* p = text.begin; p < text.end; ++p) {
      at ^= *p;
      const uint32_t unit = this->unit(at);
      if ((unit & (1u << 31 | 0xFF)) != *p || at >= num_units_) return;
      at ^= offset(unit);
      const bool has_leaf = (unit >> 8 & 1) != 0;
      if (has_leaf && !on_leaf(this->unit(at) & ~(1u << 31), p + 1 - text.begin)) return;
    }
  }

  const uint8_t* units_ = nullptr;
  uint64_t num_units_ = 0;
  StringView texts_{};
};

}  // namespace stringops::subword
