// Operators that build strings: concatenation and repetition of operands that broadcast, slices and padding. A byte
// that is not part of a code point counts as one.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "core/codepoint.h"
#include "core/copy_bytes.h"
#include "core/fail.h"
#include "core/strings.h"
#include "core/utf8.h"
#include "driver/broadcast.h"
#include "driver/map.h"
#include "driver/padded_map.h"
#include "driver/strings_with_room.h"
#include "driver/substring_map.h"
#include "driver/two_pass.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

// A work has
//
//   const Shape& shape() const                               of the result
//   Reader reader() const                                    for one task: has
//     int64_t measure(first, count)                          the bytes of a block of elements
//     int64_t write(first, count, out, offsets, at, limit)   writes them at `at`, nothing at or past `limit`, and
//                                                            their offsets; returns where they end
//   double ns() const                                        what all of it takes
//
// allocate(num_bytes) -> MapOutput.
template <class Work, class Allocate>
void build_strings(const char* op, const Runner& runner, const Work& work, Allocate&& allocate) {
  const Shape& shape = work.shape();
  const int64_t count = count_elements(shape);
  const EvenTasks tasks{count, runner.choose_tasks(work.ns())};
  const std::vector<int64_t> first_bytes = measure_tasks(op, runner, tasks.tasks, [&](int64_t t) {
    auto reader = work.reader();
    int64_t bytes = 0;
    for_each_element_block(shape, tasks.begin(t), tasks.begin(t + 1), [&](int64_t first, int64_t n) {
      bytes = std::min(bytes + reader.measure(first, n), kTooMany);
    });
    return bytes;
  });
  const MapOutput out = allocate(first_bytes.back());
  if (count == 0) return;
  write_tasks(op, runner, first_bytes, [&](int64_t t, int64_t at, int64_t limit) {
    auto reader = work.reader();
    OffsetsWriter offsets(out.offsets, tasks.begin(t));
    for_each_element_block(shape, tasks.begin(t), tasks.begin(t + 1), [&](int64_t first, int64_t n) {
      at = reader.write(first, n, out.data, offsets, at, limit);
    });
    return at == limit;
  });
}

// The strings of all operands at each element, one after the other.
class Concat {
 public:
  // Operands of these shapes, each of at least one dimension.
  Concat(const std::vector<StringSpan>& spans, const std::vector<Shape>& shapes, Shape shape)
      : shape_(std::move(shape)) {
    operands_.reserve(spans.size());
    for (size_t i = 0; i < spans.size(); ++i) {
      operands_.emplace_back(strings_.emplace_back(spans[i]).span(), shapes[i], shape_.size());
    }
  }

  const Shape& shape() const { return shape_; }
  double ns() const;

  class Reader {
   public:
    explicit Reader(const Concat& concat);
    int64_t measure(int64_t first, int64_t count);
    int64_t write(int64_t first, int64_t count, uint8_t* out, OffsetsWriter& offsets, int64_t at, int64_t limit);

   private:
    void read(int64_t first, int64_t count);

    std::vector<StringsReader> readers_;
    std::vector<simd::StringRun> runs_;  // of the block that was read last
  };
  Reader reader() const { return Reader(*this); }

 private:
  Shape shape_;
  std::deque<StringsWithRoom> strings_;
  std::vector<Operand> operands_;
};

// Each string as many times in a row as its number says; a negative number counts as 0.
class Repeat {
 public:
  Repeat(const StringSpan& span, const Shape& span_shape, const int64_t* counts, const Shape& counts_shape, Shape shape)
      : shape_(std::move(shape)),
        strings_(span),
        operand_(strings_.span(), span_shape, shape_.size()),
        counts_(counts),
        counts_shape_(counts_shape) {}

  const Shape& shape() const { return shape_; }
  double ns() const;

  class Reader {
   public:
    explicit Reader(const Repeat& repeat);
    int64_t measure(int64_t first, int64_t count);
    int64_t write(int64_t first, int64_t count, uint8_t* out, OffsetsWriter& offsets, int64_t at, int64_t limit);

   private:
    StringsReader strings_;
    NumbersReader counts_;
  };
  Reader reader() const { return Reader(*this); }

 private:
  Shape shape_;
  StringsWithRoom strings_;
  Operand operand_;
  const int64_t* const counts_;
  const Shape counts_shape_;
};

// Sets pieces[k] to the slice of string k of a block (driver/substring_map.h). Returns false if reading all of its
// bytes is not worth it, or if they are not UTF-8.
bool slice_block(const Block& block, const simd::CodepointSlice& slice, bool bytes, simd::ShortPiece* pieces);

// Code points or bytes [start, stop) of each string, as in a slice of Python: negative numbers count from the end.
template <bool kBytes>
struct Slice {
  using Driver = SubstringMap;
  static constexpr Cost kCost{6, kBytes ? 0.03 : 0.2};

  int64_t start;
  std::optional<int64_t> stop;

  bool find_pieces(const Block& block, simd::ShortPiece* pieces) const {
    return slice_block(block, {start, stop.value_or(INT64_MAX)}, kBytes, pieces);
  }

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
  // Returns the position of a bound in a string of this length.
  static int64_t bound(int64_t at, int64_t length) {
    return at < 0 ? std::max<int64_t>(at + length, 0) : std::min(at, length);
  }

  // Returns the position of a bound in code points.
  static const uint8_t* find(StringView in, int64_t at) {
    return at < 0 ? skip_back(in.begin, in.end, at) : skip(in.begin, in.end, at);
  }

  // Returns the beginning of the last -count code points.
  static const uint8_t* skip_back(const uint8_t* begin, const uint8_t* p, int64_t count) {
    if (count <= begin - p) return begin;
    for (; count < 0 && p > begin; ++count) p -= read_codepoint_before(begin, p).length;
    return p;
  }

  // Returns the end of the first `count` code points.
  static const uint8_t* skip(const uint8_t* p, const uint8_t* end, int64_t count) {
    if (count <= 0 || p == end) return p;
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
