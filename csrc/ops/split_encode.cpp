#include <string>
#include <tuple>

#include "kernels/split.h"
#include "ops/encode_pieces.h"
#include "ops/register.h"
#include "ops/vocabulary.h"

namespace stringops {
namespace {

std::tuple<Tensor, Tensor> split_encode(const Tensor& data, const Tensor& offsets, const Tensor& table,
                                        const std::string& delimiter, int64_t unknown_id, int64_t num_oov_buckets,
                                        bool skip_empty, bool lower) {
  constexpr const char* kOp = __func__;
  const Strings text = check_cut_text(kOp, data, offsets, lower);
  const kernels::VocabLookup lookup = check_vocab(kOp, table, unknown_id, num_oov_buckets);
  return encode_pieces(kOp, text, kernels::SplitCutter({delimiter, -1, false, skip_empty}), lookup);
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(split_encode,
                   "(Tensor data, Tensor offsets, Tensor table, str delimiter='', *, int unknown_id=-1,"
                   " int num_oov_buckets=0, bool skip_empty=False, bool lower=False)"
                   " -> (Tensor ids, Tensor row_splits)",
                   "int64 int64")
