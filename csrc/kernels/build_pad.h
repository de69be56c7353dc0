// Padding of each string to a width, and a slice of each string, in code points (driver/map.h). A byte that is not part
// of a code point counts as one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "core/copy_bytes.h"
#include "core/utf8.h"
#include "kernels/driver/runner.h"
#include "kernels/inspect.h"

namespace stringops::kernels {

// More bytes than any result has. The padding of a string stops here, so that no sum overflows.
constexpr int64_t kMaxPadding = int64_t{1} << 31;

// Adds fill characters before and after each string that has fewer than `width` code points.
class Pad {
 public:
  static constexpr Cost kCost{15, 0.2};
  static constexpr bool kSameSize = false;

  enum class Side { kLeft, kRight, kBoth };

  // The fill character has one to four bytes.
  Pad(int64_t width, const std::string& fill, Side side) : width_(width), fill_(fill), side_(side) {}

  int64_t size(StringView in) const {
    return in.size() + std::min(std::min(missing(in), kMaxPadding) * static_cast<int64_t>(fill_.size()), kMaxPadding);
  }

  uint8_t* write(StringView in, uint8_t* out, uint8_t* out_end) const {
    const int64_t padding = missing(in);
    // As Python's str.center: if the padding is odd, the extra character is on the left if the width is odd.
    const int64_t before = side_ == Side::kLeft    ? padding
                           : side_ == Side::kRight ? 0
                                                   : padding / 2 + (padding & width_ & 1);
    out = write_fill(before, out, out_end);
    out = write_bytes(in.begin, in.size(), out, out_end);
    return write_fill(padding - before, out, out_end);
  }

 private:
  // How many fill characters the string needs.
  int64_t missing(StringView in) const {
    // A code point has at most four bytes.
    if (width_ <= (in.size() + 3) / 4) return 0;
    return std::max<int64_t>(width_ - CodepointLength()(in), 0);
  }

  // As many as there is room for: fewer only after a concurrent write.
  static uint8_t* write_bytes(const uint8_t* bytes, int64_t size, uint8_t* out, const uint8_t* out_end) {
    size = std::min(size, out_end - out);
    copy_bytes(out, bytes, size);
    return out + size;
  }

  uint8_t* write_fill(int64_t count, uint8_t* out, const uint8_t* out_end) const {
    if (fill_.size() == 1) {
      count = std::min(count, out_end - out);
      if (count > 0) std::memset(out, fill_[0], static_cast<size_t>(count));
      return out + count;
    }
    const auto* const fill = reinterpret_cast<const uint8_t*>(fill_.data());
    for (; count > 0 && out < out_end; --count)
      out = write_bytes(fill, static_cast<int64_t>(fill_.size()), out, out_end);
    return out;
  }

  const int64_t width_;
  const std::string fill_;
  const Side side_;
};

// Adds zeros before each string that has fewer than `width` code points, after its sign.
class ZeroFill {
 public:
  static constexpr Cost kCost{15, 0.2};
  static constexpr bool kSameSize = false;

  explicit ZeroFill(int64_t width) : pad_(width, "0", Pad::Side::kLeft) {}

  int64_t size(StringView in) const { return pad_.size(in); }

  uint8_t* write(StringView in, uint8_t* out, uint8_t* out_end) const {
    const bool has_sign = in.size() > 0 && (in.begin[0] == '+' || in.begin[0] == '-');
    uint8_t* const end = pad_.write(in, out, out_end);
    const int64_t zeros = end - out - in.size();
    if (has_sign && zeros > 0) std::swap(out[0], out[zeros]);
    return end;
  }

 private:
  const Pad pad_;
};

// Code points or bytes [start, stop) of each string, as in a slice of Python: negative numbers count from the end.
template <bool kBytes>
struct Slice {
  static constexpr Cost kCost{6, kBytes ? 0.03 : 0.2};

  int64_t start;
  std::optional<int64_t> stop;

  StringView piece(StringView in) const {
    if constexpr (kBytes) {
      const int64_t first = bound(start, in.size()), last = stop ? bound(*stop, in.size()) : in.size();
      return {in.begin + first, in.begin + std::max(first, last)};
    } else {
      // The number of code points is needed for those that count from the end only.
      int64_t first = start, last = stop.value_or(INT64_MAX);
      if (first < 0 || last < 0) {
        const int64_t count = CodepointLength()(in);
        first = bound(first, count);
        last = bound(last, count);
      }
      const uint8_t* const begin = skip(in.begin, in.end, first);
      if (!stop) return {begin, in.end};
      return {begin, skip(begin, in.end, last - first)};
    }
  }

 private:
  // The position of a bound in a string of this length.
  static int64_t bound(int64_t at, int64_t length) {
    return at < 0 ? std::max<int64_t>(at + length, 0) : std::min(at, length);
  }

  // The end of the first `count` code points.
  static const uint8_t* skip(const uint8_t* p, const uint8_t* end, int64_t count) {
    if (count <= 0) return p;
    if (count >= end - p) return end;
    while (count > 0 && p < end) {
      // Eight ASCII characters at once.
      while (count >= 8 && end - p >= 8 && is_ascii(p, 8)) {
        p += 8;
        count -= 8;
      }
      for (; count > 0 && p < end && *p < 0x80; --count) ++p;
      for (; count > 0 && p < end && *p >= 0x80; --count) p += std::max<int64_t>(long_codepoint(p, end), 1);
    }
    return p;
  }
};

}  // namespace stringops::kernels
