// The masks of the matches of a pattern whose automaton is small (regex/position_automaton.h).
//
//   bytes    s a i d ␣ s o | g o e s        [a-z]+(?:ing|ed|s)
//   [a-z]    . . . . . . .   1 1 1 .        where the rest of the string goes on to a match
//   s        1 . . . . 1 .   . . . 1
//   begins   . . . . . . .   1 1 1 .        of which those after a match has ended are taken
//
// The engine searches where masks cannot decide: from begins that another match enters or that are left over, and
// strings with code points beyond ASCII if their bytes would be counted. A block that divides a string is read together
// with bytes around it, up to some that are in no match.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/bits.h"
#include "match/pattern_rule.h"
#include "match/search_masks.h"
#include "regex/pattern.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

class PositionMasks {
 public:
  PositionMasks(const Pattern& pattern, MatchUse use, const simd::Primitives& simd);

  // Sets the bits of the bytes that are part of a piece, and of those that pieces end on. The blocks of a string come
  // in order.
  void split(const Block& block, uint64_t* kept, uint64_t* ends);

 private:
  using Node = PositionAutomaton::Node;
  // Rounds of a block until the nodes of a loop do not change. The engine takes blocks whose loops are longer.
  static constexpr int kMaxRounds = 12;
  static constexpr int64_t kLeastAround = block_size(64, 4), kMaxAround = block_size(1024, 16);
  static constexpr int64_t kWords = words_for(kBlockBytes + 2 * (kMaxAround + 4));
  using PaddedMask = std::array<uint64_t, kWords + 2>;

  static int64_t passes_of(const Node& node) { return node.count == 1 ? 1 : 4; }
  void add_required(const Pattern& pattern);
  int64_t find_required(const Block& block, size_t i);
  int64_t find_edges(const Block& block);
  int64_t find_prefixes(const Block& block);
  bool has_few(const Block& block);
  bool search_few(const Block& block, uint64_t* kept, uint64_t* ends);
  const uint8_t* find_gap(const uint8_t* at, const uint8_t* end);
  bool find_whole(const Block& block, uint64_t* kept, uint64_t* ends);
  // Whether the engine may search the block: it would stop at a match before the gap if only the first one is asked
  // for.
  bool may_search() const { return !only_first_ || before_gap_ == 0; }
  bool find_in_window(const Block& block, uint64_t* kept, uint64_t* ends);
  bool find_pieces(const Block& block, uint64_t* kept, uint64_t* ends);
  bool find_begins(const Block& block);
  void keep_first_begins(const Block& block);
  void search_beyond_ascii(const Block& block, uint64_t* kept, uint64_t* ends);
  void find_loops(const Block& block);
  bool find_ways(const Block& block, size_t node);
  void extend_ways(const Node& node, const uint64_t* lasts, int64_t words, uint64_t* out);
  void mark_starts(const Block& block);
  const uint64_t* classify(const Block& block, size_t set);
  const uint64_t* condition(const Block& block, int number, bool at_end);
  bool take_equal(const Block& block, uint64_t* kept, uint64_t* ends);
  bool take_matches(const Block& block, uint64_t* kept, uint64_t* ends);
  bool follow_firsts(const Block& block);
  void follow(const Block& block, size_t node, uint32_t known);

  const Pattern& pattern_;
  const PositionAutomaton& program_;
  const bool is_anchored_;  // at the begin or the end of a string
  const bool only_begins_, only_first_;
  const simd::Primitives& simd_;
  std::vector<CharSet> char_sets_;  // those of the program, and of what is required
  std::vector<uint8_t> bytes_;      // of sets that have only one
  uint64_t known_sets_ = 0;         // in the block
  uint64_t known_conditions_ = 0;   // at begins, and at ends
  int64_t passes_ = 0;              // over the masks of the last block whose pieces they found
  int64_t num_few_ = 0;             // blocks that were tested for few such characters
  bool has_many_ = false;           // the last one had many
  int64_t before_gap_ = 0;          // bytes of a window before its first gap
  bool has_starts_ = false;         // `starts_` are the block's
  bool has_beyond_ = false;         // masks do not serve the strings of the block with `beyond_` bytes
  // A set of characters of which all matches have one, and what may be next to it in one.
  struct Required {
    size_t set;
    std::array<size_t, 2> after;
  };
  static constexpr size_t kAny = SIZE_MAX;
  std::vector<Required> required_;
  const simd::PrefixSet* prefixes_ = nullptr;  // instead, bytes of matches, most often the first ones
  size_t rarest_ = 0;                          // of these in a block
  PaddedMask candidates_;                      // the bytes of it, or those where matches may begin
  int64_t patience_ = 0, left_out_ = 0;        // strings that are searched by the engine after one without gaps, so far
  uint32_t reached_ = 0;                       // nodes that may be part of a match in the block
  uint32_t entries_ = 0;                       // of these, those that are entered from the right
  size_t loops_begin_ = 0;                     // the first of the nodes that are part of loops
  size_t loops_end_ = 0;                       // the node after the last one of these
  uint32_t live_ = 0;                          // nodes by which some byte of the block goes on to a match
  std::vector<PaddedMask> sets_, ways_;        // of the sets; of nodes with which no match ends
  std::vector<PaddedMask> conditions_;         // bytes before which, and after which they hold
  std::vector<PaddedMask> paths_;              // of each node: the bytes that it takes in matches
  std::vector<const uint64_t*> masks_;         // of each node: the bytes from which a match goes on by it
  PaddedMask beyond_, starts_, begins_, firsts_, entered_, taken_;
  std::array<PaddedMask, 5> scratch_;
  std::vector<uint32_t> takers_, next_;  // of each byte and node: the nodes that take it, and that may be next
  Block window_;
  std::array<PaddedMask, 2> found_;  // pieces of the window, and their ends
  bool is_searched_ = false;         // by the engine: the string that the block divides
  SearchMasks search_;
};

}  // namespace stringops::kernels
