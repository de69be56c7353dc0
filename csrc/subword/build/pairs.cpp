#include "subword/build/pairs.h"

#include <algorithm>
#include <array>
#include <numeric>

#include "core/bits.h"
#include "core/fail.h"

namespace stringops::kernels {
namespace {

using namespace subword;

// A tenth of the slots stays empty, more in a small table, and buckets have four pairs, so that pilots are found soon.
uint64_t slots_for(size_t num_pairs) {
  return num_pairs + num_pairs / 9 + 64;
}
uint64_t buckets_for(size_t num_pairs) {
  return num_pairs / 2 + 1;
}

// An attempt to place all pairs with one seed.
class Builder {
 public:
  Builder(const std::vector<Pair>& pairs, const HashSeed& seed)
      : slots_(slots_for(pairs.size()), kEmptyPair),
        pilots_(buckets_for(pairs.size())),
        table_(nullptr, slots_.size(), nullptr, pilots_.size(), seed) {
    sort_by_bucket(pairs);
  }

  // False if the pairs of a bucket find no slots.
  bool run() {
    std::array<std::vector<uint32_t>, kMaxBucket + 1> by_size;
    for (uint32_t b = 0; b < pilots_.size(); ++b) {
      const size_t size = keep_last_of_equal(b);
      if (size > kMaxBucket) return false;
      if (size > 0) by_size[size].push_back(b);
    }
    taken_.assign(static_cast<size_t>(words_for(static_cast<int64_t>(slots_.size()))), 0);
    for (size_t size = kMaxBucket; size > 0; --size) {  // while most slots are free
      for (const uint32_t b : by_size[size]) {
        if (!choose_pilot(b, size)) return false;
      }
    }
    return true;
  }

  const std::vector<uint64_t>& slots() const { return slots_; }
  const std::vector<uint16_t>& pilots() const { return pilots_; }

 private:
  static constexpr size_t kMaxBucket = 32;  // chance makes no bucket larger

  struct Hashed {
    uint64_t hash;
    uint64_t pair;  // as in a slot
  };

  // Sets begins_ to the begin of each bucket in hashed_, which has the pairs by bucket, those of each in their order.
  void sort_by_bucket(const std::vector<Pair>& pairs) {
    begins_.assign(pilots_.size() + 1, 0);
    std::vector<Hashed> hashed;
    hashed.reserve(pairs.size());
    for (const Pair& pair : pairs) {
      hashed.push_back({table_.hash(pair.key), pair.key << kPairBits | pair.priority});
      ++begins_[table_.bucket(hashed.back().hash) + 1];
    }
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    std::vector<uint32_t> next(begins_.begin(), begins_.end() - 1);
    hashed_.resize(pairs.size());
    for (const Hashed& one : hashed) hashed_[next[table_.bucket(one.hash)]++] = one;
  }

  // Keeps the last one of equal pairs of a bucket. Returns how many pairs the bucket has then, at its begin.
  size_t keep_last_of_equal(uint32_t bucket) {
    Hashed* const begin = hashed_.data() + begins_[bucket];
    Hashed* const end = hashed_.data() + begins_[bucket + 1];
    const auto key = [](const Hashed& one) { return one.pair >> kPairBits; };
    // The later of two pairs with equal keys has the greater priority, whose bits are below those of the key.
    std::sort(begin, end, [&](const Hashed& a, const Hashed& b) { return a.pair < b.pair; });
    Hashed* to = begin;
    for (const Hashed* at = begin; at < end; ++at) {
      if (at + 1 == end || key(at[0]) != key(at[1])) *to++ = *at;
    }
    return static_cast<size_t>(to - begin);
  }

  // The first pilot that gives all pairs of a bucket free slots. Neighbours are tried one long after the other, as
  // taken slots are in runs.
  bool choose_pilot(uint32_t bucket, size_t size) {
    constexpr uint32_t kStep = 40503;  // odd, so that all pilots have their turn
    const Hashed* const pairs = hashed_.data() + begins_[bucket];
    std::array<uint64_t, kMaxBucket> places;
    for (uint32_t attempt = 0; attempt <= UINT16_MAX; ++attempt) {
      const auto pilot = static_cast<uint16_t>(attempt * kStep);
      size_t placed = 0;
      for (; placed < size; ++placed) {
        const uint64_t at = table_.slot(pairs[placed].hash, pilot);
        if (test_bit(taken_.data(), static_cast<int64_t>(at))) break;
        set_bit(taken_.data(), static_cast<int64_t>(at));
        places[placed] = at;
      }
      if (placed == size) {
        pilots_[bucket] = pilot;
        for (size_t i = 0; i < size; ++i) slots_[places[i]] = pairs[i].pair;
        return true;
      }
      while (placed > 0) clear_bit(taken_.data(), static_cast<int64_t>(places[--placed]));
    }
    return false;
  }

  std::vector<uint64_t> slots_;
  std::vector<uint16_t> pilots_;
  const PairTable table_;  // without slots and pilots
  std::vector<uint32_t> begins_;
  std::vector<Hashed> hashed_;
  std::vector<uint64_t> taken_;
};

}  // namespace

void add_pairs(const char* op, Sections& sections, const std::vector<Pair>& pairs) {
  const uint64_t first_seed = sections.header.seed.low;
  bool fits = false;
  for (uint64_t attempt = 0; !fits && attempt < kSeeds; ++attempt) {
    HashSeed& seed = sections.header.seed;
    seed = attempt < kFixedSeeds ? expand_seed(first_seed + attempt) : random_seed();
    Builder builder(pairs, seed);
    fits = builder.run();
    if (!fits) continue;
    sections.add(kPairs, builder.slots());
    sections.add(kPairPilots, builder.pilots());
  }
  STRINGOPS_CHECK(fits, op, ": the hashes of ", pairs.size(), " merges collide under every seed tried");

  uint32_t most = 0;
  for (const Pair& pair : pairs) most = std::max(most, pair.priority + 1);
  std::vector<uint32_t> made(most, 0);
  for (const Pair& pair : pairs) made[pair.priority] = pair.made;
  sections.add(kMade, made);
}

PairTable pairs_of(const Sections& sections) {
  const auto slots = sections.values<uint64_t>(kPairs);
  const auto pilots = sections.values<uint16_t>(kPairPilots);
  return {slots.at, slots.size, pilots.at, pilots.size, sections.header.seed};
}

}  // namespace stringops::kernels
