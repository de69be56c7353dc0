// The door of tokenizer and tokenizer_ragged: checks, allocation, threads. Spec: com.microsoft Tokenizer-1.
#include "kernels/tokenizer.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>
#include <tuple>
#include <vector>

#include "core/utf8.h"
#include "ops/boxing.h"
#include "ops/check.h"
#include "ops/parallel.h"
#include "ops/stable_abi.h"

namespace stringops {
namespace {

using kernels::Share;
using kernels::TokenFrame;
using kernels::TokenMeasure;
using kernels::TokenRules;
using Patterns = std::vector<std::string>;

std::unique_ptr<const TokenRules> check_rules(const char* op, int64_t mincharnum,
                                              const std::optional<Patterns>& separators,
                                              const std::optional<std::string>& tokenexp) {
  STRINGOPS_CHECK(mincharnum >= 1, op, ": expected `mincharnum` >= 1, got ", mincharnum);
  STRINGOPS_CHECK(separators.has_value() != tokenexp.has_value(), op,
                  ": expected one of `separators` and `tokenexp`, got ", separators ? "both" : "neither");
  const Patterns patterns = tokenexp ? Patterns{*tokenexp} : *separators;
  STRINGOPS_CHECK(!tokenexp || !tokenexp->empty(), op, ": expected `tokenexp` to be a pattern, got an empty string");
  STRINGOPS_CHECK(!patterns.empty(), op, ": expected `separators` to hold at least one pattern, got none");
  TokenRules::Mode mode = tokenexp ? TokenRules::Mode::kTokenExp : TokenRules::Mode::kSeparators;
  if (patterns.size() == 1 && patterns[0] == (tokenexp ? "." : "")) {
    mode = TokenRules::Mode::kCharacters;
    STRINGOPS_CHECK(mincharnum == 1, op, ": expected `mincharnum` 1 where each character is a token, got ", mincharnum);
  }
  try {
    return kernels::make_token_rules(mode, patterns, mincharnum);
  } catch (const PatternError& error) {
    const std::string argument = tokenexp ? "tokenexp" : "separators[" + std::to_string(error.index) + "]";
    fail(op, ": cannot compile `", argument, "`: ", error.what());
  }
}

// The same as check_rules. Calls mostly ask for the rules of the call before, which are kept.
std::shared_ptr<const TokenRules> find_rules(const char* op, int64_t mincharnum,
                                             const std::optional<Patterns>& separators,
                                             const std::optional<std::string>& tokenexp) {
  thread_local std::tuple<int64_t, std::optional<Patterns>, std::optional<std::string>> asked;
  thread_local std::shared_ptr<const TokenRules> kept;
  if (!kept || asked != std::tie(mincharnum, separators, tokenexp)) {
    kept = nullptr;  // until `asked`, whose copies may fail, belongs to it
    auto rules = check_rules(op, mincharnum, separators, tokenexp);
    asked = {mincharnum, separators, tokenexp};
    kept = std::move(rules);
  }
  return kept;
}

Strings check_input(const char* op, const Tensor& data, const Tensor& offsets) {
  Strings in = check_strings(op, data, offsets);
  STRINGOPS_CHECK(offsets.dim() <= 2, op, ": expected strings of shape [C] or [N, C], got shape ",
                  shape_text(in.shape()));
  return in;
}

// The first pass: each task's measure, the sums, and for padded results the most tokens of any string.
struct Measured {
  std::vector<TokenMeasure> tasks;
  int64_t strings = 0;
  int64_t bytes = 0;
  int64_t tokens = 0;
  int64_t most = 0;

  int64_t count() const { return static_cast<int64_t>(tasks.size()); }
  int64_t begin(int64_t task) const { return strings * task / count(); }
};

Measured measure(const char* op, const StringSpan& in, const TokenRules& rules, bool most) {
  Measured m;
  m.strings = in.size();
  m.tasks.resize(static_cast<size_t>(choose_tasks(strings_cost(in, 1))));
  parallel_tasks(m.count(),
                 [&](int64_t t) { m.tasks[t] = kernels::measure_tokens(in, rules, m.begin(t), m.begin(t + 1), most); });
  for (const TokenMeasure& task : m.tasks) {
    STRINGOPS_CHECK(!task.invalid, op, ": invalid UTF-8 in row ", task.invalid->index, " at byte ", task.invalid->skip);
    STRINGOPS_CHECK(!task.bad_match, op, ": a pattern matched inside a code point in row ", *task.bad_match,
                    ", as \\B can beyond ASCII");
    STRINGOPS_CHECK(!task.too_slow, op, ": the patterns take too long in row ", *task.too_slow,
                    ": each token looks far ahead for a longer one, as a.*b|a does, or they count so far that they"
                    " fill the engine's memory, as .*a.{900} does (cut the text into shorter strings, or use a pattern"
                    " that knows its end sooner, as a[^b]{0,99}b|a)");
    m.bytes += task.bytes;
    m.tokens += task.tokens;
    m.most = std::max(m.most, task.most);
  }
  return m;
}

// Bytes and pieces of each task's rows, markers and padding included.
std::vector<Share> share_out(const char* op, const Measured& m, const TokenFrame& frame) {
  std::vector<Share> shares;
  int64_t bytes = 0, pieces = 0;
  for (int64_t t = 0; t < m.count(); ++t) {
    const TokenMeasure& task = m.tasks[static_cast<size_t>(t)];
    const int64_t rows = m.begin(t + 1) - m.begin(t);
    const int64_t markers = frame.mark ? 2 * rows : 0;
    const int64_t padding = frame.width && frame.adds_bytes() ? rows * *frame.width - task.tokens - markers : 0;
    // At most 2^31 of at most 2^31 bytes: the sum is checked below.
    const int64_t padding_bytes = padding * static_cast<int64_t>(frame.padding.size());
    shares.push_back(
        {bytes, bytes + task.bytes + markers + padding_bytes, pieces, pieces + task.tokens + markers + padding});
    bytes = shares.back().bytes_end;
    pieces = shares.back().pieces_end;
  }
  check_result_bytes(op, bytes);
  return shares;
}

void write(const char* op, const StringSpan& in, const TokenRules& rules, const TokenFrame& frame, const Measured& m,
           const std::vector<Share>& shares, const kernels::TokenOutput& out) {
  std::atomic<bool> changed{false};
  parallel_tasks(m.count(), [&](int64_t t) {
    if (!kernels::write_tokens(in, rules, frame, m.begin(t), m.begin(t + 1), m.tasks[t], shares[t], out))
      changed = true;
  });
  check_unchanged(op, !changed);
}

std::tuple<Tensor, Tensor> tokenizer(const Tensor& data, const Tensor& offsets, bool mark, int64_t mincharnum,
                                     const std::string& pad_value, const std::optional<Patterns>& separators,
                                     const std::optional<std::string>& tokenexp) {
  constexpr const char* kOp = "tokenizer";
  const auto rules = find_rules(kOp, mincharnum, separators, tokenexp);
  STRINGOPS_CHECK(static_cast<int64_t>(pad_value.size()) <= kMaxBytes, kOp, ": expected `pad_value` of at most ",
                  kMaxBytes, " bytes, got ", pad_value.size());
  const auto* pad = reinterpret_cast<const uint8_t*>(pad_value.data());
  STRINGOPS_CHECK(!find_invalid_utf8(pad, pad + pad_value.size()), kOp, ": expected `pad_value` to be UTF-8");
  const Strings in = check_input(kOp, data, offsets);
  const Measured m = measure(kOp, in.span, *rules, true);
  // Without any token there is nothing to mark.
  const bool marks = mark && m.most > 0;
  const int64_t width = m.most + (marks ? 2 : 0);
  int64_t num_offsets = 0;
  STRINGOPS_CHECK(!__builtin_mul_overflow(m.strings, width + 1, &num_offsets) && num_offsets <= kMaxOffsets, kOp,
                  ": padding ", m.strings, " rows to the ", width, " tokens of the longest one needs more than ",
                  kMaxOffsets, " offsets (use tokenizer_ragged)");
  const TokenFrame frame{marks, width, pad_value};
  const std::vector<Share> shares = share_out(kOp, m, frame);

  Sizes shape = in.shape();
  shape.push_back(width + 1);
  Tensor out_data = new_tensor({shares.back().bytes_end}, ScalarType::Byte);
  Tensor out_offsets = new_tensor(shape, ScalarType::Int);
  write(kOp, in.span, *rules, frame, m, shares,
        {mutable_ptr<uint8_t>(out_data), mutable_ptr<int32_t>(out_offsets), nullptr});
  return {out_data, out_offsets};
}

std::tuple<Tensor, Tensor, Tensor> tokenizer_ragged(const Tensor& data, const Tensor& offsets, bool mark,
                                                    int64_t mincharnum, const std::optional<Patterns>& separators,
                                                    const std::optional<std::string>& tokenexp) {
  constexpr const char* kOp = "tokenizer_ragged";
  const auto rules = find_rules(kOp, mincharnum, separators, tokenexp);
  const Strings in = check_input(kOp, data, offsets);
  const Measured m = measure(kOp, in.span, *rules, false);
  const TokenFrame frame{mark && m.tokens > 0, std::nullopt, {}};
  const std::vector<Share> shares = share_out(kOp, m, frame);
  check_result_offsets(kOp, shares.back().pieces_end + 1);

  Tensor out_data = new_tensor({shares.back().bytes_end}, ScalarType::Byte);
  Tensor out_offsets = new_tensor({shares.back().pieces_end + 1}, ScalarType::Int);
  Tensor row_splits = new_tensor({m.strings + 1}, ScalarType::Long);
  auto* const offsets_out = mutable_ptr<int32_t>(out_offsets);
  auto* const splits_out = mutable_ptr<int64_t>(row_splits);
  offsets_out[0] = 0;
  splits_out[0] = 0;
  write(kOp, in.span, *rules, frame, m, shares, {mutable_ptr<uint8_t>(out_data), offsets_out, splits_out});
  return {out_data, out_offsets, row_splits};
}

}  // namespace
}  // namespace stringops

STABLE_TORCH_LIBRARY_FRAGMENT(stringops, m) {
  m.def(
      "tokenizer(Tensor data, Tensor offsets, *, bool mark=False, int mincharnum=1, str pad_value='',"
      " str[]? separators=None, str? tokenexp=None) -> (Tensor data, Tensor offsets)");
  m.def(
      "tokenizer_ragged(Tensor data, Tensor offsets, *, bool mark=False, int mincharnum=1, str[]? separators=None,"
      " str? tokenexp=None) -> (Tensor data, Tensor offsets, Tensor row_splits)");
}
STABLE_TORCH_LIBRARY_IMPL(stringops, CPU, m) {
  m.impl("tokenizer", STRINGOPS_BOX(&stringops::tokenizer));
  m.impl("tokenizer_ragged", STRINGOPS_BOX(&stringops::tokenizer_ragged));
}
