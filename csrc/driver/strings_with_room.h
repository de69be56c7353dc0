// Strings that are copied fast, even if there is only one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "core/narrow.h"
#include "core/string_span.h"

namespace stringops::kernels {

// Strings; a single short one gets room after it, so that it is copied as fast as a string between others.
class StringsWithRoom {
 public:
  explicit StringsWithRoom(const StringSpan& strings) : span_(strings) {
    if (strings.size() != 1) return;
    const std::string_view string = strings[0];
    if (string.size() > kShort) return;
    std::copy(string.begin(), string.end(), bytes_);
    offsets_[1] = narrow<int32_t>(static_cast<int64_t>(string.size()));
    span_ = {bytes_, static_cast<int64_t>(sizeof bytes_), offsets_, 1};
  }
  StringsWithRoom(const StringsWithRoom&) = delete;
  StringsWithRoom& operator=(const StringsWithRoom&) = delete;

  const StringSpan& span() const { return span_; }

 private:
  static constexpr size_t kShort = 64;
  StringSpan span_;
  uint8_t bytes_[2 * kShort] = {};
  int32_t offsets_[2] = {0, 0};
};

}  // namespace stringops::kernels
