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

  // Searches the string that the block divides.
  void begin_long(const Block& block);
  // These add the bits: of that string, in this block or a later one; and of the strings [first, last) that end in the
  // block.
  void split_long(const Block& block, uint64_t* kept, uint64_t* ends);
  struct Begins {
    const uint64_t *begins, *taken, *wrong;
  };
  // Corrects the bits of string k. They are wrong only in runs of `taken` bytes with a `wrong` begin, and from `wrong`
  // begins that are not taken. All of its matches, whether they overlap or not, begin at `begins`.
  void split_at(const Block& block, int64_t k, const Begins& known, uint64_t* kept, uint64_t* ends);
  void split_strings(const Block& block, int64_t first, int64_t last, uint64_t* kept, uint64_t* ends);

 private:
  void copy(StringView string);
  void search(StringView string);

  const Pattern& pattern_;
  const bool only_first_;
  std::optional<Searcher> searcher_;
  std::string copy_;
  // The matches of a string, those before `next_` done.
  std::vector<Match> found_;
  size_t next_ = 0;
};

}  // namespace stringops::kernels
