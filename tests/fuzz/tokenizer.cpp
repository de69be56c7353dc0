// tokenizer and tokenizer_ragged, by the drivers as in the operators: masks against the engine, ragged against padded.
// tokenize_encode: the ids of the tokens that tokenizer_ragged gives; with malformed tables, any ids.
#include "kernels/tokenizer.h"

#include "oracle.h"
#include "results.h"

extern "C" void stringops_set_masks(bool enable);

namespace stringops::fuzz {
namespace {

using kernels::LoopRunner;
using kernels::TokenRules;

// Parts of patterns: sets, literals, constructs that need the engine, and malformed ones.
constexpr std::string_view kPieces[] = {
    "a",     " ",           ",",         "[a-z]", "[^a ]", "\\s",      "\\w",
    "\\d",   "+",           "*",         "?",     "|",     "(",        ")",
    "^",     "$",           ".",         "{2}",   "[ ,]",  "\\b",      "\\B",
    "\\S",   "\\W",         "[^\\s]",    "\\pL",  "(?i)",  "\\.",      "-",
    "\\Q",   "\\E",         "\\C",       "(?:",   "b",     "[]a]",     "[[:alpha:]]",
    "(?<n>", "ab",          "[\\w-]",    "\\n",   "(?s)",  "\xC3\xA9", "\xE6\x97\xA5",
    "\xFF",  "[^\xC3\xA9]", "\\x{65E5}", "[\\",   "{",     "\\pZ",
};

// Typical patterns, most of which use masks; random parts seldom make one.
constexpr std::string_view kUsual[] = {
    " ",       "\\s", "\\s+",  "\\w+", "\\W+",   "[a-z]+", "[^a ]+", "[ ,]",    ",",       "ab",
    "and the", "::",  "[a-z]", "\\S+", "[^a-z]", "a b",    "a|ab|b", "the|and", "[a-z]+,", "[a-z]\\w* ",
};

std::string take_pattern(Input& in) {
  if (in.byte() >= 128) return std::string(kUsual[static_cast<size_t>(in.below(std::size(kUsual)))]);
  std::string pattern;
  for (int64_t i = 1 + in.below(5); i > 0; --i) {
    pattern += kPieces[static_cast<size_t>(in.below(static_cast<int64_t>(std::size(kPieces))))];
  }
  return pattern;
}

struct Outcome {
  std::string error;
  Pieces ragged, padded;

  bool operator==(const Outcome& o) const { return error == o.error && ragged == o.ragged && padded == o.padded; }
};

struct Calls {
  std::unique_ptr<const TokenRules> rules;
  bool mark;
  std::string padding;
  int64_t tasks;
};

// Returns nothing if the call fails because `interfere` has changed the arguments.
std::optional<Pieces> tokenize_ragged(const StringSpan& in, const Calls& calls, const Interference& interfere) {
  RaggedBuffers result{Exact<int64_t>(in.size() + 1), interfere};
  if (!gives_result(interfere != nullptr, [&] {
        kernels::tokenize_ragged("op", LoopRunner(calls.tasks, true), in, *calls.rules, calls.mark, result);
      })) {
    return std::nullopt;
  }
  return result.checked_pieces();
}

// The same for the padded operator; rows include the padding.
std::optional<Pieces> tokenize_padded(const StringSpan& in, const Calls& calls, const Interference& interfere) {
  PaddedBuffers result{in.size(), interfere};
  if (!gives_result(interfere != nullptr, [&] {
        kernels::tokenize_padded("op", "", LoopRunner(calls.tasks, true), in, *calls.rules, calls.mark, calls.padding,
                                 result);
      })) {
    return std::nullopt;
  }
  result.check();
  if (interfere) return std::nullopt;
  const int64_t width = result.width;
  Pieces pieces{text_of(result.data.data(), result.data.size())};
  for (int64_t r = 0; r < in.size(); ++r) {
    const int32_t* const row = &result.offsets[r * (width + 1)];
    pieces.offsets.insert(pieces.offsets.end(), row + 1, row + 1 + width);
    pieces.end_row();
  }
  return pieces;
}

Outcome run(const StringSpan& in, const Calls& calls) {
  Outcome outcome;
  try {
    outcome.ragged = tokenize_ragged(in, calls, nullptr).value_or(Pieces());
    const auto padded = tokenize_padded(in, calls, nullptr);
    if (!padded) return outcome;
    outcome.padded = *padded;
  } catch (const std::invalid_argument& error) {
    outcome.error = error.what();
    return outcome;
  }
  const Pieces &ragged = outcome.ragged, &padded = outcome.padded;
  const int64_t width = in.size() ? padded.size() / in.size() : 0;
  for (int64_t r = 0; r < in.size(); ++r) {
    const int64_t first = ragged.splits[r], count = ragged.splits[r + 1] - first;
    for (int64_t c = 0; c < width; ++c) {
      REQUIRE(padded.piece(r * width + c) == (c < count ? ragged.piece(first + c) : std::string_view(calls.padding)));
    }
  }
  return outcome;
}

FUZZ_TARGET(tokenizer) {
  const auto mode = static_cast<TokenRules::Mode>(in.below(3));
  std::vector<std::string> patterns;
  for (int64_t i = mode == TokenRules::Mode::kSeparators ? 1 + in.below(3) : 1; i > 0; --i) {
    patterns.push_back(take_pattern(in));
  }
  const int64_t mincharnum = mode != TokenRules::Mode::kCharacters && in.below(4) == 0 ? 1 + in.below(3) : 1;
  static constexpr std::string_view kPadding[] = {"", "", "#", "\xC3\xA9", "<pad>"};
  Calls calls{nullptr, in.flag(), std::string(kPadding[in.below(5)]), 1 + in.below(3)};
  try {
    calls.rules = kernels::make_token_rules(mode, patterns, mincharnum);
  } catch (const PatternError&) {
    return;
  }
  const Arguments args = take_strings(in, calls.rules->patterns.empty() ? "" : calls.rules->patterns[0]->literal());
  if (!args.trusted) return;
  const StringSpan& span = args.strings.span;

  const Outcome outcome = same_on_every_tier([&] { return run(span, calls); });
  stringops_set_masks(false);
  REQUIRE(!calls.rules->rule || run(span, calls) == outcome);
  stringops_set_masks(true);

  int64_t r = -1;
  std::string error;  // the first error about UTF-8
  args.strings.for_each([&](std::string_view value) {
    ++r;
    if (const auto at = invalid_utf8_at(value); at && error.empty()) {
      error = "op: invalid UTF-8 in row " + std::to_string(r) + " at byte " + std::to_string(*at);
    }
    if (!outcome.error.empty()) return;
    REQUIRE(error.empty());
    const Pieces& tokens = outcome.ragged;
    int64_t first = tokens.splits[r], last = tokens.splits[r + 1];
    if (first < last && calls.mark) REQUIRE(tokens.piece(first++) == "\x02" && tokens.piece(--last) == "\x03");
    size_t from = 0;
    for (int64_t j = first; j < last; ++j) {
      const std::string_view token = tokens.piece(j);
      const size_t found = value.find(token, from);
      REQUIRE(!token.empty() && found != std::string_view::npos);
      if (mode == TokenRules::Mode::kCharacters) REQUIRE(found == from && token.size() == codepoint_at(token, 0));
      from = found + token.size();
    }
    if (mode == TokenRules::Mode::kCharacters) REQUIRE(from == value.size());
  });

  const bool is_of_pattern = outcome.error.find("pattern") != std::string::npos;  // in an earlier string
  REQUIRE(is_of_pattern || outcome.error == error);

  if (!outcome.error.empty() || in.below(4) != 0) return;
  survives_on_every_tier([&] {
    for (const auto tokenize : {tokenize_ragged, tokenize_padded}) {
      Strings victim = args.strings.copy();
      Input rest = in;
      tokenize(victim.span, calls, [&] { victim.damage(rest); });
    }
  });
}

}  // namespace
}  // namespace stringops::fuzz
