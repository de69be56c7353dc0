// ragged_to_dense of strings that are padded with a string. Errors name this public function.
#include "kernels/ragged_strings.h"

#include <optional>
#include <string>
#include <tuple>

#include "ops/dense_width.h"
#include "ops/gather.h"
#include "ops/register.h"

namespace stringops {
namespace {

// Checks the size of a result in which `count` strings are padding.
void check_padding_bytes(const char* op, int64_t rows, int64_t width, int64_t count, const std::string& padding) {
  int64_t bytes = 0;
  if (__builtin_mul_overflow(count, static_cast<int64_t>(padding.size()), &bytes)) bytes = kTooMany;
  STRINGOPS_CHECK(bytes <= kMaxBytes, op, ": padding ", rows, " rows to ", width, " elements with ", padding.size(),
                  " bytes each needs ", size_text(bytes), " bytes; int32 offsets address at most ", kMaxBytes,
                  " (keep the rows ragged, or pass a smaller `width`)");
}

std::tuple<Tensor, Tensor> _strings_to_dense(const Tensor& data, const Tensor& offsets, const Tensor& row_splits_arg,
                                             std::optional<int64_t> width_arg, const std::string& padding_value,
                                             const std::string& side_arg, std::optional<int64_t> max_width,
                                             int64_t min_width, int64_t pad_to_multiple_of) {
  constexpr const char* kOp = "ragged_to_dense";
  const WidthLimits limits{max_width, min_width, pad_to_multiple_of};
  const Strings values = check_strings(kOp, data, offsets);
  check_row_splits_shape(kOp, row_splits_arg);
  check_width(kOp, width_arg, limits);
  const Side side = check_side(kOp, side_arg);

  Sizes shape = values.shape();
  const Tensor row_splits = as_contiguous(row_splits_arg);
  const RowSplits splits{const_ptr<int64_t>(row_splits), row_splits.size(0) - 1, shape[0]};
  check_row_splits(kOp, splits, "rows of `values`");
  const int64_t rows = splits.rows, width = width_arg ? *width_arg : choose_width(splits, limits);
  check_padded_size(kOp, rows, width);
  const int64_t features = count_elements({shape.begin() + 1, shape.end()});
  shape[0] = width;
  shape.insert(shape.begin(), rows);
  ++shape.back();
  check_result_offsets(kOp, shape);

  const StringSpan& span = values.span;
  const int32_t padding_offsets[] = {0, static_cast<int32_t>(padding_value.size())};
  const auto padding_size = static_cast<int64_t>(padding_value.size());
  const kernels::StringsWithRoom padding({bytes_of(padding_value), padding_size, padding_offsets, 1});
  const kernels::PaddedRows padded{span, splits, width, features, side, padding.span()};
  const int64_t missing = padded.num_missing(0, rows) * features;
  check_padding_bytes(kOp, rows, width, missing, padding_value);
  const double ns = 20 * static_cast<double>(rows) + 0.5 * static_cast<double>(rows * width * features) +
                    0.05 * static_cast<double>(missing * padding_size) + kernels::Runner::time_of(span, {0, 0.05});
  return gather(kOp, ns, padded, shape, kNoErrors);
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(_strings_to_dense,
                   "(Tensor data, Tensor offsets, Tensor row_splits, SymInt? width, str padding_value, str side, *,"
                   " SymInt? max_width=None, SymInt min_width=0, SymInt pad_to_multiple_of=1)"
                   " -> (Tensor data, Tensor offsets)")
