#include "kernels/ngram.h"

#include <tuple>

#include "ops/cut.h"
#include "ops/register.h"

namespace stringops {
namespace {

std::tuple<Tensor, Tensor, Tensor> string_char_ngrams_ragged(const Tensor& data, const Tensor& offsets, int64_t min,
                                                             int64_t max, bool marks) {
  constexpr const char* kOp = __func__;
  STRINGOPS_CHECK(min >= 1, kOp, ": expected `min` >= 1, got ", min);
  STRINGOPS_CHECK(max >= min, kOp, ": expected `max` >= `min` (", min, "), got ", max);
  const Strings in = check_strings(kOp, data, offsets);
  RaggedTensors result(in);
  kernels::cut_ragged(kOp, TorchRunner(), in.span, kernels::CharNgramCutter(min, max, marks), result);
  return result.take();
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_char_ngrams_ragged,
                   "(Tensor data, Tensor offsets, int min, int max, *, bool marks=False)"
                   " -> (Tensor data, Tensor offsets, Tensor row_splits)")
