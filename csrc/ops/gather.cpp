// Indexing, masks and concatenation of strings. Errors name the public function that was called.
#include "ops/gather.h"

#include <string>
#include <tuple>
#include <vector>

#include "core/offsets.h"
#include "driver/flatten.h"
#include "ops/python_lock.h"
#include "ops/register.h"

namespace stringops {

namespace {

using kernels::Sources;

constexpr int64_t kMaxRank = 64;  // the limit of torch's iterators

// The tensors of a list, which are released together.
struct TensorList {
  std::vector<Tensor> items;

  explicit TensorList(std::vector<Tensor> list) : items(std::move(list)) {}
  TensorList(TensorList&&) = default;
  ~TensorList() {
    if (items.empty()) return;
    const PythonLock lock;
    items.clear();
  }
};

// An argument `strings`: data and offsets of each tensor in turn.
struct StringsList {
  TensorList tensors;                    // keep the memory of `rows` alive, like `copies`
  std::vector<UncheckedStrings> copies;  // strings whose offsets were copied
  std::vector<StringRows> rows;
};

StringsList check_strings_list(const char* op, std::vector<Tensor> list) {
  STRINGOPS_CHECK(list.size() >= 2 && list.size() % 2 == 0, op,
                  ": expected `strings` to be data and offsets of at least one tensor, got ", list.size(), " tensors");
  std::vector<UncheckedStrings> copies;
  std::vector<StringRows> rows;
  rows.reserve(list.size() / 2);
  for (size_t i = 0; i < list.size(); i += 2) {
    if (const auto readable = readable_rows(list[i], list[i + 1])) {
      rows.push_back(*readable);
    } else {
      copies.push_back(check_strings_metadata(op, list[i], list[i + 1]));
      rows.push_back(copies.back().rows);
    }
  }
  return {TensorList(std::move(list)), std::move(copies), std::move(rows)};
}

// Throws unless all offsets have the rank of the first, and the same size in all axes but `joined`.
void check_alike(const char* op, const std::vector<Tensor>& list, int64_t joined) {
  const auto sizes = list[1].sizes();
  for (size_t i = 3; i < list.size(); i += 2) {
    const auto others = list[i].sizes();
    bool alike = others.size() == sizes.size();
    for (size_t d = 0; alike && d < sizes.size(); ++d)
      alike = static_cast<int64_t>(d) == joined || others[d] == sizes[d];
    STRINGOPS_CHECK(alike, op,
                    ": expected `strings` of the same shape in all axes but `joined`, got another for tensor ", i / 2);
  }
}

// Same as gather() for tensors whose offsets have not been checked: those of the selected strings are checked on the
// way.
template <class Selection, class Check>
std::tuple<Tensor, Tensor> gather_unchecked(const char* op, const std::vector<StringRows>& tensors, double ns,
                                            const Selection& selection, const Sizes& shape, Check&& check) {
  try {
    return gather(op, ns, selection, shape, check);
  } catch (const ConcurrentWrite&) {
    for (const StringRows& rows : tensors) check_offsets(op, rows);
    throw;
  }
}

template <class Index>
std::tuple<Tensor, Tensor> gather_at(const char* op, const StringsList& list, const Tensor& positions_arg) {
  const Sources sources(list.rows);
  const Sizes shape = offsets_shape(op, positions_arg);
  const Tensor positions = as_contiguous(positions_arg);
  const kernels::StringsAt<Index> selection{sources, const_ptr<Index>(positions), positions.numel()};
  const auto check = [&](const kernels::Selected& selected) {
    if (!selected.bad_item) return;
    throw std::out_of_range(std::string(op) + ": index " + std::to_string(selection.positions[*selected.bad_item]) +
                            " is out of bounds for " + std::to_string(sources.size()) + " strings");
  };
  return gather_unchecked(op, list.rows, sources.time_of(selection.count), selection, shape, check);
}

std::tuple<Tensor, Tensor> _string_gather(std::vector<Tensor> strings, const Tensor& positions) {
  constexpr const char* kOp = "StringTensor";
  const StringsList list = check_strings_list(kOp, std::move(strings));
  check_cpu(kOp, "positions", positions);
  const ScalarType index = positions.scalar_type();
  STRINGOPS_CHECK(index == ScalarType::Int || index == ScalarType::Long, kOp,
                  ": expected `positions` to be int32 or int64, got ", dtype_text(index));
  STRINGOPS_CHECK(positions.dim() >= 1, kOp, ": expected `positions` of rank >= 1, got a scalar (use .reshape(1))");
  check_count(kOp, "positions", positions);
  return index == ScalarType::Int ? gather_at<int32_t>(kOp, list, positions) : gather_at<int64_t>(kOp, list, positions);
}

const uint8_t* bool_ptr(const Tensor& t) {
  return static_cast<const uint8_t*>(t.const_data_ptr());
}

std::tuple<Tensor, Tensor> _string_where(const Tensor& condition_arg, const Tensor& data, const Tensor& offsets,
                                         const Tensor& other_data, const Tensor& other_offsets) {
  constexpr const char* kOp = "where";
  check_cpu(kOp, "condition", condition_arg);
  check_dtype(kOp, "condition", condition_arg, ScalarType::Bool);
  STRINGOPS_CHECK(condition_arg.dim() >= 1, kOp, ": expected `condition` of rank >= 1, got a scalar (use .reshape(1))");
  check_count(kOp, "condition", condition_arg);
  const Strings first = check_strings(kOp, data, offsets);
  const Strings second = check_strings(kOp, other_data, other_offsets, "other_data", "other_offsets");
  Sizes shape = offsets_shape(kOp, condition_arg);
  for (const Strings* strings : {&first, &second}) {
    STRINGOPS_CHECK(strings->span.size() == 1 || shape_of(strings->offsets) == shape, kOp,
                    ": expected strings of shape ", shape_text(condition_arg),
                    " like `condition`, or a single string, got shape ", shape_text(strings->shape()));
  }
  const Tensor condition = as_contiguous(condition_arg);
  const kernels::StringsWithRoom a(first.span), b(second.span);
  const kernels::StringsWhere selection{bool_ptr(condition), condition.numel(), a.span(), b.span()};
  const double ns =
      std::max(Sources(first.span).time_of(condition.numel()), Sources(second.span).time_of(condition.numel()));
  return gather(kOp, ns, selection, shape, kNoErrors);
}

std::tuple<Tensor, Tensor> _string_masked_select(const Tensor& data, const Tensor& offsets, const Tensor& mask_arg) {
  constexpr const char* kOp = "StringTensor";
  const UncheckedStrings in = check_strings_metadata(kOp, data, offsets);
  check_cpu(kOp, "mask", mask_arg);
  check_dtype(kOp, "mask", mask_arg, ScalarType::Bool);
  STRINGOPS_CHECK(shape_of(mask_arg) == in.shape(), kOp, ": expected `mask` of shape ", shape_text(in.shape()),
                  ", got shape ", shape_text(mask_arg));
  const Tensor mask = as_contiguous(mask_arg);
  const auto select = [&](const StringSpan& strings) {
    const kernels::MaskedStrings selection{strings, bool_ptr(mask)};
    return gather_unchecked(kOp, {in.rows}, Sources(strings).time_of(strings.size()), selection, {}, kNoErrors);
  };
  if (in.rows.rows == 1) return select({in.rows.data, in.rows.num_bytes, in.rows.offsets, in.rows.cols});
  return select(check_strings(kOp, data, offsets).span);
}

std::tuple<Tensor, Tensor> _string_cat(std::vector<Tensor> strings, Sizes shape, const std::string& op_arg,
                                       std::optional<int64_t> joined) {
  const char* const op = op_arg.c_str();
  StringsList list = check_strings_list(op, std::move(strings));
  std::vector<Tensor>& tensors = list.tensors.items;
  if (joined) check_alike(op, tensors, *joined);
  int64_t count = 0;
  for (const StringRows& rows : list.rows) count += rows.size();
  const int64_t rank = static_cast<int64_t>(shape.size());
  if (rank == 1 && shape[0] == -1) shape[0] = count;  // a vector
  STRINGOPS_CHECK(rank >= 1 && rank <= kMaxRank, op, ": expected `shape` of 1 to ", kMaxRank, " sizes, got ", rank);
  const bool in_range = std::all_of(shape.begin(), shape.end(), [](int64_t n) { return n >= 0 && n <= kMaxOffsets; });
  STRINGOPS_CHECK(in_range && count_elements(shape) == count, op, ": expected `shape` of ", count, " strings, got ",
                  shape_text(shape));
  ++shape.back();
  check_result_offsets(op, shape);
  // The bytes of several rows may be copied twice, so that they are counted before.
  int64_t num_bytes = 0;
  for (const StringRows& rows : list.rows) {
    if (rows.rows == 1) continue;
    const int64_t bytes = kernels::count_row_bytes(rows, 0, rows.rows);
    if (bytes < 0) check_offsets(op, rows);
    num_bytes += bytes;
  }
  check_result_bytes(op, num_bytes);
  // Strings of several rows are checked, and flattened; others are checked on the way.
  std::vector<Strings> flat;
  std::vector<StringRows> sources = list.rows;
  for (size_t i = 0; i < sources.size(); ++i) {
    if (sources[i].rows == 1) continue;
    const StringSpan& span = flat.emplace_back(check_strings(op, tensors[2 * i], tensors[2 * i + 1])).span;
    sources[i] = {span.data, span.num_bytes, span.offsets, 1, span.count, span.count + 1};
  }
  if (sources.size() == 1 && flat.size() == 1 && flat[0].flat_data.get()) {  // the copy is the result
    const StringSpan& span = flat[0].span;
    Tensor offsets = new_tensor(shape, ScalarType::Int);
    const int64_t cols = shape.back() - 1;
    write_row_offsets(span.offsets, count / cols, cols, mutable_ptr<int32_t>(offsets));
    return {std::move(flat[0].flat_data), std::move(offsets)};
  }
  const Sources all(sources);
  return gather_unchecked(op, list.rows, all.time_of(count), kernels::AllStrings{all}, shape, kNoErrors);
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(_string_gather, "(Tensor[] strings, Tensor positions) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(_string_where,
                   "(Tensor condition, Tensor data, Tensor offsets, Tensor other_data, Tensor other_offsets)"
                   " -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(_string_masked_select, "(Tensor data, Tensor offsets, Tensor mask) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(_string_cat,
                   "(Tensor[] strings, SymInt[] shape, str op='cat', int? joined=None)"
                   " -> (Tensor data, Tensor offsets)")
