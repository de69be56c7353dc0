// One array of an Arrow column of strings: its checks, its strings and its offsets.
//
// Structures are checked as far as possible; Arrow does not give the sizes of buffers.
#pragma once

#include <Python.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "convert/c_interfaces.h"
#include "convert/failure.h"
#include "convert/layout.h"
#include "core/copy_bytes.h"

namespace stringops::convert {

// The layout of a column: int32 offsets (utf8, binary), int64 offsets (large_utf8, large_binary), 16 bytes a string
// (string_view), strings of one size (fixed_size_binary), or no buffers (null, the type of columns whose strings are
// all missing).
enum class ArrowLayout { kOffsets32, kOffsets64, kViews, kFixed, kNulls };

// Adds `shift` to the offsets after the first. The sign bit of the result is set if one of them, or the difference to
// the one before it, has it.
template <class Unsigned>
Unsigned shift_offsets(const void* offsets, int64_t count, Unsigned shift, int32_t* out) {
  constexpr auto kSize = static_cast<int64_t>(sizeof(Unsigned));
  Unsigned signs = 0;
  for (int64_t i = 0; i < count; ++i) {
    const auto previous = read_at<Unsigned>(offsets, i * kSize), value = read_at<Unsigned>(offsets, (i + 1) * kSize);
    signs |= value | (value - previous);
    out[i] = static_cast<int32_t>(value + shift);
  }
  return signs;
}

// An array that a producer has made.
class Chunk {
 public:
  // Moves the array out of `from`.
  explicit Chunk(ArrowArray& from) : array_(std::exchange(from, ArrowArray{})) {}

  int64_t size() const { return array_.length; }
  ArrowLayout layout() const { return layout_; }

  // Throws unless the structure can be a column of strings of this layout. `width`: the size of strings of kFixed.
  void check(const std::string& op, ArrowLayout layout, int64_t width) {
    layout_ = layout;
    width_ = width;
    const ArrowArray& a = array_;
    int64_t end = 0;
    constexpr int64_t kMaxBuffers = INT32_MAX + int64_t{3};  // 32-bit indices of data buffers, and three others
    const bool views = layout == ArrowLayout::kViews, nulls = layout == ArrowLayout::kNulls;
    const bool fixed = layout == ArrowLayout::kFixed;
    const int64_t num_buffers = fixed ? 2 : 3;
    bool good = a.length >= 0 && a.offset >= 0 && !__builtin_add_overflow(a.offset, a.length, &end) &&
                end < INT64_MAX / 16 && a.n_children == 0 && !a.dictionary;
    if (good && nulls) {
      has_missing_ = a.length > 0;
      return;
    }
    good = good && a.buffers && a.n_buffers >= num_buffers && a.n_buffers <= (views ? kMaxBuffers : num_buffers) &&
           (a.length == 0 || (fixed && width == 0) || a.buffers[1]) &&
           !(fixed && __builtin_mul_overflow(end, width, &end));
    // With views, the last buffer has the sizes of the data buffers.
    if (good && views) good = a.n_buffers == 3 || a.buffers[a.n_buffers - 1];
    if (good && a.null_count > 0) good = a.buffers[0];
    if (!good) fail(PyExc_ValueError, op + ": expected a well-formed Arrow array of strings, got one that is not");
    has_missing_ = a.null_count != 0 && a.buffers[0] && first_missing() < a.length;
    if (views || fixed || a.length == 0) return;
    const int64_t first = raw_offset(0), last = raw_offset(a.length);
    if (first < 0 || last < first || (last > first && !data())) fail_offsets(op);
    first_byte_ = first;
    num_bytes_ = last - first;
    // Other offsets are checked while they are copied, because one pass costs as much as the other.
    const bool copied_at_once = layout == ArrowLayout::kOffsets64 && !has_missing_;
    if (!copied_at_once && !has_valid_offsets()) fail_offsets(op);
  }

  bool has_missing() const { return has_missing_; }
  bool is_missing(int64_t i) const { return layout_ == ArrowLayout::kNulls || is_null(array_, i); }
  int64_t first_missing() const {
    int64_t i = 0;
    while (i < size() && !is_missing(i)) ++i;
    return i;
  }

  // For layouts with offsets, the interval of the data buffer that the strings occupied when the offsets were checked.
  int64_t first_byte() const { return first_byte_; }
  int64_t num_bytes() const { return num_bytes_; }
  const uint8_t* data() const { return static_cast<const uint8_t*>(array_.buffers[2]); }
  const void* offsets32() const { return static_cast<const int32_t*>(array_.buffers[1]) + array_.offset; }
  // Returns offset i, counted from first_byte().
  int64_t offset(int64_t i) const {
    return std::clamp(raw_offset(i), first_byte_, first_byte_ + num_bytes_) - first_byte_;
  }

  // Strings of at most this size are stored in their view.
  static constexpr int64_t kInlineBytes = 12;

  // A string; `readable` bytes from `at` may be read.
  struct Bytes {
    const void* at;
    int64_t size;
    int64_t readable;
  };

  // Returns string i of a layout with offsets.
  Bytes string(int64_t i) const {
    const int64_t begin = offset(i);
    return {data() + first_byte_ + begin, offset(i + 1) - begin, num_bytes_ - begin};
  }

  // The strings of the layout kFixed, which are adjacent.
  struct Fixed {
    const char* const begin;
    const int64_t width, count;

    Bytes string(int64_t i) const { return {begin + i * width, width, (count - i) * width}; }
  };
  Fixed fixed() const { return {static_cast<const char*>(array_.buffers[1]) + array_.offset * width_, width_, size()}; }

  // The views of the strings. It copies the fields of the array that loops need, so that they stay in registers.
  class Views {
   public:
    explicit Views(const ArrowArray& a)
        : views_(static_cast<const char*>(a.buffers[1]) + a.offset * 16),
          buffers_(a.buffers + 2),
          num_buffers_(a.n_buffers - 3),
          sizes_(a.buffers[a.n_buffers - 1]) {}

    // Returns string i, with size -1 if its view is invalid. Reads each field once.
    Bytes string(int64_t i) const {
      const char* const view = views_ + i * 16;
      const int64_t size = read_at<int32_t>(view, 0);
      if (size >= 0 && size <= kInlineBytes) return {view + 4, size, kInlineBytes};
      const int64_t buffer = read_at<int32_t>(view, 8), begin = read_at<int32_t>(view, 12);
      if (size < 0 || buffer < 0 || buffer >= num_buffers_ || begin < 0 || !buffers_[buffer]) return {nullptr, -1, 0};
      const int64_t readable = read_at<int64_t>(sizes_, buffer * 8) - begin;
      if (size > readable) return {nullptr, -1, 0};
      return {static_cast<const char*>(buffers_[buffer]) + begin, size, readable};
    }

    // Returns the sum of `count` sizes, less than 2**62. Stops at an invalid view, and sets `bad` to its position.
    int64_t num_bytes(int64_t count, int64_t& bad) const {
      int64_t sum = 0;
      for (int64_t i = 0; i < count; ++i) {
        const auto size = read_at<uint32_t>(views_, i * 16);
        if (size <= kInlineBytes) {
          sum += size;
          continue;
        }
        const int64_t checked = string(i).size;
        if (checked < 0) {
          bad = i;
          break;
        }
        sum += checked;
      }
      return sum;
    }

   private:
    const char* const views_;
    const void* const* const buffers_;
    const int64_t num_buffers_;
    const void* const sizes_;
  };
  Views views() const { return Views(array_); }

  // Writes the offsets after the first, which is `at`. Returns false unless they are non-decreasing within the
  // interval.
  bool write_offsets(int64_t at, int32_t* out) const {
    return layout_ == ArrowLayout::kOffsets32 ? write_offsets_of<uint32_t>(at, out)
                                              : write_offsets_of<uint64_t>(at, out);
  }

  bool has_valid_offsets() const {
    return layout_ == ArrowLayout::kOffsets32 ? has_valid_offsets_of<int32_t>() : has_valid_offsets_of<int64_t>();
  }

  [[noreturn]] static void fail_offsets(const std::string& op) {
    fail(PyExc_ValueError, op + ": expected the offsets of an Arrow array to be non-decreasing and >= 0");
  }
  [[noreturn]] static void fail_changed(const std::string& op) {
    fail(PyExc_ValueError, op + ": the Arrow array was modified by another thread during the call (pass a copy)");
  }

 private:
  // Returns element `at` of the offsets, which need not be aligned.
  template <class T>
  T read(int64_t at) const {
    return read_at<T>(array_.buffers[1], at * static_cast<int64_t>(sizeof(T)));
  }

  int64_t raw_offset(int64_t i) const {
    const int64_t at = array_.offset + i;
    return layout_ == ArrowLayout::kOffsets32 ? read<int32_t>(at) : read<int64_t>(at);
  }

  template <class T>
  bool has_valid_offsets_of() const {
    if (size() == 0) return true;
    const int64_t begin = array_.offset, end = begin + size();
    T decreasing = 0;  // not a bool, so that the loop is vectorized
    for (int64_t i = begin; i < end; ++i) decreasing |= static_cast<T>(read<T>(i + 1) < read<T>(i));
    return decreasing == 0 && raw_offset(0) >= 0;
  }

  // The sign bit of an unsigned offset, and of its difference to the one before it, tells whether they are wrong.
  template <class Unsigned>
  bool write_offsets_of(int64_t at, int32_t* out) const {
    if (size() == 0) return true;
    const auto shift = static_cast<Unsigned>(at - first_byte_);
    const int64_t begin = array_.offset, count = size();
    const Unsigned first = read<Unsigned>(begin), last = read<Unsigned>(begin + count);
    const void* const offsets =
        static_cast<const char*>(array_.buffers[1]) + begin * static_cast<int64_t>(sizeof(Unsigned));
    const Unsigned signs = first | shift_offsets(offsets, count, shift, out);
    const bool same_ends =
        first == static_cast<Unsigned>(first_byte_) && last == static_cast<Unsigned>(first_byte_ + num_bytes_);
    return same_ends && signs >> (8 * sizeof signs - 1) == 0;
  }

  Owned<ArrowArray> array_;
  ArrowLayout layout_ = ArrowLayout::kOffsets32;
  bool has_missing_ = false;
  int64_t width_ = 0;
  int64_t first_byte_ = 0;
  int64_t num_bytes_ = 0;
};

// Copies strings one after the other to a buffer. Strings that are adjacent in their own buffer are copied at once.
class RunCopier {
 public:
  RunCopier(uint8_t* out, const uint8_t* end) : out_(out), end_(end) {}

  // Appends a string; the caller has checked that there is room. May write further bytes up to the end, which are
  // filled later.
  void add(Chunk::Bytes string) {
    if (string.size == 0) return;
    const auto* const at = static_cast<const uint8_t*>(string.at);
    if (size_ > 0 && at == from_ + size_) {
      size_ += string.size;
      return;
    }
    flush();
    const int64_t room = std::min<int64_t>(string.readable, end_ - out_);
    if (string.size <= Chunk::kInlineBytes && room >= Chunk::kInlineBytes) {
      std::memcpy(out_, at, Chunk::kInlineBytes);
      out_ += string.size;
      return;
    }
    from_ = at;
    size_ = string.size;
    readable_ = string.readable;
  }

  void flush() {
    if (size_ > 0) copy_short(out_, end_, from_, from_ + readable_, size_);
    out_ += size_;
    size_ = 0;
  }

 private:
  uint8_t* out_;
  const uint8_t* const end_;
  const uint8_t* from_ = nullptr;  // the first byte of strings that are still to be copied
  int64_t size_ = 0;
  int64_t readable_ = 0;
};

}  // namespace stringops::convert
