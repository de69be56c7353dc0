// A view of a tensor of strings: bytes and int32 byte offsets, borrowed.
//
// Offsets are validated when an operator is called (ops/check.h), but may change afterwards (race). Kernels read them
// through `range`, which clamps, so that no byte outside `data` is read.
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

// Strings of shape [rows, cols] (leading dimensions flattened). `offsets` is [rows, cols + 1], contiguous.
struct StringSpan {
  const uint8_t* data = nullptr;
  int64_t num_bytes = 0;
  const int32_t* offsets = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;

  int64_t size() const { return rows * cols; }

  const int32_t* row_offsets(int64_t row) const { return offsets + row * (cols + 1); }

  // Returns the bytes of the string at [row, col]. 0 <= begin <= end <= num_bytes holds for any offsets.
  ByteRange range(int64_t row, int64_t col) const {
    const int32_t* const at = row_offsets(row) + col;
    return clamped(at[0], at[1]);
  }

  // Returns the bytes of the string with these offsets, clamped to the data; they need not be valid.
  ByteRange clamped(int32_t first, int32_t last) const {
    const int64_t begin = clamp(first, 0);
    return {begin, clamp(last, begin)};
  }

  StringView view(ByteRange range) const { return {data + range.begin, data + range.end}; }

  // The string at flat index i, in row-major order.
  std::string_view operator[](int64_t i) const {
    const ByteRange r = range(i / cols, i % cols);
    return {reinterpret_cast<const char*>(data) + r.begin, static_cast<size_t>(r.size())};
  }

 private:
  int64_t clamp(int64_t offset, int64_t low) const {
    return offset < low ? low : offset > num_bytes ? num_bytes : offset;
  }
};

}  // namespace stringops
