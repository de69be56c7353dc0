// Replaces the matches of a pattern in each string.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "driver/map.h"
#include "kernels/regex.h"
#include "kernels/regex_matches.h"
#include "regex/pattern.h"

namespace stringops::kernels {

// The replacement of a match: \0 to \9 are groups, \\ is a backslash.
class Rewrite {
 public:
  struct Part {
    std::string literal;
    int64_t group = -1;  // after the literal; -1: none
  };

  // Throws std::invalid_argument, whose text continues "expected `rewrite` ".
  Rewrite(std::string_view text, int64_t num_groups);

  const std::vector<Part>& parts() const { return parts_; }
  int64_t last_group() const { return last_group_; }
  // Whether it is a text with one group in it at most.
  bool is_around() const { return parts_.size() <= 2 && (parts_.size() < 2 || parts_[1].group < 0); }

 private:
  std::vector<Part> parts_;
  int64_t last_group_ = 0;
};

// By masks of whole blocks if they find the matches, and the rewrite is a text before and after a match, or takes its
// place; by the engine otherwise, or if replacements are limited.
struct RegexReplace {
  using Driver = TaskMap;

  Cost cost() const { return rule() ? Cost{4, 1} : kRegexCost; }
  // Returns the rule of the matches if masks of blocks find them and the groups in the replacement.
  std::optional<PatternRule> rule() const;

  class Worker {
   public:
    explicit Worker(const RegexReplace& f);

    int64_t measure(const StringSpan& in, int64_t first, int64_t last);
    bool write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at, int64_t limit);

   private:
    int64_t measure_blocks(const StringSpan& in, int64_t first, int64_t last);
    bool write_blocks(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at,
                      int64_t limit);
    int32_t find_matches(std::string_view text, int64_t* bytes);
    uint8_t* write_text(StringView in, uint8_t* out, uint8_t* out_end);

    const RegexReplace& f_;
    // In blocks:
    std::optional<PatternRule> rule_;
    std::string before_, after_;  // a match, with bytes after them that can be read
    int64_t before_size_ = 0, after_size_ = 0;
    bool keeps_matches_ = false;
    std::vector<uint64_t> masks_;
    // String by string, of each match: its range, and those of the groups of the rewrite.
    std::optional<MatchReader> reader_;
    std::vector<PackedRange> kept_;
    std::vector<int32_t> counts_;  // matches of each string
    size_t next_range_ = 0, next_count_ = 0;
  };

  const Pattern& pattern;
  const Rewrite& rewrite;
  int64_t count;  // maximum number of replacements in a string; 0: no limit
};

}  // namespace stringops::kernels
