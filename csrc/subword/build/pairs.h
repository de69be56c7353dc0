// The sections of a subword table for merging.
#pragma once

#include <cstdint>
#include <vector>

#include "subword/build/sections.h"

namespace stringops::kernels {

struct Pair {
  uint64_t key;
  uint32_t priority;
  uint32_t made;
};

// Adds the sections kPairs, kPairPilots and kMade. Of equal pairs, the last one counts.
void add_pairs(const char* op, Sections& sections, const std::vector<Pair>& pairs);

// Returns the table of pairs of these sections.
PairTable pairs_of(const Sections& sections);

}  // namespace stringops::kernels
