// Derives the merges of a BPE whose file lists only the priorities of tokens: two neighbours merge if their
// concatenation is a token, and the pair whose token has the least priority merges first.
//
// A token may be divided into two tokens in several ways, but merging makes it in at most one: out of its last two
// parts when its text is merged alone. In a longer text, the same merges take place between the ends of the token until
// the token is made, as none that crosses an end can come before. The merges of all other ways would never be found, so
// that a table without them is smaller and has the same result; with some of them, it has the same result, too.
//
// Tokens are added in the order of their priorities. If both parts of a token were made before, by merges of ascending
// priorities, then they are its last parts unless a merge across their border comes first. Merges that change the
// symbols at the border are those that made the parts, their symbols at the border, and so on: undone from the last one
// to the first, they show all pairs of symbols that were ever there.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "core/bits.h"
#include "subword/build/pairs.h"
#include "subword/build/sections.h"

namespace stringops::kernels {

class LastMerges {
 public:
  // `priorities`, by id, are kNone of tokens that no merge makes. begins_symbol returns of a byte whether a symbol
  // begins with it. With `lists_all`, merges of all pairs of tokens are added, not only last ones.
  template <class BeginsSymbol>
  LastMerges(const TokenIds& tokens, const std::vector<uint32_t>& priorities, BeginsSymbol&& begins_symbol,
             bool lists_all = false)
      : tokens_(tokens), priorities_(priorities), lists_all_(lists_all), parts_(tokens.texts.size()) {
    pairs_.reserve(parts_.size());
    while (listed_.size() < 2 * parts_.size()) grow();
    for (uint32_t id = 0; id < parts_.size(); ++id) {
      const std::string_view text = tokens.texts[id];
      Parts& parts = parts_[id];
      for (size_t end = text.size(); end > 1 && parts.prefix == subword::kNone;) {
        if (!begins_symbol(text[--end])) continue;
        parts.left = priorities[id] == subword::kNone ? kNever : kLater;
        parts.prefix = tokens.find(text.substr(0, end));
      }
    }
  }

  // Adds the last merge of a token, if merging makes it. Returns true then. If it is not known whether it does, or of
  // which parts, adds all that are possible, and returns false.
  bool add(uint32_t id) {
    Parts& made = parts_[id];
    if (made.left != kLater) return false;
    const std::string_view text = tokens_.texts[id];
    const size_t num_pairs = pairs_.size();
    for (uint32_t left = made.prefix; left != subword::kNone; left = parts_[left].prefix) {
      if (parts_[left].left == kNever) continue;
      const uint32_t right = tokens_.find(text.substr(tokens_.texts[left].size()));
      if (right == subword::kNone || parts_[right].left == kNever) continue;
      const bool is_known = !lists_all_ && parts_[left].left != kLater && parts_[right].left != kLater;
      if (is_known && merges_across(left, right)) continue;
      if (is_known) pairs_.resize(num_pairs);
      pairs_.push_back({pair_key(left, right), priorities_[id], id});
      if (!is_known) continue;
      made.left = left;
      made.right = right;
      break;
    }
    for (size_t i = num_pairs; i < pairs_.size(); ++i) {
      if (2 * i >= listed_.size()) grow();
      list(pairs_[i].key << kPairBits | pairs_[i].priority);
    }
    if (pairs_.size() == num_pairs) made.left = kNever;
    return made.left < kLater;
  }

  std::vector<Pair> take() { return std::move(pairs_); }

 private:
  static constexpr uint32_t kSymbol = subword::kNone, kNever = kSymbol - 1, kLater = kSymbol - 2;
  static constexpr int kBitsOfFilter = 2;

  struct Parts {
    uint32_t left = kSymbol, right = 0;  // of the last merge
    uint32_t prefix = subword::kNone;    // the longest token that the token begins with
  };

  // Whether two tokens that were made do not stay as they are next to each other.
  bool merges_across(uint32_t left, uint32_t right) const {
    while (true) {
      // The later one of the merges that made the two. Of equal tokens, the right one is made later.
      const uint32_t of_left = made_at(left), of_right = made_at(right);
      const uint32_t last = std::max(of_left, of_right);
      if (last == 0) return false;
      const bool is_right = of_right == last;
      (is_right ? right : left) = is_right ? parts_[right].left : parts_[left].right;
      // It came before one across the border of the same token if it is left of it.
      if (listed_at(pair_key(left, right)) < last + (is_right ? 1 : 0)) return true;
    }
  }

  // 1 + the priority; 0 of symbols.
  uint32_t made_at(uint32_t id) const { return parts_[id].left == kSymbol ? 0 : priorities_[id] + 1; }
  // Same as above of the token that a pair becomes, kNone if it was not added.
  uint32_t listed_at(uint64_t key) const {
    const uint64_t h = hash(key);
    if (!test_bit(is_listed_.data(), static_cast<int64_t>(h))) return subword::kNone;
    const uint64_t found = listed_[find_slot(key, h)];
    return found == kEmptyPair ? subword::kNone : static_cast<uint32_t>(found & subword::kMaxSymbol) + 1;
  }
  uint64_t hash(uint64_t key) const { return key * factor_ >> (64 - kBitsOfFilter - num_bits_); }
  // The slot of a pair, or the empty one where it would be.
  size_t find_slot(uint64_t key, uint64_t h) const {
    for (uint64_t slot = h >> kBitsOfFilter;; ++slot) {
      const uint64_t found = listed_[slot & (listed_.size() - 1)];
      if (found == kEmptyPair || found >> kPairBits == key) return slot & (listed_.size() - 1);
    }
  }
  void list(uint64_t pair) {
    const uint64_t key = pair >> kPairBits, h = hash(key);
    listed_[find_slot(key, h)] = pair;
    set_bit(is_listed_.data(), static_cast<int64_t>(h));
  }
  void grow() {
    const std::vector<uint64_t> before = std::move(listed_);
    listed_.assign(uint64_t{1} << ++num_bits_, kEmptyPair);
    is_listed_.assign(listed_.size() >> (6 - kBitsOfFilter), 0);
    for (const uint64_t pair : before) {
      if (pair != kEmptyPair) list(pair);
    }
  }

  const TokenIds& tokens_;
  const std::vector<uint32_t>& priorities_;
  const bool lists_all_;
  std::vector<Parts> parts_;  // by id
  // The merges so far, and a hash table of them as in the slots of PairTable, of which half are empty; and a bit a
  // hash, so few that they stay in the cache, whether there may be one.
  std::vector<Pair> pairs_;
  std::vector<uint64_t> listed_, is_listed_;
  int num_bits_ = 5;
  const uint64_t factor_ = random_seed().low | 1;  // so that no file can hold pairs that collide
};

}  // namespace stringops::kernels
