// The masks of the matches that the regex engine finds in one string after the other.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/char_class.h"
#include "core/string_span.h"
#include "regex/pattern.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

class SearchMasks {
 public:
  // If `only_first`, finds the first match of each string. A match that is empty is left out.
  SearchMasks(const Pattern& pattern, bool only_first, const simd::Primitives& simd);

  // Sets the bits of the bytes that are part of a match, and of those that matches end on. The blocks of a string come
  // in order.
  void split(const Block& block, uint64_t* kept, uint64_t* ends);

  // These add the bits: of the string that the block divides, whose end they return, or 0 if there is none; and of the
  // strings from `first` on that end in the block.
  int64_t split_long(const Block& block, uint64_t* kept, uint64_t* ends);
  void split_strings(const Block& block, int64_t first, uint64_t* kept, uint64_t* ends);

 private:
  void search(StringView string);
  bool may_match(const Block& block, int64_t k) const;

  const Pattern& pattern_;
  const bool only_first_;
  const simd::Primitives& simd_;
  // If set, each match ends with one of these, at the end of its string or before a newline.
  std::optional<CharSet> last_chars_;
  std::array<uint64_t, kBlockWords + 1> newlines_;
  std::optional<Searcher> searcher_;
  std::string copy_;
  // The matches of a string, those before `next_` done; and its bytes in earlier blocks.
  std::vector<Match> found_;
  size_t next_ = 0;
  int64_t passed_ = 0;
};

}  // namespace stringops::kernels
