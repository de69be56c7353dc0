// Ragged rows of strings padded to one width, as a selection of kernels/gather.h: of each row the strings that are
// kept, and runs of a tensor that repeats the padding.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/dense_rows.h"
#include "core/narrow.h"
#include "core/row_splits.h"
#include "kernels/gather.h"

namespace stringops::kernels {

// A tensor of equal strings, as many as are worth copying at once.
class RepeatedString {
 public:
  explicit RepeatedString(std::string_view string) {
    const auto size = static_cast<int64_t>(string.size());
    const int64_t count = std::clamp<int64_t>(kBytes / std::max<int64_t>(size, 1), 1, kMaxCount);
    bytes_.reserve(static_cast<size_t>(count * size + kReadable));
    offsets_.push_back(0);
    for (int64_t i = 1; i <= count; ++i) {
      bytes_.insert(bytes_.end(), string.begin(), string.end());
      offsets_.push_back(narrow<int32_t>(i * size));
    }
    bytes_.resize(bytes_.size() + kReadable);
    span_ = {bytes_.data(), static_cast<int64_t>(bytes_.size()), offsets_.data(), count};
  }
  RepeatedString(const RepeatedString&) = delete;
  RepeatedString& operator=(const RepeatedString&) = delete;

  // Calls f(run) for runs of `count` strings in all.
  template <class F>
  void for_each_run(int64_t count, F&& f) const {
    for (; count > 0; count -= span_.count) f(run_of(span_, 0, std::min(count, span_.count)));
  }

  int64_t string_size() const { return span_.offsets[1]; }

 private:
  static constexpr int64_t kMaxCount = block_size(64, 3), kBytes = 4096;
  static constexpr int64_t kReadable = 32;  // bytes after the strings, so that short runs are copied fast
  std::vector<uint8_t> bytes_;
  std::vector<int32_t> offsets_;
  StringSpan span_;
};

// Rows of `width` elements, each of `features` strings.
struct PaddedRows {
  static constexpr bool kSingle = false, kInOrder = true;
  const StringSpan& values;
  const RowSplits& splits;
  int64_t width;
  int64_t features;
  Side side;
  const RepeatedString& padding;

  int64_t num_items() const { return splits.rows; }

  // The elements that rows lack.
  int64_t num_missing(int64_t first, int64_t last) const {
    int64_t missing = 0;
    for (int64_t r = first; r < last; ++r) missing += width - std::min(splits.row(r).size(), width);
    return missing;
  }

  template <class F>
  void for_each_run(int64_t first, int64_t last, F&& f) const {
    for (int64_t r = first; r < last; ++r) {
      const ElementRange kept = kept_of(r);
      const int64_t missing = (width - kept.size()) * features;
      if (side == Side::kLeft) padding.for_each_run(missing, f);
      for_each_kept(kept, f);
      if (side == Side::kRight) padding.for_each_run(missing, f);
    }
  }

 private:
  ElementRange kept_of(int64_t r) const {
    const ElementRange row = splits.row(r);
    const int64_t count = std::min(row.size(), width);
    return side == Side::kRight ? ElementRange{row.begin, row.begin + count} : ElementRange{row.end - count, row.end};
  }

  template <class F>
  void for_each_kept(ElementRange kept, F&& f) const {
    if (kept.size() > 0) f(run_of(values, kept.begin * features, kept.size() * features));
  }
};

}  // namespace stringops::kernels
