// Pieces that are runs of spaces, if all of them have one score, which is less than those of the other pieces, and no
// other piece has two spaces in a row. BPE then makes them last, of the spaces with which a word begins, always the
// leftmost pair first. A list of merges cannot say this, because the order of its pairs does not depend on positions.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "subword/array.h"

namespace stringops::subword {

class BlankRuns {
 public:
  static constexpr uint64_t kMaxSize = 256;  // spaces of a piece

  BlankRuns() = default;
  // `ids` are those of the pieces by their number of spaces, or kNone; ids[1] is that of the space.
  explicit BlankRuns(Array<uint32_t> ids) : ids_(ids.size <= kMaxSize + 1 ? ids : Array<uint32_t>{}) {}

  bool none() const { return ids_.size == 0; }

  // Merges the spaces at the beginning of a word whose other pairs are merged. Returns how many ids the word has then.
  // Keeps the end of each id in `ends`, if it is not null.
  int64_t merge(uint32_t* ids, int64_t count, std::vector<uint32_t>* ends) {
    int64_t num_blanks = 0;
    while (num_blanks < count && ids[num_blanks] == ids_[1]) ++num_blanks;
    if (num_blanks < 2) return count;
    find_sizes(num_blanks);
    auto to = static_cast<int64_t>(sizes_.size()), end = int64_t{0};
    for (int64_t i = 0; i < to; ++i) {
      const uint64_t size = sizes_[static_cast<size_t>(i)];
      end += static_cast<int64_t>(size);
      ids[i] = ids_[size] & kMaxSymbol;
      if (ends) (*ends)[static_cast<size_t>(i)] = (*ends)[static_cast<size_t>(end - 1)];
    }
    std::copy(ids + num_blanks, ids + count, ids + to);
    if (ends) ends->erase(ends->begin() + to, ends->begin() + num_blanks);
    return to + count - num_blanks;
  }

 private:
  bool has(uint64_t size) const { return size < ids_.size && ids_[size] != kNone; }

  // Sets sizes_ to those of the pieces of a run. No two adjacent ones merge: only the last one grows, and a pair that
  // it then is the right one of is left of all others that merge.
  void find_sizes(int64_t num_blanks) {
    sizes_.clear();
    for (int64_t i = 0; i < num_blanks; ++i) {
      sizes_.push_back(1);
      while (sizes_.size() > 1 && has(sizes_.end()[-2] + sizes_.back())) {
        const uint64_t last = sizes_.back();
        sizes_.pop_back();
        sizes_.back() += last;
      }
    }
  }

  Array<uint32_t> ids_;
  std::vector<uint64_t> sizes_;
};

}  // namespace stringops::subword
