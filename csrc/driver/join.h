// Rows of strings -> strings: the driver of every operator that joins the strings of a row into one string.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/copy_bytes.h"
#include "core/row_splits.h"
#include "core/strings.h"
#include "driver/map.h"
#include "driver/two_pass.h"

namespace stringops::kernels {

// Row r consists of the strings with flat indices [row_of(r).begin, row_of(r).end), and begins where the row before it
// ends. Its result is string r.
template <class RowOf>
struct JoinInput {
  const StringSpan& strings;
  int64_t num_rows;
  RowOf row_of;
  std::string_view separator;

  // Returns the strings of rows [first, last).
  ElementRange strings_of(int64_t first, int64_t last) const {
    return first < last ? ElementRange{row_of(first).begin, row_of(last - 1).end} : ElementRange{0, 0};
  }

  // Returns the number of bytes of the results of rows [first, last).
  int64_t size_of(int64_t first, int64_t last) const {
    int64_t separators = 0;
    for (int64_t row = first; row < last; ++row) separators += std::max<int64_t>(row_of(row).size() - 1, 0);
    const ElementRange range = strings_of(first, last);
    return count_bytes(strings, range.begin, range.end) + separators * static_cast<int64_t>(separator.size());
  }
};

// Writes rows of strings with a separator between them to [begin, end), and nothing outside, even if the strings have
// grown (race).
class RowWriter {
 public:
  RowWriter(uint8_t* data, int64_t begin, int64_t end, std::string_view separator)
      : data_(data), at_(begin), end_(end), separator_(separator), separator_size_(separator_.size()) {
    separator_.resize(separator_size_ + kShortCopy);  // so that it is copied as fast as a string between others
  }

  void append(StringView text, const uint8_t* readable_end) {
    if (!std::exchange(is_empty_, false)) {
      const uint8_t* const begin = bytes_of(separator_);
      append_bytes({begin, begin + separator_size_}, begin + separator_.size());
    }
    append_bytes(text, readable_end);
  }

  void end_row() { is_empty_ = true; }

  int64_t at() const { return at_; }
  bool complete() const { return at_ == end_; }

 private:
  // Appends bytes. Those beyond the end are only counted.
  void append_bytes(StringView text, const uint8_t* readable_end) {
    const int64_t size = std::min(text.size(), end_ - at_);
    if (size > 0) copy_short(data_ + at_, data_ + end_, text.begin, readable_end, size);
    at_ += text.size();
  }

  uint8_t* const data_;
  int64_t at_;
  const int64_t end_;
  std::string separator_;
  const size_t separator_size_;
  bool is_empty_ = true;  // the open row
};

template <class RowOf>
bool join_task(const JoinInput<RowOf>& in, int64_t first, int64_t last, const MapOutput& out, int64_t begin,
               int64_t end) {
  const uint8_t* const strings_end = in.strings.data + in.strings.num_bytes;
  RowWriter writer(out.data, begin, end, in.separator);
  OffsetsWriter offsets(out.offsets, first);
  int64_t row = first;  // the open row
  int64_t row_end = first < last ? in.row_of(first).end : INT64_MAX;
  const auto end_row = [&] {
    writer.end_row();
    offsets.push(std::min(writer.at(), end));
    row_end = ++row < last ? in.row_of(row).end : INT64_MAX;
  };
  const ElementRange strings = in.strings_of(first, last);
  for (int64_t i = strings.begin; i < strings.end;) {
    while (i >= row_end) end_row();
    for (const int64_t stop = std::min(strings.end, row_end); i < stop; ++i) {
      writer.append(in.strings.view(in.strings.range(i)), strings_end);
    }
  }
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
