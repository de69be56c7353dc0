// Shared by all fuzz targets: registration, a check that aborts, and heap buffers of exactly the requested size, so
// that AddressSanitizer detects an access one byte out of bounds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "simd/primitives.h"

namespace stringops::fuzz {

struct Target {
  const char* name;
  void (*run)(const uint8_t* bytes, size_t size);
};

inline std::vector<Target>& targets() {
  static std::vector<Target> all;
  return all;
}

// What follows the colon in the name of a target, such as `operators:string_lower`.
inline std::string& target_option() {
  static std::string option;
  return option;
}

inline const Target* find_target(std::string_view name) {
  const size_t colon = std::min(name.find(':'), name.size());
  if (colon < name.size()) target_option() = name.substr(colon + 1);
  for (const Target& target : targets()) {
    if (target.name == name.substr(0, colon)) return &target;
  }
  return nullptr;
}

class Input;

template <void (*run)(Input&)>
bool add_target(const char* name);

// Defines a target: FUZZ_TARGET(string_split) { ... `in` is the input ... }
#define FUZZ_TARGET(op)                                                                               \
  static void fuzz_##op(::stringops::fuzz::Input& in);                                                \
  [[maybe_unused]] static const bool registered_##op = ::stringops::fuzz::add_target<fuzz_##op>(#op); \
  static void fuzz_##op(::stringops::fuzz::Input& in)

// Aborts if the condition is false. libFuzzer and the replay then report the input.
#define REQUIRE(condition)                                                                                          \
  do {                                                                                                              \
    if (!(condition)) {                                                                                             \
      std::fprintf(stderr, "%s:%d: false on tier %s: %s\n", __FILE__, __LINE__, stringops_simd_tier(), #condition); \
      std::abort();                                                                                                 \
    }                                                                                                               \
  } while (0)

// `size` elements; reading before or after them is an error. Without elements the address is null, as in torch.
template <class T>
class Exact {
 public:
  explicit Exact(int64_t size = 0) : size_(size), items_(size > 0 ? new T[static_cast<size_t>(size)] : nullptr) {}
  explicit Exact(const std::vector<T>& from) : Exact(static_cast<int64_t>(from.size())) {
    if (size_ > 0) std::memcpy(items_.get(), from.data(), from.size() * sizeof(T));
  }

  int64_t size() const { return size_; }
  T* data() const { return items_.get(); }
  T& operator[](int64_t i) const { return items_[static_cast<size_t>(i)]; }
  std::vector<T> copy() const { return std::vector<T>(data(), data() + size_); }

 private:
  int64_t size_;
  std::unique_ptr<T[]> items_;
};

using Bytes = Exact<uint8_t>;

inline Bytes bytes_of(std::string_view text) {
  Bytes bytes(static_cast<int64_t>(text.size()));
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), text.size());
  return bytes;
}

inline std::string text_of(const uint8_t* begin, int64_t size) {
  return size > 0 ? std::string(reinterpret_cast<const char*>(begin), static_cast<size_t>(size)) : std::string();
}

inline const std::vector<std::string>& tiers() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> found;
    const std::string joined = stringops_simd_tiers();
    for (size_t at = 0; at <= joined.size();) {
      const size_t end = std::min(joined.find(',', at), joined.size());
      found.push_back(joined.substr(at, end - at));
      at = end + 1;
    }
    return std::vector<std::string>(found.rbegin(), found.rend());  // scalar first
  }();
  return names;
}

// Returns the result of run() on the scalar tier; every other tier must give the same.
template <class Run>
auto same_on_every_tier(Run&& run) {
  stringops_set_simd_tier("scalar");
  auto want = run();
  for (size_t t = 1; t < tiers().size(); ++t) {
    stringops_set_simd_tier(tiers()[t].c_str());
    REQUIRE(run() == want);
  }
  stringops_set_simd_tier("scalar");
  return want;
}

// Runs on every tier and ignores the results: for arguments that have changed since they were checked, only the memory
// accesses matter.
template <class Run>
void survives_on_every_tier(Run&& run) {
  for (const std::string& tier : tiers()) {
    stringops_set_simd_tier(tier.c_str());
    run();
  }
  stringops_set_simd_tier("scalar");
}

}  // namespace stringops::fuzz

#include "input.h"

template <void (*run)(stringops::fuzz::Input&)>
bool stringops::fuzz::add_target(const char* name) {
  targets().push_back({name, [](const uint8_t* bytes, size_t size) {
                         Input in(bytes, size);
                         run(in);
                       }});
  return true;
}
