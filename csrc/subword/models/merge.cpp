#include "subword/models/merge.h"

#include <algorithm>
#include <functional>

#include "core/utf8.h"

namespace stringops::subword {
namespace {
constexpr int64_t kShortWord = 16;  // symbols up to which the least pair is searched for among all

// A pair of neighbours that merge, by its priority and the position of the left one.
uint64_t entry(uint32_t priority, uint32_t at) {
  return uint64_t{priority} << 32 | at;
}

constexpr int64_t kStepsOfSearch = 8, kStepsOfMerge = 64;
}  // namespace

int64_t Merger::merge(const uint8_t* word, int64_t n, uint32_t* out) {
  const int64_t count = merge_pairs(word, n, out);
  return blank_runs_.none() ? count : blank_runs_.merge(out, count, keeps_ends_ ? &ends_ : nullptr);
}

int64_t Merger::merge_pairs(const uint8_t* word, int64_t n, uint32_t* out) {
  ends_.clear();
  bool is_known = !table_.characters || is_ascii(word, n);
  int64_t count = 0;
  for (int64_t i = 0; is_known && i < n; ++i) {
    const uint32_t id = out[count] = table_.byte_ids.unchecked(word[i]);
    is_known = id != kNone || !table_.characters;
    count += static_cast<int64_t>(id != kNone);
    if (id != kNone && keeps_ends_) ends_.push_back(static_cast<uint32_t>(i + 1));
  }
  if (!is_known) count = table_.characters->split({word, word + n}, out, keeps_ends_ ? &ends_ : nullptr);
  uint32_t* const ends = keeps_ends_ ? ends_.data() : nullptr;
  count = count > kShortWord ? merge_long(count, out, ends) : merge_short(count, out, ends);
  if (ends) ends_.resize(static_cast<size_t>(count));
  return count;
}

// The processor is ahead of the lookups, as it guesses which pair is the least.
int64_t Merger::merge_short(int64_t count, uint32_t* ids, uint32_t* ends) const {
  uint32_t priorities[kShortWord];  // of each symbol and the next one
  for (int64_t i = 0; i + 1 < count; ++i) priorities[i] = table_.pairs.find(ids[i], ids[i + 1]);
  while (count > 1) {
    int64_t at = 0;
    for (int64_t i = 1; i + 1 < count; ++i) {
      if (priorities[i] < priorities[at]) at = i;
    }
    if (priorities[at] == kNone) break;
    ids[at] = table_.made[priorities[at]];
    --count;
    for (int64_t i = at + 1; i < count; ++i) ids[i] = ids[i + 1];
    for (int64_t i = at; i + 1 < count; ++i) priorities[i] = priorities[i + 1];
    for (int64_t i = at; ends && i < count; ++i) ends[i] = ends[i + 1];
    if (at > 0) priorities[at - 1] = table_.pairs.find(ids[at - 1], ids[at]);
    if (at + 1 < count) priorities[at] = table_.pairs.find(ids[at], ids[at + 1]);
  }
  return count;
}

// Merges with a queue of pairs, by priority and position. A pair that no longer exists when it is first in the queue is
// skipped: each merge adds two at most, so that merging takes n log n.
int64_t Merger::merge_long(int64_t count, uint32_t* ids, uint32_t* ends) {
  const auto n = static_cast<uint32_t>(count);
  previous_.resize(n);
  next_.resize(n);
  priorities_.assign(n, kNone);  // of each symbol and the next one
  queue_.clear();
  const auto least_first = std::greater<>();
  for (uint32_t i = 0; i < n; ++i) {
    previous_[i] = i - 1;  // kNone before the first
    next_[i] = i + 1;
    if (i + 1 == n) break;
    pace_.spend(kStepsOfSearch);
    priorities_[i] = table_.pairs.find(ids[i], ids[i + 1]);
    if (priorities_[i] != kNone) queue_.push_back(entry(priorities_[i], i));
  }
  std::make_heap(queue_.begin(), queue_.end(), least_first);
  const auto push = [&](uint32_t left, uint32_t at, uint32_t right) {
    priorities_[at] = table_.pairs.find(left, right);
    if (priorities_[at] == kNone) return;
    queue_.push_back(entry(priorities_[at], at));
    std::push_heap(queue_.begin(), queue_.end(), least_first);
  };
  while (!queue_.empty()) {
    pace_.spend(kStepsOfMerge);
    std::pop_heap(queue_.begin(), queue_.end(), least_first);
    const auto at = static_cast<uint32_t>(queue_.back());
    const auto priority = static_cast<uint32_t>(queue_.back() >> 32);
    queue_.pop_back();
    if (priorities_[at] != priority) continue;
    const uint32_t right = next_[at];
    const uint32_t made = table_.made[priority];
    ids[at] = made;
    priorities_[at] = priorities_[right] = kNone;
    const uint32_t after = next_[at] = next_[right];
    if (after < n) {
      previous_[after] = at;
      push(made, at, ids[after]);
    }
    if (previous_[at] != kNone) push(ids[previous_[at]], previous_[at], made);
  }
  int64_t kept = 0;
  for (uint32_t i = 0; i < n; i = next_[i]) {
    if (ends) ends[kept] = ends[std::min(next_[i], n) - 1];
    ids[kept++] = ids[i];
  }
  return kept;
}

}  // namespace stringops::subword
