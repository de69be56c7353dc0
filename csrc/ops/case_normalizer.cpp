// string_normalizer. Spec: ONNX StringNormalizer-10.
#include <algorithm>
#include <string>
#include <tuple>

#include "kernels/case.h"
#include "kernels/compare_isin.h"
#include "ops/gather.h"
#include "ops/kinds.h"

namespace stringops {
namespace {

using Pair = std::tuple<Tensor, Tensor>;

Strings casefolded(const char* op, const Strings& in) {
  return own_strings(op, map_tensor(op, kernels::Casefold(), in.data, in.offsets));
}

// Returns, for each string, whether it is not a stop word, as a tensor of bool.
Tensor find_kept(const char* op, const Strings& in, const Strings& stopwords) {
  Tensor mask = new_tensor({in.span.size()}, ScalarType::Bool);
  bool* const kept = mutable_ptr<bool>(mask);
  const kernels::StringSet set(op, stopwords.span);
  const TorchRunner runner;
  runner.run_ranges(in.span.size(), runner.time_of(in.span, {6, 0.1}), [&](int64_t first, int64_t last) {
    set.contains(in.span, first, last, kept);
    std::transform(kept + first, kept + last, kept + first, [](bool is_stopword) { return !is_stopword; });
  });
  return mask;
}

Pair change_case(const char* op, const std::string& action, Pair strings) {
  const auto& [data, offsets] = strings;
  if (action == "LOWER") return map_tensor(op, kernels::Lower(), data, offsets);
  if (action == "UPPER") return map_tensor(op, kernels::Upper(), data, offsets);
  return strings;
}

Pair string_normalizer(const Tensor& data, const Tensor& offsets, const Tensor& stopwords_data,
                       const Tensor& stopwords_offsets, const std::string& case_change_action, bool is_case_sensitive) {
  constexpr const char* kOp = __func__;
  if (case_change_action != "NONE" && case_change_action != "LOWER" && case_change_action != "UPPER") {
    fail_choice(kOp, "case_change_action", "'NONE', 'LOWER' or 'UPPER'", case_change_action);
  }
  const Strings in = check_strings(kOp, data, offsets);
  STRINGOPS_CHECK(offsets.dim() == 1 || (offsets.dim() == 2 && offsets.size(0) == 1), kOp,
                  ": expected strings of shape [C] or [1, C], got shape ", shape_text(in.shape()));
  const Strings stopwords =
      check_strings(kOp, stopwords_data, stopwords_offsets, "stopwords_data", "stopwords_offsets");

  const bool keeps_all = stopwords.span.size() == 0;
  int64_t count = in.span.size();
  Tensor mask;
  if (!keeps_all) {
    mask = is_case_sensitive ? find_kept(kOp, in, stopwords)
                             : find_kept(kOp, casefolded(kOp, in), casefolded(kOp, stopwords));
    count = std::count(mutable_ptr<bool>(mask), mutable_ptr<bool>(mask) + count, true);
  }
  Sizes shape = shape_of(offsets);
  const int64_t least = in.span.size() == 0 ? 0 : 1;  // an empty string, if all strings are stop words
  shape.back() = std::max(count, least) + 1;
  if (count == 0) {
    Tensor none = new_tensor(shape, ScalarType::Int);
    std::fill_n(mutable_ptr<int32_t>(none), least + 1, 0);
    return {new_tensor({0}, ScalarType::Byte), std::move(none)};
  }
  if (keeps_all && case_change_action != "NONE") {
    return change_case(kOp, case_change_action, {data.borrow(), offsets.borrow()});
  }
  const kernels::Sources sources({in.span});
  const double ns = sources.time_of(count);
  if (keeps_all) return gather(kOp, ns, kernels::AllStrings{sources}, shape, kNoErrors);
  const kernels::MaskedStrings selection{in.span, mutable_ptr<uint8_t>(mask)};
  return change_case(kOp, case_change_action, gather(kOp, ns, selection, shape, kNoErrors));
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_normalizer,
                   "(Tensor data, Tensor offsets, Tensor stopwords_data, Tensor stopwords_offsets, *,"
                   " str case_change_action='NONE', bool is_case_sensitive=False) -> (Tensor data, Tensor offsets)")
