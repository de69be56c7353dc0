// The matches of a pattern in one string after the other.
//
// The matches of a set of characters, of a literal or of a few texts are read from masks of one bit per byte; all
// others are found by the regular expression engine. Both give the same matches.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "core/bits.h"
#include "core/testing.h"
#include "regex/pattern.h"
#include "simd/primitives.h"

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
    bits_ = 0;
    word_ = num_words_ = 0;
    chunk_ = next_chunk_ = 0;
    before_ = 0;
  }

  // Finds the next match; false if there is none.
  bool next() {
    if (kind_ == Kind::kEngine) return next_by_engine();
    const bool found = kind_ == Kind::kRuns         ? next_run()
                       : kind_ == Kind::kCharacters ? next_character()
                       : kind_ == Kind::kLiteral    ? next_literal()
                                                    : next_text();
    // Groups are around all of the pattern.
    for (size_t g = 1; g < groups_.size(); ++g) groups_[g] = groups_[0];
    return found;
  }

  // Returns a group of the match, {-1, -1} if it is not part of the match. Pointers to groups stay valid.
  const Match& group(int64_t g) const { return groups_[static_cast<size_t>(g)]; }
  const Match* groups() const { return groups_.data(); }

  // Finds the first match of a text of which `text` is a copy of the first bytes. Nothing if these do not tell.
  std::optional<bool> find_early(std::string_view text);
  bool contains_early(std::string_view text, int64_t begin, int64_t end);

  // Whether `text`, which may change while it is read, has a match; whether it is one.
  bool contains(std::string_view text);
  bool matches_all(std::string_view text);

 private:
  enum class Kind { kEngine, kRuns, kCharacters, kLiteral, kTexts };
  static constexpr int64_t kChunkBytes = block_size(4096, 128);

  bool next_by_engine();
  bool next_run();
  bool next_character();
  bool next_literal();
  bool next_text();
  bool read_words();

  // The next set bit of the masks.
  bool next_bit(int64_t* at) {
    while (bits_ == 0) {
      if (word_ == num_words_ && !read_words()) return false;
      bits_ = take_word();
    }
    *at = chunk_ + (word_ - 1) * kWordBits + first_bit(bits_);
    bits_ &= bits_ - 1;
    return true;
  }

  // For runs, the bits of the bytes in which they begin, and of those after their ends.
  uint64_t take_word() {
    const uint64_t word = words_[static_cast<size_t>(word_++)];
    if (kind_ != Kind::kRuns) return word;
    const uint64_t edges = word ^ (word << 1 | before_);
    before_ = word >> (kWordBits - 1);
    return edges;
  }

  const simd::Primitives& simd_;
  Kind kind_ = Kind::kEngine;
  std::optional<Searcher> searcher_;  // kEngine
  CharSet set_;                       // kRuns, kCharacters
  std::string_view literal_;
  std::array<simd::ByteAt, simd::kMaxBytesAt> probes_{};  // of the literal
  int64_t num_probes_ = 0;
  const LiteralSet* texts_ = nullptr;  // kTexts
  std::vector<Match> groups_;

  std::string_view text_;
  int64_t from_ = 0;  // where the next match may begin
  // The masks of text_[chunk_, next_chunk_), and what is left of words_[word_ - 1].
  int64_t chunk_ = 0, next_chunk_ = 0;
  int64_t word_ = 0, num_words_ = 0;
  uint64_t bits_ = 0;
  uint64_t before_ = 0;  // whether the byte before the next word is in the set
  std::array<uint64_t, words_for(kChunkBytes)> words_;
};

}  // namespace stringops::kernels
