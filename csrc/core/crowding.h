// When words in a hash table lie further from their homes than chance puts them. No torch here.
//
// At most half of the slots are taken, so a search takes half a step to the next slot in the mean; the most seen of
// real and of regular words, under thousands of seeds, is 3. Far beyond that, words were chosen for their hashes, by
// somebody who knows the seed. Then another seed is called for, and never a long walk.
#pragma once

#include <cstdint>
#include <random>

#include "core/word_key.h"

namespace stringops {

// Whether a table takes so many steps from slot to slot that it had better have another seed. A few words may lie
// anywhere.
inline bool is_crowded(int64_t steps, int64_t words) {
  return steps > 8 * words + 2048;
}

// A seed that nobody can know beforehand.
inline HashSeed random_seed() {
  std::random_device random;
  const uint64_t high = random();
  return expand_seed(high << 32 | random());
}

}  // namespace stringops
