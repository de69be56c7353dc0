#include "kernels/regex_replace.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/copy_bytes.h"
#include "core/strings.h"
#include "match/choose_rule.h"
#include "match/match_blocks.h"

namespace stringops::kernels {
namespace {

// Room after a text, so that it is copied fast.
constexpr size_t kPartPadding = 32;

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

std::optional<PatternRule> RegexReplace::rule() const {
  if (count != 0 || !rewrite.is_around()) return std::nullopt;
  return choose_rule(pattern, MatchUse::kPieces, rewrite.last_group());
}

RegexReplace::Worker::Worker(const RegexReplace& f) : f_(f), rule_(f.rule()) {
  const Rewrite& rewrite = f.rewrite;
  if (!rule_) {
    reader_.emplace(f.pattern, rewrite.last_group());
    return;
  }
  const auto& parts = rewrite.parts();
  if (!parts.empty()) before_ = parts[0].literal;
  keeps_matches_ = !parts.empty() && parts[0].group >= 0;
  if (parts.size() > 1) after_ = parts[1].literal;
  before_size_ = static_cast<int64_t>(before_.size());
  after_size_ = static_cast<int64_t>(after_.size());
  before_.append(kPartPadding, 0);
  after_.append(kPartPadding, 0);
}

int64_t RegexReplace::Worker::measure(const StringSpan& in, int64_t first, int64_t last) {
  if (rule_) return measure_blocks(in, first, last);
  int64_t bytes = 0;
  for_each_marked_copy(f_.pattern, in, first, last, [&](int64_t, std::string_view text, bool may_match) {
    bytes += static_cast<int64_t>(text.size());
    counts_.push_back(may_match ? find_matches(text, &bytes) : 0);
  });
  return bytes;
}

bool RegexReplace::Worker::write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at,
                                 int64_t limit) {
  if (rule_) return write_blocks(in, first, last, out, at, limit);
  return write_each(in, first, last, out, at, limit,
                    [&](StringView string, uint8_t* to, uint8_t* to_end) { return write_text(string, to, to_end); });
}

int64_t RegexReplace::Worker::measure_blocks(const StringSpan& in, int64_t first, int64_t last) {
  constexpr int64_t kEnough = int64_t{1} << 53;  // a block adds 2**45 bytes at most, and there are few tasks
  const BlockRule rule = rule_->saving(&masks_, count_bytes(in, first, last));
  MatchBlocks blocks(in, first, last, rule);
  int64_t bytes = 0;
  while (bytes < kEnough && blocks.next()) {
    bytes += blocks.block().num_bytes - (keeps_matches_ ? 0 : blocks.num_bytes());
    bytes += blocks.num_begins() * before_size_ + blocks.num_ends() * after_size_;
  }
  return bytes;
}

bool RegexReplace::Worker::write_blocks(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out,
                                        int64_t at, int64_t limit) {
  const BlockRule rule = rule_->taking(masks_);
  MatchBlocks blocks(in, first, last, rule);
  OffsetsWriter offsets(out.offsets, first);
  std::array<int32_t, kBlockStrings> counts, dropped;
  const auto append = [&](const uint8_t* source, int64_t source_size, int64_t begin, int64_t end) {
    at = append_range(out.data, at, limit, source, source_size, begin, end);
  };
  const auto append_text = [&](const std::string& text, int64_t size) {
    append(reinterpret_cast<const uint8_t*>(text.data()), static_cast<int64_t>(text.size()), 0, size);
  };
  int64_t string_begin = at;  // in the result
  while (blocks.next()) {
    const Block& block = blocks.block();
    const int64_t block_begin = at, readable = block.data_end - block.data;
    const int64_t size = block.num_bytes - (keeps_matches_ ? 0 : blocks.num_bytes()) +
                         blocks.num_begins() * before_size_ + blocks.num_ends() * after_size_;
    if (size > limit - at) return false;
    int64_t done = 0;
    blocks.for_each([&](int64_t begin, int64_t end, bool begins, bool ends) {
      append(block.data, readable, done, begin);
      if (begins) append_text(before_, before_size_);
      if (keeps_matches_) append(block.data, readable, begin, end);
      if (ends && after_size_ > 0) append_text(after_, after_size_);
      done = end;
    });
    append(block.data, readable, done, block.num_bytes);
    if (at != block_begin + size) return false;
    if (block.num_strings == 0) continue;
    blocks.count_strings(counts.data());
    keeps_matches_ ? dropped.fill(0) : blocks.count_bytes(dropped.data());
    // The text before a match that begins in an earlier block is there.
    const int64_t origin = block_begin - (blocks.begins_inside() ? before_size_ : 0);
    const int64_t added = before_size_ + after_size_;
    for (size_t k = 0; k < static_cast<size_t>(block.num_strings); ++k) {
      int64_t string_end = origin + block.string_ends[k] - dropped[k] + counts[k] * added;
      string_end = std::clamp(string_end, string_begin, at);  // in order even so
      offsets.push(string_end);
      string_begin = string_end;
    }
  }
  return at == limit;
}

// Adds the bytes by which the result is longer than the text. Returns the number of matches.
int32_t RegexReplace::Worker::find_matches(std::string_view text, int64_t* bytes) {
  reader_->start(text);
  int64_t n = 0;
  for (; (f_.count == 0 || n < f_.count) && reader_->next(); ++n) {
    const Match& match = reader_->group(0);
    kept_.push_back(packed(match));
    *bytes -= match.end - match.begin;
    for (const Rewrite::Part& part : f_.rewrite.parts()) {
      *bytes += static_cast<int64_t>(part.literal.size());
      if (part.group < 0) continue;
      const Match& group = reader_->group(part.group);
      *bytes += group.end - group.begin;
      kept_.push_back(packed(group));
    }
  }
  return narrow<int32_t>(n);
}

uint8_t* RegexReplace::Worker::write_text(StringView in, uint8_t* out, uint8_t* out_end) {
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

}  // namespace stringops::kernels
