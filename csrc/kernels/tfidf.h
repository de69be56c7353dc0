// Counts of n-grams with skips, against a pool of n-grams. Spec: ONNX TfIdfVectorizer-9.
//
// The elements of the pool get ids; a trie over these ids holds its n-grams. Each row of the input is encoded to ids,
// and every position is followed through the trie, at each distance between adjacent elements that skips allow.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <vector>

#include "core/hash.h"
#include "core/lazy.h"
#include "core/testing.h"
#include "driver/runner.h"

namespace stringops::kernels {

// A hash table with 64-bit keys: open addressing with linear probing, at most half full. A value has `sign()`, which is
// negative for Value(), that is none, and for no value in the table.
template <class Value>
class KeyTable {
 public:
  explicit KeyTable(int64_t max_keys) : slots_(capacity_for(max_keys)), seed_(process_seed()) {}

  // The value of a key, or none.
  Value find(uint64_t key) const { return slots_[slot_of(key)].value; }

  // Returns a reference to the value. If there is none yet, the caller sets it.
  Value& find_or_insert(uint64_t key) {
    Slot& slot = slots_[slot_of(key)];
    slot.key = key;
    return slot.value;
  }

 private:
  struct Slot {
    uint64_t key = 0;
    Value value;
  };

  // Random, against hash flooding by the integers of a pool. No result depends on it.
  static const HashSeed& process_seed() {
    return lazy([] { return random_seed(); });
  }

  static size_t capacity_for(int64_t max_keys) {
    size_t capacity = 16;
    while (capacity < 2 * static_cast<size_t>(max_keys)) capacity *= 2;
    return capacity;
  }

  // All ones or zero.
  static uint64_t none_mask(Value value) { return static_cast<uint64_t>(int64_t{value.sign()} >> 63); }

  uint64_t slot_of(uint64_t key) const {
    const uint64_t mask = slots_.size() - 1;
    uint64_t i = mix(key ^ seed_.low, seed_.high | 1) & mask;
    // Most searches end here. Which of the two ends them is unpredictable, so there is one branch.
    while (((slots_[i].key ^ key) & ~none_mask(slots_[i].value)) != 0) i = (i + 1) & mask;
    return i;
  }

  std::vector<Slot> slots_;
  HashSeed seed_;
};

// The id of an element of the pool.
struct ElementId {
  int32_t id = -1;
  int32_t sign() const { return id; }
};

// The lengths of n-grams that are counted, and where each length begins in the pool.
struct NgramAttributes {
  int64_t min_gram_length;
  int64_t max_gram_length;
  std::vector<int64_t> ngram_counts;

  bool operator==(const NgramAttributes& other) const {
    return min_gram_length == other.min_gram_length && max_gram_length == other.max_gram_length &&
           ngram_counts == other.ngram_counts;
  }
};

// Checks the attributes against the number of elements of the pool. Returns the number of its n-grams, of all lengths.
int64_t check_ngrams(const char* op, const NgramAttributes& attributes, int64_t pool_size);

class NgramTrie {
 public:
  // ids[i] is that of element i of the pool; ids are less than their number. The attributes have been checked.
  NgramTrie(const char* op, const NgramAttributes& attributes, const std::vector<int64_t>& ids);

  int64_t num_lengths() const { return max_length_ - min_length_ + 1; }

  // Calls found(i) for each occurrence of n-gram i of the pool in a row of n ids, of which negative ones are unknown,
  // and others are ids of the pool.
  template <class Found>
  void for_each_ngram(const int64_t* ids, int64_t n, int64_t max_skip_count, Found&& found) const {
    NgramList list(found);
    int64_t shortest = min_length_;
    for (int64_t distance = 1; distance - 1 <= max_skip_count; ++distance) {
      if (shortest > 1 && (n - 1) / (shortest - 1) < distance) break;
      const int64_t last = n - 1 - (shortest - 1) * distance;
      for (int64_t start = 0; start <= last; ++start) {
        Target target = first_[static_cast<size_t>(ids[start] + 1)];
        if (shortest == 1) list.add(target.ngram);
        int64_t at = start + distance;
        if (at >= n || max_length_ == 1) continue;
        target = find_child(target.node, ids[at]);
        if (shortest <= 2) list.add(target.ngram);
        for (int64_t length = 3; target.node >= 0 && (at += distance) < n; ++length) {
          target = find_child(target.node, ids[at]);
          if (length >= shortest) list.add(target.ngram);
        }
      }
      // Skips do not change 1-grams, which are counted once.
      if (shortest == 1 && ++shortest > max_length_) break;
    }
    list.flush();
  }

 private:
  // The target of an element: the n-gram that ends there, and the node whose children continue it; -1 if there is none.
  struct Target {
    int32_t ngram = -1;
    int32_t node = -1;
    int32_t sign() const { return ngram & node; }  // negative if both are
  };

  // It is unpredictable whether an element or a pair is in the pool, so n-grams are listed without a branch, and then
  // counted.
  template <class Found>
  class NgramList {
   public:
    explicit NgramList(Found& found) : found_(found) {}

    void add(int32_t ngram) {
      ngrams_[count_] = ngram;
      count_ += ngram >= 0 ? 1 : 0;
      if (count_ == ngrams_.size()) flush();
    }
    void flush() {
      for (size_t i = 0; i < count_; ++i) found_(ngrams_[i]);
      count_ = 0;
    }

   private:
    std::array<int32_t, block_size(256, 4)> ngrams_;
    size_t count_ = 0;
    Found& found_;
  };

  static uint64_t child_key(int32_t node, int64_t id) {
    return static_cast<uint64_t>(node) << 32 | static_cast<uint64_t>(id);
  }

  // Returns the target of the id from the node. No node and an unknown id have no target: no key has all bits.
  Target find_child(int32_t node, int64_t id) const {
    const bool exists = (node >= 0) & (id >= 0);
    return children_.find(child_key(node, id) | (uint64_t{exists} - 1));
  }

  int64_t min_length_;
  int64_t max_length_;
  std::vector<Target> first_;  // of an unknown element, and of each id, as the first of an n-gram
  KeyTable<Target> children_;
};

// The column in which an n-gram is counted, and its weight.
struct NgramOutput {
  int32_t at;
  float weight;
};

struct NgramOutputs {
  std::vector<NgramOutput> of_ngrams;
  int64_t num_outputs;
  bool is_idf;       // an n-gram that occurs has its weight, however often
  bool has_weights;  // others than 1
};

// The sums of a row, in float64, of which float32 is the result. An n-gram that occurs often, or has a weight, would
// make sums in float32 inexact.
class NgramSums {
 public:
  explicit NgramSums(int64_t num_outputs)
      : sums_(static_cast<double*>(std::calloc(static_cast<size_t>(num_outputs) + 1, sizeof(double)))) {
    if (!sums_) throw std::bad_alloc();
  }

  void add(NgramOutput output) {
    double& sum = sums_.get()[output.at];
    if (sum == 0) written_.push_back(output.at);
    sum += output.weight;
  }

  // Writes the sums that are not 0, and clears all.
  void write(float* out) {
    for (const int32_t at : written_) out[at] = static_cast<float>(sums_.get()[at]);
    for (const int32_t at : written_) sums_.get()[at] = 0;
    written_.clear();
  }

 private:
  struct Free {
    void operator()(double* sums) const { std::free(sums); }
  };
  std::unique_ptr<double, Free> sums_;  // by calloc, which clears large memory as it is first used
  std::vector<int32_t> written_;        // where sums are not 0; some twice
};

// Fills out[rows, num_outputs]. encode(first, last, ids) sets ids[i - first] of elements first <= i < last.
template <class Encode>
void vectorize(const Runner& runner, const NgramTrie& trie, int64_t max_skip_count, const NgramOutputs& to,
               int64_t rows, int64_t cols, Encode&& encode, float* out) {
  constexpr int64_t kBlock = block_size(1024, 8);
  const int64_t distances = std::min(std::max<int64_t>(cols, 1), std::min<int64_t>(max_skip_count, cols) + 1);
  const double ns = static_cast<double>(rows) * (static_cast<double>(cols) * (10 + 5 * static_cast<double>(distances)) +
                                                 0.2 * static_cast<double>(to.num_outputs));
  const int64_t rows_per_block = std::max<int64_t>(1, kBlock / std::max<int64_t>(cols, 1));
  // Counts up to 2**24 are exact in float32: each element begins one n-gram of each length and distance.
  constexpr int64_t kMaxExact = block_size(1 << 24, 20);
  const bool sums_exactly =
      !to.is_idf && (to.has_weights || cols > kMaxExact / distances / std::min(trie.num_lengths(), cols + 1));
  runner.run_ranges(rows, ns, [&](int64_t first, int64_t last) {
    const auto clear = [&](int64_t row, int64_t count) {
      std::fill_n(out + row * to.num_outputs, count * to.num_outputs, 0.0F);
    };
    if (cols == 0) return clear(first, last - first);
    std::vector<int64_t> ids(static_cast<size_t>(rows_per_block * cols));
    std::optional<NgramSums> sums;
    if (sums_exactly) sums.emplace(to.num_outputs);
    for (; first < last; first += rows_per_block) {
      const int64_t end = std::min(last, first + rows_per_block);
      encode(first * cols, end * cols, ids.data());
      for (int64_t row = first; row < end; ++row) {
        float* const counts = out + row * to.num_outputs;
        clear(row, 1);  // just before it is written, so that it is in the cache
        const int64_t* const row_ids = ids.data() + (row - first) * cols;
        if (sums) {
          trie.for_each_ngram(row_ids, cols, max_skip_count,
                              [&](int32_t ngram) { sums->add(to.of_ngrams[static_cast<size_t>(ngram)]); });
          sums->write(counts);
        } else {
          trie.for_each_ngram(row_ids, cols, max_skip_count, [&](int32_t ngram) {
            const auto [at, weight] = to.of_ngrams[static_cast<size_t>(ngram)];
            counts[at] = to.is_idf ? weight : counts[at] + weight;
          });
        }
      }
    }
  });
}

}  // namespace stringops::kernels
