// Strings from ragged rows of code points: one string of each row.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/fail.h"
#include "core/narrow.h"
#include "core/row_splits.h"
#include "core/utf8.h"
#include "driver/map.h"
#include "driver/two_pass.h"

namespace stringops::kernels {

constexpr int64_t kMaxCodepoint = 0x10FFFF;

inline bool is_codepoint(int64_t value) {
  return value >= 0 && value <= kMaxCodepoint && !is_surrogate(static_cast<uint32_t>(value));
}

// The bytes of `count` values in UTF-8, or nothing if one of them is not a code point.
template <class Int>
std::optional<int64_t> encoded_size(const Int* values, int64_t count) {
  int64_t size = count, wrong = 0;
  for (int64_t i = 0; i < count; ++i) {  // without an exit, so that it is vectorized
    const Int c = values[i];
    size += (c >= 0x80) + (c >= 0x800) + (c >= 0x10000);
    wrong |= static_cast<int64_t>(c < 0) | static_cast<int64_t>(c > static_cast<Int>(kMaxCodepoint)) |
             static_cast<int64_t>((c & ~Int{0x7FF}) == 0xD800);
  }
  return wrong ? std::nullopt : std::optional(size);
}

// Writes `count` values as UTF-8, nothing at or past out_end, and moves `to` to their end. Returns whether they fit.
template <class Int>
bool encode(const Int* values, int64_t count, uint8_t** to, const uint8_t* out_end) {
  uint8_t* out = *to;
  for (int64_t i = 0; i < count;) {
    const Int value = values[i++];  // read once
    const auto c = is_codepoint(value) ? static_cast<uint32_t>(value) : 0xFFFD;
    const int64_t length = 1 + (c >= 0x80) + (c >= 0x800) + (c >= 0x10000);
    if (out_end - out < length) return false;
    constexpr uint8_t kLeads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    for (int64_t k = length; k-- > 1;) out[k] = static_cast<uint8_t>(0x80 | (c >> (6 * (length - 1 - k)) & 0x3F));
    out[0] = static_cast<uint8_t>(kLeads[length] | c >> (6 * (length - 1)));
    out += length;
  }
  *to = out;
  return true;
}

// `op` names the argument `values` in errors. allocate(num_bytes) -> MapOutput, with offsets [rows + 1].
template <class Int, class Allocate>
void encode_rows(const char* op, const Runner& runner, const Int* values, const RowSplits& splits,
                 Allocate&& allocate) {
  constexpr double kNsPerRow = 8, kNsPerValue = 1;
  const EvenTasks tasks{splits.rows, runner.choose_tasks(kNsPerRow * static_cast<double>(splits.rows) +
                                                         kNsPerValue * static_cast<double>(splits.num_values))};
  struct Wrong {
    int64_t position = -1;
    Int value = 0;
  };
  std::vector<Wrong> wrong(static_cast<size_t>(tasks.tasks));  // the first value of each task that is not a code point
  const std::vector<int64_t> first_bytes = measure_tasks(
      op, runner, tasks.tasks,
      [&](int64_t t) {
        const auto i = static_cast<size_t>(t);
        const int64_t first = tasks.begin(t), last = tasks.begin(t + 1);
        if (first == last) return int64_t{0};
        const int64_t begin = splits.row(first).begin, end = std::max(begin, splits.row(last - 1).end);
        const auto size = encoded_size(values + begin, end - begin);
        if (size) return *size;
        for (int64_t k = begin; k < end && wrong[i].position < 0; ++k) {
          const Int value = values[k];
          if (!is_codepoint(value)) wrong[i] = {k, value};
        }
        check_unchanged(op, wrong[i].position >= 0);
        return int64_t{0};
      },
      [&](size_t t) {
        STRINGOPS_CHECK(wrong[t].position < 0, op, ": expected `values` within 0 and ", kMaxCodepoint,
                        ", without surrogates (55296 to 57343), got ", wrong[t].value, " at position ",
                        wrong[t].position);
      });
  const MapOutput out = allocate(first_bytes.back());
  write_tasks(op, runner, first_bytes, [&](int64_t t, int64_t at, int64_t limit) {
    uint8_t* to = out.data + at;
    for (int64_t r = tasks.begin(t); r < tasks.begin(t + 1); ++r) {
      const ElementRange row = splits.row(r);
      if (!encode(values + row.begin, row.size(), &to, out.data + limit)) return false;
      out.offsets[r + 1] = narrow<int32_t>(to - out.data);
    }
    return to == out.data + limit;
  });
}

}  // namespace stringops::kernels
