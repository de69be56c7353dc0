// Groups of a match, for patterns in which a code point can continue a path in one way only: the path to a known end is
// the only one.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "regex/match.h"
#include "regex/program.h"

namespace stringops {

class OnePass {
 public:
  // Null if the pattern is not such a one.
  static std::unique_ptr<const OnePass> compile(const Program& program);

  // Sets the groups 1 to count - 1 of the match groups[0] in a text of `size` bytes. Returns false if there is no such
  // match (race).
  bool capture(const uint8_t* text, int64_t size, Match* groups, int64_t count) const;

 private:
  explicit OnePass(const Program& program) : program_(program) {}
  bool fill();

  // A row for each node and kind of the code point that it has taken, the first ones for the start.
  struct Entry {
    uint32_t row;       // that follows; 0: none
    uint32_t captures;  // of the edge there
    uint32_t captures_at_end;
    bool can_end;
  };
  const Program& program_;
  uint32_t num_kinds_ = 0;
  std::vector<Entry> entries_;  // of each row, for each class
};

// Sets the borders of groups below `count` that an edge passes before `at`.
inline void set_borders(const Program& program, uint32_t captures, int64_t at, Match* groups, int64_t count) {
  for (const uint32_t border : program.borders(captures)) {
    if (border / 2 >= count) continue;
    Match& group = groups[border / 2];
    (border & 1 ? group.end : group.begin) = at;
  }
}

}  // namespace stringops
