// Spec: ONNX StringSplit-20, of string_split and string_split_ragged.
#include "kernels/split.h"

#include <tuple>

#include "kernels/split_lines.h"
#include "kernels/split_right.h"
#include "ops/cut.h"
#include "ops/register.h"

namespace stringops {
namespace {

using kernels::SplitCutter;

SplitCutter check_splitter(const char* op, const std::string& delimiter, int64_t maxsplit, const std::string& compat,
                           bool skip_empty) {
  return SplitCutter({delimiter, maxsplit, check_choice(op, "compat", compat, "reference", "onnxruntime"), skip_empty});
}

template <class Cutter>
std::tuple<Tensor, Tensor, Tensor> ragged(const char* op, const Tensor& data, const Tensor& offsets,
                                          const Cutter& cutter) {
  const Strings in = check_strings(op, data, offsets);
  RaggedTensors result(in);
  kernels::cut_ragged(op, TorchRunner(), in.span, cutter, result);
  return result.take();
}

std::tuple<Tensor, Tensor, Tensor> string_split_ragged(const Tensor& data, const Tensor& offsets,
                                                       const std::string& delimiter, int64_t maxsplit,
                                                       const std::string& compat, bool skip_empty) {
  constexpr const char* kOp = __func__;
  return ragged(kOp, data, offsets, check_splitter(kOp, delimiter, maxsplit, compat, skip_empty));
}

std::tuple<Tensor, Tensor, Tensor> string_split(const Tensor& data, const Tensor& offsets, const std::string& delimiter,
                                                int64_t maxsplit, const std::string& compat, bool skip_empty) {
  constexpr const char* kOp = __func__;
  const SplitCutter cutter = check_splitter(kOp, delimiter, maxsplit, compat, skip_empty);
  const Strings in = check_strings(kOp, data, offsets);
  Tensor counts = new_tensor(in.shape(), ScalarType::Long);
  PaddedTensors result(in);
  kernels::cut_padded(kOp, "string_split_ragged", TorchRunner(), in.span, cutter, mutable_ptr<int64_t>(counts), result);
  return {std::move(result.data), std::move(result.offsets), std::move(counts)};
}

std::tuple<Tensor, Tensor, Tensor> string_rsplit_ragged(const Tensor& data, const Tensor& offsets,
                                                        const std::string& delimiter, int64_t maxsplit) {
  constexpr const char* kOp = __func__;
  // Without a limit, the pieces are the same from both ends, unless occurrences of the delimiter overlap.
  const bool is_limited = maxsplit >= 0 && maxsplit < kMaxOffsets;
  if (!is_limited && !kernels::TextFinder(delimiter).overlaps_itself()) {
    return ragged(kOp, data, offsets, SplitCutter({delimiter}));
  }
  return ragged(kOp, data, offsets, kernels::RightSplitCutter(delimiter, is_limited ? maxsplit : -1));
}

std::tuple<Tensor, Tensor, Tensor> string_splitlines_ragged(const Tensor& data, const Tensor& offsets, bool keepends) {
  return ragged(__func__, data, offsets, kernels::LineCutter(keepends));
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_split,
                   "(Tensor data, Tensor offsets, str delimiter='', SymInt maxsplit=-1, *, str compat='reference',"
                   " bool skip_empty=False) -> (Tensor data, Tensor offsets, Tensor counts)")
STRINGOPS_OPERATOR(string_split_ragged,
                   "(Tensor data, Tensor offsets, str delimiter='', SymInt maxsplit=-1, *, str compat='reference',"
                   " bool skip_empty=False) -> (Tensor data, Tensor offsets, Tensor row_splits)")
STRINGOPS_OPERATOR(string_rsplit_ragged,
                   "(Tensor data, Tensor offsets, str delimiter='', SymInt maxsplit=-1)"
                   " -> (Tensor data, Tensor offsets, Tensor row_splits)")
STRINGOPS_OPERATOR(string_splitlines_ragged,
                   "(Tensor data, Tensor offsets, bool keepends=False)"
                   " -> (Tensor data, Tensor offsets, Tensor row_splits)")
