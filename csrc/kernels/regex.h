// Operators of regular expressions (regex/syntax.h): of the matches at the leftmost position the first
// (MatchRule::kFirst).
//
// Strings are valid UTF-8, which the operators check before (driver/check_utf8.h), or RegexCutter, block by block.
// Copies of them are searched where a match has a position.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/bounded_writer.h"
#include "core/narrow.h"
#include "core/strings.h"
#include "driver/check_utf8.h"
#include "driver/map.h"
#include "driver/piece_ranges.h"
#include "driver/spans_sink.h"
#include "kernels/regex_matches.h"
#include "kernels/search.h"
#include "kernels/search_many.h"
#include "match/match_blocks.h"
#include "match/pattern_rule.h"
#include "regex/pattern.h"
#include "split/divide.h"

namespace stringops::kernels {

constexpr Cost kRegexCost{100, 5};
constexpr Cost kMaskCost{4, 0.3};  // by masks of whole blocks

// A prefilter: marks the strings that may have a match, by masks of whole blocks. These are the strings that have one,
// those with a text that all matches have, or those with one of a few thousand such texts. If most strings have the
// text, but few of the first ones a match, the strings without one are looked for.
class CandidateMarks {
 public:
  explicit CandidateMarks(const Pattern& pattern);

  // Sets marks[i - first] for each string i in [first, last).
  void mark(const StringSpan& in, int64_t first, int64_t last, bool* marks);

 private:
  ContainsLiteral contains_;
  std::shared_ptr<const PatternSet> texts_;
  std::optional<PatternRule> rule_;
};

// Calls f(i, range, may_match) for each string.
template <class F>
void for_each_marked(const Pattern& pattern, const StringSpan& in, int64_t first, int64_t last, F&& f) {
  constexpr int64_t kStep = 4096;
  CandidateMarks candidates(pattern);
  std::array<bool, kStep> marks;
  for (; first < last; first += kStep) {
    const int64_t end = std::min(first + kStep, last);
    candidates.mark(in, first, end, marks.data());
    for_each_string(in, first, end, [&](int64_t i, ByteRange range) {
      const StringView text = in.view(range);
      f(i, range, marks[static_cast<size_t>(i - first)] && pattern.may_match_at_edges(text.begin, text.size()));
    });
  }
}

// Calls f(i, text, may_match) for each string. If it may match, `text` is a copy.
template <class F>
void for_each_marked_copy(const Pattern& pattern, const StringSpan& in, int64_t first, int64_t last, F&& f) {
  std::string copy;
  for_each_marked(pattern, in, first, last, [&](int64_t i, ByteRange range, bool may_match) {
    std::string_view text(reinterpret_cast<const char*>(in.data) + range.begin, static_cast<size_t>(range.size()));
    if (may_match) text = copy.assign(text);
    f(i, text, may_match);
  });
}

// Whether the pattern matches a part of each string, or all of it.
struct RegexTest {
  using Value = bool;
  static constexpr Cost kCost = kRegexCost;
  static constexpr bool kRuns = true;

  void run(const StringSpan& in, int64_t first, int64_t last, bool* out) const {
    MatchReader reader(pattern, 0);
    std::fill(out + first, out + last, false);
    for_each_marked(pattern, in, first, last, [&](int64_t i, ByteRange range, bool may_match) {
      if (!may_match) return;
      const StringView text = in.view(range);
      const std::string_view bytes(reinterpret_cast<const char*>(text.begin), static_cast<size_t>(text.size()));
      out[i] = whole ? reader.matches_all(bytes) : reader.contains(bytes);
    });
  }

  const Pattern& pattern;
  bool whole;
};

// Sets out[i] to whether string i contains a match: by RegexTest, or for sets and short literals by whole blocks.
void regex_contains(const Runner& runner, const Pattern& pattern, const StringSpan& in, bool* out);

// Sets out[i] to the number of matches in string i.
void regex_count(const char* op, const Runner& runner, const Pattern& pattern, const StringSpan& in, int64_t* out);

// Calls take(i, range) for each string in which the first match has the group: the range of it.
using TakeFirst = std::function<void(int64_t, const Match&)>;
void find_first(const Pattern& pattern, int64_t group, const StringSpan& in, int64_t first, int64_t last,
                const TakeFirst& take);
Cost cost_of_first(const Pattern& pattern, int64_t group);  // what this takes

// The range of a group in the first match; {-1, -1} if there is no match, or the group is not part of it.
struct RegexSpan {
  using Value = Span;
  static constexpr Cost kCost = kRegexCost;
  static constexpr bool kRuns = true;

  void run(const StringSpan& in, int64_t first, int64_t last, Span* out) const {
    std::fill(out + first, out + last, Span{-1, -1});
    find_first(pattern, group, in, first, last,
               [&](int64_t i, const Match& found) { out[i] = {found.begin, found.end}; });
  }

  const Pattern& pattern;
  int64_t group;
};

// The bytes of `string` in the range, as far as it has them; none for {-1, -1}.
inline StringView part_of(StringView string, PackedRange range) {
  const int64_t end = std::clamp<int64_t>(range.end, 0, string.size());
  return {string.begin + std::clamp<int64_t>(range.begin, 0, end), string.begin + end};
}

inline PackedRange packed(const Match& match) {
  return {narrow<int32_t>(match.begin), narrow<int32_t>(match.end)};
}

// The text of that range, "" instead of {-1, -1}.
struct RegexExtract {
  using Driver = TaskMap;

  Cost cost() const { return cost_of_first(pattern, group); }

  class Worker {
   public:
    explicit Worker(const RegexExtract& f) : f_(f) {}

    int64_t measure(const StringSpan& in, int64_t first, int64_t last) {
      int64_t bytes = 0;
      find_first(f_.pattern, f_.group, in, first, last, [&](int64_t i, const Match& found) {
        bytes += found.end - found.begin;
        if (found.begin < found.end) kept_.push_back({i, packed(found)});
      });
      return bytes;
    }

    bool write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at, int64_t limit) {
      OffsetsWriter offsets(out.offsets, first);
      const Kept *next = kept_.data(), *const kept_end = next + kept_.size();
      for_each_string(in, first, last, [&](int64_t i, ByteRange bytes) {
        if (next < kept_end && next->string == i) {
          const StringView string = in.view(bytes);
          BoundedWriter writer(out.data + at, out.data + limit);
          writer.append(part_of(string, next++->range), string.end);
          at = writer.at() - out.data;
        }
        offsets.push(at);
      });
      return at == limit;
    }

   private:
    struct Kept {
      int64_t string;
      PackedRange range;
    };

    const RegexExtract& f_;
    std::vector<Kept> kept_;  // of the strings whose results are not empty
  };

  const Pattern& pattern;
  int64_t group;
};

// Cuts strings into the matches of a pattern (a group of each), or into the pieces between them. Rejects strings that
// are not valid UTF-8.
//
// If masks find the matches, the pieces are counted by masks over whole blocks, and cut so unless the sink takes spans.
class RegexCutter {
 public:
  static RegexCutter matches(const Pattern& pattern, int64_t group, bool spans = false) {
    return {pattern, group, false, spans};
  }
  static RegexCutter between(const Pattern& pattern, bool spans = false) { return {pattern, 0, true, spans}; }

  struct Task {
    std::optional<Position> invalid;  // the first byte that is not valid UTF-8
    PieceRanges pieces;               // without masks
    std::vector<uint64_t> masks;      // that the rule saves
  };

  Cost cost() const { return rule_ ? kMaskCost : kRegexCost; }
  Partition divide(const StringSpan& in, int64_t tasks) const {
    return rule_ && !takes_spans_ ? divide_inside_strings(in, tasks, rule_->pieces()) : divide_evenly(in, tasks, false);
  }
  void count(const StringSpan& in, Position begin, Position end, PieceCounter& counter, Task* task) const;
  void check(const char* op, const Task& task) const { check_utf8(op, task.invalid); }

  template <class Sink>
  bool write(const StringSpan& in, Position begin, Position end, const Task& task, Sink& sink) const {
    if (!rule_) return task.pieces.write(in, begin, end, sink);
    const BlockRule rule = rule_->taking(task.masks);
    if constexpr (kTakesSpans<Sink>) {
      int64_t last = 0;  // the end of the previous match
      for_each_match(
          in, begin.index, end.index, rule,
          [&](const Match& found) {
            sink.span(packed(between_ ? Match{last, found.begin} : found));
            last = found.end;
          },
          [&](int64_t size) {
            if (between_) sink.span(packed({last, size}));
            last = 0;
            sink.end_string();
          });
    } else {
      cut_blocks(in, rule, begin, end, sink);
    }
    return true;
  }

 private:
  RegexCutter(const Pattern& pattern, int64_t group, bool between, bool takes_spans);

  const Pattern& pattern_;
  const int64_t group_;
  const bool between_;
  const bool takes_spans_;          // the rule's pieces are the matches, also if `between_`
  const FoldedText* const folded_;  // that matches are, if masks are used
  const std::optional<PatternRule> rule_;
};

}  // namespace stringops::kernels
