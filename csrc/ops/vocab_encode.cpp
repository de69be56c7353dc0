// The door of vocab_encode: checks, allocation, threads.
#include "kernels/vocab_encode.h"

#include "ops/boxing.h"
#include "ops/check.h"
#include "ops/parallel.h"
#include "ops/stable_abi.h"
#include "ops/vocab.h"

namespace stringops {
namespace {

constexpr const char* kOp = "vocab_encode";
constexpr int64_t kCostPerString = 10;  // in bytes split, as choose_tasks counts

Tensor vocab_encode(const Tensor& data, const Tensor& offsets, const Tensor& table, int64_t unknown_id,
                    int64_t num_oov_buckets) {
  const Strings in = check_strings(kOp, data, offsets);
  const kernels::VocabTable opened = check_vocab_table(kOp, table);
  const kernels::UnknownWords unknown = check_unknown_words(kOp, unknown_id, num_oov_buckets);

  Tensor ids = new_tensor(in.shape(), ScalarType::Long);
  const int64_t count = in.span.size();
  const int64_t tasks = choose_tasks(count * kCostPerString);
  parallel_tasks(tasks, [&](int64_t t) {
    kernels::write_vocab_ids(opened, in.span, count * t / tasks, count * (t + 1) / tasks, unknown,
                             mutable_ptr<int64_t>(ids));
  });
  return ids;
}

}  // namespace
}  // namespace stringops

STABLE_TORCH_LIBRARY_FRAGMENT(stringops, m) {
  m.def(
      "vocab_encode(Tensor data, Tensor offsets, Tensor table, *, int unknown_id=-1, int num_oov_buckets=0)"
      " -> Tensor ids");
}
STABLE_TORCH_LIBRARY_IMPL(stringops, CPU, m) {
  m.impl("vocab_encode", STRINGOPS_BOX(&stringops::vocab_encode));
}
