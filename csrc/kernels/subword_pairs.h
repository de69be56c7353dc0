// The ids of two strings as one row: truncated together, with the ids of a template around them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "subword/spec/spec.h"

namespace stringops::kernels {

// Rows of ids, of which row i is [splits[i], splits[i + 1]).
struct IdRows {
  const int64_t* ids;
  const int64_t* splits;

  int64_t size(int64_t row) const { return splits[row + 1] - splits[row]; }
};

class SubwordPairs {
 public:
  // `max_length` is that of a row with the template's ids, at least their number, or -1. Strings lose ids at their end,
  // or at their beginning.
  SubwordPairs(const std::vector<subword::PairItem>& items, bool add_special_tokens, int64_t max_length, bool left)
      : left_(left) {
    for (const subword::PairItem& item : items) {
      if (add_special_tokens || is_string(item)) items_.push_back(item);
    }
    room_ = max_length < 0 ? INT64_MAX : max_length - num_special();
  }

  // Returns the number of special tokens of a template.
  int64_t num_special() const { return static_cast<int64_t>(items_.size()) - 2; }

  // The number of ids of a row.
  int64_t size(const IdRows& first, const IdRows& second, int64_t row) const {
    return truncate(first.size(row), second.size(row)).sum() + num_special();
  }

  void write(const IdRows& first, const IdRows& second, int64_t row, int64_t* ids, int64_t* types) const {
    const Sizes sizes = truncate(first.size(row), second.size(row));
    for (const subword::PairItem& item : items_) {
      int64_t count = 1;
      if (is_string(item)) {
        const bool is_first = item.id == subword::PairItem::kFirst;
        const IdRows& rows = is_first ? first : second;
        count = is_first ? sizes.first : sizes.second;
        std::copy_n(rows.ids + (left_ ? rows.splits[row + 1] - count : rows.splits[row]), count, ids);
      } else {
        *ids = item.id;
      }
      std::fill_n(types, count, item.type);
      ids += count;
      types += count;
    }
  }

 private:
  struct Sizes {
    int64_t first, second;
    int64_t sum() const { return first + second; }
  };

  static bool is_string(const subword::PairItem& item) {
    return item.id == subword::PairItem::kFirst || item.id == subword::PairItem::kSecond;
  }

  // Truncates the longer one until both are equally long, then both.
  Sizes truncate(int64_t first, int64_t second) const {
    if (first + second <= room_) return {first, second};
    const bool swaps = first > second;
    const int64_t shorter = std::min(first, second);
    const int64_t longer = std::max(shorter, room_ - shorter);
    Sizes sizes{shorter, longer};
    if (sizes.sum() > room_) sizes = {room_ / 2, room_ / 2 + room_ % 2};
    if (swaps) std::swap(sizes.first, sizes.second);
    return {std::min(sizes.first, first), std::min(sizes.second, second)};
  }

  const bool left_;
  std::vector<subword::PairItem> items_;
  int64_t room_ = 0;
};

}  // namespace stringops::kernels
