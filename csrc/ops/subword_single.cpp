// The function by which the Python module opens tokenizers for one text at a time.
#include "kernels/subword_single.h"

#include "ops/parallel.h"

namespace {

// Outside of the function, so that no lock guards its initialization.
const stringops::TorchRunner runner;

}  // namespace

stringops::SingleTokenizer* stringops_open_tokenizer(const uint8_t* bytes, int64_t num_bytes) {
  auto table = stringops::subword::open_table(bytes, num_bytes);
  return table ? new stringops::kernels::SubwordSingle(*std::move(table), runner) : nullptr;
}
