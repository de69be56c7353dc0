// Copies the bytes of rows of strings that are not adjacent: one copy for each row, whose strings are adjacent. The
// copies are within their bounds for any offsets, also if a concurrent write changes them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/copy_bytes.h"
#include "core/string_span.h"
#include "simd/primitives.h"

namespace stringops::kernels {

class RowCopies {
 public:
  // The bytes of `out` up to `limit`, which are filled from left to right.
  struct Room {
    uint8_t* out;
    int64_t limit;
  };

  // Copies rows [first, last) to byte `at` of the room and the bytes after it, and writes where each string ends there.
  // Returns the number of copied rows, which is less if a row does not fit or has invalid offsets. There is room for
  // the ends of all rows.
  int64_t copy(const StringSpan& in, int64_t first, int64_t last, Room room, int64_t at, int32_t* ends) {
    const int64_t rows = copy_by_size(in, first, last, room, at, ends);
    if (rows == 0) return 0;
    const int64_t count = rows * in.cols;
    num_bytes_ += ends[count - 1] - at;
    num_rows_ += rows;
    if (in.cols > 1) restore_order(at, ends, count);
    return rows;
  }

 private:
  // The mean size of the rows before decides how many bytes are copied of each row, as long as it has no more.
  int64_t copy_by_size(const StringSpan& in, int64_t first, int64_t last, Room room, int64_t at, int32_t* ends) const {
    const auto fits_twice = [&](int64_t size) { return num_bytes_ <= num_rows_ * size / 2; };
    if (fits_twice(kSmallCopy)) return copy_by_cols<kSmallCopy>(in, first, last, room, at, ends);
    if (fits_twice(kShortCopy)) return copy_by_cols<kShortCopy>(in, first, last, room, at, ends);
    if (fits_twice(kLineCopy)) return copy_by_cols<kLineCopy>(in, first, last, room, at, ends);
    return copy_by_cols<kMediumCopy>(in, first, last, room, at, ends);
  }

  template <int64_t kCopy>
  static int64_t copy_by_cols(const StringSpan& in, int64_t first, int64_t last, Room room, int64_t at, int32_t* ends) {
    return in.cols == 1   ? copy_rows<1, kCopy>(in, first, last, room, at, ends)
           : in.cols == 2 ? copy_rows<2, kCopy>(in, first, last, room, at, ends)
                          : copy_rows<0, kCopy>(in, first, last, room, at, ends);
  }

  // kCols is the number of columns, or 0. The ends of the rows are in order for any offsets, the others may not be.
  template <int64_t kCols, int64_t kCopy>
  static int64_t copy_rows(const StringSpan& in, int64_t first, int64_t last, Room room, int64_t at,
                           int32_t* __restrict ends) {
    constexpr int64_t kGroup = kRowsAtOnce<kCols>;
    const int64_t cols = kCols > 0 ? kCols : in.cols;
    // These are local variables, because the compiler must assume that storing bytes changes members.
    const uint8_t* const data = in.data;
    const int64_t num_bytes = in.num_bytes;
    uint8_t* const out = room.out;
    const int32_t* row = in.row_offsets(first);
    for (int64_t r = first; r < last;) {
      for (; last - r > kGroup && room.limit - at >= kGroup * kCopy; r += kGroup) {
        if (!copy_group<kCols, kCopy>(data, num_bytes, row, cols, out, &at, ends)) break;
        row += kGroup * (cols + 1);
        ends += kGroup * cols;
      }
      for (const int64_t stop = std::min(r + kGroup, last); r < stop; ++r, row += cols + 1, ends += cols) {
        const int64_t begin = read_once(row), size = read_once(row + cols) - begin;
        if ((begin | size | (num_bytes - begin - size) | (room.limit - at - size)) < 0) return r - first;
        write_ends<kCols>(row, cols, static_cast<int32_t>(at - begin), r + 1 < last, ends);
        copy_short(out + at, out + room.limit, data + begin, data + num_bytes, size);
        at += size;
        ends[cols - 1] = static_cast<int32_t>(at);
      }
    }
    return last - first;
  }

  // Copies kGroup rows with one branch for all conditions of a copy of kCopy bytes each. Returns false, after which
  // nothing counts as written, unless all rows are valid, shorter than kCopy, and not among the last bytes of the data.
  // There is room for kCopy bytes of each, and a row after them.
  template <int64_t kCols, int64_t kCopy>
  static bool copy_group(const uint8_t* data, int64_t num_bytes, const int32_t* row, int64_t cols, uint8_t* out,
                         int64_t* at, int32_t* __restrict ends) {
    constexpr int64_t kGroup = kRowsAtOnce<kCols>;
    static_assert((kCopy & (kCopy - 1)) == 0);
    // Negative offsets are beyond all data as unsigned numbers, and negative sizes are longer than all copies.
    uint64_t begins[kGroup], sizes[kGroup];
    uint64_t longest = 0;  // at least kCopy if one of the sizes is
    int64_t rest = 0;      // negative if one of the differences is
    for (int64_t k = 0; k < kGroup; ++k, row += cols + 1) {
      begins[k] = static_cast<uint32_t>(read_once(row));
      sizes[k] = static_cast<uint32_t>(read_once(row + cols)) - begins[k];
      longest |= sizes[k];
      rest |= num_bytes - kCopy - static_cast<int64_t>(begins[k]);
    }
    if (longest >= kCopy || rest < 0) return false;
    row -= kGroup * (cols + 1);
    int64_t to = *at;
    for (int64_t k = 0; k < kGroup; ++k, row += cols + 1, ends += cols) {
      const auto begin = static_cast<int64_t>(begins[k]);
      std::memcpy(out + to, data + begin, kCopy);
      write_ends<kCols>(row, cols, static_cast<int32_t>(to - begin), true, ends);
      to += static_cast<int64_t>(sizes[k]);
      ends[cols - 1] = static_cast<int32_t>(to);
    }
    *at = to;
    return true;
  }

  // Writes the ends of the strings of a row, except the last one. `has_next`: the offsets after the row may be read,
  // and the ends after those of the row may be overwritten.
  template <int64_t kCols>
  static void write_ends(const int32_t* row, int64_t cols, int32_t shift, bool has_next, int32_t* __restrict ends) {
    const auto write = [&](int64_t c) {
      ends[c] = static_cast<int32_t>(static_cast<uint32_t>(row[c + 1]) + static_cast<uint32_t>(shift));
    };
    if constexpr (kCols == 2) {
      write(0);
    } else if (kCols == 0 && has_next && cols >= kStep) {
      for (int64_t c = 0; c < cols - 1; c += kStep) {
        for (int64_t i = c; i < c + kStep; ++i) write(i);
      }
    } else {
      for (int64_t c = 0; c < cols - 1; ++c) write(c);
    }
  }

  // A concurrent write to the offsets of a row changes the order of its ends.
  static void restore_order(int64_t at, int32_t* ends, int64_t count) {
    if (ends[0] >= at && simd::primitives().ascend(ends, count)) return;
    auto previous = static_cast<int32_t>(at);
    const int32_t last = ends[count - 1];
    for (int64_t k = 0; k < count; ++k) previous = ends[k] = std::clamp(ends[k], previous, last);
  }

  static int32_t read_once(const int32_t* offset) { return *static_cast<const volatile int32_t*>(offset); }

  static constexpr int64_t kSmallCopy = 16, kLineCopy = 64;
  static constexpr int64_t kStep = 4;  // offsets at once
  // More rows with one branch need more registers than there are.
  template <int64_t kCols>
  static constexpr int64_t kRowsAtOnce = kCols == 1 ? 2 : 1;

  int64_t num_bytes_ = 0, num_rows_ = 0;  // of the rows before
};

}  // namespace stringops::kernels
