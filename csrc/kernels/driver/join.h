// Rows of strings -> strings: the driver of every operator that joins the strings of a row into one string.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "core/row_splits.h"
#include "core/rows.h"
#include "kernels/driver/map.h"
#include "kernels/driver/two_pass.h"

namespace stringops::kernels {

// Row r consists of the strings with flat indices [row_of(r).begin, row_of(r).end), and begins where the row before it
// ends. Its result is the string with flat index r of a tensor whose last dimension has out_cols strings.
template <class RowOf>
struct JoinInput {
  const StringSpan& strings;
  int64_t num_rows;
  RowOf row_of;
  std::string_view separator;
  int64_t out_cols;

  // The strings of rows [first, last).
  ElementRange strings_of(int64_t first, int64_t last) const {
    return first < last ? ElementRange{row_of(first).begin, row_of(last - 1).end} : ElementRange{0, 0};
  }

  // The bytes of the results of rows [first, last).
  int64_t size_of(int64_t first, int64_t last) const {
    int64_t separators = 0;
    for (int64_t row = first; row < last; ++row) separators += std::max<int64_t>(row_of(row).size() - 1, 0);
    const ElementRange range = strings_of(first, last);
    return count_bytes(strings, range.begin, range.end) + separators * static_cast<int64_t>(separator.size());
  }
};

// Writes the bytes of the results to [begin, end), and nothing outside, even if the strings have grown (race).
class JoinWriter {
 public:
  JoinWriter(uint8_t* data, int64_t begin, int64_t end) : data_(data), at_(begin), end_(end) {}

  void append(StringView text, const uint8_t* readable_end) {
    const int64_t size = std::min(text.size(), end_ - at_);
    fits_ &= size == text.size();
    copy_short(data_ + at_, data_ + end_, text.begin, readable_end, size);
    at_ += size;
  }

  int64_t at() const { return at_; }
  bool complete() const { return fits_ && at_ == end_; }

 private:
  uint8_t* const data_;
  int64_t at_;
  const int64_t end_;
  bool fits_ = true;
};

template <class RowOf>
bool join_task(const JoinInput<RowOf>& in, int64_t first, int64_t last, const MapOutput& out, int64_t begin,
               int64_t end) {
  const auto* const separator = reinterpret_cast<const uint8_t*>(in.separator.data());
  const uint8_t* const separator_end = separator + in.separator.size();
  const uint8_t* const strings_end = in.strings.data + in.strings.num_bytes;
  JoinWriter writer(out.data, begin, end);
  OffsetsWriter offsets(out.offsets, in.out_cols, first);
  int64_t row = first, row_begin = begin;  // the open row, and where its result begins
  int64_t row_end = first < last ? in.row_of(first).end : INT64_MAX;
  bool is_empty = true;  // no string of the open row has been appended
  const auto end_row = [&] {
    offsets.push(row_begin, writer.at());
    row_begin = writer.at();
    is_empty = true;
    row_end = ++row < last ? in.row_of(row).end : INT64_MAX;
  };
  const ElementRange strings = in.strings_of(first, last);
  for_each_string(in.strings, strings.begin, strings.end, [&](int64_t i, ByteRange string) {
    while (i >= row_end) end_row();
    if (!is_empty) writer.append({separator, separator_end}, separator_end);
    is_empty = false;
    writer.append(in.strings.view(string), strings_end);
  });
  while (row < last) end_row();
  return writer.complete();
}

// allocate(num_bytes) -> MapOutput.
template <class RowOf, class Allocate>
void join_strings(const char* op, const Runner& runner, const JoinInput<RowOf>& in, Allocate&& allocate) {
  const Cost cost{8 + 0.05 * static_cast<double>(in.separator.size()), 0.05};
  const EvenTasks tasks{in.num_rows, runner.choose_tasks(runner.time_of(in.strings, cost))};
  const auto first_bytes =
      measure_tasks(op, runner, tasks.tasks, [&](int64_t t) { return in.size_of(tasks.begin(t), tasks.begin(t + 1)); });
  const MapOutput out = allocate(first_bytes.back());
  write_tasks(op, runner, first_bytes, [&](int64_t t, int64_t begin, int64_t end) {
    return join_task(in, tasks.begin(t), tasks.begin(t + 1), out, begin, end);
  });
}

}  // namespace stringops::kernels
