#include "kernels/hash.h"

#include "kernels/hash_minhash.h"
#include "ops/kinds.h"

namespace stringops {
namespace {

Tensor string_hash(const Tensor& data, const Tensor& offsets, int64_t seed) {
  return reduce_tensor(__func__, kernels::Xxh3{static_cast<uint64_t>(seed)}, ScalarType::Long, data, offsets);
}

Tensor string_hash_bucket(const Tensor& data, const Tensor& offsets, int64_t num_buckets, int64_t seed) {
  constexpr const char* kOp = __func__;
  STRINGOPS_CHECK(num_buckets >= 1, kOp, ": expected `num_buckets` >= 1, got ", num_buckets);
  const kernels::HashBucket bucket{static_cast<uint64_t>(seed), static_cast<uint64_t>(num_buckets)};
  return reduce_tensor(kOp, bucket, ScalarType::Long, data, offsets);
}

Tensor string_murmur3(const Tensor& data, const Tensor& offsets, int64_t seed, bool positive) {
  constexpr const char* kOp = __func__;
  STRINGOPS_CHECK(0 <= seed && seed <= UINT32_MAX, kOp, ": expected `seed` within [0, 2**32 - 1], got ", seed);
  const auto seed32 = static_cast<uint32_t>(seed);
  if (positive) return reduce_tensor(kOp, kernels::Murmur3<uint32_t>{seed32}, ScalarType::UInt32, data, offsets);
  return reduce_tensor(kOp, kernels::Murmur3<int32_t>{seed32}, ScalarType::Int, data, offsets);
}

Tensor string_siphash(const Tensor& data, const Tensor& offsets, const Sizes& key) {
  constexpr const char* kOp = __func__;
  STRINGOPS_CHECK(key.size() == 2, kOp, ": expected `key` to be two ints, got ", key.size());
  const kernels::SipHash hash{{static_cast<uint64_t>(key[0]), static_cast<uint64_t>(key[1])}};
  return reduce_tensor(kOp, hash, ScalarType::Long, data, offsets);
}

// The limit of hashes a string. It also limits the work of a call before it reads a string.
constexpr int64_t kMaxHashes = 65536;

Tensor string_minhash(const Tensor& data, const Tensor& offsets, int64_t num_hashes, int64_t ngram, int64_t seed,
                      const std::string& unit, const std::string& method) {
  constexpr const char* kOp = __func__;
  STRINGOPS_CHECK(1 <= num_hashes && num_hashes <= kMaxHashes, kOp, ": expected `num_hashes` within [1, ", kMaxHashes,
                  "], got ", num_hashes);
  STRINGOPS_CHECK(ngram >= 1, kOp, ": expected `ngram` >= 1, got ", ngram);
  const kernels::NgramUnit ngrams{ngram, check_unit(kOp, unit)};
  const bool permutes = check_choice(kOp, "method", method, "bins", "permutations");
  const Strings in = check_strings(kOp, data, offsets);
  Sizes shape = in.shape();
  shape.push_back(num_hashes);
  Tensor result = new_tensor(shape, ScalarType::Long);
  const auto compute = [&](const auto& signatures) {
    kernels::reduce_strings(TorchRunner(), signatures, in.span, mutable_ptr<int64_t>(result));
  };
  if (permutes) {
    const kernels::Permutations permutations(static_cast<uint64_t>(seed), num_hashes);
    compute(kernels::MinHash(permutations, ngrams));
  } else {
    compute(kernels::MinHashBins(static_cast<uint64_t>(seed), num_hashes, ngrams));
  }
  return result;
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_hash, "(Tensor data, Tensor offsets, SymInt seed=0) -> Tensor", "int64")
STRINGOPS_OPERATOR(string_hash_bucket, "(Tensor data, Tensor offsets, SymInt num_buckets, SymInt seed=0) -> Tensor",
                   "int64")
STRINGOPS_OPERATOR(string_murmur3, "(Tensor data, Tensor offsets, SymInt seed=0, bool positive=True) -> Tensor", "any")
STRINGOPS_REDUCE(string_crc32, Crc32, ScalarType::Long)
STRINGOPS_OPERATOR(string_siphash, "(Tensor data, Tensor offsets, int[] key) -> Tensor", "int64")
STRINGOPS_OPERATOR(string_minhash,
                   "(Tensor data, Tensor offsets, SymInt num_hashes, SymInt ngram, SymInt seed=0, str unit='codepoint',"
                   " str method='permutations') -> Tensor",
                   "int64")
