#include "subword/models/merge.h"

#include <algorithm>
#include <functional>

#include "core/utf8.h"

namespace stringops::subword {
namespace {
// Up to this size, the least priority is searched for in an array: quadratic, but without a queue.
constexpr int64_t kShortWord = 64;
}  // namespace

int64_t Merger::merge(const uint8_t* word, int64_t n, uint32_t* out) {
  const int64_t count = merge_pairs(word, n, out);
  return blank_runs_.none() ? count : blank_runs_.merge(out, count, keeps_ends_ ? &ends_ : nullptr);
}

int64_t Merger::merge_pairs(const uint8_t* word, int64_t n, uint32_t* out) {
  if (table_.characters && (keeps_ends_ || n > kShortWord || !is_ascii(word, n))) {
    const int64_t count = table_.characters->split({word, word + n}, out, keeps_ends_ ? &ends_ : nullptr);
    return merge_symbols(count, out);
  }
  int64_t count = 0;
  if (n <= kShortWord && !keeps_ends_) {
    uint32_t priorities[kShortWord];
    uint32_t none = 0;
    for (int64_t i = 0; i < n; ++i) {
      out[i] = table_.byte_ids.unchecked(word[i]);
      none |= static_cast<uint32_t>(out[i] == kNone);
    }
    for (int64_t i = 0; i + 1 < n; ++i) {
      priorities[i] = table_.byte_pairs.unchecked(static_cast<uint64_t>(word[i]) << 8 | word[i + 1]);
    }
    if (none == 0) return merge_short(n, out, priorities);
    if (table_.characters) return merge_symbols(table_.characters->split({word, word + n}, out, nullptr), out);
  }
  if (keeps_ends_) ends_.clear();
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t id = table_.byte_ids.unchecked(word[i]);
    out[count] = id;
    if (id == kNone) continue;
    ++count;
    if (keeps_ends_) ends_.push_back(static_cast<uint32_t>(i + 1));
  }
  return merge_symbols(count, out);
}

int64_t Merger::merge_symbols(int64_t count, uint32_t* out) {
  if (count < 2) return count;
  if (count > kShortWord) return merge_long(count, out);
  uint32_t priorities[kShortWord];
  for (int64_t i = 0; i + 1 < count; ++i) priorities[i] = table_.pairs.find(out[i], out[i + 1]);
  return merge_short(count, out, priorities);
}

// `priorities` are those of each symbol and the next one.
int64_t Merger::merge_short(int64_t count, uint32_t* ids, uint32_t* priorities) {
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
    if (keeps_ends_) ends_.erase(ends_.begin() + at);
    if (at > 0) priorities[at - 1] = table_.pairs.find(ids[at - 1], ids[at]);
    if (at + 1 < count) priorities[at] = table_.pairs.find(ids[at], ids[at + 1]);
  }
  return count;
}

constexpr int64_t kStepsOfSearch = 8, kStepsOfMerge = 64;

// Merges with a queue of pairs, by priority and position. A pair that no longer exists when it is first in the queue is
// skipped: each merge adds two at most, so that merging takes n log n.
int64_t Merger::merge_long(int64_t count, uint32_t* ids) {
  const auto n = static_cast<uint32_t>(count);
  previous_.resize(n);
  next_.resize(n);
  priorities_.assign(n, kNone);  // of each symbol and the next one
  queue_.clear();
  const auto least_first = std::greater<>();
  const auto entry = [](uint32_t priority, uint32_t at) { return uint64_t{priority} << 32 | at; };
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
    const uint32_t priority = priorities_[at] = table_.pairs.find(left, right);
    if (priority == kNone) return;
    queue_.push_back(entry(priority, at));
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
    if (keeps_ends_) ends_[static_cast<size_t>(kept)] = ends_[std::min(next_[i], n) - 1];
    ids[kept++] = ids[i];
  }
  if (keeps_ends_) ends_.resize(static_cast<size_t>(kept));
  return kept;
}

}  // namespace stringops::subword
