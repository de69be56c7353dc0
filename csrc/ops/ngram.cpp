#include "kernels/ngram.h"

#include <tuple>

#include "kernels/ngram_words.h"
#include "ops/cut.h"
#include "ops/register.h"
#include "ops/row_splits.h"

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

std::tuple<Tensor, Tensor, Tensor> string_ngrams_ragged(const Tensor& data, const Tensor& offsets,
                                                        const Tensor& row_splits_arg, const Sizes& n,
                                                        const std::string& separator) {
  constexpr const char* kOp = __func__;
  STRINGOPS_CHECK(!n.empty(), kOp, ": expected at least one `n`, got none");
  for (const int64_t width : n) {
    STRINGOPS_CHECK(1 <= width && width <= kMaxOffsets, kOp, ": expected `n` from 1 to ", kMaxOffsets, ", got ", width);
  }
  const Strings in = check_strings(kOp, data, offsets);
  check_rank(kOp, "offsets", offsets, 1);
  check_row_splits_shape(kOp, row_splits_arg);
  const Tensor row_splits = as_contiguous(row_splits_arg);
  const RowSplits rows{const_ptr<int64_t>(row_splits), row_splits.size(0) - 1, in.span.size()};
  check_row_splits(kOp, rows, "strings");
  RaggedTensors result(rows.rows);
  kernels::word_ngrams(kOp, TorchRunner(), {in.span, rows, n, separator}, result);
  return result.take();
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_char_ngrams_ragged,
                   "(Tensor data, Tensor offsets, SymInt min, SymInt max, *, bool marks=False)"
                   " -> (Tensor data, Tensor offsets, Tensor row_splits)")
STRINGOPS_OPERATOR(string_ngrams_ragged,
                   "(Tensor data, Tensor offsets, Tensor row_splits, SymInt[] n, str separator=' ')"
                   " -> (Tensor data, Tensor offsets, Tensor row_splits)")
