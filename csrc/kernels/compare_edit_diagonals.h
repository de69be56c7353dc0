// Edit distances up to a small limit, by the farthest units that a number of edits reaches on each diagonal of the
// matrix.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/poll.h"
#include "kernels/compare_edit_units.h"

namespace stringops::kernels {

constexpr int64_t kMaxDiagonalEdits = 16;
// Up to this limit, they are faster than masks of short strings.
constexpr int64_t kFewEdits = 3;

// Returns how many of `count` units from a and b on are equal.
inline int64_t equal_units(const uint32_t* a, const uint32_t* b, int64_t count) {
  int64_t i = 0;
  for (; i + 2 <= count; i += 2) {
    uint64_t x, y;
    std::memcpy(&x, a + i, sizeof(x));
    std::memcpy(&y, b + i, sizeof(y));
    if (x != y) return i + (static_cast<uint32_t>(x) == static_cast<uint32_t>(y) ? 1 : 0);
  }
  return i < count && a[i] == b[i] ? i + 1 : i;
}

// Returns the distance of a to b, which has at least as many units, up to `limit` <= kMaxDiagonalEdits; limit + 1 if it
// is greater (Ukkonen, 1985). Diagonal d has the units i of a and i + d of b. After e edits, only those diagonals are
// followed from which the remaining edits reach the end.
inline int64_t distance_by_diagonals(UnitRange a, UnitRange b, int64_t limit, Pace& pace) {
  const int64_t m = a.size(), n = b.size(), last = n - m;
  constexpr int64_t kBegin = kMaxDiagonalEdits + 1;
  if (last > limit) return limit + 1;
  int64_t room[2 * kBegin + 1];
  int64_t* const reached = room + kBegin;  // on each diagonal: the units of a
  std::fill_n(reached - limit - 1, 2 * limit + 3, -kBegin);
  reached[0] = 0;
  for (int64_t edits = 0; edits <= limit; ++edits) {
    const int64_t first = std::max(-edits, last - (limit - edits)), end = std::min(edits, last + (limit - edits));
    int64_t before = reached[first - 1];  // on the diagonal before, with one edit less
    for (int64_t d = first; d <= end; ++d) {
      const int64_t inserted = before, replaced = reached[d] + (edits > 0 ? 1 : 0), deleted = reached[d + 1] + 1;
      before = reached[d];
      const int64_t most = std::min(m, n - d);
      int64_t i = std::min(std::max({inserted, replaced, deleted}), most);
      const int64_t equal = equal_units(a.begin + i, b.begin + i + d, most - i);
      pace.spend(equal);
      i += equal;
      if (d == last && i == m) return edits;
      reached[d] = i;
    }
  }
  return limit + 1;
}

}  // namespace stringops::kernels
