// MinHash signatures: for each of several permutations of the hashes of a string's n-grams, the least one. The share of
// equal values in two signatures estimates the Jaccard similarity of the two sets of n-grams.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/hash.h"
#include "core/poll.h"
#include "core/rows.h"
#include "core/testing.h"
#include "core/utf8.h"
#include "driver/runner.h"
#include "simd/primitives.h"

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
  const uint64_t* factors() const { return factors_.data(); }
  const uint64_t* terms() const { return terms_.data(); }

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

  // The n-grams of a string are its runs of `ngram` code points or bytes; a shorter string is its only n-gram.
  MinHash(const Permutations& permutations, int64_t ngram, bool codepoints)
      : permutations_(permutations), ngram_(ngram), codepoints_(codepoints) {}

  void run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const {
    std::vector<uint64_t> minima(static_cast<size_t>(permutations_.size()));
    for_each_string(in, first, last, [&](int64_t i, ByteRange string) {
      std::fill(minima.begin(), minima.end(), ~uint64_t{0});
      codepoints_ ? add_ngrams<true>(in.view(string), minima) : add_ngrams<false>(in.view(string), minima);
      int64_t* const values = out + i * permutations_.size();
      for (size_t k = 0; k < minima.size(); ++k) values[k] = static_cast<int64_t>(minima[k] >> 32);
    });
  }

 private:
  static constexpr int64_t kBatch = block_size(256, 2);

  template <bool kCodepoints>
  void add_ngrams(StringView text, std::vector<uint64_t>& minima) const {
    const auto next = [&](const uint8_t* p) {
      return p + (!kCodepoints || *p < 0x80 ? 1 : std::max<int64_t>(long_codepoint(p, text.end), 1));
    };
    StringView ngram{text.begin, text.begin};
    for (int64_t i = 0; i < ngram_ && ngram.end < text.end; ++i) ngram.end = next(ngram.end);
    uint32_t hashes[kBatch];
    int64_t count = 0;
    Pace pace;
    for (bool more = true; more;) {
      hashes[count++] = static_cast<uint32_t>(stable_hash(ngram.begin, ngram.size()));
      more = ngram.end < text.end;
      if (more) ngram = {next(ngram.begin), next(ngram.end)};
      if (count < kBatch && more) continue;
      simd::primitives().min_hashes(hashes, count, permutations_.factors(), permutations_.terms(), permutations_.size(),
                                    minima.data());
      pace.spend(count * permutations_.size());
      count = 0;
    }
  }

  const Permutations& permutations_;
  int64_t ngram_;
  bool codepoints_;
};

}  // namespace stringops::kernels
