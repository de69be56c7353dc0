#include "kernels/sort.h"

#include <tuple>

#include "core/testing.h"
#include "ops/gather.h"

namespace stringops {
namespace {

// Selects the string at position indices[i] of a row of `cols` strings, in a result of `taken` strings a row.
struct StringsInRows {
  static constexpr bool kSingle = true, kInOrder = false;
  static constexpr int64_t kRun = block_size(256, 3);
  const StringSpan& strings;
  int64_t cols;
  const int64_t* indices;
  int64_t taken;

  int64_t num_items() const { return strings.size() / cols * taken; }

  // Returns whether indices [first, last) ascend by one, as they do where a row was sorted before.
  bool are_adjacent(int64_t first, int64_t last) const {
    const int64_t shift = indices[first] - first;
    if (indices[last - 1] - last + 1 != shift) return false;
    int64_t others = 0;
    for (int64_t i = first; i < last; ++i) others |= indices[i] - i - shift;
    return others == 0;
  }

  template <class F>
  void for_each_run(int64_t first, int64_t last, F&& f) const {
    for (int64_t i = first; i < last;) {
      const int64_t row = i / taken, end = std::min(last, (row + 1) * taken);
      while (i < end) {
        const int64_t stop = std::min(end, i + kRun), from = indices[i];
        if (are_adjacent(i, stop)) {
          f(kernels::run_of(strings, row * cols + from, stop - i));
          i = stop;
        }
        for (; i < stop; ++i) f(kernels::run_of(strings, row * cols + indices[i]));
      }
    }
  }
};

// Returns the strings at these positions, with offsets of shape `shape`.
std::tuple<Tensor, Tensor> take(const char* op, const StringsInRows& selection, Sizes shape) {
  const double ns = kernels::Sources(selection.strings).time_of(selection.num_items());
  return gather(op, ns, selection, std::move(shape), kNoErrors);
}

Tensor string_argsort(const Tensor& data, const Tensor& offsets, bool descending) {
  const Strings in = check_strings(__func__, data, offsets);
  Tensor indices = new_tensor(in.shape(), ScalarType::Long);
  kernels::argsort_rows(TorchRunner(), in.span, in.cols, descending, in.cols, mutable_ptr<int64_t>(indices));
  return indices;
}

std::tuple<Tensor, Tensor, Tensor> string_sort(const Tensor& data, const Tensor& offsets, bool descending,
                                               int64_t count) {
  constexpr const char* kOp = __func__;
  const Strings in = check_strings(kOp, data, offsets);
  if (count == -1) count = in.cols;
  STRINGOPS_CHECK(count >= 0 && count <= in.cols, kOp, ": expected `count` within [-1, ", in.cols, "], got ", count);
  Sizes shape = in.shape();
  shape.back() = count;
  Tensor indices = new_tensor(shape, ScalarType::Long);
  int64_t* const positions = mutable_ptr<int64_t>(indices);
  kernels::select_rows(TorchRunner(), in.span, in.cols, descending, count, positions);
  ++shape.back();
  auto [sorted_data, sorted_offsets] = take(kOp, {in.span, std::max<int64_t>(in.cols, 1), positions, count}, shape);
  return {std::move(sorted_data), std::move(sorted_offsets), std::move(indices)};
}

std::tuple<Tensor, Tensor, Tensor> find_extremes(const char* op, const Tensor& data, const Tensor& offsets,
                                                 bool flatten, bool greatest) {
  const Strings in = check_strings(op, data, offsets);
  const int64_t cols = flatten ? in.span.size() : in.cols;
  STRINGOPS_CHECK(cols > 0, op, ": expected at least one string in each row, got shape ", shape_text(in.shape()));
  Sizes shape = in.shape();
  shape.pop_back();
  if (flatten || shape.empty()) shape = {1};
  Tensor indices = new_tensor(shape, ScalarType::Long);
  ++shape.back();
  check_result_offsets(op, shape);
  int64_t* const positions = mutable_ptr<int64_t>(indices);
  kernels::find_extremes(TorchRunner(), in.span, cols, greatest, positions);
  auto [found_data, found_offsets] = take(op, {in.span, cols, positions, 1}, shape);
  return {std::move(found_data), std::move(found_offsets), std::move(indices)};
}

std::tuple<Tensor, Tensor, Tensor> string_min(const Tensor& data, const Tensor& offsets, bool flatten) {
  return find_extremes(__func__, data, offsets, flatten, false);
}

std::tuple<Tensor, Tensor, Tensor> string_max(const Tensor& data, const Tensor& offsets, bool flatten) {
  return find_extremes(__func__, data, offsets, flatten, true);
}

Tensor string_searchsorted(const Tensor& data, const Tensor& offsets, const Tensor& values_data,
                           const Tensor& values_offsets, bool right) {
  constexpr const char* kOp = __func__;
  const Strings sorted = check_strings(kOp, data, offsets);
  const Strings values = check_strings(kOp, values_data, values_offsets, "values_data", "values_offsets");
  Sizes rows = sorted.shape(), value_rows = values.shape();
  rows.pop_back();
  value_rows.pop_back();
  STRINGOPS_CHECK(rows.empty() || rows == value_rows, kOp,
                  ": expected one row of sorted strings, or one for each row of `values`, got shapes ",
                  shape_text(sorted.shape()), " and ", shape_text(values.shape()));
  Tensor positions = new_tensor(values.shape(), ScalarType::Long);
  kernels::search_sorted(TorchRunner(), {sorted.span, sorted.cols, values.span, values.cols}, right,
                         mutable_ptr<int64_t>(positions));
  return positions;
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_argsort, "(Tensor data, Tensor offsets, bool descending=False) -> Tensor indices", "int64")
STRINGOPS_OPERATOR(string_sort,
                   "(Tensor data, Tensor offsets, bool descending=False, SymInt count=-1)"
                   " -> (Tensor data, Tensor offsets, Tensor indices)")
STRINGOPS_OPERATOR(string_min,
                   "(Tensor data, Tensor offsets, bool flatten=False)"
                   " -> (Tensor data, Tensor offsets, Tensor indices)")
STRINGOPS_OPERATOR(string_max,
                   "(Tensor data, Tensor offsets, bool flatten=False)"
                   " -> (Tensor data, Tensor offsets, Tensor indices)")
STRINGOPS_OPERATOR(string_searchsorted,
                   "(Tensor data, Tensor offsets, Tensor values_data, Tensor values_offsets, bool right=False)"
                   " -> Tensor positions",
                   "int64")
