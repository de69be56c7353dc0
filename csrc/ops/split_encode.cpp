// The door of split_encode: checks, allocation, threads.
#include "kernels/split_encode.h"

#include <atomic>
#include <tuple>

#include "ops/boxing.h"
#include "ops/check.h"
#include "ops/parallel.h"
#include "ops/split_tasks.h"
#include "ops/stable_abi.h"
#include "ops/vocab.h"

namespace stringops {
namespace {

constexpr const char* kOp = "split_encode";

std::tuple<Tensor, Tensor> split_encode(const Tensor& data, const Tensor& offsets, const Tensor& table,
                                        const std::string& delimiter, int64_t unknown_id, int64_t num_oov_buckets,
                                        bool skip_empty) {
  const Strings in = check_strings(kOp, data, offsets);
  const kernels::VocabTable opened = check_vocab_table(kOp, table);
  const kernels::UnknownWords unknown = check_unknown_words(kOp, unknown_id, num_oov_buckets);
  kernels::Splitter by{delimiter};
  by.skip_empty = skip_empty;
  const SplitTasks m = measure_split_tasks(in.span, by, nullptr);
  STRINGOPS_CHECK(m.pieces <= kMaxOffsets, kOp, ": the result has ", m.pieces, " ids; expected at most ", kMaxOffsets,
                  " (split the batch)");

  Tensor ids = new_tensor({m.pieces}, ScalarType::Long);
  Tensor row_splits = new_tensor({in.span.size() + 1}, ScalarType::Long);
  auto* const ids_out = mutable_ptr<int64_t>(ids);
  auto* const splits_out = mutable_ptr<int64_t>(row_splits);
  splits_out[0] = 0;
  std::atomic<bool> changed{false};
  parallel_tasks(m.cuts.parts, [&](int64_t t) {
    if (!kernels::write_split_ids(in.span, by, opened, unknown, m.begin(t), m.end(t), m.shares[t], ids_out,
                                  splits_out)) {
      changed = true;
    }
  });
  check_unchanged(kOp, !changed);
  return {ids, row_splits};
}

}  // namespace
}  // namespace stringops

STABLE_TORCH_LIBRARY_FRAGMENT(stringops, m) {
  m.def(
      "split_encode(Tensor data, Tensor offsets, Tensor table, str delimiter='', *, int unknown_id=-1,"
      " int num_oov_buckets=0, bool skip_empty=False) -> (Tensor ids, Tensor row_splits)");
}
STABLE_TORCH_LIBRARY_IMPL(stringops, CPU, m) {
  m.impl("split_encode", STRINGOPS_BOX(&stringops::split_encode));
}
