// Preloaded, it makes std::random_device return the two halves of a known number a given number of times, as if a seed
// had leaked. Later values differ, but are the same in every run.
#include <cstdint>

namespace {
uint64_t known = 0, times = 0, drawn = 0;
}

extern "C" void know_random(uint64_t value, uint64_t draws) {
  known = value;
  times = draws;
  drawn = 0;
}

// std::random_device::_M_getval()
extern "C" unsigned _ZNSt13random_device9_M_getvalEv(void*) {
  const uint64_t i = drawn++;
  if (i < times) return static_cast<unsigned>(i % 2 == 0 ? known >> 32 : known);
  return static_cast<unsigned>((i + 1) * 0x9E3779B97F4A7C15 >> 32);
}
