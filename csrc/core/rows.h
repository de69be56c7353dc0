// Iterates over strings [first, last) of a tensor of shape [rows, cols], in row-major order: reads the strings of a
// span, and writes offsets.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include "core/narrow.h"
#include "core/string_span.h"

namespace stringops {

// Copies the offsets of adjacent rows to one run of at most kMaxStrings strings. Rows of few strings alone would be
// runs too short to be worth a call each.
class JoinedRows {
 public:
  static constexpr int64_t kMaxStrings = 512;
  static constexpr int64_t kManyCols = 16;  // rows of fewer columns are worth copying

  static bool serve(const StringSpan& s) { return s.cols < kManyCols && s.rows > 1; }

  // Copies the offsets of strings [first, last) up to the first row that does not begin where the previous one ends.
  // Returns the number of strings, at least 1.
  int64_t take(const StringSpan& s, int64_t first, int64_t last) {
    const int64_t max_count = std::min(last - first, max_strings_);
    const int64_t count = join_rows(s, first, max_count);
    // After rows that are not adjacent, fewer are read, because rows that do not join would be read for nothing.
    max_strings_ = count < max_count ? std::max(s.cols, 2 * count) : std::min(kMaxStrings, 4 * max_strings_);
    max_strings_ = std::min(max_strings_, kMaxStrings);
    return count;
  }

  const int32_t* offsets() const { return offsets_; }

 private:
  int64_t join_rows(const StringSpan& s, int64_t first, int64_t max_count) {
    // The division has 32 bits, because one of 64 bits takes longer. A tensor has fewer than 2**31 strings.
    const int64_t row = static_cast<uint32_t>(first) / static_cast<uint32_t>(s.cols), col = first - row * s.cols;
    const int32_t* at = s.row_offsets(row) + col;
    // The strings are the rest of a row that `first` divides, whole rows, and the beginning of a row that the end
    // divides.
    const int64_t head = std::min(col > 0 ? s.cols - col : 0, max_count);
    offsets_[0] = at[0];
    std::copy_n(at + 1, head, offsets_ + 1);
    if (head == max_count) return head;
    if (head > 0) at += head + 1;
    const int64_t rows = (max_count - head) / s.cols;
    const int64_t joined = s.cols == 1   ? join<1>(at, 1, rows, head)
                           : s.cols == 2 ? join<2>(at, 2, rows, head)
                                         : join<0>(at, s.cols, rows, head);
    const int64_t count = head + joined * s.cols;
    at += joined * (s.cols + 1);
    if (joined < rows || count == max_count || (count > 0 && at[0] != offsets_[count])) return count;
    std::copy_n(at + 1, max_count - count, offsets_ + count + 1);
    return max_count;
  }

  // Appends up to `rows` rows of `cols` strings after the first `count`; returns how many. kCols is `cols`, or 0.
  template <int64_t kCols>
  int64_t join(const int32_t* at, int64_t cols, int64_t rows, int64_t count) {
    if constexpr (kCols > 0) cols = kCols;
    if (rows <= 0) return 0;
    int32_t* __restrict out = offsets_ + count;
    // Bits that differ where rows should meet; the loop has no exit, so that it is vectorized.
    int32_t gaps = at[0] ^ out[0];
    std::copy_n(at + 1, cols, out + 1);
    int64_t r = 1;
    if (kCols != 1) {
      // Several offsets are copied at once, except in the last row: up to kStep - 1 after a row are copied, and the
      // next row overwrites them (kCols is 0 for 3 columns or more, so that it has as many).
      constexpr int64_t kStep = kCols > 0 ? kCols : 4;
      for (; r + 1 < rows; ++r) {
        const int32_t* const row = at + r * (cols + 1);
        gaps |= row[0] ^ row[-1];
        for (int64_t c = 1; c <= cols; c += kStep) {
          std::memcpy(out + r * cols + c, row + c, kStep * sizeof(int32_t));
        }
      }
    }
    for (; r < rows; ++r) {
      gaps |= at[r * (cols + 1)] ^ at[r * (cols + 1) - 1];
      for (int64_t c = 1; c <= cols; ++c) out[r * cols + c] = at[r * (cols + 1) + c];
    }
    if (gaps == 0) return rows;
    for (int64_t r = 0;; ++r) {
      if (r == rows || at[r * (cols + 1)] != out[r * cols]) return r;
    }
  }

  int64_t max_strings_ = kMaxStrings;
  int32_t offsets_[kMaxStrings + 1];
};

// Copies the begins and ends of strings in rows of few strings, which need not be adjacent.
class RowRanges {
 public:
  static constexpr int64_t kMaxStrings = 512;

  static bool serve(const StringSpan& s) { return JoinedRows::serve(s); }

  // Copies the begins and ends of strings [first, last), at most kMaxStrings; returns how many.
  int64_t take(const StringSpan& s, int64_t first, int64_t last) {
    const int64_t max_count = std::min(last - first, kMaxStrings);
    const int64_t row = static_cast<uint32_t>(first) / static_cast<uint32_t>(s.cols), col = first - row * s.cols;
    const int32_t* at = s.row_offsets(row) + col;
    int64_t count = 0;
    if (col > 0) {  // the rest of a row
      count = std::min(s.cols - col, max_count);
      copy<0>(at, count, 1, 0);
      at += count + 1;
    }
    const int64_t rows = static_cast<uint32_t>(max_count - count) / static_cast<uint32_t>(s.cols);
    s.cols == 1   ? copy<1>(at, 1, rows, count)
    : s.cols == 2 ? copy<2>(at, 2, rows, count)
                  : copy<0>(at, s.cols, rows, count);
    count += rows * s.cols;
    copy<0>(at + rows * (s.cols + 1), max_count - count, 1, count);  // the beginning of a row
    return max_count;
  }

  const int32_t* begins() const { return begins_; }
  const int32_t* ends() const { return ends_; }

 private:
  // Copies `rows` rows of `cols` strings after the first `count` strings. kCols is `cols`, or 0.
  template <int64_t kCols>
  void copy(const int32_t* at, int64_t cols, int64_t rows, int64_t count) {
    if constexpr (kCols > 0) cols = kCols;
    int32_t *begins = begins_ + count, *ends = ends_ + count;
    // Several offsets are copied at once, except in the last row: up to kStep - 1 after a row are copied, and those of
    // the next row overwrite them.
    constexpr int64_t kStep = kCols > 0 ? kCols : 4;
    int64_t r = 0;
    if (kCols != 1 && cols >= kStep - 1) {
      for (; r + 1 < rows; ++r, at += cols + 1, begins += cols, ends += cols) {
        for (int64_t c = 0; c < cols; c += kStep) {
          std::memcpy(begins + c, at + c, kStep * sizeof(int32_t));
          std::memcpy(ends + c, at + c + 1, kStep * sizeof(int32_t));
        }
      }
    }
    for (; r < rows; ++r, at += cols + 1, begins += cols, ends += cols) {
      for (int64_t c = 0; c < cols; ++c) {
        begins[c] = at[c];
        ends[c] = at[c + 1];
      }
    }
  }

  int32_t begins_[kMaxStrings];
  int32_t ends_[kMaxStrings];
};

// Calls f(index, offsets, count) for the part of each row: string index + k has the bytes from offsets[k] to
// offsets[k + 1], 0 <= k < count. The offsets are those of the tensor, neither copied nor clamped.
template <class F>
inline void for_each_row(const StringSpan& s, int64_t first, int64_t last, F&& f) {
  if (first >= last) return;
  int64_t row = s.rows == 1 ? 0 : first / s.cols, col = first - row * s.cols;
  while (first < last) {
    const int64_t count = std::min(last - first, s.cols - col);
    f(first, s.row_offsets(row++) + col, count);
    first += count;
    col = 0;
  }
}

// Returns the number of bytes of rows of one string, where the first row has these offsets. It is 0 or more, also after
// a concurrent write.
inline int64_t count_bytes_of_pairs(const int32_t* offsets, int64_t rows) {
  // Both offsets are loaded as one number, so that the loop is vectorized.
  uint64_t begins = 0, ends = 0;
  for (int64_t r = 0; r < rows; ++r) {
    uint64_t pair;
    std::memcpy(&pair, offsets + 2 * r, sizeof pair);
    begins += static_cast<uint32_t>(pair);
    ends += pair >> 32;
  }
  return std::max<int64_t>(0, static_cast<int64_t>(ends - begins));
}

// Returns the number of bytes of strings [first, last).
inline int64_t count_bytes(const StringSpan& s, int64_t first, int64_t last) {
  if (first >= last) return 0;
  if (s.cols == 1) return count_bytes_of_pairs(s.row_offsets(first), last - first);
  // A size is negative only after a concurrent write.
  const auto bytes_of = [](const int32_t* begin, int64_t count) {
    return std::max<int64_t>(0, int64_t{begin[count]} - begin[0]);
  };
  int64_t row = first / s.cols;
  const int64_t col = first % s.cols, last_row = last / s.cols, last_col = last % s.cols;
  if (row == last_row) return bytes_of(s.row_offsets(row) + col, last_col - col);
  int64_t num_bytes = 0;
  if (col > 0) num_bytes += bytes_of(s.row_offsets(row++) + col, s.cols - col);
  for (; row < last_row; ++row) num_bytes += bytes_of(s.row_offsets(row), s.cols);
  if (last_col > 0) num_bytes += bytes_of(s.row_offsets(row), last_col);
  return num_bytes;
}

// Calls f(index, begins, ends, count) for runs of strings: string index + k has the bytes from begins[k] to ends[k].
// The offsets are those of the tensor or copies of them, not clamped.
template <class F>
inline void for_each_ranges(const StringSpan& s, int64_t first, int64_t last, F&& f) {
  if (first >= last) return;
  const bool is_narrow = RowRanges::serve(s);
  RowRanges ranges;
  int64_t row = first / s.cols, col = first % s.cols;
  while (first < last) {
    // f is called in one place only, where it is inlined.
    const int32_t *begins = nullptr, *ends = nullptr;
    int64_t count = 0;
    if (is_narrow) {
      count = ranges.take(s, first, last);
      begins = ranges.begins();
      ends = ranges.ends();
    } else {
      count = std::min(last - first, s.cols - col);
      begins = s.row_offsets(row++) + col;
      ends = begins + 1;
      col = 0;
    }
    f(first, begins, ends, count);
    first += count;
  }
}

// Calls f(index, range) for each string; ranges are within the data for any offsets.
template <class F>
inline void for_each_string(const StringSpan& s, int64_t first, int64_t last, F&& f) {
  for_each_ranges(s, first, last, [&](int64_t i, const int32_t* begins, const int32_t* ends, int64_t count) {
    for (int64_t k = 0; k < count; ++k) f(i + k, s.clamped(begins[k], ends[k]));
  });
}

// Calls f(index, text) for each string until it returns false. `text` is a copy, which a concurrent write cannot change
// while f reads it.
template <class F>
inline void for_each_copy(const StringSpan& s, int64_t first, int64_t last, F&& f) {
  std::string copy;
  bool more = true;
  for_each_string(s, first, last, [&](int64_t i, ByteRange range) {
    if (!more) return;
    copy.assign(reinterpret_cast<const char*>(s.data) + range.begin, static_cast<size_t>(range.size()));
    more = f(i, std::string_view(copy));
  });
}

// Writes the offsets of strings [first, ...) to a tensor of `cols` strings per row.
class OffsetsWriter {
 public:
  OffsetsWriter(int32_t* offsets, int64_t cols, int64_t first = 0)
      : at_(cols ? offsets + first / cols * (cols + 1) + first % cols : offsets),
        cols_(cols),
        left_(cols ? cols - first % cols : 0) {}

  // Appends a string that begins where the one before it in its row ends.
  void push(int64_t begin, int64_t end) {
    if (left_ == cols_) *at_ = narrow<int32_t>(begin);
    *++at_ = narrow<int32_t>(end);
    if (--left_ == 0) end_row();
  }

  // Starts at string `col` of a row: `at` is the offset where it begins, which is written already unless `col` is 0.
  OffsetsWriter(int32_t* at, int64_t cols, int64_t col, std::nullptr_t) : at_(at), cols_(cols), left_(cols - col) {}
  int32_t* at() const { return at_; }
  int64_t col() const { return cols_ - left_; }

  // Appends `count` strings. String i ends at base + ends[i], where the next one begins; the first one begins at base.
  void append(const int32_t* ends, int64_t count, int64_t base) {
    append_shifted(ends, count, static_cast<uint32_t>(narrow<int32_t>(base)), narrow<int32_t>(base));
  }

  // Appends strings that end at ends[i] + shift, which wraps around. The first one begins at `begin`.
  void append_shifted(const int32_t* ends, int64_t count, uint32_t shift, int32_t begin) {
    while (count > 0) {
      if (left_ == cols_ && cols_ <= kMaxNarrow && count >= cols_) {
        const int64_t rows = cols_ == 1 ? count : count / cols_;
        begin = cols_ == 1   ? append_rows<1>(ends, rows, shift, begin)
                : cols_ == 2 ? append_rows<2>(ends, rows, shift, begin)
                             : append_rows<0>(ends, rows, shift, begin);
        ends += rows * cols_;
        count -= rows * cols_;
        continue;
      }
      if (left_ == cols_) *at_ = begin;
      const int64_t n = std::min(left_, count);
      for (int64_t k = 0; k < n; ++k) at_[k + 1] = shifted(ends[k], shift);
      at_ += n;
      begin = *at_;
      ends += n;
      count -= n;
      left_ -= n;
      if (left_ == 0) end_row();
    }
  }

 private:
  static constexpr int64_t kMaxNarrow = 16;  // strings of rows that are written several at once

  static int32_t shifted(int32_t offset, uint32_t shift) {
    return static_cast<int32_t>(static_cast<uint32_t>(offset) + shift);
  }

  // Writes whole rows, the first of which begins at `begin`; returns the end of the last one. kCols is cols_, or 0.
  template <int64_t kCols>
  int32_t append_rows(const int32_t* ends, int64_t rows, uint32_t shift, int32_t begin) {
    const int64_t cols = kCols > 0 ? kCols : cols_;
    int32_t* __restrict out = at_;
    for (int64_t r = 0; r < rows; ++r) {
      out[r * (cols + 1)] = r == 0 ? begin : shifted(ends[r * cols - 1], shift);
      for (int64_t c = 0; c < cols; ++c) out[r * (cols + 1) + c + 1] = shifted(ends[r * cols + c], shift);
    }
    at_ += rows * (cols + 1);
    return shifted(ends[rows * cols - 1], shift);
  }

  void end_row() {
    left_ = cols_;
    ++at_;
  }

  int32_t* at_;
  int64_t cols_;
  int64_t left_;  // strings of this row
};

}  // namespace stringops
