// Converts text to ids: cuts strings and looks the pieces up, without making strings of the pieces.
#pragma once

#include <tuple>

#include "kernels/case.h"
#include "kernels/lower_ids.h"
#include "kernels/vocabulary.h"
#include "ops/register.h"

namespace stringops {

// The strings to cut, and whether they must first be lower-cased.
struct CutText {
  Strings strings;
  bool lower;
};

// Checks the strings. Long ones are lower-cased at once, in tensors of their own, which the result keeps alive; others
// are lower-cased block by block.
inline CutText check_cut_text(const char* op, const Tensor& data, const Tensor& offsets, bool lower) {
  Strings in = check_strings(op, data, offsets);
  if (!lower || kernels::fits_lower_text(in.span)) return {std::move(in), lower};
  return {own_strings(op, map_tensor(op, kernels::Lower(), data, offsets)), false};
}

template <class Cutter>
std::tuple<Tensor, Tensor> encode_pieces(const char* op, const CutText& text, const Cutter& cutter,
                                         const kernels::VocabLookup& lookup) {
  const StringSpan& in = text.strings.span;
  Tensor ids;
  Tensor row_splits = new_tensor({in.size() + 1}, ScalarType::Long);
  kernels::cut_ids(op, TorchRunner(), in, text.lower, cutter, lookup, mutable_ptr<int64_t>(row_splits),
                   [&](int64_t num_ids) {
                     ids = new_tensor({num_ids}, ScalarType::Long);
                     return mutable_ptr<int64_t>(ids);
                   });
  return {std::move(ids), std::move(row_splits)};
}

}  // namespace stringops
