// The door of vocab_build: checks, allocation.
#include "kernels/vocab_build.h"

#include "ops/boxing.h"
#include "ops/check.h"
#include "ops/stable_abi.h"

namespace stringops {
namespace {

constexpr const char* kOp = "vocab_build";

Tensor vocab_build(const Tensor& data, const Tensor& offsets) {
  const Strings words = check_strings(kOp, data, offsets);
  check_rank(kOp, "offsets", offsets, 1);
  // Distinct strings in 2^31 bytes are fewer than 2^30, so only repeated ones can exceed this.
  const int64_t num_words = words.span.size();
  STRINGOPS_CHECK(num_words <= INT32_MAX, kOp, ": expected at most ", INT32_MAX, " strings, got ", num_words);

  const int64_t text_bytes = kernels::measure_vocab(words.span);
  Tensor table =
      new_tensor({kernels::vocab_table_bytes(kernels::vocab_capacity(num_words), text_bytes)}, ScalarType::Byte);
  const auto built = kernels::write_vocab(words.span, text_bytes, mutable_ptr<uint8_t>(table));
  STRINGOPS_CHECK(built.status != kernels::VocabBuild::kDuplicate, kOp,
                  ": expected distinct strings, got equal ones at positions ", built.first, " and ", built.second);
  STRINGOPS_CHECK(built.status != kernels::VocabBuild::kCrowded, kOp, ": the hashes of ", num_words,
                  " strings collide under every seed tried");
  check_unchanged(kOp, built.status == kernels::VocabBuild::kDone);
  return table;
}

}  // namespace
}  // namespace stringops

STABLE_TORCH_LIBRARY_FRAGMENT(stringops, m) {
  m.def("vocab_build(Tensor data, Tensor offsets) -> Tensor table");
}
STABLE_TORCH_LIBRARY_IMPL(stringops, CPU, m) {
  m.impl("vocab_build", STRINGOPS_BOX(&stringops::vocab_build));
}
