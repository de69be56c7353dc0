// The matches of a pattern in one string after the other: those of a literal are looked for in masks of one bit per
// byte, and the regular expression engine finds all others.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/string_span.h"
#include "kernels/text_finder.h"
#include "regex/pattern.h"

namespace stringops::kernels {

// From left to right, without overlaps. After a match that is not empty, an empty one may follow at its end; after an
// empty one, the search goes on at the next code point. As in Python's re since 3.7, unless the pattern prefers an
// empty match to one that is not, like `a*?`.
class MatchReader {
 public:
  // Reads the ranges of the groups 0 to `last_group` of each match. The pattern must outlive the reader.
  MatchReader(const Pattern& pattern, int64_t last_group);

  // Begins with `text`, which is valid UTF-8, and must not change while it is read.
  void start(std::string_view text) {
    text_ = text;
    from_ = 0;
  }

  // Finds the next match; false if there is none.
  bool next() { return searcher_ ? next_by_engine() : next_literal(); }

  // Returns a group of the match, {-1, -1} if it is not part of the match. Pointers to groups stay valid.
  const Match& group(int64_t g) const { return groups_[static_cast<size_t>(g)]; }
  const Match* groups() const { return groups_.data(); }

  // Finds the first match of a text of which `text` is a copy of the first bytes. Nothing if these do not tell.
  std::optional<bool> find_early(std::string_view text);

  // Whether `text`, which may change while it is read, has a match, or if it is a part of one, has one for sure;
  // whether it is one.
  bool contains(std::string_view text, bool is_part = false);
  bool matches_all(std::string_view text);

 private:
  bool next_by_engine();
  bool next_literal();

  std::optional<Searcher> searcher_;  // if the pattern is not a literal,
  std::optional<TextFinder> folded_;  // nor one whose case is ignored
  std::string_view literal_;
  std::vector<Match> groups_;
  std::string_view text_;
  int64_t from_ = 0;  // where the next match may begin
};

}  // namespace stringops::kernels
