#include "kernels/regex.h"

#include <type_traits>

#include "core/testing.h"
#include "core/utf8.h"
#include "driver/cut.h"
#include "driver/reduce.h"
#include "match/choose_rule.h"
#include "split/block_splitter.h"
#include "split/utf8_blocks.h"

namespace stringops::kernels {
namespace {

// Strings of which a part is searched first, those in which a rare text is looked for, and the least and most bytes of
// such a part.
constexpr int64_t kLeastLong = block_size(192, 4), kLong = block_size(768, 8), kLeastPart = block_size(128, 4),
                  kMostPart = block_size(4096, 16);

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
        if (open <= min_pieces) continue;
        marks[block.first_string - first] = true;
        reader.skip_rest();
        open = 0;
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

// Decides whether a part of a long string is searched first: the more parts did not tell, the more strings are left
// out.
class EarlyTries {
 public:
  bool may_try() { return ++left_out_ > patience_; }
  bool end(bool has_told) {
    left_out_ = 0;
    patience_ = has_told ? 0 : std::min<int64_t>(2 * patience_ + 1, 63);
    return has_told;
  }

 private:
  int64_t patience_ = 0, left_out_ = 0;
};

constexpr Match kNoMatch{-1, -1};

// Calls answer(string, tries) for strings that are not short, of which a part may tell the match, or that there
// is none, and take(i, match) if it does; and run(begin, end) for the strings between them, in order, and for few that
// are told among others.
template <class Answer, class Take, class Run>
void answer_early(const StringSpan& in, int64_t first, int64_t last, Answer&& answer, Take&& take, Run&& run) {
  constexpr int64_t kFew = 2 * kBlockBytes;  // bytes, of which masks are made sooner than a run is begun
  EarlyTries tries;
  std::vector<std::pair<int64_t, Match>> told;  // since `end`
  int64_t begin = first, end = first, bytes = 0;
  const auto take_told = [&] {
    if (begin < end) run(begin, end);
    for (const auto& [i, match] : told) take(i, match);
    told.clear();
  };
  for_each_string(in, first, last, [&](int64_t i, ByteRange range) {
    const std::optional<Match> match = range.size() < kLeastLong ? std::nullopt : answer(in.view(range), tries);
    if (!match) {
      told.clear();
      bytes = 0;
      end = i + 1;
      return;
    }
    told.push_back({i, *match});
    bytes += range.size();
    if (begin < end && bytes < kFew) return;
    take_told();
    begin = end = i + 1;
    bytes = 0;
  });
  take_told();
}

// The first bytes of a long string, in which matches are tried first.
int64_t num_early(StringView string) {
  return std::clamp(string.size() / 8, kLeastPart, kMostPart);
}

int64_t codepoint_begin(StringView string, int64_t at) {
  for (int i = 0; i < 3 && at > 0 && is_continuation(string.begin[at]); ++i) --at;
  return at;
}

bool is_rare(std::string_view text) {
  return text.size() > 1 || (text.size() == 1 && is_rarer(static_cast<uint8_t>(text[0]), 'a'));
}

// Finds a group of the first match of a long string in a part of it, or for group -1 whether there is a match: {-1, -1}
// if there is none, nothing if that does not tell. If it does not, masks tell if there are any.
class EarlyMatch {
 public:
  EarlyMatch(const Pattern& pattern, int64_t group, bool has_masks)
      : pattern_(pattern), group_(group), has_masks_(has_masks) {}

  std::optional<Match> operator()(StringView string, EarlyTries& tries) {
    if (!pattern_.may_match_at_edges(string.begin, string.size())) return kNoMatch;
    int64_t begin = 0, size = std::min(num_early(string), string.size());
    const std::string& rare = pattern_.text_of_matches();
    const auto& folded = pattern_.folded_text();
    const bool has_text = (folded || is_rare(rare)) && !pattern_.begins_text() && string.size() >= kLong;
    if (has_text) {
      if (folded && !folded_) folded_.emplace(*folded);
      const uint8_t* const found = folded ? folded_->first(string).begin : find_literal(string, rare);
      if (!found || found == string.end) return kNoMatch;
      if ((folded ? pattern_.begins_folded() : pattern_.text_at_begin() == rare) &&
          found > string.begin) {  // no match begins before
        begin = codepoint_begin(string, found - string.begin - 1);
        size = std::min(kMostPart, string.size() - begin);
      }
    }
    if (!reader_) reader_.emplace(pattern_, std::max<int64_t>(group_, 0));
    const bool is_test = group_ < 0;
    const std::string_view text(reinterpret_cast<const char*>(string.begin), static_cast<size_t>(string.size()));
    if (is_test && pattern_.is_anchored()) return reader_->contains(text) ? Match{0, 0} : kNoMatch;
    const auto copied = [&](int64_t bytes) -> const std::string& {
      return copy_.assign(reinterpret_cast<const char*>(string.begin) + begin, static_cast<size_t>(bytes));
    };
    std::optional<bool> is_found;
    if (tries.may_try()) {
      if (begin + size < string.size()) size = std::max<int64_t>(codepoint_begin(string, begin + size) - begin, 0);
      if (!is_test) {
        is_found = reader_->find_early(copied(size));
      } else if (reader_->contains(text.substr(static_cast<size_t>(begin), static_cast<size_t>(size)), true)) {
        is_found = true;
      }
      tries.end(is_found.has_value());
    }
    if (!is_found && has_text && !has_masks_) {
      reader_->start(copied(string.size() - begin));
      is_found = reader_->next();
    }
    if (!is_found) return std::nullopt;
    if (is_test) return *is_found ? Match{0, 0} : kNoMatch;
    const Match& match = reader_->group(group_);
    return *is_found && match.begin >= 0 ? Match{match.begin + begin, match.end + begin} : kNoMatch;
  }

 private:
  const Pattern& pattern_;
  const int64_t group_;
  const bool has_masks_;
  std::optional<TextFinder> folded_;
  std::optional<MatchReader> reader_;
  std::string copy_;
};

// Whether a string has a match, which `All` tells of many strings.
template <class All>
struct ContainsEarly {
  using Value = bool;
  static constexpr Cost kCost = All::kCost;
  static constexpr bool kRuns = true;

  void run(const StringSpan& in, int64_t first, int64_t last, bool* out) const {
    answer_early(
        in, first, last, EarlyMatch(pattern, -1, std::is_same_v<All, HasPieces>),
        [&](int64_t i, const Match& match) { out[i] = match.begin >= 0; },
        [&](int64_t begin, int64_t end) { all.run(in, begin, end, out); });
  }

  const Pattern& pattern;
  const All all;
};

// A string has a match if it has more pieces than one without.
HasPieces has_match(const PatternRule& rule) {
  return {rule.cut, rule.cuts_fields ? 1 : 0};
}

void find_first_in_blocks(const BlockRule& rule, const StringSpan& in, int64_t first, int64_t last,
                          const TakeFirst& take) {
  MatchBlocks blocks(in, first, last, rule);
  Match found = kNoMatch;
  while (blocks.next()) {
    const Block& block = blocks.block();
    for (int64_t k = 0; k < std::max<int64_t>(block.num_strings, 1); ++k) {
      if (k > 0 || !block.starts_inside) found = kNoMatch;
      const int64_t begin = block.begin(k), end = block.num_strings == 0 ? block.num_bytes : block.end(k);
      const int64_t before = begin - (k == 0 ? block.num_before : 0);  // the place of its first byte
      int64_t from = begin;
      if (found.begin < 0) {
        from = blocks.first_begin(begin, end);
        if (from < 0) continue;
        found.begin = from - before;
      }
      const int64_t last_byte = blocks.first_end(from, end);
      if (last_byte < 0) continue;
      found.end = last_byte + 1 - before;
      take(block.first_string + k, {std::min(found.begin, found.end), found.end});
      if (block.num_strings == 0) blocks.skip_rest();
    }
  }
}

}  // namespace

CandidateMarks::CandidateMarks(const Pattern& pattern) : contains_{pattern.text_of_matches()} {
  if (pattern.folded_text()) contains_.folded = &*pattern.folded_text();
  if (contains_.folded || is_rare(contains_.sub)) return;
  if (uses_masks() && !pattern.texts_in_matches().empty()) {
    texts_ = PatternSet::of(pattern.texts_in_matches());
  } else if (!pattern.is_anchored()) {
    rule_ = choose_rule(pattern, MatchUse::kExists);
  }
}

void CandidateMarks::mark(const StringSpan& in, int64_t first, int64_t last, bool* marks) {
  if (texts_) return ContainsAny{*texts_}.mark(in, first, last, marks);
  rule_ ? has_match(*rule_).mark(in, first, last, marks) : contains_.mark(in, first, last, marks);
}

Cost cost_of_first(const Pattern& pattern, int64_t group) {
  return choose_rule(pattern, MatchUse::kFirst, group) ? kMaskCost : kRegexCost;
}

void find_first(const Pattern& pattern, int64_t group, const StringSpan& in, int64_t first, int64_t last,
                const TakeFirst& take) {
  const std::optional<PatternRule> rule = choose_rule(pattern, MatchUse::kFirst, group);
  std::optional<MatchReader> reader;
  const auto take_early = [&](int64_t i, const Match& match) {
    if (match.begin >= 0) take(i, match);
  };
  answer_early(in, first, last, EarlyMatch(pattern, group, rule.has_value()), take_early,
               [&](int64_t begin, int64_t end) {
                 if (rule) return find_first_in_blocks(rule->cut, in, begin, end, take);
                 if (!reader) reader.emplace(pattern, group);
                 for_each_marked_copy(pattern, in, begin, end, [&](int64_t i, std::string_view text, bool may_match) {
                   if (!may_match) return;
                   reader->start(text);
                   if (reader->next() && reader->group(group).begin >= 0) take(i, reader->group(group));
                 });
               });
}

RegexCutter::RegexCutter(const Pattern& pattern, int64_t group, bool between, bool takes_spans)
    : pattern_(pattern),
      group_(group),
      between_(between),
      takes_spans_(takes_spans),
      folded_(uses_masks() && pattern.is_folded() ? &*pattern.folded_text() : nullptr),
      rule_(folded_ ? std::nullopt
                    : choose_rule(pattern, between && !takes_spans ? MatchUse::kBetween : MatchUse::kPieces, group)) {}

void regex_contains(const Runner& runner, const Pattern& pattern, const StringSpan& in, bool* out) {
  if (uses_masks() && pattern.is_folded()) {
    return reduce_strings(runner, ContainsLiteral{"", &*pattern.folded_text()}, in, out);
  }
  const std::optional<PatternRule> rule = choose_rule(pattern, MatchUse::kExists);
  if (!rule) return reduce_strings(runner, ContainsEarly<RegexTest>{pattern, {pattern, false}}, in, out);
  reduce_strings(runner, ContainsEarly<HasPieces>{pattern, has_match(*rule)}, in, out);
}

void regex_count(const char* op, const Runner& runner, const Pattern& pattern, const StringSpan& in, int64_t* out) {
  const RegexCutter cutter = RegexCutter::matches(pattern, 0);
  Cut<RegexCutter>(op, runner, in, cutter, cutter.cost(), kCutSpans, out).finish_string_pieces();
}

void RegexCutter::count(const StringSpan& in, Position begin, Position end, PieceCounter& counter, Task* task) const {
  if (rule_) {
    const BlockRule rule = rule_->saving(&task->masks, count_bytes(in, begin.index, end.index));
    cut_blocks(in, rule, begin, end, counter, [&](const Block& block) {
      task->invalid = find_invalid(in, simd::primitives(), block);
      return !task->invalid;
    });
    if (takes_spans_ && between_) counter.string(0, end.index - begin.index);  // one more in each
    return;
  }
  task->invalid = find_invalid(in, begin, end);
  if (task->invalid) return;
  PieceRanges& pieces = task->pieces;
  pieces.counts.reserve(static_cast<size_t>(end.index - begin.index));
  if (folded_) {
    int64_t i = begin.index, last = 0;  // the string, and the end of its previous match
    const auto end_strings = [&](int64_t next) {
      for (; i < next; ++i, last = 0) {
        if (between_) pieces.ranges.push_back(packed({last, std::max(in.range(i).size(), last)}));
        pieces.end_string(counter);
      }
    };
    const auto take = [&](int64_t next, StringView string, StringView found) {
      end_strings(next);
      const Match match{found.begin - string.begin, found.end - string.begin};
      pieces.ranges.push_back(packed(between_ ? Match{last, match.begin} : match));
      last = match.end;
    };
    find_folded(in, begin.index, end.index, *folded_, false, take);
    return end_strings(end.index);
  }
  MatchReader reader(pattern_, group_);
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
