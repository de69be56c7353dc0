// Padding of each string to a width in code points (driver/padded_map.h). A byte that is not part of a code point
// counts as one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>

#include "core/codepoint.h"
#include "core/copy_bytes.h"
#include "core/fail.h"
#include "core/utf8.h"
#include "driver/padded_map.h"

namespace stringops::kernels {

// Adds fill characters before and after each string that has fewer than `width` code points.
class Pad {
 public:
  using Driver = PaddedMap;
  static constexpr Cost kCost{6, 0.1};

  enum class Side { kLeft, kRight, kBoth };

  // The fill character has one to four bytes.
  Pad(int64_t width, const std::string& fill, Side side)
      : width_(std::max<int64_t>(width, 0)), fill_size_(static_cast<int64_t>(fill.size())), side_(side) {
    for (size_t i = 0; i < fills_.size(); ++i) fills_[i] = static_cast<uint8_t>(fill[i % fill.size()]);
  }

  // A code point has at most four bytes.
  bool needs_length(int64_t num_bytes) const { return width_ > (num_bytes + 3) / 4; }

  int64_t size(int64_t num_bytes, int64_t length) const { return num_bytes + missing(length) * fill_size_; }

  uint8_t* write(StringView in, int64_t length, const uint8_t* readable_end, uint8_t* out, uint8_t* out_end) const {
    const int64_t count = missing(length), padding = count * fill_size_, size = in.size();
    // Like Python's str.center, if the padding is odd, the extra character is on the left if the width is odd.
    const int64_t before = side_ == Side::kLeft    ? padding
                           : side_ == Side::kRight ? 0
                                                   : (count / 2 + (count & width_ & 1)) * fill_size_;
    // Sizes are unpredictable, so short strings are written without a branch on them; later writes overwrite the
    // excess. One branch tests all conditions: none of these numbers is negative.
    const auto fits = [&](int64_t n) {
      return ((kShortCopy - padding) | (n - size) | (out_end - out - n - 2 * kShortCopy) |
              (readable_end - in.begin - n)) >= 0;
    };
    if (fits(kMediumCopy)) {
      std::memcpy(out, fills_.data(), kShortCopy);
      if (size <= kShortCopy) {
        std::memcpy(out + before, in.begin, kShortCopy);
      } else {
        copy_medium(out + before, in.begin);
      }
      std::memcpy(out + before + size, fills_.data(), kShortCopy);
      return out + padding + size;
    }
    out = write_fill(before, out, out_end);
    out = write_bytes(in.begin, size, out, out_end);
    return write_fill(padding - before, out, out_end);
  }

 private:
  // Returns the number of fill characters that a string of this length needs.
  int64_t missing(int64_t length) const { return std::clamp<int64_t>(width_ - length, 0, kTooMany); }

  // These write as many bytes as there is room for.
  static uint8_t* write_bytes(const uint8_t* bytes, int64_t size, uint8_t* out, const uint8_t* out_end) {
    size = std::min<int64_t>(size, out_end - out);
    copy_exact(out, bytes, size);
    return out + size;
  }

  uint8_t* write_fill(int64_t size, uint8_t* out, const uint8_t* out_end) const {
    uint8_t* const end = out + std::min<int64_t>(size, out_end - out);
    for (int64_t n; out < end; out += n) {
      n = std::min(end - out, kFills);
      if (out_end - out >= n + kShortCopy) {
        for (int64_t i = 0; i < n; i += kShortCopy) std::memcpy(out + i, fills_.data() + i, kShortCopy);
      } else {
        copy_bytes(out, fills_.data(), n);
      }
    }
    return end;
  }

  const int64_t width_;
  const int64_t fill_size_;
  static constexpr int64_t kFills = 384;  // whole characters of any size, and whole copies
  std::array<uint8_t, kFills> fills_;
  const Side side_;
};

// Adds zeros before each string that has fewer than `width` code points, after its sign.
class ZeroFill {
 public:
  using Driver = PaddedMap;
  static constexpr Cost kCost{6, 0.1};

  explicit ZeroFill(int64_t width) : pad_(width, "0", Pad::Side::kLeft) {}

  bool needs_length(int64_t num_bytes) const { return pad_.needs_length(num_bytes); }
  int64_t size(int64_t num_bytes, int64_t length) const { return pad_.size(num_bytes, length); }

  uint8_t* write(StringView in, int64_t length, const uint8_t* readable_end, uint8_t* out, uint8_t* out_end) const {
    const bool has_sign = in.size() > 0 && (in.begin[0] == '+' || in.begin[0] == '-');
    uint8_t* const end = pad_.write(in, length, readable_end, out, out_end);
    const int64_t zeros = end - out - in.size();
    if (has_sign && zeros > 0) std::swap(out[0], out[zeros]);
    return end;
  }

 private:
  const Pad pad_;
};

}  // namespace stringops::kernels
