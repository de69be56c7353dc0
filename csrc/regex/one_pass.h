// Matches with their groups in one pass, for patterns in which a code point can continue a path in one way only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "core/char_class.h"
#include "regex/match.h"
#include "regex/program.h"
#include "simd/primitives.h"

namespace stringops {

class OnePass {
 public:
  // Null if the pattern is not such a one, or has no groups.
  static std::unique_ptr<const OnePass> compile(const Program& program);

  // Sets groups[0, count) of the first match that begins at `begin` in a text of `size` bytes. Returns the number of
  // bytes from there that have been read; the match is {begin, -1} if there is none.
  int64_t match(const uint8_t* text, int64_t size, int64_t begin, Match* groups, int64_t count) const;

 private:
  explicit OnePass(const Program& program) : program_(program), simd_(simd::primitives()) {}
  struct Way {
    uint32_t node, captures;
  };

  bool fill();
  uint32_t list_of(const std::vector<uint32_t>& borders);
  bool add_way(Way way, uint32_t row, uint32_t c);
  void find_loops();

  // A row for each node and kind of the code point that it has taken, the first ones for the start.
  struct Entry {
    uint32_t next = 0;      // where the row begins that follows; 0: none
    uint32_t captures = 0;  // on the way there: a list of borders_
    uint32_t captures_at_end = 0;
    bool can_end = false;
    bool prefers_end = false;
    enum : uint8_t { kPlain, kLoop, kOther } kind = kOther;  // only `next` matters; the same, back to the same row
  };
  const Program& program_;
  const simd::Primitives& simd_;
  uint32_t num_kinds_ = 0;
  std::vector<Entry> entries_;                       // of each row, for each class
  std::vector<std::vector<uint32_t>> borders_;       // lists of borders of groups, the first one empty
  std::map<std::vector<uint32_t>, uint32_t> lists_;  // the numbers of these
  size_t num_borders_ = 0;
  std::vector<CharSet> loops_;  // of each row: the characters that lead back to it, and do nothing else
};

// Sets the borders of groups below `count` that are passed at `at`.
inline void set_borders(const uint32_t* borders, const uint32_t* end, int64_t at, Match* groups, int64_t count) {
  for (; borders < end; ++borders) {
    if (*borders / 2 >= count) continue;
    Match& group = groups[*borders / 2];
    (*borders & 1 ? group.end : group.begin) = at;
  }
}

}  // namespace stringops
