// Byte pair encoding of one word: of all pairs of neighbours that merge, the one of least priority, and of equal ones
// the leftmost, becomes one symbol, until no pair merges.
#pragma once

#include <cstdint>
#include <vector>

#include "core/poll.h"
#include "subword/models/kept_words.h"
#include "subword/table.h"

namespace stringops::subword {

class Merger {
 public:
  explicit Merger(const Table& table)
      : table_(table), blank_runs_(table.blank_runs), windows_(kBytesOfWindows, table.header.seed.low) {}

  // Writes the ids of a word to `out`, which has room for n of them; returns how many.
  int64_t merge(const uint8_t* word, int64_t n, uint32_t* out);

  // The bytes of the word that each id of the last call stands for, if `bytes` was set: id k ends before byte ends[k].
  void keep_ends(bool keep) { keeps_ends_ = keep; }
  const std::vector<uint32_t>& ends() const { return ends_; }

 private:
  static constexpr int64_t kBytesOfWindows = 1 << 14;

  int64_t merge_pairs(const uint8_t* word, int64_t n, uint32_t* out);
  // Each merges `count` symbols in place; returns how many are left. `ends`, if it is not null, are where the symbols
  // end.
  int64_t merge_runs(int64_t count, uint32_t* ids, uint32_t* ends);
  int64_t merge_short(int64_t count, uint32_t* ids, uint32_t* ends) const;
  int64_t merge_few(int64_t count, uint32_t* ids, uint32_t* ends) const;
  int64_t merge_long(int64_t count, uint32_t* ids, uint32_t* ends);
  int64_t merge_windows(int64_t count, uint32_t* ids, uint32_t* ends);
  bool merge_window(int64_t count, const uint32_t* ids);

  // Equal symbols next to each other, each of which was made of `size` symbols.
  struct Run {
    uint32_t id;
    int64_t size, count;
  };
  static void add_run(std::vector<Run>& runs, const Run& run);
  bool merge_first(std::vector<Run>& merged) const;

  const Table& table_;
  BlankRuns blank_runs_;
  bool keeps_ends_ = false;
  std::vector<uint32_t> ends_;
  std::vector<uint32_t> previous_, next_, priorities_;
  std::vector<uint64_t> queue_;
  std::vector<Run> runs_, merged_runs_;
  KeptWords windows_;  // and their tokens
  std::vector<uint32_t> window_, window_ends_, tokens_;
  Pace pace_;
};

}  // namespace stringops::subword
