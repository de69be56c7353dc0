#include "kernels/regex.h"

#include "driver/cut.h"
#include "driver/reduce.h"
#include "match/choose_rule.h"
#include "split/block_splitter.h"

namespace stringops::kernels {
namespace {

// Whether a string has more than `min_pieces`.
struct HasPieces {
  using Value = bool;
  static constexpr Cost kCost = kMaskCost;
  static constexpr bool kRuns = true;

  void run(const StringSpan& in, int64_t first, int64_t last, bool* out) const { mark(in, first, last, out + first); }

  // Sets marks[i - first] for each string i in [first, last).
  void mark(const StringSpan& in, int64_t first, int64_t last, bool* marks) const {
    BlockReader reader(in, {first, 0}, {last, 0});
    BlockSplitter masks(rule);
    Block block;
    int64_t open = 0;  // pieces of the string that continues, in earlier blocks
    while (reader.next(block)) {
      if (!block.starts_inside) open = 0;
      if (block.num_strings == 0) {
        open += masks.count(block).pieces;
        continue;
      }
      masks.split(block);
      masks.count_strings(block);
      const int32_t* const __restrict counts = masks.string_pieces();
      bool* const __restrict results = marks + (block.first_string - first);
      const int32_t least = min_pieces;  // in a register, so that the loop is vectorized
      results[0] = open + counts[0] > min_pieces;
      for (int64_t k = 1; k < block.num_strings; ++k) results[k] = counts[k] - counts[k - 1] > least;
    }
  }

  const BlockRule rule;
  const int32_t min_pieces;
};

// A string has a match if it has more pieces than one without.
HasPieces has_match(const PatternRule& rule) {
  return {rule.cut, rule.cuts_fields ? 1 : 0};
}

void find_first_in_blocks(const BlockRule& rule, const StringSpan& in, int64_t first, int64_t last,
                          const TakeFirst& take) {
  Match found{-1, -1};
  int64_t i = first;
  for_each_match(
      in, first, last, rule,
      [&](const Match& match) {
        if (found.begin < 0) found = match;
      },
      [&](int64_t) {
        if (found.begin >= 0) take(i, found);
        ++i;
        found = {-1, -1};
      });
}

}  // namespace

CandidateMarks::CandidateMarks(const Pattern& pattern) : contains_{pattern.text_of_matches()} {
  const std::string_view text = contains_.sub;
  const bool is_rare = text.size() > 1 || (text.size() == 1 && is_rarer(static_cast<uint8_t>(text[0]), 'a'));
  if (is_rare) return;
  if (uses_masks() && !pattern.texts_in_matches().empty()) {
    texts_ = PatternSet::of(pattern.texts_in_matches());
  } else {
    rule_ = choose_rule(pattern, MatchUse::kExists);
  }
}

void CandidateMarks::mark(const StringSpan& in, int64_t first, int64_t last, bool* marks) const {
  if (texts_) return ContainsAny{*texts_}.mark(in, first, last, marks);
  rule_ ? has_match(*rule_).mark(in, first, last, marks) : contains_.mark(in, first, last, marks);
}

Cost cost_of_first(const Pattern& pattern, int64_t group) {
  return choose_rule(pattern, MatchUse::kFirst, group) ? kMaskCost : kRegexCost;
}

void find_first(const Pattern& pattern, int64_t group, const StringSpan& in, int64_t first, int64_t last,
                const TakeFirst& take) {
  const std::optional<PatternRule> rule = choose_rule(pattern, MatchUse::kFirst, group);
  if (rule) return find_first_in_blocks(rule->cut, in, first, last, take);
  MatchReader reader(pattern, group);
  for_each_marked_copy(pattern, in, first, last, [&](int64_t i, std::string_view text, bool may_match) {
    if (!may_match) return;
    reader.start(text);
    if (reader.next() && reader.group(group).begin >= 0) take(i, reader.group(group));
  });
}

RegexCutter RegexCutter::matches(const Pattern& pattern, int64_t group, bool spans) {
  return {pattern, group, false, spans, choose_rule(pattern, MatchUse::kPieces, group)};
}

RegexCutter RegexCutter::between(const Pattern& pattern, bool spans) {
  return {pattern, 0, true, spans, choose_rule(pattern, spans ? MatchUse::kPieces : MatchUse::kBetween)};
}

void regex_contains(const Runner& runner, const Pattern& pattern, const StringSpan& in, bool* out) {
  const std::optional<PatternRule> rule = choose_rule(pattern, MatchUse::kExists);
  if (!rule) return reduce_strings(runner, RegexTest{pattern, false}, in, out);
  reduce_strings(runner, has_match(*rule), in, out);
}

void regex_count(const char* op, const Runner& runner, const Pattern& pattern, const StringSpan& in, int64_t* out) {
  const RegexCutter cutter = RegexCutter::matches(pattern, 0);
  Cut<RegexCutter>(op, runner, in, cutter, cutter.cost(), kCutSpans, out).finish_string_pieces();
}

void RegexCutter::count(const StringSpan& in, Position begin, Position end, PieceCounter& counter, Task* task) const {
  if (rule_) {
    cut_blocks(in, rule_->saving(&task->masks, count_bytes(in, begin.index, end.index)), begin, end, counter);
    if (takes_spans_ && between_) counter.string(0, end.index - begin.index);  // one more in each
    return;
  }
  MatchReader reader(pattern_, group_);
  PieceRanges& pieces = task->pieces;
  pieces.counts.reserve(static_cast<size_t>(end.index - begin.index));
  for_each_marked_copy(pattern_, in, begin.index, end.index, [&](int64_t, std::string_view text, bool may_match) {
    if (may_match) reader.start(text);
    int64_t last = 0;  // the end of the previous match
    while (may_match && reader.next()) {
      const Match& found = reader.group(group_);
      if (between_) {
        pieces.ranges.push_back(packed({last, found.begin}));
        last = found.end;
      } else {
        pieces.ranges.push_back(packed(found));
      }
    }
    if (between_) pieces.ranges.push_back(packed({last, static_cast<int64_t>(text.size())}));
    pieces.end_string(counter);
  });
}

}  // namespace stringops::kernels
