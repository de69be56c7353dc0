// Finds many patterns at once: of those that begin at the leftmost place the longest one, without overlaps, or all of
// them. The time does not depend on the number of patterns.
//
// The first bytes of patterns reject most places of a block of strings, by shuffles of bytes (simd::PrefixSet) or by a
// table of hashes of four bytes each (GramTable), whichever takes less time on the text. At the others, a trie of the
// patterns is followed. Texts in which this takes long, like "aaaa" with the pattern "aaab", are read by an
// Aho-Corasick automaton of the reversed patterns: it reads the text backwards, so that at each place it knows those
// that begin there.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/bits.h"
#include "core/piece_trie.h"
#include "core/poll.h"
#include "core/string_span.h"
#include "core/testing.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

// Hashes of the q-grams of patterns: the bytes, four or as many as the shortest pattern has, from each of the first
// `stride` bytes on. Of a text, every `stride`-th place alone is tested: the hash of its gram tells at which of this
// place and the stride - 1 places before it a pattern may begin. Hashes collide, so it may tell too many.
struct GramTable {
  static constexpr int64_t kMaxBytes = 4, kMaxStride = 8;
  static constexpr int kHashBits = 17;
  static constexpr uint32_t kFactor = 0x85EBCA6B;

  // Bit stride - 1 - k: the gram is at byte k of a pattern. The factor shifts the bytes after the gram out of it.
  uint8_t& places(uint32_t gram) { return bits[gram * factor >> (32 - kHashBits)]; }

  std::vector<uint8_t> bits;  // of each hash
  int64_t num_bytes = 0;      // of a gram
  int64_t stride = 1;         // a power of two
  uint32_t factor = 0;
};

// Matches are those of bytes. In valid UTF-8, valid patterns match whole code points.
class PatternSet {
 public:
  using Trie = PieceTrie;
  using Unit = Trie::Unit;

  // From a cache. Throws std::invalid_argument if there are too many patterns.
  static std::shared_ptr<const PatternSet> of(const char* op, const StringSpan& patterns);
  // The same, of texts that are few enough.
  static std::shared_ptr<const PatternSet> of(const std::vector<std::string>& texts);

  PatternSet(const char* op, const std::vector<std::string>& patterns);
  ~PatternSet() { delete automaton_.load(std::memory_order_relaxed); }
  PatternSet(const PatternSet&) = delete;
  PatternSet& operator=(const PatternSet&) = delete;

  int64_t num_bytes() const;  // of memory
  // The first pattern that is empty. An empty pattern is never found.
  std::optional<int64_t> first_empty() const { return first_empty_; }
  Trie trie() const { return {reinterpret_cast<const uint8_t*>(units_.data()), units_.size()}; }
  int64_t size_of(int32_t id) const { return sizes_[static_cast<size_t>(id)]; }

 private:
  friend class PatternSearcher;
  friend class CandidateFinder;

  // Steps of the trie for each byte of a text that are always made. The automaton is faster than more of them.
  static constexpr int64_t kMaxSteps = 6;

  // The states of the automaton are the nodes of `trie`, of the reversed patterns.
  struct Automaton {
    Automaton(const char* op, const std::vector<std::string>& patterns);

    Trie trie() const { return {reinterpret_cast<const uint8_t*>(units.data()), units.size()}; }
    // Returns the state after a byte. `unit` is that of the state, before and after.
    uint32_t next(uint32_t state, uint8_t byte, Unit* unit) const {
      const Trie states = trie();
      for (;;) {
        if (const Unit child = states.child_unit(*unit, byte); child != 0) {
          return static_cast<uint32_t>(std::exchange(*unit, child)) ^ byte;
        }
        if (state == Trie::kRoot) return state;
        state = shorter[state];
        *unit = states.unit(state);
      }
    }

    std::vector<Unit> units;
    std::vector<uint32_t> shorter;  // the state of the longest proper suffix of the state's text that has one
    std::vector<uint32_t> found;    // the state of the longest pattern that is a suffix of it; the root if none is
  };

  void add_prefixes(const std::vector<std::string>& patterns);
  const Automaton& automaton() const;  // made when it is needed, without a lock (core/lazy.h)

  std::vector<Unit> units_;
  std::vector<int32_t> sizes_;
  std::vector<std::string> texts_;  // from which the automaton is made
  simd::PrefixSet prefixes_;
  GramTable grams_;
  bool is_few_ = false;  // of few patterns, the shuffles are tried first
  int64_t longest_ = 0;
  mutable std::atomic<const Automaton*> automaton_{nullptr};
  std::optional<int64_t> first_empty_;
};

// Finds the places of a block where patterns may begin, in one window after the other. What a caller passes over is not
// read, and windows grow while it does not.
class CandidateFinder {
 public:
  explicit CandidateFinder(const PatternSet& set)
      : set_(set), simd_(simd::primitives()), shuffles_(set.is_few_), costs_{base_cost(false), base_cost(true)} {}

  void start(const Block& block) {
    block_ = &block;
    end_ = 0;
    unsampled_ -= block.num_bytes;
    samples_this_ = unsampled_ < 0;
  }

  // Returns the first place from `from` on, which ascends, or the size of the block if there is none.
  int64_t next(int64_t from) {
    while (from < block_->num_bytes) {
      if (from >= end_) read(from);
      auto w = static_cast<size_t>((from - begin_) / kWordBits);
      uint64_t bits = candidates_[w] & ~low_bits((from - begin_) % kWordBits);
      while (bits == 0) bits = candidates_[++w];
      from = begin_ + static_cast<int64_t>(w) * kWordBits + first_bit(bits);
      if (from < end_) return from;
    }
    return block_->num_bytes;
  }

 private:
  static constexpr int64_t kWindow = 4 * kWordBits;

  // Rough times of 64 places, in ns: by grams and by shuffles; of the grams of one byte each; of a place that is left.
  static constexpr int64_t kCosts[2] = {5, 3}, kGramCost = 29, kPlaceCost = 8;
  static constexpr int64_t kSampleWords = block_size(16, 1), kSamples = 16, kUnsampled = 8 * kBlockBytes;

  void read(int64_t from);
  void sample(int64_t words);  // of the window
  int64_t base_cost(bool shuffles) const { return shuffles ? kCosts[1] : kCosts[0] + kGramCost / set_.grams_.stride; }
  template <int kStride>
  uint64_t find_grams(const uint8_t* data, int64_t readable) const;  // in a window of one word

  const PatternSet& set_;
  const simd::Primitives& simd_;
  const Block* block_ = nullptr;
  bool shuffles_;                                     // that filter is used, not the grams
  std::array<int64_t, 2> costs_;                      // of 64 places, by grams and by shuffles; at first, a lower bound
  int64_t words_ = 0, found_ = 0, samples_ = 0;       // of the sample that is taken; samples before
  bool samples_this_ = false;                         // block
  int64_t unsampled_ = 0;                             // bytes before the next sample
  int64_t begin_ = 0, end_ = 0, window_ = kWindow;    // of the window that is read
  std::array<uint64_t, kBlockWords + 1> candidates_;  // its masks, and a word after them
};

// Searches strings, on one thread.
class PatternSearcher {
 public:
  explicit PatternSearcher(const PatternSet& set) : set_(set), trie_(set.trie()), finder_(set) {}

  // Calls take(begin, size, id) for the occurrences in each string [first, last), in bytes from its beginning, until it
  // returns false; and then end_string(size). `id` is the number of the first of equal patterns. Occurrences do not
  // overlap, and come from left to right; with kAll there are all of them, in no particular order.
  template <bool kAll, class Take, class EndString>
  void find(const StringSpan& in, int64_t first, int64_t last, Take&& take, EndString&& end_string) {
    BlockReader reader(in, {first, 0}, {last, 0});
    Block block;
    int64_t string_begin = 0;  // from the block's, negative if the string has bytes in earlier ones
    int64_t from = 0;          // where the next occurrence may begin
    int64_t steps = 0;         // of the trie, in the string, and those too many in earlier ones
    while (reader.next(block)) {
      if (!block.starts_inside) string_begin = from = 0;
      int64_t k = 0;
      const auto end_strings = [&](int64_t at) {
        const int64_t before = string_begin;
        for (; k < block.num_strings && block.end(k) <= at; ++k) {
          end_string(block.end(k) - string_begin);
          string_begin = block.end(k);
        }
        if (steps > 0 && slow_bytes_ <= 0) {
          steps = std::max<int64_t>(steps - PatternSet::kMaxSteps * (string_begin - before), 0);
        }
      };
      if (set_.longest_ > 0) {
        finder_.start(block);
        const auto try_at = [&](int64_t at) {
          end_strings(at);
          const int64_t end = k < block.num_strings ? block.end(k) : block.readable;
          const auto take_at = [&](int64_t begin, int64_t size, int32_t id) {
            const bool more = take(begin - string_begin, size, id);
            if (!more) from = end;
            return more;
          };
          if (steps > PatternSet::kMaxSteps * kWordBits && is_slow(steps, at - string_begin)) {
            const StringView rest{block.data + at, block.data + end};
            const auto take_rest = [&](int64_t begin, int64_t size, int32_t id) {
              return take_at(at + begin, size, id);
            };
            kAll ? find_all_slowly(rest, take_rest) : find_slowly(rest, take_rest);
            from = end;
            slow_bytes_ -= end - at;
            if (slow_bytes_ <= 0) steps = 0;
          } else if constexpr (kAll) {
            walk(block.data + at, block.data + end, &steps,
                 [&](int32_t id, int64_t size) { return take_at(at, size, id); });
          } else {
            const auto [id, size] = longest_at(block.data + at, block.data + end, &steps);
            if (id >= 0 && take_at(at, size, id)) from = at + size;
          }
        };
        for (int64_t at; from < block.num_bytes && (at = finder_.next(from)) < block.num_bytes;) {
          from = at + 1;
          try_at(at);
        }
      }
      if (block.num_strings == 0 && from >= block.readable) {
        end_string(block.readable - string_begin);
        reader.skip_rest();
        steps = 0;  // of a string of which a part was read
      }
      end_strings(block.num_bytes);
      string_begin -= block.num_bytes;
      from = std::max<int64_t>(from - block.num_bytes, 0);
    }
  }

 private:
  struct Longest {
    int32_t id;
    int64_t size;
  };

  // Calls take(id, size) for the patterns with which [p, end) begins, from short to long, until it returns false.
  template <class Take>
  void walk(const uint8_t* p, const uint8_t* end, int64_t* steps, Take&& take) const {
    PatternSet::Unit unit = trie_.unit(PatternSet::Trie::kRoot);
    const uint8_t* at = p;
    while (at < end) {
      unit = trie_.child_unit(unit, *at++);
      if (unit == 0) break;
      if (const int32_t id = PatternSet::Trie::id_of(unit); id >= 0 && !take(id, at - p)) break;
    }
    *steps += at - p;
  }

  Longest longest_at(const uint8_t* p, const uint8_t* end, int64_t* steps) const {
    Longest longest{-1, 0};
    walk(p, end, steps, [&](int32_t id, int64_t size) {
      longest = {id, size};
      return true;
    });
    return longest;
  }

  // Returns whether the rest of a string is read by the automaton, as are the strings after it, up to kSlowBytes.
  bool is_slow(int64_t steps, int64_t bytes) {
    constexpr int64_t kSlowBytes = block_size(1 << 15, 64);
    const bool begins = slow_bytes_ <= 0 && set_.longest_ > PatternSet::kMaxSteps &&
                        steps > PatternSet::kMaxSteps * (bytes + kWordBits);
    if (begins) slow_bytes_ = kSlowBytes;
    return slow_bytes_ > 0;
  }

  // Calls take(begin, state) for places of the text in windows, those of a window from right to left: the
  // automaton's state of the longest pattern that begins there, or the root. Then calls end_window(begin, end), which
  // returns where the next window begins, or null to stop.
  template <class Take, class EndWindow>
  void read_backwards(StringView text, Take&& take, EndWindow&& end_window) {
    const PatternSet::Automaton& automaton = set_.automaton();
    const int64_t window = std::max<int64_t>(block_size(1 << 16, 16), 4 * set_.longest_);
    const uint8_t* from = text.begin;
    while (from != nullptr && from < text.end) {
      const uint8_t* const end = from + std::min<int64_t>(window, text.end - from);
      uint32_t state = PatternSet::Trie::kRoot;
      PatternSet::Unit unit = automaton.trie().unit(state);
      // A pattern that begins in the window ends before this.
      for (const uint8_t* p = end + std::min<int64_t>(set_.longest_, text.end - end); p-- > from;) {
        state = automaton.next(state, *p, &unit);
        if (p < end) take(p, automaton.found[state]);
      }
      pace_.spend(end - from);
      from = end_window(from, end);
    }
  }

  template <class Take>
  void find_slowly(StringView text, Take&& take) {
    const PatternSet::Trie trie = set_.automaton().trie();
    window_.clear();  // of a text that was not read to its end
    const auto keep = [&](const uint8_t*, uint32_t state) { window_.push_back(trie.id(state)); };
    read_backwards(text, keep, [&](const uint8_t* begin, const uint8_t* end) -> const uint8_t* {
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
  void find_all_slowly(StringView text, Take&& take) {
    const PatternSet::Automaton& automaton = set_.automaton();
    const PatternSet::Trie trie = automaton.trie();
    bool more = true;
    const auto take_all = [&](const uint8_t* p, uint32_t state) {
      for (; more && state != PatternSet::Trie::kRoot; state = automaton.found[automaton.shorter[state]]) {
        const int32_t id = trie.id(state);
        more = take(p - text.begin, set_.size_of(id), id);
      }
    };
    read_backwards(text, take_all, [&](const uint8_t*, const uint8_t* end) { return more ? end : nullptr; });
  }

  const PatternSet& set_;
  const PatternSet::Trie trie_;
  CandidateFinder finder_;
  std::vector<int32_t> window_;  // the longest pattern at each place, from right to left
  int64_t slow_bytes_ = 0;       // that the automaton is still to read
  Pace pace_;
};

}  // namespace stringops::kernels
