#include "subword/models/merge.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>

#include "core/prefetch.h"
#include "core/utf8.h"

namespace stringops::subword {
namespace {
// Symbols up to which the processor guesses the least pair, and up to which lanes find it.
constexpr int64_t kShortWord = 16, kWindow = 60;

// A pair of a few symbols is its priority and the position of the left one, as the bits of a float: positive floats are
// in the order of their bits, and all tiers have an instruction for the lesser one of each of several.
using Lanes [[gnu::vector_size(16)]] = float;
constexpr int kPlaceBits = 6;
constexpr uint32_t kSlots = 1 << kPlaceBits, kLeastPair = 1 << 23, kNoMerge = kLeastPair + (kNoPair << kPlaceBits);

// The least of kSlots pairs.
uint32_t least_of(const uint32_t* pairs) {
  Lanes lanes[kSlots / 4];
  std::memcpy(lanes, pairs, sizeof(lanes));
  for (int k = kSlots / 4 - 1; k > 0; --k) lanes[k / 2] = lanes[k] < lanes[k / 2] ? lanes[k] : lanes[k / 2];
  uint32_t found[4];
  std::memcpy(found, lanes, sizeof(found));
  return std::min({found[0], found[1], found[2], found[3]});
}

// A pair of neighbours that merge, by its priority and the position of the left one.
uint64_t entry(uint32_t priority, uint32_t at) {
  return uint64_t{priority} << 32 | at;
}

// A token of a window: its id, and the number of its symbols in the upper bits.
constexpr int kSizeShift = 21;
static_assert(kMaxSymbol >> kSizeShift == 0);

constexpr int64_t kStepsOfSearch = 8, kStepsOfMerge = 64, kStepsOfWindow = 16;
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
  if (count > kShortWord) count = merge_runs(count, out, ends);
  count = count > kWindow      ? merge_windows(count, out, ends)
          : count > kShortWord ? merge_few(count, out, ends)
                               : merge_short(count, out, ends);
  if (ends) ends_.resize(static_cast<size_t>(count));
  return count;
}

// Appends a run, unless it is empty, to those before it.
void Merger::add_run(std::vector<Run>& runs, const Run& run) {
  const bool continues = !runs.empty() && runs.back().id == run.id && runs.back().size == run.size;
  if (continues) runs.back().count += run.count;
  if (!continues && run.count > 0) runs.push_back(run);
}

// Sets `merged` to the runs after the first merge, and all those of the same pair in its run if nothing merges between
// them. False if nothing merges.
bool Merger::merge_first(std::vector<Run>& merged) const {
  const auto find = [&](uint32_t left, uint32_t right) { return table_.pairs.find(left, right); };
  uint32_t least = kNoPair;
  size_t at = 0;
  bool is_inside = false;
  for (size_t i = 0; i < runs_.size(); ++i) {
    const uint32_t inside = runs_[i].count > 1 ? find(runs_[i].id, runs_[i].id) : kNoPair;
    const uint32_t after = i + 1 < runs_.size() ? find(runs_[i].id, runs_[i + 1].id) : kNoPair;
    if (std::min(inside, after) >= least) continue;
    at = i;
    is_inside = inside <= after;
    least = std::min(inside, after);
  }
  if (least == kNoPair) return false;
  merged.clear();
  for (size_t i = 0; i < at; ++i) add_run(merged, runs_[i]);
  const auto [id, size, count] = runs_[at];
  const uint32_t made = table_.made[least];
  if (is_inside) {
    const bool is_alone =
        (at > 0 && find(runs_[at - 1].id, made) <= least) || find(made, made) <= least || find(made, id) <= least;
    const int64_t times = is_alone ? 1 : count / 2;
    add_run(merged, {made, 2 * size, times});
    add_run(merged, {id, size, count - 2 * times});
  } else {
    add_run(merged, {id, size, count - 1});
    add_run(merged, {made, size + runs_[at + 1].size, 1});
    add_run(merged, {runs_[at + 1].id, runs_[at + 1].size, runs_[at + 1].count - 1});
  }
  for (size_t i = at + (is_inside ? 1 : 2); i < runs_.size(); ++i) add_run(merged, runs_[i]);
  return true;
}

// Merges symbols that are a few runs of equal ones, as of spaces or of dashes, as long as they are.
int64_t Merger::merge_runs(int64_t count, uint32_t* ids, uint32_t* ends) {
  constexpr size_t kFewRuns = 3, kMostRuns = 16;
  runs_.clear();
  for (int64_t i = 0; i < count && runs_.size() <= kFewRuns; ++i) add_run(runs_, {ids[i], 1, 1});
  if (runs_.size() > kFewRuns) return count;
  for (; runs_.size() <= kMostRuns && merge_first(merged_runs_); std::swap(runs_, merged_runs_)) {
    pace_.spend(kStepsOfMerge);
  }
  int64_t kept = 0, end = 0;
  for (const Run& run : runs_) {
    for (int64_t i = 0; i < run.count; ++i) {
      end += run.size;
      if (ends) ends[kept] = ends[end - 1];
      ids[kept++] = run.id;
    }
  }
  return kept;
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
    if (priorities[at] == kNoPair) break;
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

// The symbols keep their positions, from 1 on, between two that merge with nothing. All pairs are compared while the
// new ones of a merge are looked up, and no branch depends on the text.
int64_t Merger::merge_few(int64_t count, uint32_t* ids, uint32_t* ends) const {
  alignas(16) uint32_t pairs[kSlots];
  uint32_t symbols[kSlots], previous[kSlots], next[kSlots];
  const auto pair_at = [&](uint32_t left, uint32_t right, uint32_t at) {
    const uint32_t priority = table_.pairs.find(left, right);
    prefetch(table_.made.at + (priority & kMaxSymbol) * sizeof(uint32_t));  // what the pair becomes
    return kLeastPair + (priority << kPlaceBits | at);
  };
  std::copy_n(ids, count, symbols + 1);
  symbols[0] = symbols[count + 1] = kMaxSymbol;
  std::fill(pairs, pairs + kSlots, kNoMerge);
  for (uint32_t i = 0; i <= count + 1; ++i) {
    previous[i] = i - (i > 0);
    next[i] = i + (i <= count);
  }
  for (uint32_t i = 1; i < count; ++i) pairs[i] = pair_at(symbols[i], symbols[i + 1], i);
  uint32_t first = least_of(pairs);
  for (int64_t most = count - 1; first < kNoMerge && most > 0; --most) {  // also of a malformed table
    const uint32_t at = first % kSlots, right = next[at], after = next[right], before = previous[at];
    const uint32_t made = symbols[at] = table_.made[(first - kLeastPair) >> kPlaceBits];
    next[at] = after;
    previous[after] = at;
    pairs[before] = pairs[at] = pairs[right] = kNoMerge;
    const uint32_t of_before = pair_at(symbols[before], made, before), of_after = pair_at(made, symbols[after], at);
    first = std::min({least_of(pairs), of_before, of_after});
    pairs[before] = of_before;
    pairs[at] = of_after;
  }
  int64_t kept = 0;
  for (int64_t i = 1; i <= count; i = next[i]) {
    if (ends) ends[kept] = ends[next[i] - 2];
    ids[kept++] = symbols[i];
  }
  return kept;
}

// Merges with a queue of pairs, by priority and position. A pair that no longer exists when it is first in the queue is
// skipped: each merge adds two at most, so that merging takes n log n.
int64_t Merger::merge_long(int64_t count, uint32_t* ids, uint32_t* ends) {
  const auto n = static_cast<uint32_t>(count);
  previous_.resize(n);
  next_.resize(n);
  priorities_.assign(n, kNoPair);  // of each symbol and the next one
  queue_.clear();
  const auto least_first = std::greater<>();
  for (uint32_t i = 0; i < n; ++i) {
    previous_[i] = i - 1;  // kNone before the first
    next_[i] = i + 1;
    if (i + 1 == n) break;
    pace_.spend(kStepsOfSearch);
    priorities_[i] = table_.pairs.find(ids[i], ids[i + 1]);
    if (priorities_[i] != kNoPair) queue_.push_back(entry(priorities_[i], i));
  }
  std::make_heap(queue_.begin(), queue_.end(), least_first);
  const auto push = [&](uint32_t left, uint32_t at, uint32_t right) {
    priorities_[at] = table_.pairs.find(left, right);
    if (priorities_[at] == kNoPair) return;
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
    priorities_[at] = priorities_[right] = kNoPair;
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

// Sets window_ to the tokens of some symbols, which may have been merged before. False if a token has too many symbols.
bool Merger::merge_window(int64_t count, const uint32_t* ids) {
  const auto* const key = reinterpret_cast<const uint8_t*>(ids);
  const auto key_size = count * static_cast<int64_t>(sizeof(*ids));
  if (const KeptWords::Word* const kept = windows_.find(key, key_size)) {
    window_.assign(windows_.ids(*kept), windows_.ids(*kept) + kept->num_ids);
    return true;
  }
  window_.assign(ids, ids + count);
  window_ends_.resize(static_cast<size_t>(count));
  std::iota(window_ends_.begin(), window_ends_.end(), 1u);
  const int64_t num_tokens = count > kWindow ? merge_long(count, window_.data(), window_ends_.data())
                                             : merge_few(count, window_.data(), window_ends_.data());
  window_.resize(static_cast<size_t>(num_tokens));
  uint32_t begin = 0;
  for (size_t i = 0; i < window_.size(); ++i) {
    const uint32_t size = window_ends_[i] - begin;
    if (size >> (32 - kSizeShift) != 0) return false;
    window_[i] = (window_[i] & kMaxSymbol) | size << kSizeShift;
    begin = window_ends_[i];
  }
  windows_.keep(key, key_size, window_.data(), num_tokens, 0);
  return true;
}

// Merges a long word in windows, each of which begins with a token of the one before. If this is the first token of
// both, then the tokens before it and those of the window are the tokens of all of the text so far.
//
// For some tokens are those of their text if and only if each two neighbours are the tokens of their text: until the
// first merge across an end of a token, each token is merged as it would be alone, so that the same merge would take
// place in the text of the two neighbours. And each two neighbours of the result are neighbours in a window.
int64_t Merger::merge_windows(int64_t count, uint32_t* ids, uint32_t* ends) {
  struct Start {
    int64_t at, size;   // of the window
    size_t num_tokens;  // before it
    uint32_t first;     // the token that it has to begin with, if there are others before it
  };
  constexpr int64_t kMost = 4096, kMostWork = 16;  // symbols of a window; windows that a symbol is in
  std::vector<Start> starts{{0, kWindow, 0, 0}};
  tokens_.clear();
  for (int64_t work = 0;;) {
    Start& start = starts.back();
    const int64_t size = std::min(start.size, count - start.at);
    work += size;
    pace_.spend(kStepsOfWindow * size);
    tokens_.resize(start.num_tokens);
    if (start.size > kMost || work > kMostWork * count || !merge_window(size, ids + start.at)) {
      return merge_long(count, ids, ends);
    }
    if (start.at > 0 && window_[0] != start.first) {
      starts.pop_back();
      starts.back().size *= 2;
      continue;
    }
    const bool is_last = start.at + size == count;
    // The next window begins with the last token before its last bytes, where tokens may depend on what is next.
    size_t num_tokens = 0;
    int64_t next = start.at;
    const int64_t most = is_last ? count : start.at + size - size / 8;
    while (num_tokens < window_.size() && next + (window_[num_tokens] >> kSizeShift) <= most) {
      next += window_[num_tokens++] >> kSizeShift;
    }
    if (!is_last) {
      if (num_tokens > 0) next -= window_[--num_tokens] >> kSizeShift;
      if (next < start.at + size / 4) {
        start.size *= 2;
        continue;
      }
    }
    tokens_.insert(tokens_.end(), window_.begin(), window_.begin() + static_cast<int64_t>(num_tokens));
    if (is_last) break;
    starts.push_back({next, std::max(kWindow, start.size / 2), tokens_.size(), window_[num_tokens]});
  }
  int64_t end = 0, num_tokens = 0;
  for (const uint32_t token : tokens_) {
    end += token >> kSizeShift;
    if (ends) ends[num_tokens] = ends[end - 1];
    ids[num_tokens++] = token & kMaxSymbol;
  }
  return num_tokens;
}

}  // namespace stringops::subword
