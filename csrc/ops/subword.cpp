#include "kernels/subword.h"

#include <string>
#include <tuple>

#include "kernels/subword_pairs.h"
#include "ops/register.h"
#include "ops/subword.h"
#include "subword/build/build_table.h"

namespace stringops {
namespace {

Tensor subword_build(const Tensor& data, const Tensor& offsets, const Tensor& numbers, const std::string& spec) {
  constexpr const char* kOp = __func__;
  const Strings tokens = check_strings(kOp, data, offsets);
  check_rank(kOp, "offsets", offsets, 1);
  check_cpu(kOp, "numbers", numbers);
  check_dtype(kOp, "numbers", numbers, ScalarType::Long);
  STRINGOPS_CHECK(numbers.dim() == 2 && numbers.size(1) == 3, kOp, ": expected `numbers` of shape [M, 3], got shape ",
                  shape_text(numbers));
  const Tensor merges = as_contiguous(numbers);
  Tensor table;
  kernels::build_subword_table(kOp, tokens.span, {const_ptr<int64_t>(merges), merges.size(0)}, spec,
                               [&](size_t num_bytes) {
                                 table = new_tensor({static_cast<int64_t>(num_bytes)}, ScalarType::Byte);
                                 return mutable_ptr<uint8_t>(table);
                               });
  return table;
}

struct Encoded {
  Tensor ids, begins, ends;
  Tensor row_splits;
};

Encoded encode(const char* op, const Tensor& data, const Tensor& offsets, const Tensor& table, bool add_special_tokens,
               int64_t max_length, bool spans) {
  const Strings in = check_strings(op, data, offsets);
  const subword::Table opened = check_subword_table(op, table);
  const auto least = add_special_tokens ? static_cast<int64_t>(opened.template_ids.size()) : 0;
  STRINGOPS_CHECK(max_length == -1 || max_length >= least, op, ": expected `max_length` >= ", least, " or -1, got ",
                  max_length);
  Encoded result{{}, {}, {}, new_tensor({in.span.size() + 1}, ScalarType::Long)};
  kernels::encode_subwords(op, TorchRunner(), in.span, opened, {add_special_tokens, max_length, spans},
                           [&](int64_t num_ids) -> kernels::SubwordOutput {
                             result.ids = new_tensor({num_ids}, ScalarType::Long);
                             kernels::SubwordOutput out{mutable_ptr<int64_t>(result.ids),
                                                        mutable_ptr<int64_t>(result.row_splits), nullptr, nullptr};
                             if (!spans) return out;
                             result.begins = new_tensor({num_ids}, ScalarType::Int);
                             result.ends = new_tensor({num_ids}, ScalarType::Int);
                             out.begins = mutable_ptr<int32_t>(result.begins);
                             out.ends = mutable_ptr<int32_t>(result.ends);
                             return out;
                           });
  return result;
}

std::tuple<Tensor, Tensor> subword_encode(const Tensor& data, const Tensor& offsets, const Tensor& table,
                                          bool add_special_tokens, int64_t max_length) {
  Encoded result = encode(__func__, data, offsets, table, add_special_tokens, max_length, false);
  return {std::move(result.ids), std::move(result.row_splits)};
}

std::tuple<Tensor, Tensor, Tensor, Tensor> subword_encode_spans(const Tensor& data, const Tensor& offsets,
                                                                const Tensor& table, bool add_special_tokens,
                                                                int64_t max_length) {
  Encoded result = encode(__func__, data, offsets, table, add_special_tokens, max_length, true);
  return {std::move(result.ids), std::move(result.row_splits), std::move(result.begins), std::move(result.ends)};
}

std::tuple<Tensor, Tensor, Tensor> subword_encode_pairs(const Tensor& data, const Tensor& offsets,
                                                        const Tensor& other_data, const Tensor& other_offsets,
                                                        const Tensor& table, bool add_special_tokens,
                                                        int64_t max_length, bool truncate_left) {
  constexpr const char* kOp = __func__;
  const Strings first = check_strings(kOp, data, offsets);
  const Strings second = check_strings(kOp, other_data, other_offsets, "other_data", "other_offsets");
  STRINGOPS_CHECK(first.shape() == second.shape(), kOp, ": expected strings of shape ", shape_text(first.shape()),
                  " as the second ones, got shape ", shape_text(second.shape()));
  const subword::Table opened = check_subword_table(kOp, table);
  const kernels::SubwordPairs pairs(opened.pair, add_special_tokens, max_length, truncate_left);
  STRINGOPS_CHECK(max_length == -1 || max_length >= pairs.num_special(), kOp,
                  ": expected `max_length` >= ", pairs.num_special(), " or -1, got ", max_length);
  const Encoded a = encode(kOp, data, offsets, table, false, -1, false);
  const Encoded b = encode(kOp, other_data, other_offsets, table, false, -1, false);
  const kernels::IdRows a_rows{const_ptr<int64_t>(a.ids), const_ptr<int64_t>(a.row_splits)};
  const kernels::IdRows b_rows{const_ptr<int64_t>(b.ids), const_ptr<int64_t>(b.row_splits)};
  const int64_t rows = first.span.size();
  Tensor row_splits = new_tensor({rows + 1}, ScalarType::Long);
  int64_t* const splits = mutable_ptr<int64_t>(row_splits);
  splits[0] = 0;
  for (int64_t row = 0; row < rows; ++row) splits[row + 1] = splits[row] + pairs.size(a_rows, b_rows, row);
  kernels::kCutIds.check(kOp, {0, splits[rows]});
  Tensor ids = new_tensor({splits[rows]}, ScalarType::Long);
  Tensor types = new_tensor({splits[rows]}, ScalarType::Long);
  for (int64_t row = 0; row < rows; ++row) {
    pairs.write(a_rows, b_rows, row, mutable_ptr<int64_t>(ids) + splits[row],
                mutable_ptr<int64_t>(types) + splits[row]);
  }
  return {std::move(ids), std::move(row_splits), std::move(types)};
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(subword_build, "(Tensor data, Tensor offsets, Tensor numbers, str spec) -> Tensor table", "uint8")
STRINGOPS_OPERATOR(subword_encode,
                   "(Tensor data, Tensor offsets, Tensor table, *, bool add_special_tokens=False, SymInt max_length=-1)"
                   " -> (Tensor ids, Tensor row_splits)",
                   "int64 int64")
STRINGOPS_OPERATOR(subword_encode_spans,
                   "(Tensor data, Tensor offsets, Tensor table, *, bool add_special_tokens=False, SymInt max_length=-1)"
                   " -> (Tensor ids, Tensor row_splits, Tensor begins, Tensor ends)",
                   "int64 int64 int32 int32")
STRINGOPS_OPERATOR(subword_encode_pairs,
                   "(Tensor data, Tensor offsets, Tensor other_data, Tensor other_offsets, Tensor table, *,"
                   " bool add_special_tokens=False, SymInt max_length=-1, bool truncate_left=False)"
                   " -> (Tensor ids, Tensor row_splits, Tensor types)",
                   "int64 int64 int64")
