#include "kernels/tokenizer.h"

#include <algorithm>
#include <atomic>

#include "core/bounded_search.h"
#include "core/narrow.h"
#include "core/utf8.h"
#include "kernels/piece_writer.h"
#include "kernels/token_writer.h"

namespace stringops::kernels {
namespace {

// Tests force the engine, to compare the paths.
std::atomic<bool> masks_enabled{true};

std::optional<MaskRule> set_rule(MaskRule::Kind kind, const CharSet& set) {
  MaskRule rule{kind};
  rule.set = set;
  return rule;
}

// The rule by which masks give what the patterns ask for; mincharnum is 1, so pieces need not be measured one by one.
void choose_mask(TokenRules* rules, const std::vector<std::string>& patterns) {
  if (rules->mode == TokenRules::Mode::kCharacters) {
    rules->mask = MaskRule{MaskRule::Kind::kCodepoints};
    return;
  }
  if (rules->mincharnum != 1) return;
  if (rules->mode == TokenRules::Mode::kTokenExp) {
    const auto pattern = parse_set_pattern(patterns[0]);
    if (!pattern) return;
    CharSet set = pattern->set;
    if (pattern->repeated) {
      set.invert();
      rules->mask = set_rule(MaskRule::Kind::kSetWords, set);
    } else if (!set.beyond_ascii) {
      rules->mask = set_rule(MaskRule::Kind::kSetChars, set);
    }
    return;
  }
  // Separators one after the other come to all of them at once where each is a set: whether it takes one character or a
  // run of them, no token is empty.
  CharSet all;
  bool sets = true;
  for (const std::string& text : patterns) {
    const auto pattern = parse_set_pattern(text);
    sets &= pattern.has_value();
    if (pattern) all.add(pattern->set);
  }
  if (sets) {
    rules->mask = set_rule(MaskRule::Kind::kSetWords, all);
    return;
  }
  if (patterns.size() != 1) return;
  auto literal = parse_literal_pattern(patterns[0]);
  if (!literal || static_cast<int64_t>(literal->size()) > kMaxMaskDelimiter) return;
  rules->literal = std::move(*literal);
  rules->mask = MaskRule{MaskRule::Kind::kDelimiterWords};
  rules->mask->delimiter = rules->literal;
}

const uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

// Cutting one string after the other with the engine.
class RowTokenizer {
 public:
  enum class Outcome { kDone, kInsideCodepoint, kTooSlow };

  explicit RowTokenizer(const TokenRules& rules) : rules_(rules) {}

  // The tokens of `text`, which is valid UTF-8.
  Outcome run(std::string_view text, std::vector<TokenRange>* tokens) {
    if (rules_.mode == TokenRules::Mode::kCharacters) return take_characters(text, tokens);
    if (rules_.mode == TokenRules::Mode::kTokenExp) return take_matches(text, tokens);
    pieces_.assign(1, {0, narrow<int32_t>(text.size())});
    for (const auto& separator : rules_.patterns) {
      next_.clear();
      for (const TokenRange& piece : pieces_) {
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

  static Outcome take_characters(std::string_view text, std::vector<TokenRange>* tokens) {
    for (int64_t at = 0; at < static_cast<int64_t>(text.size());) {
      const int64_t end = next_codepoint(text, at);
      tokens->push_back({narrow<int32_t>(at), narrow<int32_t>(end)});
      at = end;
    }
    return Outcome::kDone;
  }

  Outcome take_matches(std::string_view text, std::vector<TokenRange>* tokens) {
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
        // Not behind the match: one that begins later may overlap it and be long enough.
        next = next_codepoint(text, match.begin);
      }
      search_.advance(next - at);
      at = next;
    }
    search_.advance(size - at);
    return Outcome::kDone;
  }

  // Anchors and \b see the piece, not the string around it.
  Outcome separate(const Pattern& separator, std::string_view text, TokenRange piece) {
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
      // Quirk (onnxruntime): an empty match takes the code point behind it along.
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
  std::vector<TokenRange> pieces_, next_;
  BoundedSearch search_;  // of all strings together: many small ones are no better than a large one
};

// Whether the bytes of rows [begin, ...) of the tile are UTF-8, each row by itself: the whole is, and no row begins
// inside of a code point.
bool rows_are_utf8(const simd::Primitives& simd, const Tile& tile, int64_t first_row, int64_t begin) {
  if (!simd.is_utf8(tile.data + begin, tile.num_bytes - begin)) return false;
  for (int64_t k = first_row; k < tile.num_rows; ++k) {
    if (tile.row_ends[k] < tile.num_bytes && is_continuation(tile.data[tile.row_ends[k]])) return false;
  }
  return true;
}

// The first byte that is no UTF-8 in the tile's rows. A row of several tiles is looked at as a whole, at its first one.
std::optional<Place> find_invalid(const StringSpan& in, const simd::Primitives& simd, const Tile& tile) {
  if (tile.num_rows == 0) {
    if (tile.continues) return std::nullopt;
    const std::string_view text = in[tile.first_row];
    if (simd.is_utf8(bytes_of(text), static_cast<int64_t>(text.size()))) return std::nullopt;
    const auto at = find_invalid_utf8(bytes_of(text), bytes_of(text) + text.size());
    return at ? std::optional(Place{tile.first_row, *at}) : std::nullopt;
  }
  const int64_t first_row = tile.continues;
  int64_t begin = tile.continues ? tile.row_ends[0] : 0;
  if (rows_are_utf8(simd, tile, first_row, begin)) return std::nullopt;
  for (int64_t k = first_row; k < tile.num_rows; ++k) {
    const int64_t end = std::max<int64_t>(tile.row_ends[k], begin);
    if (const auto at = find_invalid_utf8(tile.data + begin, tile.data + end)) return Place{tile.first_row + k, *at};
    begin = end;
  }
  return std::nullopt;
}

bool use_mask(const TokenRules& rules) {
  return rules.mask && masks_enabled.load(std::memory_order_relaxed);
}

void measure_by_mask(const StringSpan& in, const TokenRules& rules, int64_t first, int64_t last, bool most,
                     TokenMeasure* total) {
  const simd::Primitives& simd = simd::primitives();
  TileReader reader(in, {first, 0}, {last, 0});
  MaskSplitter masks(*rules.mask, simd);  // NOLINT(bugprone-unchecked-optional-access): callers have looked
  Tile tile;
  int64_t open = 0;  // tokens so far of a row that goes on
  while (reader.next(tile)) {
    total->invalid = find_invalid(in, simd, tile);
    if (total->invalid) return;
    masks.split(tile);
    const int64_t tokens = masks.num_pieces();
    total->bytes += masks.num_kept();
    total->tokens += tokens;
    if (!most) continue;
    masks.count_ends(tile);
    int64_t before = -open;
    for (int64_t k = 0; k < tile.num_rows; ++k) {
      total->most = std::max<int64_t>(total->most, masks.row_pieces()[k] - before);
      before = masks.row_pieces()[k];
    }
    open = tokens - before;
  }
}

void measure_by_engine(const StringSpan& in, const TokenRules& rules, int64_t first, int64_t last,
                       TokenMeasure* total) {
  RowTokenizer tokenizer(rules);
  total->counts.reserve(static_cast<size_t>(last - first));
  std::string copy;  // the engine must not see a string change under its hands
  for (int64_t i = first; i < last; ++i) {
    const size_t before = total->ranges.size();
    const std::string_view text = in[i];
    copy.assign(text);
    if (const auto at = find_invalid_utf8(bytes_of(copy), bytes_of(copy) + copy.size())) {
      total->invalid = Place{i, *at};
      return;
    }
    const RowTokenizer::Outcome outcome = tokenizer.run(copy, &total->ranges);
    if (outcome != RowTokenizer::Outcome::kDone) {
      (outcome == RowTokenizer::Outcome::kTooSlow ? total->too_slow : total->bad_match) = i;
      return;
    }
    const auto count = static_cast<int64_t>(total->ranges.size() - before);
    for (size_t t = before; t < total->ranges.size(); ++t)
      total->bytes += total->ranges[t].end - total->ranges[t].begin;
    total->counts.push_back(narrow<int32_t>(count));
    total->most = std::max(total->most, count);
  }
  total->tokens = static_cast<int64_t>(total->ranges.size());
}

template <class Writer>
bool write_by(const StringSpan& in, const TokenRules& rules, int64_t first, int64_t last, const TokenMeasure& measure,
              Writer& writer) {
  if (measure.counts.empty()) {
    const simd::Primitives& simd = simd::primitives();
    TileReader reader(in, {first, 0}, {last, 0});
    MaskSplitter masks(*rules.mask, simd);  // NOLINT(bugprone-unchecked-optional-access): callers have looked
    Tile tile;
    while (reader.next(tile)) {
      masks.split(tile);
      writer.tile(simd, tile, masks);
    }
    return writer.complete();
  }
  const TokenRange* token = measure.ranges.data();
  bool fits = true;
  for (int64_t i = first; i < last; ++i) {
    const std::string_view text = in[i];
    for (int32_t n = measure.counts[static_cast<size_t>(i - first)]; n > 0; --n, ++token) {
      if (token->end > static_cast<int64_t>(text.size())) {
        fits = false;
        continue;
      }
      writer.piece(bytes_of(text) + token->begin, bytes_of(text) + token->end);
    }
    writer.end_row();
  }
  return fits && writer.complete();
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

TokenMeasure measure_tokens(const StringSpan& in, const TokenRules& rules, int64_t first, int64_t last, bool most) {
  TokenMeasure total;
  if (use_mask(rules)) {
    measure_by_mask(in, rules, first, last, most, &total);
  } else {
    measure_by_engine(in, rules, first, last, &total);
  }
  return total;
}

bool write_tokens(const StringSpan& in, const TokenRules& rules, const TokenFrame& frame, int64_t first, int64_t last,
                  const TokenMeasure& measure, const Share& share, const TokenOutput& out) {
  if (first == last) return true;
  if (frame.adds_bytes()) {
    TokenWriter writer(frame, share, out.data, out.offsets, out.row_splits, first);
    return write_by(in, rules, first, last, measure, writer);
  }
  if (frame.width) {
    PaddedWriter writer(out.data, out.offsets, *frame.width, share, first, last, {});
    return write_by(in, rules, first, last, measure, writer);
  }
  RaggedWriter writer(out.data, out.offsets, out.row_splits, share, first);
  return write_by(in, rules, first, last, measure, writer);
}

}  // namespace stringops::kernels

extern "C" __attribute__((visibility("default"))) void stringops_set_tokenizer_masks(bool enable) {
  stringops::kernels::masks_enabled = enable;
}
