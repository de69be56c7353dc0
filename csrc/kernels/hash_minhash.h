// MinHash signatures: for each of several permutations of the hashes of a string's n-grams, the least one. The share of
// equal values in two signatures estimates the Jaccard similarity of the two sets of n-grams.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/hash.h"
#include "core/poll.h"
#include "core/strings.h"
#include "core/testing.h"
#include "driver/runner.h"
#include "kernels/hash_ngrams.h"

namespace stringops::kernels {

// Permutation k takes x, the low 32 bits of an n-gram's XXH3, to the upper 32 bits of factors[k] * x + terms[k]
// modulo 2**64, which is pairwise independent. These are numbers 2 k and 2 k + 1 of SplitMix64, starting at the seed.
class Permutations {
 public:
  Permutations(uint64_t seed, int64_t count)
      : factors_(static_cast<size_t>(count)), terms_(static_cast<size_t>(count)) {
    for (size_t k = 0; k < factors_.size(); ++k) {
      factors_[k] = next(seed);
      terms_[k] = next(seed);
    }
  }

  int64_t size() const { return static_cast<int64_t>(factors_.size()); }

  // minima[k] = the least of minima[k] and of what permutation k makes of each of n hashes, with its lower bits.
  void take(const uint32_t* hashes, int64_t n, uint64_t* minima) const {
    for (size_t k = 0; k < factors_.size(); ++k) {
      uint64_t least = minima[k];
      for (int64_t i = 0; i < n; ++i) least = std::min(least, factors_[k] * hashes[i] + terms_[k]);
      minima[k] = least;
    }
  }

 private:
  static uint64_t next(uint64_t& state) {
    uint64_t z = state += 0x9e3779b97f4a7c15;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }

  std::vector<uint64_t> factors_;
  std::vector<uint64_t> terms_;
};

// A functor of driver/reduce.h that writes permutations.size() values of each string.
class MinHash {
 public:
  using Value = int64_t;
  static constexpr bool kRuns = true;
  static constexpr Cost kCost{100, 20};

  MinHash(const Permutations& permutations, NgramUnit unit) : permutations_(permutations), unit_(unit) {}

  void run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const {
    std::vector<uint64_t> minima(static_cast<size_t>(permutations_.size()));
    for_each_string(in, first, last, [&](int64_t i, ByteRange string) {
      std::fill(minima.begin(), minima.end(), ~uint64_t{0});
      add_ngrams(in.view(string), minima);
      int64_t* const values = out + i * permutations_.size();
      for (size_t k = 0; k < minima.size(); ++k) values[k] = static_cast<int64_t>(minima[k] >> 32);
    });
  }

 private:
  static constexpr int64_t kBatch = block_size(256, 2);

  void add_ngrams(StringView text, std::vector<uint64_t>& minima) const {
    uint32_t hashes[kBatch];
    int64_t count = 0;
    Pace pace;
    const auto add_batch = [&] {
      permutations_.take(hashes, count, minima.data());
      pace.spend(count * permutations_.size());
      count = 0;
    };
    for_each_ngram(text, unit_, [&](StringView ngram) {
      hashes[count++] = static_cast<uint32_t>(stable_hash(ngram.begin, ngram.size()));
      if (count == kBatch) add_batch();
    });
    add_batch();
  }

  const Permutations& permutations_;
  NgramUnit unit_;
};

// MinHash signatures from bins: each n-gram of a string is hashed once, its hash chooses a bin, and each bin keeps the
// least of its hashes. While a bin is empty, which is so for strings of few n-grams, another round puts all n-grams
// into bins by other hashes, and only empty bins keep theirs (Dahlgaard, Knudsen and Thorup, "Fast similarity
// sketching", 2017). The least hash of a bin, in the first round that reaches it, belongs to an n-gram that is random
// among those of two sets together, so that the share of equal bins estimates their Jaccard similarity.

// A functor of driver/reduce.h that writes num_bins values of each string.
class MinHashBins {
 public:
  using Value = int64_t;
  static constexpr bool kRuns = true;
  static constexpr Cost kCost{1000, 3};

  MinHashBins(uint64_t seed, int64_t num_bins, NgramUnit unit) : seed_(seed), num_bins_(num_bins), unit_(unit) {}

  void run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const {
    std::vector<uint64_t> least(static_cast<size_t>(num_bins_));
    Pace pace;
    for_each_string(in, first, last, [&](int64_t i, ByteRange string) {
      fill(in.view(string), least, pace);
      // The values are the lower halves, without the round.
      for (size_t k = 0; k < least.size(); ++k) {
        out[i * num_bins_ + static_cast<int64_t>(k)] = static_cast<uint32_t>(least[k]);
      }
    });
  }

 private:
  static constexpr uint64_t kEmpty = ~uint64_t{0};

  // A bin holds round << 32 | value, so that the least of all is one of the first round that reached the bin.
  void fill(StringView text, std::vector<uint64_t>& least, Pace& pace) const {
    std::fill(least.begin(), least.end(), kEmpty);
    pace.spend(2 * num_bins_);
    int64_t filled = 0;  // bins [0, filled) are not empty
    for (int64_t round = 0; filled < num_bins_; ++round) {
      // After num_bins rounds, n-grams no longer choose their bin: another round for each empty bin ends the loop.
      if (round >= num_bins_) round = num_bins_ + filled;
      const uint64_t seed = seed_ + static_cast<uint64_t>(round) * kSeedStep;
      const bool choose = round < num_bins_;
      const auto bins = static_cast<uint64_t>(choose ? num_bins_ : 0),
                 first = static_cast<uint64_t>(choose ? 0 : filled);
      uint64_t* const values = least.data();
      for_each_ngram(text, unit_, [=](StringView ngram) {
        const uint64_t hash = stable_hash(ngram.begin, ngram.size(), seed);
        uint64_t& value = values[first + ((hash >> 32) * bins >> 32)];
        value = std::min(value, static_cast<uint64_t>(round) << 32 | static_cast<uint32_t>(hash));
      });
      while (filled < num_bins_ && least[static_cast<size_t>(filled)] != kEmpty) ++filled;
      pace.spend(2 * text.size() + 1);
    }
  }

  static constexpr uint64_t kSeedStep = 0x9e3779b97f4a7c15;

  uint64_t seed_;
  int64_t num_bins_;
  NgramUnit unit_;
};

}  // namespace stringops::kernels
