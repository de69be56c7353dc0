// Finds many patterns at once: of those that begin at the leftmost place the longest one, without overlaps, or all of
// them. The time does not depend on the number of patterns.
//
// A bit per hash of the first bytes of patterns rejects most places of a text. At the others, a trie of the patterns is
// followed. For texts in which this takes long, like "aaaa" with the pattern "aaab", there is the automaton of Aho and
// Corasick, of the reversed patterns: it reads the text backwards, so that at each place it knows those that begin
// there.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/narrow.h"
#include "core/poll.h"
#include "core/string_span.h"
#include "core/testing.h"
#include "subword/models/piece_trie.h"

namespace stringops::kernels {

// Matches are those of bytes. In valid UTF-8, valid patterns match whole code points.
class PatternSet {
 public:
  using Trie = subword::PieceTrie;
  using Unit = Trie::Unit;

  // From a cache. Throws std::invalid_argument if there are too many patterns.
  static std::shared_ptr<const PatternSet> of(const char* op, const StringSpan& patterns);

  PatternSet(const char* op, const std::vector<std::string>& patterns);
  PatternSet(const PatternSet&) = delete;
  PatternSet& operator=(const PatternSet&) = delete;

  int64_t num_bytes() const;  // of memory
  // The first pattern that is empty. An empty pattern is never found.
  std::optional<int64_t> first_empty() const { return first_empty_; }
  int64_t size_of(int32_t id) const { return sizes_[static_cast<size_t>(id)]; }

 private:
  friend class PatternSearcher;

  // Steps of the trie at one place that are always made. Longer patterns have the automaton.
  static constexpr int64_t kMaxSteps = block_size(64, 4);
  static constexpr int64_t kMaxPrefix = 4;

  // The states of the automaton are the nodes of `trie`, of the reversed patterns.
  struct Automaton {
    Automaton(const char* op, const std::vector<std::string>& patterns);

    Trie trie() const { return {reinterpret_cast<const uint8_t*>(units.data()), units.size()}; }
    uint32_t next(uint32_t state, uint8_t byte) const;

    std::vector<Unit> units;
    std::vector<uint32_t> shorter;  // the state of the longest proper suffix of the state's text that has one
    std::vector<uint32_t> found;    // the state of the longest pattern that is a suffix of it; the root if none is
  };

  Trie trie() const { return {reinterpret_cast<const uint8_t*>(units_.data()), units_.size()}; }
  void add_filter(const std::vector<std::string>& patterns);

  // Whether a pattern may begin with the bytes of `word`.
  bool may_begin(uint32_t word) const {
    const uint32_t bit = bit_of(word);
    return filter_[bit / 64] >> (bit % 64) & 1;
  }
  uint32_t bit_of(uint32_t word) const { return (word & prefix_mask_) * 0x9E3779B1U >> filter_shift_; }

  std::vector<Unit> units_;
  std::vector<int32_t> sizes_;
  std::vector<uint64_t> filter_;
  int filter_shift_ = 0;
  uint32_t prefix_mask_ = 0;
  int64_t prefix_size_ = 0;  // of the bytes that the filter tests: those of the shortest pattern, or kMaxPrefix
  int64_t longest_ = 0;
  std::optional<Automaton> automaton_;
  std::optional<int64_t> first_empty_;
};

// Searches one text after the other, on one thread.
class PatternSearcher {
 public:
  explicit PatternSearcher(const PatternSet& set) : set_(set), trie_(set.trie()) {}

  // Calls take(begin, size, id) for the matches that do not overlap, from left to right, until it returns false. `id`
  // is the number of the first of equal patterns. Bytes after the text, up to `readable_end`, may be read.
  template <class Take>
  void find(StringView text, const uint8_t* readable_end, Take&& take) {
    const uint8_t* p = text.begin;
    int64_t steps = 0;
    while (next_place(text, readable_end, &p)) {
      const auto [id, size] = longest_at(p, text.end, &steps);
      if (id >= 0 && !take(p - text.begin, size, id)) return;
      p += std::max<int64_t>(size, 1);
      if (is_slow(steps, p - text.begin)) return find_slowly(text, p, take);
    }
  }

  // Calls take(begin, size, id) for all matches, in no particular order, until it returns false.
  template <class Take>
  void find_all(StringView text, const uint8_t* readable_end, Take&& take) {
    const uint8_t* p = text.begin;
    int64_t steps = 0;
    for (; next_place(text, readable_end, &p); ++p) {
      if (is_slow(steps, p - text.begin)) return find_all_slowly(text, p, take);
      bool more = true;
      walk(p, text.end, &steps, [&](int32_t id, int64_t size) { more = more && take(p - text.begin, size, id); });
      if (!more) return;
    }
  }

 private:
  struct Longest {
    int32_t id;
    int64_t size;
  };

  // Moves p to the next place where a pattern may begin; false if there is none.
  bool next_place(StringView text, const uint8_t* readable_end, const uint8_t** p) const {
    if (set_.prefix_size_ == 0) return false;  // no pattern
    const int64_t places = text.end - *p - set_.prefix_size_ + 1;
    const int64_t words = std::min<int64_t>(places, readable_end - *p - 3);  // that can be read
    const uint8_t* at = *p;
    if (words > 0) {
      const uint8_t* const end = at + words;
      while (at < end) {
        for (const uint8_t* const stop = poll_stop(at, end); at < stop; ++at) {
          uint32_t word;
          std::memcpy(&word, at, sizeof word);
          if (!set_.may_begin(word)) continue;
          *p = at;
          return true;
        }
      }
    }
    const bool found = at - *p < places;
    *p = at;
    return found;
  }

  // Calls take(id, size) for the patterns with which [p, end) begins, from short to long.
  template <class Take>
  void walk(const uint8_t* p, const uint8_t* end, int64_t* steps, Take&& take) const {
    PatternSet::Unit unit = trie_.unit(PatternSet::Trie::kRoot);
    const uint8_t* at = p;
    while (at < end) {
      unit = trie_.child_unit(unit, *at++);
      if (unit == 0) break;
      if (const int32_t id = PatternSet::Trie::id_of(unit); id >= 0) take(id, at - p);
    }
    *steps += at - p;
  }

  Longest longest_at(const uint8_t* p, const uint8_t* end, int64_t* steps) const {
    Longest longest{-1, 0};
    walk(p, end, steps, [&](int32_t id, int64_t size) { longest = {id, size}; });
    return longest;
  }

  bool is_slow(int64_t steps, int64_t bytes) const {
    return set_.automaton_ && steps > PatternSet::kMaxSteps * (bytes + 64);
  }

  // Calls take(begin, state) for places of [from, text.end) in windows, those of a window from right to left: the
  // automaton's state of the longest pattern that begins there, or the root. Then calls end_window(begin, end), which
  // returns where the next window begins, or null to stop.
  template <class Take, class EndWindow>
  void read_backwards(StringView text, const uint8_t* from, Take&& take, EndWindow&& end_window) {
    const PatternSet::Automaton& automaton = *set_.automaton_;
    const int64_t window = std::max<int64_t>(block_size(1 << 16, 16), 4 * set_.longest_);
    while (from != nullptr && from < text.end) {
      const uint8_t* const end = from + std::min(window, text.end - from);
      uint32_t state = PatternSet::Trie::kRoot;
      // A pattern that begins in the window ends before this.
      for (const uint8_t* p = end + std::min(set_.longest_, text.end - end); p-- > from;) {
        state = automaton.next(state, *p);
        if (p < end) take(p, automaton.found[state]);
        pace_.spend(1);
      }
      from = end_window(from, end);
    }
  }

  template <class Take>
  void find_slowly(StringView text, const uint8_t* from, Take&& take) {
    const PatternSet::Trie trie = set_.automaton_->trie();
    const auto keep = [&](const uint8_t*, uint32_t state) { window_.push_back(trie.id(state)); };
    read_backwards(text, from, keep, [&](const uint8_t* begin, const uint8_t* end) -> const uint8_t* {
      const uint8_t* p = begin;
      while (p < end) {
        const int32_t id = window_[static_cast<size_t>(end - p - 1)];
        if (id >= 0 && !take(p - text.begin, set_.size_of(id), id)) return nullptr;
        p += id >= 0 ? set_.size_of(id) : 1;
      }
      window_.clear();
      return p;
    });
  }

  template <class Take>
  void find_all_slowly(StringView text, const uint8_t* from, Take&& take) {
    const PatternSet::Automaton& automaton = *set_.automaton_;
    const PatternSet::Trie trie = automaton.trie();
    bool more = true;
    const auto take_all = [&](const uint8_t* p, uint32_t state) {
      for (; more && state != PatternSet::Trie::kRoot; state = automaton.found[automaton.shorter[state]]) {
        const int32_t id = trie.id(state);
        more = take(p - text.begin, set_.size_of(id), id);
      }
    };
    read_backwards(text, from, take_all, [&](const uint8_t*, const uint8_t* end) { return more ? end : nullptr; });
  }

  const PatternSet& set_;
  const PatternSet::Trie trie_;
  std::vector<int32_t> window_;  // the longest pattern at each place, from right to left
  Pace pace_;
};

}  // namespace stringops::kernels
