// The functor of the normalization forms that compose code points (driver/stable_map.h). A result is measured by making
// it.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/compose.h"
#include "core/copy_bytes.h"
#include "driver/stable_map.h"

namespace stringops::kernels {

struct Compose : Composition {
  using Driver = StableMap;
  static constexpr Cost kCost{20, 1};
  using Composition::Composition;

  std::optional<int64_t> find_size(StringView in) const {
    std::vector<uint8_t> text;
    return edit(in, text) ? std::optional<int64_t>(text.size()) : std::nullopt;
  }

  uint8_t* write(StringView in, uint8_t* out, uint8_t* out_end) const {
    std::vector<uint8_t> text;
    const bool changes = edit(in, text);
    const int64_t size = std::min<int64_t>(changes ? static_cast<int64_t>(text.size()) : in.size(), out_end - out);
    copy_bytes(out, changes ? text.data() : in.begin, size);
    return out + size;
  }
};

}  // namespace stringops::kernels
