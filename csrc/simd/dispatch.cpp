// Choosing a tier: once, at load, by what the CPU has and what STRINGOPS_SIMD asks for.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "simd/primitives.h"
#include "simd/tiers.h"

namespace stringops::simd {
namespace {

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("popcnt");
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vbmi") &&
         __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("avx512bitalg") &&
         __builtin_cpu_supports("avx512vpopcntdq");
}

// Best first. No memory is asked for here, as the C functions below may not throw.
struct Tiers {
  const Primitives* best_first[3];
  int count = 0;

  Tiers() {
    __builtin_cpu_init();
    if (has_avx512()) best_first[count++] = &avx512_primitives;
    if (has_avx2()) best_first[count++] = &avx2_primitives;
    best_first[count++] = &scalar_primitives;
  }
  const Primitives* const* begin() const { return best_first; }
  const Primitives* const* end() const { return best_first + count; }
};

const Tiers& available() {
  static const Tiers tiers;
  return tiers;
}

const Primitives* find(const char* name) {
  for (const Primitives* tier : available()) {
    if (std::strcmp(tier->tier, name) == 0) return tier;
  }
  return nullptr;
}

// An unknown or unsupported name falls back to the best tier: a setting must not keep a program from starting.
const Primitives* choose() {
  const char* forced = std::getenv("STRINGOPS_SIMD");
  const Primitives* tier = forced ? find(forced) : nullptr;
  return tier ? tier : *available().begin();
}

std::atomic<const Primitives*>& current() {
  static std::atomic<const Primitives*> tier{choose()};
  return tier;
}

}  // namespace

const Primitives& primitives() {
  return *current().load(std::memory_order_relaxed);
}

}  // namespace stringops::simd

const char* stringops_simd_tiers() {
  struct Names {
    char text[64] = "";
    Names() {
      for (const auto* tier : stringops::simd::available()) {
        if (text[0]) std::strcat(text, ",");
        std::strcat(text, tier->tier);
      }
    }
  };
  static const Names names;
  return names.text;
}

const char* stringops_simd_tier() {
  return stringops::simd::primitives().tier;
}

bool stringops_set_simd_tier(const char* name) {
  const auto* tier = stringops::simd::find(name);
  if (tier) stringops::simd::current().store(tier, std::memory_order_relaxed);
  return tier != nullptr;
}
