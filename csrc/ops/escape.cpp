#include "kernels/escape.h"

#include <atomic>
#include <string>
#include <tuple>

#include "ops/kinds.h"

namespace stringops {
namespace {

std::tuple<Tensor, Tensor> string_base64(const Tensor& data, const Tensor& offsets, bool urlsafe) {
  return map_tensor(__func__, kernels::Base64{urlsafe ? kernels::kBase64Url : kernels::kBase64}, data, offsets);
}

std::tuple<Tensor, Tensor> string_unbase64(const Tensor& data, const Tensor& offsets, bool urlsafe) {
  constexpr const char* kOp = __func__;
  std::atomic<bool> failed{false};
  const kernels::Unbase64 unbase64{urlsafe ? kernels::kUrlSextets : kernels::kSextets, !urlsafe, failed};
  auto result = map_tensor(kOp, unbase64, data, offsets);
  if (failed) {
    fail(kOp, ": expected strings of base64 ", urlsafe ? "for URLs" : "with padding", ", got another string at index ",
         find_wrong(kOp, check_strings(kOp, data, offsets), [&](StringView text) { return unbase64.is_wrong(text); }));
  }
  return result;
}

std::tuple<Tensor, Tensor> string_url_quote(const Tensor& data, const Tensor& offsets, const std::string& safe) {
  constexpr const char* kOp = __func__;
  for (const char c : safe) {
    STRINGOPS_CHECK(static_cast<uint8_t>(c) < 0x80, kOp, ": expected `safe` to be ASCII characters, got others");
  }
  return map_tensor(kOp, kernels::UrlQuote(safe), data, offsets);
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_base64, "(Tensor data, Tensor offsets, bool urlsafe=False) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_unbase64,
                   "(Tensor data, Tensor offsets, bool urlsafe=False) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(string_url_quote, "(Tensor data, Tensor offsets, str safe='/') -> (Tensor data, Tensor offsets)")
STRINGOPS_MAP(string_url_unquote, UrlUnquote)
