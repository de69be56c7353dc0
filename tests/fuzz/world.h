// Arguments that several threads share (string tensors and a vocabulary's table), and the calls that they make on them.
// Each target's file registers calls of its operators:
//
//   SHARED_CALL(string_unique, { ... return digest(...); })    can use `world` and `runner`
#pragma once

#include <optional>
#include <random>
#include <string>
#include <vector>

#include "core/hash.h"
#include "driver/runner.h"
#include "fuzz.h"

namespace stringops::fuzz {

struct World {
  explicit World(int64_t rows);

  Strings strings, other, long_ones;  // `other` equals `strings`
  Bytes table;
};

// A hash of the result; nothing if the arguments were rejected.
using Result = std::optional<uint64_t>;

struct SharedCall {
  const char* name;
  Result (*run)(const World& world, const kernels::Runner& runner);
};

inline std::vector<SharedCall>& shared_calls() {
  static std::vector<SharedCall> all;
  return all;
}

#define SHARED_CALL(name, ...)                                                                                \
  static ::stringops::fuzz::Result shared_##name([[maybe_unused]] const ::stringops::fuzz::World& world,      \
                                                 [[maybe_unused]] const ::stringops::kernels::Runner& runner) \
      __VA_ARGS__ [[maybe_unused]] static const bool shared_##name##_registered =                             \
          (::stringops::fuzz::shared_calls().push_back({#name, shared_##name}), true);

template <class... Buffers>
uint64_t digest(const Buffers&... buffers) {
  uint64_t sum = 0;
  const auto add = [&](const auto& buffer) {
    const auto bytes = buffer.size() * static_cast<int64_t>(sizeof(buffer[0]));
    sum = sum * 31 + stable_hash(reinterpret_cast<const uint8_t*>(buffer.data()), bytes);
  };
  (add(buffers), ...);
  return sum;
}

}  // namespace stringops::fuzz
