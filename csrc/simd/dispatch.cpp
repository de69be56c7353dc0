// Selects the tier once, at load, by the CPU and the environment variable STRINGOPS_SIMD.
#include <atomic>
#include <cstdlib>
#include <cstring>

#include "simd/tiers.h"

namespace stringops::simd {
namespace {

#ifdef __x86_64__
bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
         __builtin_cpu_supports("popcnt");
}

bool has_avx512() {
  return has_avx2() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2") &&
         __builtin_cpu_supports("avx512bitalg") && __builtin_cpu_supports("avx512vpopcntdq");
}
#endif

// The tiers that this CPU runs, the best one last. They are not on the heap, because the C functions below may not
// throw.
struct Tiers {
  Primitives tables[3];
  int count = 0;

  Tiers() {
    add(scalar_tier);
#ifdef __x86_64__
    __builtin_cpu_init();
    if (has_avx2()) add(avx2_tier);
    if (has_avx512()) add(avx512_tier);
#elif defined(__aarch64__)
    add(neon_tier);
#endif
  }
  const Primitives& best() const { return tables[count - 1]; }

 private:
  // Adds a copy of the tier below, with the entries that the function replaces.
  void add(void (*replace)(Primitives&)) {
    if (count) tables[count] = best();
    replace(tables[count]);
    ++count;
  }
};

const Tiers tiers;

const Primitives* find(const char* name) {
  for (int i = 0; i < tiers.count; ++i) {
    if (std::strcmp(tiers.tables[i].tier, name) == 0) return &tiers.tables[i];
  }
  return nullptr;
}

// An unknown or unsupported name selects the best tier: a setting must not keep a program from starting.
const Primitives* choose() {
  const char* forced = std::getenv("STRINGOPS_SIMD");
  const Primitives* tier = forced ? find(forced) : nullptr;
  return tier ? tier : &tiers.best();
}

std::atomic<const Primitives*> current{choose()};

struct Names {
  char text[64] = "";
  Names() {
    for (int i = tiers.count; i-- > 0;) {
      std::strcat(text, tiers.tables[i].tier);
      if (i) std::strcat(text, ",");
    }
  }
};

const Names names;

}  // namespace

const Primitives& primitives() {
  return *current.load(std::memory_order_relaxed);
}

}  // namespace stringops::simd

const char* stringops_simd_tiers() {
  return stringops::simd::names.text;
}

const char* stringops_simd_tier() {
  return stringops::simd::primitives().tier;
}

bool stringops_set_simd_tier(const char* name) {
  const auto* tier = stringops::simd::find(name);
  if (tier) stringops::simd::current.store(tier, std::memory_order_relaxed);
  return tier != nullptr;
}
