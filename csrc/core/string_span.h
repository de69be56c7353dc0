// The data model, as kernels see it: bytes and int32 byte offsets, borrowed. No torch here.
//
// A span is made by the validator at an operator's door (ops/check.h). What it promised then may have changed by the
// time a kernel reads it, for another thread may write the tensors: kernels read offsets through `range`, which
// clamps, so that no byte outside `data` is ever touched whatever the offsets say now.
#pragma once

#include <cstdint>
#include <string_view>

namespace stringops {

// Byte positions are int32 in memory (Arrow's `utf8` layout), hence the largest tensor.
constexpr int64_t kMaxBytes = INT32_MAX;

// Offsets of one tensor. So many bytes hold no more strings that are not empty; more come of views that repeat one
// offset for ever, and of one long row beside many short ones.
constexpr int64_t kMaxOffsets = INT32_MAX;

struct ByteRange {
  int64_t begin;
  int64_t end;
  int64_t size() const { return end - begin; }
};

// The bytes of one string.
struct StringView {
  const uint8_t* begin;
  const uint8_t* end;
  int64_t size() const { return end - begin; }
};

// Strings of shape [rows, cols] (leading dimensions flattened). `offsets` is [rows, cols + 1], contiguous.
struct StringSpan {
  const uint8_t* data = nullptr;
  int64_t num_bytes = 0;
  const int32_t* offsets = nullptr;
  int64_t rows = 0;
  int64_t cols = 0;

  int64_t size() const { return rows * cols; }

  const int32_t* row_offsets(int64_t row) const { return offsets + row * (cols + 1); }

  // Bytes of the string at [row, col]: 0 <= begin <= end <= num_bytes, always.
  ByteRange range(int64_t row, int64_t col) const { return range_at(row_offsets(row) + col); }

  // The same, from where its offset stands.
  ByteRange range_at(const int32_t* at) const {
    const int64_t begin = clamp(at[0], 0);
    return {begin, clamp(at[1], begin)};
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
