// tokenizer and tokenizer_ragged, as the operators run them: the masks against the engine, ragged against padded.
#include "kernels/tokenizer.h"

#include <map>

#include "fuzz.h"
#include "oracle.h"

extern "C" void stringops_set_tokenizer_masks(bool enable);

namespace stringops::fuzz {
namespace {

using kernels::Share;
using kernels::TokenFrame;
using kernels::TokenMeasure;
using kernels::TokenRules;

// Sets, literals, what only the engine knows, and what is no pattern.
constexpr std::string_view kPieces[] = {
    "a",     " ",           ",",         "[a-z]", "[^a ]", "\\s",      "\\w",
    "\\d",   "+",           "*",         "?",     "|",     "(",        ")",
    "^",     "$",           ".",         "{2}",   "[ ,]",  "\\b",      "\\B",
    "\\S",   "\\W",         "[^\\s]",    "\\pL",  "(?i)",  "\\.",      "-",
    "\\Q",   "\\E",         "\\C",       "(?:",   "b",     "[]a]",     "[[:alpha:]]",
    "(?<n>", "ab",          "[\\w-]",    "\\n",   "(?s)",  "\xC3\xA9", "\xE6\x97\xA5",
    "\xFF",  "[^\xC3\xA9]", "\\x{65E5}", "[\\",   "{",     "\\pZ",
};

// What people write, and masks serve most of: chance seldom puts one together.
constexpr std::string_view kUsual[] = {
    " ", "\\s", "\\s+",    "\\w+", "\\W+",  "[a-z]+", "[^a ]+", "[ ,]",
    ",", "ab",  "and the", "::",   "[a-z]", "\\S+",   "[^a-z]", "a b",
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
  std::optional<std::pair<int64_t, int64_t>> invalid;
  bool bad_match = false;
  Pieces ragged, padded;

  bool operator==(const Outcome& o) const {
    return invalid == o.invalid && bad_match == o.bad_match && ragged == o.ragged && padded == o.padded;
  }
};

struct Calls {
  std::unique_ptr<const TokenRules> rules;
  bool mark;
  std::string padding;
  int64_t tasks;
};

struct Measured {
  std::vector<TokenMeasure> tasks;
  int64_t tokens = 0, most = 0;
};

// Ragged or padded; nothing where the arguments, changed by `meanwhile`, are no longer what was measured.
template <class Meanwhile>
std::optional<Pieces> write(const StringSpan& in, const Calls& calls, const Measured& m, bool ragged,
                            Meanwhile&& meanwhile) {
  const int64_t n = in.size();
  const auto begin = [&](int64_t t) { return n * t / calls.tasks; };
  const bool marks = calls.mark && m.most > 0;
  const int64_t width = m.most + (marks ? 2 : 0);
  const TokenFrame frame{marks, ragged ? std::nullopt : std::optional<int64_t>(width),
                         ragged ? std::string_view() : std::string_view(calls.padding)};
  std::vector<Share> shares;
  int64_t bytes = 0, pieces = 0;
  for (int64_t t = 0; t < calls.tasks; ++t) {
    const TokenMeasure& task = m.tasks[static_cast<size_t>(t)];
    const int64_t rows = begin(t + 1) - begin(t), markers = marks ? 2 * rows : 0;
    const int64_t padding = frame.width && frame.adds_bytes() ? rows * width - task.tokens - markers : 0;
    shares.push_back({bytes, bytes + task.bytes + markers + padding * static_cast<int64_t>(frame.padding.size()),
                      pieces, pieces + task.tokens + markers + padding});
    bytes = shares.back().bytes_end;
    pieces = shares.back().pieces_end;
  }
  Bytes data(bytes);
  Exact<int32_t> offsets(ragged ? pieces + 1 : n * (width + 1));
  Exact<int64_t> splits(ragged ? n + 1 : 0);
  if (ragged) offsets[0] = 0, splits[0] = 0;
  const bool damaged = meanwhile();
  bool complete = true;
  for (int64_t t = calls.tasks; t-- > 0;) {
    complete &= kernels::write_tokens(in, *calls.rules, frame, begin(t), begin(t + 1), m.tasks[static_cast<size_t>(t)],
                                      shares[static_cast<size_t>(t)], {data.data(), offsets.data(), splits.data()});
  }
  REQUIRE(complete || damaged);
  if (!complete) return std::nullopt;
  const int64_t rows = ragged ? 1 : n, cols = ragged ? pieces : width;
  REQUIRE(!find_bad_offset({data.data(), bytes, offsets.data(), rows, cols}));
  REQUIRE(damaged || rows == 0 || is_compact(offsets, rows, cols, bytes));
  if (ragged) {
    REQUIRE(splits[n] == pieces);
    for (int64_t r = 0; r < n; ++r) REQUIRE(splits[r] <= splits[r + 1]);
    return Pieces{text_of(data.data(), bytes), offsets.copy(), splits.copy()};
  }
  // All of a row, padding included.
  Pieces result{text_of(data.data(), bytes)};
  for (int64_t r = 0; r < n; ++r) {
    const int32_t* const row = &offsets[r * (width + 1)];
    result.offsets.insert(result.offsets.end(), row + 1, row + 1 + width);
    result.end_row();
  }
  return result;
}

Outcome measure(const StringSpan& in, const Calls& calls, Measured* m) {
  for (int64_t t = 0; t < calls.tasks; ++t) {
    const int64_t first = in.size() * t / calls.tasks, last = in.size() * (t + 1) / calls.tasks;
    m->tasks.push_back(kernels::measure_tokens(in, *calls.rules, first, last, true));
    const TokenMeasure& task = m->tasks.back();
    if (task.invalid) return {std::make_pair(task.invalid->index, task.invalid->skip), false, {}, {}};
    if (task.bad_match) return {std::nullopt, true, {}, {}};
    const TokenMeasure less = kernels::measure_tokens(in, *calls.rules, first, last, false);
    REQUIRE(less.tokens == task.tokens && less.bytes == task.bytes);
    m->tokens += task.tokens;
    m->most = std::max(m->most, task.most);
  }
  return {};
}

Outcome run(const StringSpan& in, const Calls& calls) {
  const auto unchanged = [] { return false; };
  Measured m;
  Outcome outcome = measure(in, calls, &m);
  if (outcome.invalid || outcome.bad_match) return outcome;
  outcome.ragged = *write(in, calls, m, true, unchanged);
  outcome.padded = *write(in, calls, m, false, unchanged);
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
  const Arguments args = take_strings(in, calls.rules->literal);
  if (!args.trusted) return;
  const StringSpan& span = args.strings.span;

  const Outcome outcome = same_on_every_tier([&] { return run(span, calls); });
  stringops_set_tokenizer_masks(false);
  REQUIRE(!calls.rules->mask || run(span, calls) == outcome);
  stringops_set_tokenizer_masks(true);

  int64_t r = -1;
  args.strings.for_each([&](std::string_view value) {
    ++r;
    const auto at = invalid_utf8_at(value);
    if (outcome.invalid) {
      const auto [row, byte] = *outcome.invalid;
      if (r <= row) REQUIRE(at.has_value() == (r == row));
      if (r == row) REQUIRE(*at == byte);
      return;
    }
    if (outcome.bad_match) return;
    REQUIRE(!at);
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

  if (outcome.invalid || outcome.bad_match || in.below(4) != 0) return;
  survives_on_every_tier([&] {
    for (const bool ragged : {true, false}) {
      Strings victim = args.strings.copy();
      Measured m;
      measure(victim.span, calls, &m);
      Input rest = in;
      write(victim.span, calls, m, ragged, [&] {
        victim.damage(rest);
        return true;
      });
    }
  });
}

}  // namespace
}  // namespace stringops::fuzz
