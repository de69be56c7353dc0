// The cutter of string_splitlines_ragged: the lines of each string, as str.splitlines cuts them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/poll.h"
#include "core/strings.h"
#include "driver/cut.h"

namespace stringops::kernels {

// Returns the number of bytes of the line boundary at p < end (1, 2 or 3), or 0 if none starts there:
//
//   0A, 0B, 0C, 0D, 0D 0A, 1C, 1D, 1E
//   C2 85                                U+0085
//   E2 80 A8, E2 80 A9                   U+2028, U+2029
constexpr int64_t line_boundary_length(const uint8_t* p, const uint8_t* end) {
  const auto is = [&](int64_t i, uint8_t byte) { return end - p > i && p[i] == byte; };
  if (*p == 0x0D) return is(1, 0x0A) ? 2 : 1;
  if ((*p >= 0x0A && *p <= 0x0C) || (*p >= 0x1C && *p <= 0x1E)) return 1;
  if (*p == 0xC2) return is(1, 0x85) ? 2 : 0;
  return *p == 0xE2 && is(1, 0x80) && (is(2, 0xA8) || is(2, 0xA9)) ? 3 : 0;
}

class LineCutter {
 public:
  // `keepends`: whether a line includes its boundary.
  explicit LineCutter(bool keepends) : keepends_(keepends) {}

  struct Task {};

  Cost cost() const { return {10, 0.3}; }
  Partition divide(const StringSpan& in, int64_t tasks) const { return divide_evenly(in, tasks, false); }

  void count(const StringSpan& in, Position begin, Position end, PieceCounter& counter, Task*) const {
    cut(in, begin, end, counter);
  }
  void check(const char*, const Task&) const {}
  template <class Sink>
  bool write(const StringSpan& in, Position begin, Position end, const Task&, Sink& sink) const {
    cut(in, begin, end, sink);
    return true;
  }

 private:
  template <class Sink>
  void cut(const StringSpan& in, Position begin, Position end, Sink& sink) const {
    Pace pace;
    for_each_string(in, begin.index, end.index, [&](int64_t, ByteRange range) {
      StringView rest = in.view(range);
      while (rest.size() > 0) {
        const StringView boundary = find_boundary(rest, pace);
        sink.piece({rest.begin, keepends_ ? boundary.end : boundary.begin}, in.data + in.num_bytes);
        rest.begin = boundary.end;
      }
      sink.end_string();
    });
  }

  // Returns the first line boundary, or the empty end of the text.
  static StringView find_boundary(StringView text, Pace& pace) {
    constexpr int64_t kPart = 64;
    const uint8_t* p = text.begin;
    while (p < text.end) {
      pace.spend(8);
      if (text.end - p >= 8) {
        const int64_t plain = num_plain(p);
        p += plain;
        if (plain == 8) continue;
      }
      if (const int64_t length = line_boundary_length(p, text.end)) return {p, p + length};
      ++p;
      // Most bytes of other scripts begin no boundary.
      const uint8_t* const stop = p + std::min<int64_t>(text.end - p, kPart);
      while (p < stop && *p > 0x7F && *p != 0xC2 && *p != 0xE2) ++p;
    }
    return {text.end, text.end};
  }

  // The number of bytes of [p, p + 8) before the first one that is a control character or not of ASCII.
  static int64_t num_plain(const uint8_t* p) {
    uint64_t bytes;
    std::memcpy(&bytes, p, sizeof bytes);
    // The subtraction sets the high bit of bytes below 0x20. A borrow changes only bytes after such a byte.
    constexpr uint64_t kSpaces = 0x2020202020202020, kHigh = 0x8080808080808080;
    const uint64_t others = (bytes | (bytes - kSpaces)) & kHigh;
    return others == 0 ? 8 : __builtin_ctzll(others) / 8;
  }

  const bool keepends_;
};

}  // namespace stringops::kernels
