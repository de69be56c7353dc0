// The door of string_split and string_split_ragged: checks, allocation, threads. Spec: ONNX StringSplit-20.
#include "kernels/string_split.h"

#include <atomic>
#include <tuple>

#include "ops/boxing.h"
#include "ops/check.h"
#include "ops/parallel.h"
#include "ops/split_tasks.h"
#include "ops/stable_abi.h"

namespace stringops {
namespace {

using kernels::SplitMeasure;
using kernels::Splitter;

Splitter check_splitter(const char* op, const std::string& delimiter, int64_t maxsplit, const std::string& compat,
                        bool skip_empty) {
  const bool onnxruntime = compat == "onnxruntime";
  if (!onnxruntime && compat != "reference") fail_choice(op, "compat", "'reference' or 'onnxruntime'", compat);
  return {delimiter, maxsplit, onnxruntime, skip_empty};
}

std::tuple<Tensor, Tensor, Tensor> string_split_ragged(const Tensor& data, const Tensor& offsets,
                                                       const std::string& delimiter, int64_t maxsplit,
                                                       const std::string& compat, bool skip_empty) {
  constexpr const char* kOp = "string_split_ragged";
  const Splitter by = check_splitter(kOp, delimiter, maxsplit, compat, skip_empty);
  const Strings in = check_strings(kOp, data, offsets);
  const SplitTasks m = measure_split_tasks(in.span, by, nullptr);
  check_result_bytes(kOp, m.bytes);
  check_result_offsets(kOp, m.pieces + 1);

  Tensor out_data = new_tensor({m.bytes}, ScalarType::Byte);
  Tensor out_offsets = new_tensor({m.pieces + 1}, ScalarType::Int);
  Tensor row_splits = new_tensor({in.span.size() + 1}, ScalarType::Long);
  auto* const data_out = mutable_ptr<uint8_t>(out_data);
  auto* const offsets_out = mutable_ptr<int32_t>(out_offsets);
  auto* const splits_out = mutable_ptr<int64_t>(row_splits);
  offsets_out[0] = 0;
  splits_out[0] = 0;
  std::atomic<bool> changed{false};
  parallel_tasks(m.cuts.parts, [&](int64_t t) {
    if (!kernels::write_split_ragged(in.span, by, m.begin(t), m.end(t), m.shares[t], data_out, offsets_out,
                                     splits_out)) {
      changed = true;
    }
  });
  check_unchanged(kOp, !changed);
  return {out_data, out_offsets, row_splits};
}

std::tuple<Tensor, Tensor, Tensor> string_split(const Tensor& data, const Tensor& offsets, const std::string& delimiter,
                                                int64_t maxsplit, const std::string& compat, bool skip_empty) {
  constexpr const char* kOp = "string_split";
  const Splitter by = check_splitter(kOp, delimiter, maxsplit, compat, skip_empty);
  const Strings in = check_strings(kOp, data, offsets);
  const Sizes shape = in.shape();
  const int64_t rows = in.span.size();
  Tensor counts = new_tensor(shape, ScalarType::Long);
  const SplitTasks m = measure_split_tasks(in.span, by, mutable_ptr<int64_t>(counts));
  check_result_bytes(kOp, m.bytes);
  const kernels::PaddedRows padding = kernels::finish_counts(m.cuts, m.tasks, mutable_ptr<int64_t>(counts));
  // Offsets of more elements than int32 counts are a mistake: one long row beside many short ones.
  int64_t num_offsets = 0;
  STRINGOPS_CHECK(!__builtin_mul_overflow(rows, padding.width + 1, &num_offsets) && num_offsets <= kMaxOffsets, kOp,
                  ": padding ", rows, " rows to the ", padding.width, " pieces of the longest one needs more than ",
                  kMaxOffsets, " offsets (use string_split_ragged)");

  Sizes offsets_shape = shape;
  offsets_shape.push_back(padding.width + 1);
  Tensor out_data = new_tensor({m.bytes}, ScalarType::Byte);
  Tensor out_offsets = new_tensor(offsets_shape, ScalarType::Int);
  auto* const data_out = mutable_ptr<uint8_t>(out_data);
  auto* const offsets_out = mutable_ptr<int32_t>(out_offsets);
  std::atomic<bool> changed{false};
  parallel_tasks(m.cuts.parts, [&](int64_t t) {
    if (!kernels::write_split_padded(in.span, by, m.begin(t), m.end(t), m.shares[t], padding.open[t], data_out,
                                     offsets_out, padding.width)) {
      changed = true;
    }
  });
  check_unchanged(kOp, !changed);
  return {out_data, out_offsets, counts};
}

}  // namespace
}  // namespace stringops

STABLE_TORCH_LIBRARY_FRAGMENT(stringops, m) {
  m.def(
      "string_split(Tensor data, Tensor offsets, str delimiter='', int maxsplit=-1, *, str compat='reference',"
      " bool skip_empty=False) -> (Tensor data, Tensor offsets, Tensor counts)");
  m.def(
      "string_split_ragged(Tensor data, Tensor offsets, str delimiter='', int maxsplit=-1, *, str compat='reference',"
      " bool skip_empty=False) -> (Tensor data, Tensor offsets, Tensor row_splits)");
}
STABLE_TORCH_LIBRARY_IMPL(stringops, CPU, m) {
  m.impl("string_split", STRINGOPS_BOX(&stringops::string_split));
  m.impl("string_split_ragged", STRINGOPS_BOX(&stringops::string_split_ragged));
}
