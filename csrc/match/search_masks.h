// The masks of the matches that the regex engine finds in one string after the other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/string_span.h"
#include "regex/pattern.h"
#include "split/blocks.h"

namespace stringops::kernels {

class SearchMasks {
 public:
  // If `only_first`, finds the first match of each string. A match that is empty is left out.
  SearchMasks(const Pattern& pattern, bool only_first) : pattern_(pattern), only_first_(only_first) {}

  // Sets the bits of the bytes that are part of a match, and of those that matches end on. The blocks of a string come
  // in order.
  void split(const Block& block, uint64_t* kept, uint64_t* ends);

  // These add the bits: of the string that the block divides, whose end they return, or 0 if there is none; and of the
  // strings from `first` on that end in the block.
  int64_t split_long(const Block& block, uint64_t* kept, uint64_t* ends);
  void split_strings(const Block& block, int64_t first, uint64_t* kept, uint64_t* ends);

 private:
  void search(StringView string);

  const Pattern& pattern_;
  const bool only_first_;
  std::optional<Searcher> searcher_;
  std::string copy_;
  // The matches of a string, those before `next_` done; and its bytes in earlier blocks.
  std::vector<Match> found_;
  size_t next_ = 0;
  int64_t passed_ = 0;
};

}  // namespace stringops::kernels
