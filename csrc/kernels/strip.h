// Operators that remove characters at the ends of each string: whitespace, given characters, a prefix or a suffix.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/codepoint.h"
#include "core/copy_bytes.h"
#include "core/string_span.h"
#include "core/strings.h"
#include "core/whitespace_set.h"
#include "driver/run_map.h"

namespace stringops::kernels {

// Driver for functors whose result is a substring with most bytes of its string. Each string is read once, and adjacent
// results that are adjacent in the input are copied at once. A functor has
//
//   static constexpr Cost kCost      what it takes (driver/runner.h)
//   StringView piece(in) const       returns the part of `in` that the result is a copy of
//
// Writes the results of a task to its place, which has room for its strings.
template <class Functor>
class PieceWriter {
 public:
  PieceWriter(const char*, const Functor& f, const MapOutput& out, int64_t begin, int64_t end)
      : f_(f), out_(out), begin_(begin), end_(end) {}

  void write(const StringSpan& in, int64_t first, int64_t last) {
    OffsetsWriter offsets(out_.offsets, first);
    RangeCopier copier(in.data, in.num_bytes, out_.data, begin_, end_);
    for_each_string(in, first, last, [&](int64_t, ByteRange range) {
      const StringView piece = f_.piece(in.view(range));
      copier.take(piece.begin - in.data, piece.end - in.data);
      offsets.push(copier.at());
    });
    copier.finish();
    result.in_place = copier.at() - begin_;
  }

  RunResult result;

 private:
  const Functor& f_;
  const MapOutput out_;
  const int64_t begin_, end_;
};

struct PieceMap {
  template <class Functor, class Allocate>
  static void map(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, Allocate&& allocate) {
    RunMap::map_by<PieceWriter<Functor>>(op, runner, f, in, allocate);
  }
};

// The characters of a text. A byte that is not part of a code point is a character.
class CharacterSet {
 public:
  explicit CharacterSet(std::string_view text) {
    const auto* p = reinterpret_cast<const uint8_t*>(text.data());
    const uint8_t* const end = p + text.size();
    while (p < end) {
      const int64_t length = read_codepoint(p, end).length;
      bytes.add(p[0], p[length - 1]);
      if (*p >= 0x80) others_.push_back(key(p, length));
      p += length;
    }
    std::sort(others_.begin(), others_.end());
  }

  EndBytes bytes;

  static const uint8_t* skip(const uint8_t* begin, const uint8_t*) { return begin; }
  int64_t first(const uint8_t* begin, const uint8_t* end) const {
    return length_in_set(begin, read_codepoint(begin, end).length);
  }
  int64_t last(const uint8_t* begin, const uint8_t* end) const {
    const int64_t length = read_codepoint_before(begin, end).length;
    return length_in_set(end - length, length);
  }

 private:
  int64_t length_in_set(const uint8_t* p, int64_t length) const {
    const bool found = *p < 0x80 ? bytes.first[*p] : std::binary_search(others_.begin(), others_.end(), key(p, length));
    return found ? length : 0;
  }

  // The bytes as a number, which no other character has.
  static uint32_t key(const uint8_t* p, int64_t length) {
    uint32_t bytes = 0;
    std::memcpy(&bytes, p, static_cast<size_t>(length));
    return bytes;
  }

  std::vector<uint32_t> others_;  // the keys of characters beyond ASCII, sorted
};

// The string without characters of a set at its ends.
template <class Set>
struct Strip {
  using Driver = PieceMap;
  static constexpr Cost kCost{6, 0.05};

  bool left;
  bool right;
  const Set& set;

  StringView piece(StringView in) const {
    if (left) {
      while (in.begin < in.end && set.bytes.first[*in.begin]) {
        const int64_t length = set.first(in.begin, in.end);
        if (length == 0) break;
        in.begin = Set::skip(in.begin + length, in.end);
      }
    }
    if (right) {
      while (in.begin < in.end && set.bytes.last[in.end[-1]]) {
        const int64_t length = set.last(in.begin, in.end);
        if (length == 0) break;
        in.end -= length;
      }
    }
    return in;
  }
};

// The string without these bytes at its beginning or end, if they are there.
struct RemoveAffix {
  using Driver = PieceMap;
  static constexpr Cost kCost{8, 0.05};

  std::string_view affix;
  bool at_end;

  StringView piece(StringView in) const {
    const auto size = static_cast<int64_t>(affix.size());
    if (in.size() < size || size == 0) return in;
    if (std::memcmp(at_end ? in.end - size : in.begin, affix.data(), affix.size()) != 0) return in;
    return at_end ? StringView{in.begin, in.end - size} : StringView{in.begin + size, in.end};
  }
};

}  // namespace stringops::kernels
