// Converts text to ids: cuts strings and looks the pieces up, without making strings of the pieces.
#pragma once

#include <tuple>

#include "driver/ids_sink.h"
#include "kernels/case.h"
#include "kernels/vocabulary.h"
#include "ops/kinds.h"

namespace stringops {

// Checks the strings, and converts them to lower case if asked to.
inline Strings check_cut_text(const char* op, const Tensor& data, const Tensor& offsets, bool lower) {
  Strings in = check_strings(op, data, offsets);
  return lower ? own_strings(op, map_tensor(op, kernels::Lower(), in)) : std::move(in);
}

template <class Cutter>
std::tuple<Tensor, Tensor> encode_pieces(const char* op, const Strings& in, const Cutter& cutter,
                                         const kernels::VocabLookup& lookup) {
  Tensor ids;
  Tensor row_splits = new_tensor({in.span.size() + 1}, ScalarType::Long);
  kernels::cut_ids(op, TorchRunner(), in.span, cutter, lookup, mutable_ptr<int64_t>(row_splits), [&](int64_t num_ids) {
    ids = new_tensor({num_ids}, ScalarType::Long);
    return mutable_ptr<int64_t>(ids);
  });
  return {std::move(ids), std::move(row_splits)};
}

}  // namespace stringops
