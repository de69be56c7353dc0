#include "kernels/search.h"

#include <string>
#include <tuple>

#include "kernels/case.h"
#include "kernels/search_replace.h"
#include "regex/folded_text.h"

#include "ops/kinds.h"

namespace stringops {
namespace {

std::string_view check_literal(const char* op, const char* name, std::string_view text) {
  STRINGOPS_CHECK(static_cast<int64_t>(text.size()) <= kMaxBytes, op, ": expected `", name, "` of at most ", kMaxBytes,
                  " bytes, got ", text.size());
  return text;
}

std::tuple<Tensor, Tensor> string_replace(const Tensor& data, const Tensor& offsets, const std::string& old,
                                          const std::string& by, int64_t count) {
  constexpr const char* kOp = __func__;
  const kernels::Replacement replacement{check_literal(kOp, "old", old), check_literal(kOp, "new", by), count};
  const Strings in = check_strings(kOp, data, offsets);
  NewStrings result(shape_of(offsets));
  kernels::replace_strings(kOp, TorchRunner(), replacement, in.span, result);
  return result.take();
}

// The values of a kernel that searches for literal.sub, in strings and `sub` by simple case folding if `ignore_case`.
template <class Literal>
Tensor search(const char* op, Literal literal, bool ignore_case, ScalarType dtype, const Tensor& data,
              const Tensor& offsets) {
  check_literal(op, "sub", literal.sub);
  if (!ignore_case || literal.sub.empty()) return reduce_tensor(op, literal, dtype, data, offsets);
  const auto size = static_cast<int64_t>(literal.sub.size());
  bool in_codepoints = simd::primitives().is_utf8(bytes_of(literal.sub), size);
  if constexpr (std::is_same_v<Literal, kernels::FindLiteral>) in_codepoints &= literal.in_codepoints;
  if (in_codepoints) {
    const FoldedText text(literal.sub);
    literal.folded = &text;
    return reduce_tensor(op, literal, dtype, data, offsets);
  }
  // Bytes that are not of code points, and positions in bytes, are those of the folded strings.
  const int32_t ends[] = {0, narrow<int32_t>(size)};
  NewStrings sub({2});
  kernels::map_strings(op, TorchRunner(), kernels::SimpleFold(), {bytes_of(literal.sub), size, ends, 1}, sub);
  const Tensor folded = std::get<0>(sub.take());
  literal.sub = {reinterpret_cast<const char*>(const_ptr<uint8_t>(folded)), static_cast<size_t>(folded.numel())};
  const auto [folded_data, folded_offsets] = map_tensor(op, kernels::SimpleFold(), data, offsets);
  return reduce_tensor(op, literal, dtype, folded_data, folded_offsets);
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_replace,
                   "(Tensor data, Tensor offsets, str old, str new, SymInt count=-1) -> (Tensor data, Tensor offsets)")

// Defines an operator that returns the position of the first or the last occurrence, and its overload `each`.
#define STRINGOPS_FIND(name, is_last)                                                                               \
  namespace stringops {                                                                                             \
  static Tensor name(const Tensor& data, const Tensor& offsets, const std::string& sub, const std::string& unit,    \
                     bool ignore_case) {                                                                            \
    const kernels::FindLiteral find{sub, check_unit(#name, unit), is_last};                                         \
    return search(#name, find, ignore_case, ScalarType::Long, data, offsets);                                       \
  }                                                                                                                 \
  static Tensor name##_each(const Tensor& data, const Tensor& offsets, const Tensor& other_data,                    \
                            const Tensor& other_offsets, const std::string& unit) {                                 \
    const kernels::Find find{{{}, check_unit(#name, unit), is_last}};                                               \
    return zip_tensors(#name, find, ScalarType::Long, data, offsets, other_data, other_offsets);                    \
  }                                                                                                                 \
  }                                                                                                                 \
  STRINGOPS_OPERATOR(name,                                                                                          \
                     "(Tensor data, Tensor offsets, str sub, str unit='codepoint', *, bool ignore_case=False)"      \
                     " -> Tensor",                                                                                  \
                     ScalarType::Long)                                                                              \
  STRINGOPS_OVERLOAD(name, each,                                                                                    \
                     "(Tensor data, Tensor offsets, Tensor other_data, Tensor other_offsets, str unit='codepoint')" \
                     " -> Tensor",                                                                                  \
                     ScalarType::Long)

STRINGOPS_FIND(string_find, false)
STRINGOPS_FIND(string_rfind, true)

// Defines an operator that searches for one string in all strings; its overload `each` searches for a string in each.
#define STRINGOPS_SEARCH(name, Literal, Each, dtype)                                                                 \
  namespace stringops {                                                                                              \
  static Tensor name(const Tensor& data, const Tensor& offsets, const std::string& sub, bool ignore_case) {          \
    return search(#name, kernels::Literal{sub}, ignore_case, dtype, data, offsets);                                  \
  }                                                                                                                  \
  static Tensor name##_each(const Tensor& data, const Tensor& offsets, const Tensor& other_data,                     \
                            const Tensor& other_offsets) {                                                           \
    return zip_tensors(#name, kernels::Each{}, dtype, data, offsets, other_data, other_offsets);                     \
  }                                                                                                                  \
  }                                                                                                                  \
  STRINGOPS_OPERATOR(name, "(Tensor data, Tensor offsets, str sub, *, bool ignore_case=False) -> Tensor", dtype)     \
  STRINGOPS_OVERLOAD(name, each, "(Tensor data, Tensor offsets, Tensor other_data, Tensor other_offsets) -> Tensor", \
                     dtype)

STRINGOPS_SEARCH(string_contains, ContainsLiteral, Contains, ScalarType::Bool)
STRINGOPS_SEARCH(string_count, CountLiteral, Count, ScalarType::Long)
STRINGOPS_SEARCH(string_startswith, StartsWithLiteral, StartsWith, ScalarType::Bool)
STRINGOPS_SEARCH(string_endswith, EndsWithLiteral, EndsWith, ScalarType::Bool)
