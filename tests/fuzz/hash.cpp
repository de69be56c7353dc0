// string_hash, string_hash_bucket, string_murmur3, string_siphash, string_crc32 and string_minhash.
#include "kernels/hash.h"

#include <algorithm>

#include "fuzz.h"
#include "kernels/hash_minhash.h"
#include "kernels/hash_minhash_bins.h"
#include "oracle.h"
#include "reduce.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

// Every tier must give what hash(StringView) gives for each string alone, in a buffer of its size.
template <class Functor, class Hash>
void check(const Functor& f, const Strings& strings, int64_t tasks, const Hash& hash) {
  std::vector<typename Functor::Value> want;
  strings.for_each([&](std::string_view text) {
    const Bytes copy = bytes_of(text);
    want.push_back(static_cast<typename Functor::Value>(hash(StringView{copy.data(), copy.data() + copy.size()})));
  });
  REQUIRE(same_on_every_tier([&] { return reduce(f, strings.span, tasks); }) == want);
}

// Calls take(n-gram) for each n-gram of a text, in a buffer of its size.
template <class Take>
void each_ngram(std::string_view text, kernels::NgramUnit unit, const Take& take) {
  std::vector<size_t> starts;
  for (size_t at = 0; at < text.size(); at += unit.codepoints ? std::max<size_t>(codepoint_at(text, at), 1) : 1) {
    starts.push_back(at);
  }
  const auto units = static_cast<int64_t>(starts.size());
  starts.push_back(text.size());
  for (int64_t i = 0; i == 0 || i + unit.size <= units; ++i) {
    const size_t begin = starts[static_cast<size_t>(i)],
                 end = starts[static_cast<size_t>(std::min(i + unit.size, units))];
    take(bytes_of(text.substr(begin, end - begin)));
  }
}

// Signatures of all strings, n-gram by n-gram.
std::vector<int64_t> signatures(const Strings& strings, const kernels::Permutations& permutations,
                                kernels::NgramUnit unit) {
  std::vector<int64_t> all;
  strings.for_each([&](std::string_view text) {
    std::vector<uint64_t> minima(static_cast<size_t>(permutations.size()), ~uint64_t{0});
    each_ngram(text, unit, [&](const Bytes& gram) {
      const uint64_t x = stable_hash(gram.data(), gram.size()) & 0xffffffff;
      for (size_t k = 0; k < minima.size(); ++k) {
        minima[k] = std::min(minima[k], (permutations.factors()[k] * x + permutations.terms()[k]) >> 32);
      }
    });
    all.insert(all.end(), minima.begin(), minima.end());
  });
  return all;
}

// Signatures of all strings, bin by bin: the least hash of the first round that puts an n-gram into the bin.
std::vector<int64_t> bin_signatures(const Strings& strings, uint64_t seed, int64_t bins, kernels::NgramUnit unit) {
  std::vector<int64_t> all;
  strings.for_each([&](std::string_view text) {
    for (int64_t k = 0; k < bins; ++k) {
      int64_t least = INT64_MAX;
      for (int64_t round = 0; least == INT64_MAX; round = round + 1 < bins ? round + 1 : bins + k) {
        each_ngram(text, unit, [&](const Bytes& gram) {
          const uint64_t hash =
              stable_hash(gram.data(), gram.size(), seed + static_cast<uint64_t>(round) * 0x9e3779b97f4a7c15);
          const auto bin = static_cast<int64_t>((hash >> 32) * static_cast<uint64_t>(bins) >> 32);
          if (round >= bins || bin == k) least = std::min(least, static_cast<int64_t>(hash & 0xffffffff));
        });
      }
      all.push_back(least);
    }
  });
  return all;
}

uint32_t crc32_by_bits(StringView in) {
  uint32_t rest = ~uint32_t{0};
  for (const uint8_t* p = in.begin; p < in.end; ++p) {
    rest ^= *p;
    for (int bit = 0; bit < 8; ++bit) rest = rest >> 1 ^ ((rest & 1) != 0 ? 0xEDB88320 : 0);
  }
  return ~rest;
}

// Covers string_hash, string_hash_bucket, string_murmur3, string_siphash, string_crc32, string_minhash.
FUZZ_TARGET(hash) {
  const int64_t tasks = 1 + in.below(4), ngram = 1 + in.below(in.flag() ? 4 : 300), num_hashes = 1 + in.below(40);
  const bool codepoints = in.flag();
  const auto seed = in.any<uint64_t>();
  const int64_t buckets = std::max<int64_t>(in.any<int64_t>() & INT64_MAX, 1);
  const Arguments args = take_strings(in);
  if (!args.trusted) return;
  const Strings& strings = args.strings;
  const auto seed32 = static_cast<uint32_t>(seed);
  const SipKey key{seed, ~seed};
  check(kernels::Xxh3{seed}, strings, tasks, [&](StringView s) { return stable_hash(s.begin, s.size(), seed); });
  check(kernels::Murmur3<uint32_t>{seed32}, strings, tasks, [&](StringView s) { return murmur3(s, seed32, s.end); });
  check(kernels::SipHash{key}, strings, tasks, [&](StringView s) { return siphash(s, key); });
  check(kernels::Crc32(), strings, tasks, crc32_by_bits);
  const auto hashes = reduce(kernels::Xxh3{seed}, strings.span, tasks);
  const auto rests = reduce(kernels::HashBucket(seed, buckets), strings.span, tasks);
  for (size_t i = 0; i < hashes.size(); ++i) {
    REQUIRE(static_cast<uint64_t>(rests[i]) == static_cast<uint64_t>(hashes[i]) % static_cast<uint64_t>(buckets));
  }

  const kernels::Permutations permutations(seed, num_hashes);
  const kernels::NgramUnit unit{ngram, codepoints};
  const kernels::MinHash minhash(permutations, unit);
  const auto run = [&](const StringSpan& span) { return reduce(minhash, span, tasks, num_hashes); };
  REQUIRE(same_on_every_tier([&] { return run(strings.span); }) == signatures(strings, permutations, unit));

  const kernels::MinHashBins minhash_bins(seed, num_hashes, unit);
  if (strings.span.num_bytes < 1000) {
    REQUIRE(reduce(minhash_bins, strings.span, tasks, num_hashes) == bin_signatures(strings, seed, num_hashes, unit));
  }

  survives_on_every_tier([&] {
    Strings victim = strings.copy();
    Input rest = in;
    victim.damage(rest);
    run(victim.span);
    reduce(minhash_bins, victim.span, tasks, num_hashes);
    reduce(kernels::Xxh3{seed}, victim.span, tasks);
    reduce(kernels::SipHash{{seed, seed}}, victim.span, tasks);
    reduce(kernels::Murmur3<int32_t>{1}, victim.span, tasks);
    reduce(kernels::Crc32(), victim.span, tasks);
  });
}

SHARED_CALL(string_hash, {
  const Exact<int64_t> hashes(world.strings.span.size());
  kernels::reduce_strings(runner, kernels::Xxh3{7}, world.strings.span, hashes.data());
  return digest(hashes);
})

SHARED_CALL(string_minhash, {
  const kernels::Permutations permutations(7, 20);
  const Exact<int64_t> values(world.strings.span.size() * 20);
  kernels::reduce_strings(runner, kernels::MinHash(permutations, {3, true}), world.strings.span, values.data());
  const auto found = digest(values);
  kernels::reduce_strings(runner, kernels::MinHashBins(7, 20, {3, true}), world.strings.span, values.data());
  return found ^ digest(values);
})

}  // namespace
}  // namespace stringops::fuzz
