// Padding of each string to a width, and a slice of each string, in code points (driver/map.h). A byte that is not part
// of a code point counts as one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>

#include "core/codepoint.h"
#include "core/copy_bytes.h"
#include "core/utf8.h"
#include "kernels/driver/runner.h"
#include "kernels/inspect.h"

namespace stringops::kernels {

// is_ascii for n >= 0 bytes, mostly few: overlapping words cover any length.
inline bool is_short_ascii(const uint8_t* p, int64_t n) {
  const auto two = [&](auto word, auto high) {
    decltype(word) last;
    std::memcpy(&word, p, sizeof word);
    std::memcpy(&last, p + n - sizeof last, sizeof last);
    return ((word | last) & high) == 0;
  };
  if (n > 16) return is_ascii(p, n);
  if (n >= 8) return two(uint64_t{}, uint64_t{0x8080808080808080});
  if (n >= 4) return two(uint32_t{}, uint32_t{0x80808080});
  return n <= 0 || (p[0] | p[n / 2] | p[n - 1]) < 0x80;
}

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
    const int64_t length = is_short_ascii(in.begin, in.size()) ? in.size() : CodepointLength()(in);
    return std::max<int64_t>(width_ - length, 0);
  }

  // As many as there is room for: fewer only after a concurrent write.
  static uint8_t* write_bytes(const uint8_t* bytes, int64_t size, uint8_t* out, const uint8_t* out_end) {
    size = std::min(size, out_end - out);
    copy_exact(out, bytes, size);
    return out + size;
  }

  uint8_t* write_fill(int64_t count, uint8_t* out, const uint8_t* out_end) const {
    if (fill_.size() == 1) {
      constexpr int64_t kStep = 16;
      count = std::min(count, out_end - out);
      // Bytes after the padding are written later.
      if (count > 0 && count <= kStep && out_end - out >= kStep) {
        std::memset(out, fill_[0], kStep);
        return out + count;
      }
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
      const uint8_t* const begin = find(in, start);
      if (!stop) return {begin, in.end};
      // A bound from the beginning after another is found from there on.
      const uint8_t* const last = start >= 0 && *stop >= 0 ? skip(begin, in.end, *stop - start) : find(in, *stop);
      return {begin, std::max(begin, last)};
    }
  }

 private:
  // The position of a bound in a string of this length.
  static int64_t bound(int64_t at, int64_t length) {
    return at < 0 ? std::max<int64_t>(at + length, 0) : std::min(at, length);
  }

  // The position of a bound in code points.
  static const uint8_t* find(StringView in, int64_t at) {
    return at < 0 ? skip_back(in.begin, in.end, at) : skip(in.begin, in.end, at);
  }

  // The beginning of the last -count code points.
  static const uint8_t* skip_back(const uint8_t* begin, const uint8_t* p, int64_t count) {
    if (count <= begin - p) return begin;
    if (is_short_ascii(p + count, -count)) return p + count;
    for (; count < 0 && p > begin; ++count) p -= read_codepoint_before(begin, p).length;
    return p;
  }

  // The end of the first `count` code points.
  static const uint8_t* skip(const uint8_t* p, const uint8_t* end, int64_t count) {
    if (count <= 0 || p == end) return p;
    if (count <= 5) {
      // The size is unpredictable, so there is no branch on it: these are all of the n bytes.
      const int64_t n = std::min(count, end - p);
      if ((p[0] | p[n / 4] | p[n / 2] | p[3 * n / 4] | p[n - 1]) < 0x80) return p + n;
    }
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
