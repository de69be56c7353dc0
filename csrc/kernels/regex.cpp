#include "kernels/regex.h"

#include <algorithm>
#include <memory>
#include <stdexcept>

#include "kernels/driver/reduce.h"

namespace stringops::kernels {
namespace {

// The pieces are runs of characters of `set`.
BlockRule rule_of_runs(const CharSet& set) {
  BlockRule rule{BlockRule::Kind::kSetWords};
  rule.set = set;
  rule.set.invert();
  return rule;
}

// The pieces are the matches of the pattern, if masks can find them.
std::optional<BlockRule> rule_of_matches(const Pattern& pattern, int64_t group) {
  const auto& set = pattern.set();
  if (set && set->repeated) return rule_of_runs(set->set);
  if (set && !set->set.beyond_ascii) {
    BlockRule rule{BlockRule::Kind::kSetChars};
    rule.set = set->set;
    return rule;
  }
  return rule_of_pattern(pattern, group);
}

// The pieces are those between the occurrences of the pattern, if it is a short literal.
std::optional<BlockRule> rule_of_literal(const Pattern& pattern) {
  const std::string_view literal = pattern.literal();
  const bool is_short = !literal.empty() && static_cast<int64_t>(literal.size()) <= kMaxBlockDelimiter;
  if (!is_short || !uses_regex_masks()) return std::nullopt;
  BlockRule rule{BlockRule::Kind::kFields};
  rule.delimiter = literal;
  return rule;
}

std::optional<BlockRule> rule_between(const Pattern& pattern) {
  if (!uses_regex_masks()) return std::nullopt;
  std::optional<BlockRule> rule = rule_of_literal(pattern);
  if (rule) return rule;
  rule = rule_of_matches(pattern, 0);
  if (rule) rule->between = true;
  return rule;
}

}  // namespace

Rewrite::Rewrite(std::string_view text, int64_t num_groups) {
  Part part;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\') {
      part.literal += text[i];
      continue;
    }
    const std::string at = "at byte " + std::to_string(i);
    if (++i == text.size()) throw std::invalid_argument("with \\0 to \\9 and \\\\, got a backslash alone " + at);
    const char c = text[i];
    if (c == '\\') {
      part.literal += c;
    } else if (c >= '0' && c <= '9') {
      part.group = c - '0';
      if (part.group > num_groups) {
        throw std::invalid_argument("with groups up to \\" + std::to_string(num_groups) + " of `pattern`, got \\" + c +
                                    " " + at);
      }
      last_group_ = std::max(last_group_, part.group);
      parts_.push_back(std::move(part));
      part = Part();
    } else {
      throw std::invalid_argument("with \\0 to \\9 and \\\\, got a backslash before another character " + at);
    }
  }
  if (!part.literal.empty()) parts_.push_back(std::move(part));
}

int64_t RegexReplace::Worker::measure(std::string_view text) {
  reader_.start(text);
  auto bytes = static_cast<int64_t>(text.size());
  int64_t n = 0;
  for (; (f_.count == 0 || n < f_.count) && reader_.next(); ++n) {
    const Match& match = reader_.group(0);
    kept_.push_back(packed(match));
    bytes -= match.end - match.begin;
    for (const Rewrite::Part& part : f_.rewrite.parts()) {
      bytes += static_cast<int64_t>(part.literal.size());
      if (part.group < 0) continue;
      const Match& group = reader_.group(part.group);
      bytes += group.end - group.begin;
      kept_.push_back(packed(group));
    }
  }
  counts_.push_back(narrow<int32_t>(n));
  return bytes;
}

uint8_t* RegexReplace::Worker::write(StringView in, uint8_t* out, uint8_t* out_end) {
  BoundedWriter writer(out, out_end);
  const auto append = [&](PackedRange range) { writer.append(part_of(in, range), in.end); };
  int32_t done = 0;
  for (int32_t n = counts_[next_count_++]; n > 0; --n) {
    const PackedRange match = kept_[next_range_++];
    append({done, match.begin});
    for (const Rewrite::Part& part : f_.rewrite.parts()) {
      const auto* const literal = reinterpret_cast<const uint8_t*>(part.literal.data());
      const uint8_t* const literal_end = literal + part.literal.size();
      writer.append({literal, literal_end}, literal_end);
      if (part.group >= 0) append(kept_[next_range_++]);
    }
    done = match.end;
  }
  append({done, INT32_MAX});
  return writer.at();
}

RegexCutter RegexCutter::matches(const Pattern& pattern, int64_t group, bool spans) {
  return {pattern, group, false, spans || !uses_regex_masks() ? std::nullopt : rule_of_matches(pattern, group)};
}

RegexCutter RegexCutter::between(const Pattern& pattern, bool spans) {
  return {pattern, 0, true, spans ? std::nullopt : rule_between(pattern)};
}

void regex_contains(const Runner& runner, const Pattern& pattern, const StringSpan& in, bool* out) {
  std::optional<BlockRule> rule = rule_of_literal(pattern);
  const int64_t without_match = rule ? 1 : 0;  // a piece between literals, or none
  if (!rule && uses_regex_masks())
    rule = pattern.set() ? rule_of_runs(pattern.set()->set) : rule_of_pattern(pattern, 0);
  if (rule) rule->only_begins = true;
  if (!rule) return reduce_strings(runner, RegexTest{pattern, false}, in, out);
  const RegexCutter cutter = RegexCutter::counting(pattern, *rule);
  const std::unique_ptr<int64_t[]> counts(new int64_t[static_cast<size_t>(in.size())]);
  Cut<RegexCutter> cut("", runner, in, cutter, cutter.cost(), counts.get());
  cut.finish_string_pieces();
  for (int64_t i = 0; i < in.size(); ++i) out[i] = counts[static_cast<size_t>(i)] > without_match;
}

void RegexCutter::count(const StringSpan& in, Position begin, Position end, PieceCounter& counter, Task* task) const {
  if (rule_) {
    BlockRule rule = *rule_;
    if (rule.pattern && !rule.only_begins) {
      task->masks.reserve(KeptMasks::words_of(count_bytes(in, begin.index, end.index)));
      rule.masks.keep_in = &task->masks;
    }
    return cut_blocks(in, rule, begin, end, counter);
  }
  MatchReader reader(pattern_, group_);
  KeptRanges& kept = task->kept;
  kept.counts.reserve(static_cast<size_t>(end.index - begin.index));
  for_each_copy(in, begin.index, end.index, [&](int64_t, std::string_view text) {
    reader.start(text);
    int64_t last = 0;  // the end of the previous match
    while (reader.next()) {
      const Match& found = reader.group(group_);
      if (between_) {
        kept.ranges.push_back(packed({last, found.begin}));
        last = found.end;
      } else {
        kept.ranges.push_back(packed(found));
      }
    }
    if (between_) kept.ranges.push_back(packed({last, static_cast<int64_t>(text.size())}));
    kept.end_string(counter);
    return true;
  });
}

}  // namespace stringops::kernels
