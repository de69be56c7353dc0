// Arrays in a table.
#pragma once

#include <cstdint>
#include <cstring>

namespace stringops::subword {

// The symbol that is none, and the priority of a pair that does not merge.
constexpr uint32_t kNone = 0xFFFFFFFF;
constexpr uint32_t kMaxSymbol = (1 << 21) - 1;

// A bounded array at any address. An element outside is T{}.
template <class T>
struct Array {
  const uint8_t* at = nullptr;
  uint64_t size = 0;

  T operator[](uint64_t i) const {
    T value{};
    if (i < size) std::memcpy(&value, at + i * sizeof(T), sizeof(T));
    return value;
  }
  T unchecked(uint64_t i) const {
    T value;
    std::memcpy(&value, at + i * sizeof(T), sizeof(T));
    return value;
  }
};

}  // namespace stringops::subword
