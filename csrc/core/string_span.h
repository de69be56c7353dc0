// Views of tensors of strings: bytes and int32 byte offsets, borrowed. Operators read flat strings, which ops/check.h
// makes of the rows of a tensor.
//
// Offsets and bytes are those of the caller's tensors. They are validated when an operator is called, but another
// thread may write to them afterwards. This is why kernels read offsets through `range`, which clamps; read a number
// once, or copy it, before they test and use it; write no more than there is room for; and give any result for text
// that has become malformed. Drivers refuse results of which a size has changed (core/fail.h: ConcurrentWrite).
#pragma once

#include <cstdint>
#include <string_view>

namespace stringops {

// Offsets are int32 (Arrow's `utf8` layout), which limits the size of a tensor.
constexpr int64_t kMaxBytes = INT32_MAX;

// The limit of the offsets of one tensor. More would be empty strings: views that repeat one offset, or the padding of
// one long row.
constexpr int64_t kMaxOffsets = INT32_MAX;

struct ByteRange {
  int64_t begin;
  int64_t end;
  int64_t size() const { return end - begin; }
};

// A ByteRange in eight bytes.
struct PackedRange {
  int32_t begin;
  int32_t end;
};

// The bytes of one string.
struct StringView {
  const uint8_t* begin;
  const uint8_t* end;
  int64_t size() const { return end - begin; }
};

inline const uint8_t* bytes_of(std::string_view text) {
  return reinterpret_cast<const uint8_t*>(text.data());
}

// Flat strings: string i has the bytes from offsets[i] to offsets[i + 1].
struct StringSpan {
  const uint8_t* data = nullptr;
  int64_t num_bytes = 0;
  const int32_t* offsets = nullptr;
  int64_t count = 0;

  int64_t size() const { return count; }

  // Returns the bytes of string i. 0 <= begin <= end <= num_bytes holds for any offsets.
  ByteRange range(int64_t i) const {
    const int32_t* const at = offsets + i;
    return clamped(at[0], at[1]);
  }

  // Returns the bytes of the string with these offsets, clamped to the data; they need not be valid.
  ByteRange clamped(int32_t first, int32_t last) const {
    const int64_t begin = clamp(first, 0);
    return {begin, clamp(last, begin)};
  }

  StringView view(ByteRange range) const { return {data + range.begin, data + range.end}; }

  std::string_view operator[](int64_t i) const {
    const ByteRange r = range(i);
    return {reinterpret_cast<const char*>(data) + r.begin, static_cast<size_t>(r.size())};
  }

  // Returns `size` strings from string `first` on.
  StringSpan part(int64_t first, int64_t size) const { return {data, num_bytes, offsets + first, size}; }

 private:
  int64_t clamp(int64_t offset, int64_t low) const {
    return offset < low ? low : offset > num_bytes ? num_bytes : offset;
  }
};

// Strings of shape [rows, cols], of which row r has the cols + 1 offsets from offsets[r * stride] on. The bytes of a
// row are adjacent; those of different rows may overlap, leave gaps, and be in any order.
struct StringRows {
  const uint8_t* data = nullptr;
  int64_t num_bytes = 0;
  const int32_t* offsets = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t stride = 1;

  int64_t size() const { return rows * cols; }

  const int32_t* row_offsets(int64_t row) const { return offsets + row * stride; }
  StringSpan row(int64_t r) const { return {data, num_bytes, row_offsets(r), cols}; }
};

}  // namespace stringops
