// Strings as UTF-8: whether they are valid, their repair, their code points and their bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/fail.h"
#include "core/narrow.h"
#include "core/row_splits.h"
#include "core/string_span.h"
#include "core/utf8.h"
#include "driver/map.h"
#include "driver/reduce.h"
#include "driver/runner.h"
#include "driver/two_pass.h"
#include "kernels/length.h"
#include "split/partition.h"

namespace stringops::kernels {

// Whether the bytes of each string are valid UTF-8 (driver/reduce.h).
struct IsUtf8 {
  using Value = bool;
  static constexpr Cost kCost{3, 0.1};
  static constexpr bool kRuns = false;

  bool operator()(StringView in) const;
};

// Invalid bytes replaced by U+FFFD, or left out, as bytes.decode("utf-8", errors) does (driver/map.h). A
// U+FFFD replaces the longest run of bytes that begins a valid code point, or else one byte.
struct Repair {
  using Driver = StringMap;
  static constexpr Cost kCost{10, 0.2};
  bool replaces;

  int64_t size(StringView in) const;
  uint8_t* write(StringView in, uint8_t* out, uint8_t* out_end) const;
};

// string -> values of one type, as ragged rows. A functor has
//
//   using Value                      the dtype of the values
//   using Length                     a functor that counts the values of a string (driver/reduce.h)
//   static constexpr Cost kCost      what counting and writing take (driver/runner.h)
//   bool write(in, first, last, out, out_end) const    writes the values of strings [first, last), nothing at or past
//                                    out_end; returns whether they end there
//
// A concurrent write may change the strings after they were counted; the result is then rejected.
//
// Sets row_splits, of one element more than there are strings. allocate(num_values) -> Value*.
template <class Functor, class Allocate>
void string_values(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, int64_t* row_splits,
                   Allocate&& allocate) {
  const int64_t count = in.size();
  row_splits[0] = 0;
  reduce_strings(runner, typename Functor::Length(), in, row_splits + 1);
  for (int64_t i = 0; i < count; ++i) row_splits[i + 1] += row_splits[i];
  STRINGOPS_CHECK(row_splits[count] <= kMaxOffsets, op, ": the result has ", row_splits[count],
                  " values; expected at most ", kMaxOffsets, " (pass fewer or shorter strings)");
  typename Functor::Value* const out = allocate(row_splits[count]);
  const Partition partition = divide_evenly(in, runner.choose_tasks(runner.time_of(in, Functor::kCost)), false);
  write_tasks(op, runner, partition.tasks, [&](int64_t t) {
    const int64_t first = partition.begin(t).index, last = partition.end(t).index;
    return f.write(in, first, last, out + row_splits[first], out + row_splits[last]);
  });
}

// The code points of each string. That of a byte that is not part of one is U+FFFD.
struct Codepoints {
  using Value = int32_t;
  using Length = CodepointLength;
  static constexpr Cost kCost{5, 1};

  bool write(const StringSpan& in, int64_t first, int64_t last, int32_t* out, int32_t* out_end) const;
};

struct ByteValues {
  using Value = uint8_t;
  using Length = ByteLength;
  static constexpr Cost kCost{2, 0.1};

  bool write(const StringSpan& in, int64_t first, int64_t last, uint8_t* out, uint8_t* out_end) const;
};

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

// Writes one string of each ragged row of code points. `op` names the argument `values` in errors. allocate(num_bytes)
// -> MapOutput, with offsets [rows + 1].
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
