// Derives the merges of a BPE whose file lists only the priorities of tokens: two neighbours merge if their
// concatenation is a token, and the pair whose token has the least priority merges first.
//
// A token may be divided into two tokens in several ways, but merging makes it in at most one: out of its last two
// parts when its text is merged alone. In a longer text, the same merges take place between the ends of the token until
// the token is made, as none that crosses an end can come before. The merges of all other ways would never be found, so
// that a table without them is smaller and has the same result.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "subword/build/pairs.h"
#include "subword/build/sections.h"

namespace stringops::kernels {

class LastMerges {
 public:
  // `priorities`, by id, are kNone of tokens that no merge makes.
  LastMerges(const TokenIds& tokens, const std::vector<uint32_t>& priorities)
      : tokens_(tokens), priorities_(priorities), of_ascii_(kNumAscii * kNumAscii, subword::kNone) {
    for (size_t id = 0; id < priorities.size(); ++id) {
      const std::string_view text = tokens.texts[id];
      if (text.size() == 2 && is_ascii(text)) of_ascii_[ascii_index(text)] = priorities[id];
    }
  }

  // Returns the last merge of a token, nothing if merging does not make it. Its first symbols begin at the first byte
  // and at those that begins_symbol returns true of.
  template <class BeginsSymbol>
  std::optional<Pair> find(uint32_t id, BeginsSymbol&& begins_symbol) {
    text_ = tokens_.texts[id];
    if (priorities_[id] == subword::kNone) return std::nullopt;
    begins_.assign(1, 0);
    for (size_t at = 1; at < text_.size(); ++at) {
      if (begins_symbol(text_[at])) begins_.push_back(at);
    }
    begins_.push_back(text_.size());
    if (begins_.size() < 3) return std::nullopt;
    find_first_priorities();
    while (begins_.size() > 3) {
      const auto least = std::min_element(found_.begin(), found_.end());
      if (*least == subword::kNone) return std::nullopt;
      const auto at = static_cast<size_t>(least - found_.begin());
      begins_.erase(begins_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
      found_.erase(least);
      if (at > 0) found_[at - 1] = priority(pair_at(at - 1));
      if (at < found_.size()) found_[at] = priority(pair_at(at));
    }
    const uint32_t left = tokens_.find(text_.substr(0, begins_[1])), right = tokens_.find(text_.substr(begins_[1]));
    if (left == subword::kNone || right == subword::kNone) return std::nullopt;
    return Pair{pair_key(left, right), priorities_[id], id};
  }

 private:
  // The text of a symbol and the next one.
  std::string_view pair_at(size_t symbol) const {
    return text_.substr(begins_[symbol], begins_[symbol + 2] - begins_[symbol]);
  }
  uint32_t priority(std::string_view text) const { return priority(text, tokens_.hash(text)); }
  uint32_t priority(std::string_view text, uint64_t hash) const {
    const uint32_t id = tokens_.find(text, hash);
    return id == subword::kNone ? id : priorities_[id];
  }

  static constexpr size_t kNumAscii = 128;
  static bool is_ascii(std::string_view text) { return ((text[0] | text[1]) & 0x80) == 0; }
  static size_t ascii_index(std::string_view text) {
    return static_cast<size_t>(text[0]) * kNumAscii + static_cast<size_t>(text[1]);
  }

  // Hashes all pairs that are not of ASCII first, so that their lines of the hash table, which are in no cache, arrive
  // together.
  void find_first_priorities() {
    const size_t num_pairs = begins_.size() - 2;
    hashes_.clear();
    found_.clear();
    for (size_t i = 0; i < num_pairs; ++i) {
      const std::string_view text = pair_at(i);
      const bool is_known = text.size() == 2 && is_ascii(text);
      found_.push_back(is_known ? of_ascii_[ascii_index(text)] : subword::kNone);
      if (is_known) continue;
      hashes_.push_back({i, tokens_.hash(text)});
      tokens_.prefetch(hashes_.back().second);
    }
    for (const auto& [i, hash] : hashes_) found_[i] = priority(pair_at(i), hash);
  }

  const TokenIds& tokens_;
  const std::vector<uint32_t>& priorities_;
  std::string_view text_;
  std::vector<size_t> begins_;   // of symbols, and the end of the text
  std::vector<uint32_t> found_;  // priorities of each symbol and the next one
  std::vector<std::pair<size_t, uint64_t>> hashes_;
  std::vector<uint32_t> of_ascii_;  // priorities of tokens of two characters of ASCII
};

}  // namespace stringops::kernels
