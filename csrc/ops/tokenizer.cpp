// Spec: com.microsoft Tokenizer-1.
#include "kernels/tokenizer.h"

#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "core/utf8.h"
#include "ops/cut.h"
#include "ops/encode_pieces.h"
#include "ops/register.h"
#include "ops/vocabulary.h"

namespace stringops {
namespace {

using kernels::TokenRules;
using Separators = std::vector<std::string>;

std::unique_ptr<const TokenRules> check_rules(const char* op, int64_t mincharnum,
                                              const std::optional<Separators>& separators,
                                              const std::optional<std::string>& tokenexp) {
  STRINGOPS_CHECK(mincharnum >= 1, op, ": expected `mincharnum` >= 1, got ", mincharnum);
  STRINGOPS_CHECK(separators.has_value() != tokenexp.has_value(), op,
                  ": expected one of `separators` and `tokenexp`, got ", separators ? "both" : "neither");
  const Separators patterns = tokenexp ? Separators{*tokenexp} : *separators;
  STRINGOPS_CHECK(!tokenexp || !tokenexp->empty(), op, ": expected `tokenexp` to be a pattern, got an empty string");
  STRINGOPS_CHECK(!patterns.empty(), op, ": expected `separators` to hold at least one pattern, got none");
  TokenRules::Mode mode = tokenexp ? TokenRules::Mode::kTokenExp : TokenRules::Mode::kSeparators;
  if (patterns.size() == 1 && patterns[0] == (tokenexp ? "." : "")) {
    mode = TokenRules::Mode::kCharacters;
    STRINGOPS_CHECK(mincharnum == 1, op, ": expected `mincharnum` 1 if each character is a token, got ", mincharnum);
  }
  try {
    return kernels::make_token_rules(mode, patterns, mincharnum);
  } catch (const PatternError& error) {
    const std::string argument = tokenexp ? "tokenexp" : "separators[" + std::to_string(error.index) + "]";
    fail(op, ": cannot compile `", argument, "`: ", error.what());
  }
}

// Same as check_rules, with a cache of one entry, because most calls have the rules of the previous one.
std::shared_ptr<const TokenRules> find_rules(const char* op, int64_t mincharnum,
                                             const std::optional<Separators>& separators,
                                             const std::optional<std::string>& tokenexp) {
  thread_local std::tuple<int64_t, std::optional<Separators>, std::optional<std::string>> asked;
  thread_local std::shared_ptr<const TokenRules> kept;
  if (!kept || asked != std::tie(mincharnum, separators, tokenexp)) {
    kept = nullptr;  // assigning `asked` may throw; it must not be left with rules of another call
    auto rules = check_rules(op, mincharnum, separators, tokenexp);
    asked = {mincharnum, separators, tokenexp};
    kept = std::move(rules);
  }
  return kept;
}

std::tuple<Tensor, Tensor> tokenizer(const Tensor& data, const Tensor& offsets, bool mark, int64_t mincharnum,
                                     const std::string& pad_value, const std::optional<Separators>& separators,
                                     const std::optional<std::string>& tokenexp) {
  constexpr const char* kOp = __func__;
  const auto rules = find_rules(kOp, mincharnum, separators, tokenexp);
  STRINGOPS_CHECK(static_cast<int64_t>(pad_value.size()) <= kMaxBytes, kOp, ": expected `pad_value` of at most ",
                  kMaxBytes, " bytes, got ", pad_value.size());
  const auto* pad = reinterpret_cast<const uint8_t*>(pad_value.data());
  STRINGOPS_CHECK(!find_invalid_utf8(pad, pad + pad_value.size()), kOp, ": expected `pad_value` to be UTF-8");
  const Strings in = check_strings(kOp, data, offsets);
  STRINGOPS_CHECK(offsets.dim() <= 2, kOp, ": expected strings of shape [C] or [N, C], got shape ",
                  shape_text(in.shape()));
  PaddedTensors result(in);
  kernels::tokenize_padded(kOp, "tokenizer_ragged", TorchRunner(), in.span, *rules, mark, pad_value, result);
  return {std::move(result.data), std::move(result.offsets)};
}

std::tuple<Tensor, Tensor, Tensor> tokenizer_ragged(const Tensor& data, const Tensor& offsets, bool mark,
                                                    int64_t mincharnum, const std::optional<Separators>& separators,
                                                    const std::optional<std::string>& tokenexp) {
  constexpr const char* kOp = __func__;
  const auto rules = find_rules(kOp, mincharnum, separators, tokenexp);
  const Strings in = check_strings(kOp, data, offsets);
  RaggedTensors result(in);
  kernels::tokenize_ragged(kOp, TorchRunner(), in.span, *rules, mark, result);
  return result.take();
}

std::tuple<Tensor, Tensor> tokenize_encode(const Tensor& data, const Tensor& offsets, const Tensor& table,
                                           int64_t mincharnum, const std::optional<Separators>& separators,
                                           const std::optional<std::string>& tokenexp, bool lower, int64_t unknown_id,
                                           int64_t num_oov_buckets) {
  constexpr const char* kOp = __func__;
  const auto rules = find_rules(kOp, mincharnum, separators, tokenexp);
  const Strings text = check_cut_text(kOp, data, offsets, lower);
  const kernels::VocabLookup lookup = check_vocab(kOp, table, unknown_id, num_oov_buckets);
  return encode_pieces(kOp, text, kernels::TokenCutter(*rules, true), lookup);
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(tokenizer,
                   "(Tensor data, Tensor offsets, *, bool mark=False, int mincharnum=1, str pad_value='',"
                   " str[]? separators=None, str? tokenexp=None) -> (Tensor data, Tensor offsets)")
STRINGOPS_OPERATOR(tokenizer_ragged,
                   "(Tensor data, Tensor offsets, *, bool mark=False, int mincharnum=1, str[]? separators=None,"
                   " str? tokenexp=None) -> (Tensor data, Tensor offsets, Tensor row_splits)")
STRINGOPS_OPERATOR(tokenize_encode,
                   "(Tensor data, Tensor offsets, Tensor table, *, int mincharnum=1, str[]? separators=None,"
                   " str? tokenexp=None, bool lower=False, int unknown_id=-1, int num_oov_buckets=0)"
                   " -> (Tensor ids, Tensor row_splits)",
                   "int64 int64")
