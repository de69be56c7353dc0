// Detection of hash flooding: words chosen so that their hashes collide, which would make a table take quadratic time.
//
// At most half of the slots are taken, so a search takes half a step to the next slot on average. The maximum observed
// on real and on regular words, under thousands of seeds, is 3 steps. Beyond the limit the table needs another seed.
#pragma once

#include <cstdint>

namespace stringops {

// Whether searches for `words` words took more steps than chance explains. Few words are not judged.
constexpr bool is_flooded(int64_t steps, int64_t words) {
  return steps > 8 * words + 2048;
}

}  // namespace stringops
