// Text to ids: cuts strings and looks the pieces up, with no strings of pieces in between.
#pragma once

#include <optional>
#include <tuple>

#include "kernels/case.h"
#include "kernels/driver/ids_sink.h"
#include "kernels/vocabulary.h"
#include "ops/register.h"

namespace stringops {

// The strings to cut. Lower case may have another size than the text ("\u0130" has 2 bytes, its lower case 3), and so
// stands in tensors of its own, which the result keeps alive.
inline Strings check_text(const char* op, const Tensor& data, const Tensor& offsets, bool lower) {
  if (!lower) return check_strings(op, data, offsets);
  const auto [lower_data, lower_offsets] = map_tensor(op, kernels::Lower(), data, offsets);
  return check_strings(op, lower_data, lower_offsets);
}

template <class Cutter>
std::tuple<Tensor, Tensor> encode_pieces(const char* op, const Strings& in, const Cutter& cutter,
                                         const kernels::VocabLookup& lookup) {
  std::optional<Tensor> ids;
  const Tensor row_splits = new_tensor({in.span.size() + 1}, ScalarType::Long);
  kernels::cut_ids(op, TorchRunner(), in.span, cutter, lookup, [&](int64_t num_ids) -> kernels::IdsOutput {
    ids = new_tensor({num_ids}, ScalarType::Long);
    return {mutable_ptr<int64_t>(*ids), mutable_ptr<int64_t>(row_splits)};
  });
  return {*ids, row_splits};
}

}  // namespace stringops
