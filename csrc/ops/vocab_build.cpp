// The door of vocab_build: checks, allocation.
#include "kernels/vocab_build.h"

#include "ops/boxing.h"
#include "ops/check.h"
#include "ops/stable_abi.h"

namespace stringops {
namespace {

constexpr const char* kOp = "vocab_build";

// Distinct strings that so many bytes hold: one of no byte, 256 of one, 256^2 of two ...
int64_t most_distinct(int64_t num_bytes) {
  int64_t count = 1, of_size = 256;
  for (int64_t size = 1;; ++size, of_size *= 256) {
    if (num_bytes < size * of_size) return count + num_bytes / size;
    num_bytes -= size * of_size;
    count += of_size;
  }
}

Tensor vocab_build(const Tensor& data, const Tensor& offsets) {
  const Strings words = check_strings(kOp, data, offsets);
  check_rank(kOp, "offsets", offsets, 1);
  const int64_t num_words = words.span.size();
  // Before the table is allocated, of 32 bytes a word, which for many empty words is much.
  constexpr int64_t kMany = int64_t{1} << 20;
  if (num_words > kMany) {
    const int64_t num_bytes = int64_t{words.span.offsets[num_words]} - words.span.offsets[0];
    STRINGOPS_CHECK(num_bytes < 0 || num_words <= most_distinct(num_bytes), kOp, ": expected distinct strings, got ",
                    num_words, " in ", num_bytes, " bytes, which hold at most ", most_distinct(num_bytes),
                    " (make them distinct with string_unique)");
  }

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
