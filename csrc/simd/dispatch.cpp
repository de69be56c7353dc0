// Choosing a tier: once, at load, by what the CPU has and what STRINGOPS_SIMD asks for.
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

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

const std::vector<const Primitives*>& available() {
  static const std::vector<const Primitives*> tiers = [] {
    std::vector<const Primitives*> found;
    __builtin_cpu_init();
    if (has_avx512()) found.push_back(&avx512_primitives);
    if (has_avx2()) found.push_back(&avx2_primitives);
    found.push_back(&scalar_primitives);
    return found;
  }();
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
  return tier ? tier : available().front();
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
  static const std::string names = [] {
    std::string joined;
    for (const auto* tier : stringops::simd::available())
      joined += (joined.empty() ? "" : ",") + std::string(tier->tier);
    return joined;
  }();
  return names.c_str();
}

const char* stringops_simd_tier() {
  return stringops::simd::primitives().tier;
}

bool stringops_set_simd_tier(const char* name) {
  const auto* tier = stringops::simd::find(name);
  if (tier) stringops::simd::current().store(tier, std::memory_order_relaxed);
  return tier != nullptr;
}
