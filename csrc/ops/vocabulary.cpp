#include "kernels/vocabulary.h"

#include <tuple>

#include "ops/register.h"
#include "ops/vocabulary.h"

namespace stringops {
namespace {

Tensor vocab_build(const Tensor& data, const Tensor& offsets) {
  constexpr const char* kOp = __func__;
  const Strings words = check_strings(kOp, data, offsets);
  check_rank(kOp, "offsets", offsets, 1);
  Tensor table;
  kernels::build_vocab(kOp, words.span, [&](int64_t num_bytes) {
    table = new_tensor({num_bytes}, ScalarType::Byte);
    return mutable_ptr<uint8_t>(table);
  });
  return table;
}

Tensor vocab_encode(const Tensor& data, const Tensor& offsets, const Tensor& table, int64_t unknown_id,
                    int64_t num_oov_buckets) {
  constexpr const char* kOp = __func__;
  const Strings in = check_strings(kOp, data, offsets);
  const kernels::VocabLookup lookup = check_vocab(kOp, table, unknown_id, num_oov_buckets);
  Tensor ids = new_tensor(in.shape(), ScalarType::Long);
  kernels::encode_strings(TorchRunner(), in.span, lookup, mutable_ptr<int64_t>(ids));
  return ids;
}

// This is serial, because ids in order of first appearance depend on all strings before.
std::tuple<Tensor, Tensor, Tensor, Tensor> find_unique(const Tensor& data, const Tensor& offsets, bool sorted,
                                                       bool by_count) {
  constexpr const char* kOp = "string_unique";
  const Strings in = check_strings(kOp, data, offsets);
  Tensor inverse = new_tensor(in.shape(), ScalarType::Long);
  kernels::UniqueStrings unique = kernels::find_unique(TorchRunner(), in.span, mutable_ptr<int64_t>(inverse));
  check_result_bytes(kOp, unique.num_bytes);
  if (sorted) kernels::sort_unique(in.span, unique, mutable_ptr<int64_t>(inverse), by_count);
  Tensor unique_data = new_tensor({unique.num_bytes}, ScalarType::Byte);
  Tensor unique_offsets = new_tensor({unique.size() + 1}, ScalarType::Int);
  Tensor counts = new_tensor({unique.size()}, ScalarType::Long);
  kernels::write_unique(
      in.span, unique,
      {mutable_ptr<uint8_t>(unique_data), mutable_ptr<int32_t>(unique_offsets), mutable_ptr<int64_t>(counts)});
  return {std::move(unique_data), std::move(unique_offsets), std::move(inverse), std::move(counts)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> string_unique(const Tensor& data, const Tensor& offsets) {
  return find_unique(data, offsets, false, false);
}

// Returns the distinct strings in the order of their bytes, for StringTensor.unique, or in descending order of their
// counts, for value_counts.
std::tuple<Tensor, Tensor, Tensor, Tensor> _string_unique_sorted(const Tensor& data, const Tensor& offsets,
                                                                 bool by_count) {
  return find_unique(data, offsets, true, by_count);
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(vocab_build, "(Tensor data, Tensor offsets) -> Tensor table", "uint8")
STRINGOPS_OPERATOR(vocab_encode,
                   "(Tensor data, Tensor offsets, Tensor table, *, int unknown_id=-1, int num_oov_buckets=0)"
                   " -> Tensor ids",
                   "int64")
STRINGOPS_OPERATOR(string_unique,
                   "(Tensor data, Tensor offsets) -> (Tensor data, Tensor offsets, Tensor inverse, Tensor counts)")
STRINGOPS_OPERATOR(_string_unique_sorted,
                   "(Tensor data, Tensor offsets, bool by_count=False)"
                   " -> (Tensor data, Tensor offsets, Tensor inverse, Tensor counts)")
