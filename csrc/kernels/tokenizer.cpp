#include "kernels/tokenizer.h"

#include <algorithm>
#include <atomic>

#include "core/bounded_search.h"
#include "core/narrow.h"
#include "core/testing.h"
#include "core/utf8.h"
#include "kernels/driver/utf8_blocks.h"

namespace stringops::kernels {
namespace {

// Tests disable masks, to compare them with the engine.
std::atomic<bool> masks_enabled{true};

std::optional<BlockRule> set_rule(BlockRule::Kind kind, const CharSet& set) {
  BlockRule rule{kind};
  rule.set = set;
  return rule;
}

// Sets the mask rule that is equivalent to the patterns, if there is one. mincharnum must be 1, as masks do not measure
// single pieces.
void choose_mask(TokenRules* rules, const std::vector<std::string>& patterns) {
  if (rules->mode == TokenRules::Mode::kCharacters) {
    rules->mask = BlockRule{BlockRule::Kind::kCodepoints};
    return;
  }
  if (rules->mincharnum != 1) return;
  if (rules->mode == TokenRules::Mode::kTokenExp) {
    const auto pattern = parse_set_pattern(patterns[0]);
    if (!pattern) return;
    CharSet set = pattern->set;
    if (pattern->repeated) {
      set.invert();
      rules->mask = set_rule(BlockRule::Kind::kSetWords, set);
    } else if (!set.beyond_ascii) {
      rules->mask = set_rule(BlockRule::Kind::kSetChars, set);
    }
    return;
  }
  // If each separator is a set, cutting by one after the other is the same as cutting by their union, whether a
  // separator is one character or a run of them, as no token is empty.
  CharSet all;
  bool sets = true;
  for (const std::string& text : patterns) {
    const auto pattern = parse_set_pattern(text);
    sets &= pattern.has_value();
    if (pattern) all.add(pattern->set);
  }
  if (sets) {
    rules->mask = set_rule(BlockRule::Kind::kSetWords, all);
    return;
  }
  if (patterns.size() != 1) return;
  auto literal = parse_literal_pattern(patterns[0]);
  if (!literal || static_cast<int64_t>(literal->size()) > kMaxBlockDelimiter) return;
  rules->literal = std::move(*literal);
  rules->mask = BlockRule{BlockRule::Kind::kDelimiterWords};
  rules->mask->delimiter = rules->literal;
}

const uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

// Cuts one string after the other with the engine.
class StringTokenizer {
 public:
  enum class Outcome { kDone, kInsideCodepoint, kTooSlow };

  explicit StringTokenizer(const TokenRules& rules) : rules_(rules) {}

  // The tokens of `text`, which is valid UTF-8.
  Outcome run(std::string_view text, std::vector<TokenCutter::Range>* tokens) {
    if (rules_.mode == TokenRules::Mode::kCharacters) return take_characters(text, tokens);
    if (rules_.mode == TokenRules::Mode::kTokenExp) return take_matches(text, tokens);
    pieces_.assign(1, {0, narrow<int32_t>(text.size())});
    for (const auto& separator : rules_.patterns) {
      next_.clear();
      for (const TokenCutter::Range& piece : pieces_) {
        const Outcome outcome = separate(*separator, text, piece);
        if (outcome != Outcome::kDone) return outcome;
      }
      pieces_.swap(next_);
    }
    tokens->insert(tokens->end(), pieces_.begin(), pieces_.end());
    return Outcome::kDone;
  }

 private:
  using Found = BoundedSearch::Found;

  static bool inside_codepoint(std::string_view text, int64_t at) {
    return at < static_cast<int64_t>(text.size()) && is_continuation(bytes_of(text)[at]);
  }

  static int64_t next_codepoint(std::string_view text, int64_t at) {
    return at < static_cast<int64_t>(text.size()) ? at + codepoint_length(bytes_of(text)[at]) : at + 1;
  }

  bool long_enough(std::string_view text, int64_t begin, int64_t end) const {
    return has_codepoints(bytes_of(text) + begin, bytes_of(text) + end, rules_.mincharnum);
  }

  static Outcome take_characters(std::string_view text, std::vector<TokenCutter::Range>* tokens) {
    for (int64_t at = 0; at < static_cast<int64_t>(text.size());) {
      const int64_t end = next_codepoint(text, at);
      tokens->push_back({narrow<int32_t>(at), narrow<int32_t>(end)});
      at = end;
    }
    return Outcome::kDone;
  }

  Outcome take_matches(std::string_view text, std::vector<TokenCutter::Range>* tokens) {
    const auto size = static_cast<int64_t>(text.size());
    Match match{};
    int64_t at = 0;
    while (at <= size) {
      const Found found = search_.find(*rules_.patterns[0], text, at, &match);
      if (found == Found::kTooSlow) return Outcome::kTooSlow;
      if (found == Found::kNo) break;
      if (inside_codepoint(text, match.begin) || inside_codepoint(text, match.end)) return Outcome::kInsideCodepoint;
      int64_t next = match.end;
      if (match.end > match.begin && long_enough(text, match.begin, match.end)) {
        tokens->push_back({narrow<int32_t>(match.begin), narrow<int32_t>(match.end)});
      } else {
        // Not match.end: a match that begins later may overlap this one and be long enough.
        next = next_codepoint(text, match.begin);
      }
      search_.advance(next - at);
      at = next;
    }
    search_.advance(size - at);
    return Outcome::kDone;
  }

  // Anchors and \b see the piece, not the string around it.
  Outcome separate(const Pattern& separator, std::string_view text, TokenCutter::Range piece) {
    const std::string_view t =
        text.substr(static_cast<size_t>(piece.begin), static_cast<size_t>(piece.end - piece.begin));
    const auto size = static_cast<int64_t>(t.size());
    const auto emit = [&](int64_t begin, int64_t end) {
      if (!long_enough(t, begin, end)) return;
      next_.push_back({narrow<int32_t>(piece.begin + begin), narrow<int32_t>(piece.begin + end)});
    };
    Match match{};
    int64_t at = 0;
    for (;;) {
      const Found found = search_.find(separator, t, at, &match);
      if (found == Found::kTooSlow) return Outcome::kTooSlow;
      if (found == Found::kNo) break;
      if (inside_codepoint(t, match.begin) || inside_codepoint(t, match.end)) return Outcome::kInsideCodepoint;
      emit(at, match.begin);
      // As in onnxruntime, an empty match also removes the next code point.
      const int64_t next = match.end > match.begin ? match.end : next_codepoint(t, match.begin);
      if (next > size) return Outcome::kDone;
      search_.advance(next - at);
      at = next;
    }
    search_.advance(size - at);
    emit(at, size);
    return Outcome::kDone;
  }

  const TokenRules& rules_;
  std::vector<TokenCutter::Range> pieces_, next_;
  BoundedSearch search_;  // one time limit for all strings, as many short ones can take as long as a large one
};

// The first invalid byte of the block's strings. A string of several blocks is checked with its first block.
std::optional<Position> find_invalid(const StringSpan& in, const simd::Primitives& simd, const Block& block) {
  if (block.num_strings == 0) {
    if (block.continues) return std::nullopt;
    const std::string_view text = in[block.first_string];
    if (simd.is_utf8(bytes_of(text), static_cast<int64_t>(text.size()))) return std::nullopt;
    const auto at = find_invalid_utf8(bytes_of(text), bytes_of(text) + text.size());
    return at ? std::optional(Position{block.first_string, *at}) : std::nullopt;
  }
  const int64_t first = block.continues;
  int64_t begin = block.continues ? block.string_ends[0] : 0;
  if (are_utf8(simd, block, first)) return std::nullopt;
  for (int64_t k = first; k < block.num_strings; ++k) {
    const int64_t end = std::max<int64_t>(block.string_ends[k], begin);
    if (const auto at = find_invalid_utf8(block.data + begin, block.data + end)) {
      return Position{block.first_string + k, *at};
    }
    begin = end;
  }
  return std::nullopt;
}

}  // namespace

std::unique_ptr<const TokenRules> make_token_rules(TokenRules::Mode mode, const std::vector<std::string>& patterns,
                                                   int64_t mincharnum) {
  auto rules = std::make_unique<TokenRules>();
  rules->mode = mode;
  rules->mincharnum = mincharnum;
  if (mode != TokenRules::Mode::kCharacters) {
    for (const std::string& text : patterns) {
      try {
        rules->patterns.push_back(Pattern::compile(text));
      } catch (PatternError& error) {
        error.index = rules->patterns.size();
        throw;
      }
    }
  }
  choose_mask(rules.get(), patterns);
  return rules;
}

TokenCutter::TokenCutter(const TokenRules& rules, bool divides_strings)
    : rules_(rules),
      uses_masks_(rules.mask && masks_enabled.load(std::memory_order_relaxed)),
      divides_strings_(divides_strings) {}

void TokenCutter::count(const StringSpan& in, Position begin, Position end, PieceCounter& counter, Task* task) const {
  uses_masks_ ? count_by_masks(in, begin, end, counter, task) : count_by_engine(in, begin, end, counter, task);
}

void TokenCutter::count_by_masks(const StringSpan& in, Position begin, Position end, PieceCounter& counter,
                                 Task* task) const {
  const simd::Primitives& simd = simd::primitives();
  cut_blocks(in, *rules_.mask, begin, end, counter, [&](const Block& block) {
    task->invalid = find_invalid(in, simd, block);
    return !task->invalid;
  });
}

void TokenCutter::count_by_engine(const StringSpan& in, Position begin, Position end, PieceCounter& counter,
                                  Task* task) const {
  StringTokenizer tokenizer(rules_);
  task->counts.reserve(static_cast<size_t>(end.index - begin.index));
  std::string copy;  // the string must not change while the engine searches it
  for (int64_t i = begin.index; i < end.index; ++i) {
    copy.assign(in[i]);
    if (const auto at = find_invalid_utf8(bytes_of(copy), bytes_of(copy) + copy.size())) {
      task->invalid = Position{i, *at};
      return;
    }
    const size_t before = task->ranges.size();
    const auto outcome = tokenizer.run(copy, &task->ranges);
    if (outcome != StringTokenizer::Outcome::kDone) {
      (outcome == StringTokenizer::Outcome::kTooSlow ? task->too_slow : task->bad_match) = i;
      return;
    }
    int64_t bytes = 0;
    for (size_t t = before; t < task->ranges.size(); ++t) bytes += task->ranges[t].end - task->ranges[t].begin;
    const auto tokens = static_cast<int64_t>(task->ranges.size() - before);
    counter.string(bytes, tokens);
    task->counts.push_back(narrow<int32_t>(tokens));
  }
}

void TokenCutter::check(const char* op, const Task& task) const {
  STRINGOPS_CHECK(!task.invalid, op, ": invalid UTF-8 in row ", task.invalid->index, " at byte ", task.invalid->skip);
  STRINGOPS_CHECK(!task.bad_match, op, ": a pattern matched inside a code point in row ", *task.bad_match,
                  ", as \\B can beyond ASCII");
  STRINGOPS_CHECK(!task.too_slow, op, ": the patterns take too long in row ", *task.too_slow,
                  ": each token looks far ahead for a longer one, as a.*b|a does, or they count so far that they"
                  " fill the engine's memory, as .*a.{900} does (cut the text into shorter strings, or use a pattern"
                  " that knows its end sooner, as a[^b]{0,99}b|a)");
}

OutputRange add_format(const char* op, const RowFormat& format, Cut<TokenCutter>* cut) {
  OutputRange sums;
  for (size_t t = 0; t < cut->ranges().size(); ++t) {
    OutputRange& range = cut->ranges()[t];
    const int64_t tokens = range.pieces_end - range.pieces, bytes = range.bytes_end - range.bytes;
    const int64_t rows = cut->num_strings(t);
    const int64_t markers = format.mark ? 2 * rows : 0;
    const int64_t padding = format.width && format.adds_bytes() ? rows * *format.width - tokens - markers : 0;
    // Cannot overflow: both factors are at most 2**31.
    const int64_t padding_bytes = padding * static_cast<int64_t>(format.padding.size());
    range = {sums.bytes_end, sums.bytes_end + bytes + markers + padding_bytes, sums.pieces_end,
             sums.pieces_end + tokens + markers + padding};
    sums.bytes_end = range.bytes_end;
    sums.pieces_end = range.pieces_end;
  }
  check_result_bytes(op, sums.bytes_end);
  return sums;
}

}  // namespace stringops::kernels

STRINGOPS_TEST_HOOK void stringops_set_tokenizer_masks(bool enable) {
  stringops::kernels::masks_enabled = enable;
}
