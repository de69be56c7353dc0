#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <string_view>

#include "core/copy_bytes.h"
#include "core/fail.h"
#include "core/lazy.h"
#include "core/narrow.h"
#include "core/poll.h"
#include "core/prefetch.h"
#include "core/testing.h"
#include "core/word_key.h"
#include "driver/growing_table.h"
#include "driver/key_batch.h"
#include "kernels/sort.h"
#include "kernels/vocabulary.h"

namespace stringops::kernels {
namespace {

// Detection of hash flooding: words chosen so that their hashes collide, which would make a table take quadratic time.
//
// At most half of the slots are taken, so a search takes half a step to the next slot on average. The maximum observed
// on real and on regular words, under thousands of seeds, is 3 steps. Beyond the limit the table needs another seed.
//
// Whether searches for `words` words took more steps than chance explains. Few words are not judged.
constexpr bool is_flooded(int64_t steps, int64_t words) {
  return steps > 8 * words + 2048;
}

// A random seed against hash flooding. An attacker who learns it, from the time that calls take, meets another one. No
// result depends on it.
const HashSeed& process_seed() {
  return lazy([] { return random_seed(); });
}

// Fuzzing builds take every path on short inputs.
bool needs_new_seed(int64_t steps, int64_t words) {
  return kFuzzing ? steps > 2 : is_flooded(steps, words);
}

constexpr int64_t kStepsOfSearch = 256;
constexpr int64_t kTried = 4096;    // strings, of which the number of distinct ones decides whether tasks divide them
constexpr size_t kPrefetched = 16;  // strings ahead, as sorted ones are at random positions

void add_word(UniqueStrings& unique, int64_t begin, int64_t size) {
  unique.ranges.push_back({narrow<int32_t>(begin), narrow<int32_t>(begin + size)});
  unique.counts.push_back(0);
  unique.num_bytes += size;
}

// Returns false if hash flooding is detected; another seed is needed then. `step` is that of StringBatch.
bool find_by_table(const StringSpan& in, int64_t step, const HashSeed& seed, UniqueStrings& unique, int64_t* inverse) {
  GrowingTable table(seed, in.size());
  StringBatch batch(in, 0, seed, step);
  for (int64_t first = 0; first < in.size(); first += StringBatch::kSize) {
    const int64_t n = std::min(StringBatch::kSize, in.size() - first);
    if (needs_new_seed(table.steps(), first)) return false;
    table.reserve(first, n);
    batch.next(n, table.bytes(), table.capacity());
    for (int64_t j = 0; j < n; ++j) {
      const WordKey key = batch.key(j);
      const auto is_word = [&](int32_t id) {
        if (!key.is_long()) return true;
        const auto [begin, end] = unique.ranges[id];
        return end - begin == batch.size(j) && equal_long(in.data + begin, batch.bytes(j), batch.size(j));
      };
      WordSlot& slot = table.find(key, batch.home(j), is_word);
      if (slot.high == kEmptyMark) {
        table.insert(slot, key);
        add_word(unique, batch.begin(j), batch.size(j));
      }
      inverse[first + j] = slot.id;
      ++unique.counts[slot.id];
    }
  }
  return true;
}

// Finds distinct strings by a tree, which is slower, but immune to hash flooding, and valid for any order of words.
void find_by_order(const StringSpan& in, int64_t step, UniqueStrings& unique, int64_t* inverse) {
  std::map<std::string_view, int64_t> ids;
  Pace pace;
  for (int64_t i = 0; i < in.size(); ++i) {
    const std::string_view word = in[i * step];
    pace.spend(static_cast<int64_t>(word.size()) + kStepsOfSearch);
    const auto [at, is_new] = ids.try_emplace(word, static_cast<int64_t>(ids.size()));
    if (is_new) {
      add_word(unique, reinterpret_cast<const uint8_t*>(word.data()) - in.data, static_cast<int64_t>(word.size()));
    }
    inverse[i] = at->second;
    ++unique.counts[static_cast<size_t>(at->second)];
  }
}

UniqueStrings find_by_one(const StringSpan& in, int64_t step, int64_t* inverse) {
  UniqueStrings unique;
  // Memory is reserved for the worst case: memory that is never written costs nothing, while growing would fragment the
  // heap.
  unique.ranges.reserve(static_cast<size_t>(in.size()));
  unique.counts.reserve(static_cast<size_t>(in.size()));
  const auto begin_again = [&] {
    unique.ranges.clear();
    unique.counts.clear();
    unique.num_bytes = 0;
  };
  if (find_by_table(in, step, process_seed(), unique, inverse)) return unique;
  begin_again();
  if (find_by_table(in, step, random_seed(), unique, inverse)) return unique;
  begin_again();
  find_by_order(in, step, unique, inverse);  // no words are known that collide under any seed
  return unique;
}

// Whether few of the first strings are distinct.
bool repeats(const StringSpan& in) {
  std::vector<int64_t> ids(static_cast<size_t>(std::min(in.size(), kTried)));
  const auto tried = static_cast<int64_t>(ids.size());
  return kFuzzing || find_by_one(in.part(0, tried), 1, ids.data()).size() < tried / 3;
}

// The positions of counts in descending order; equal ones keep theirs.
std::vector<int32_t> order_by_count(const std::vector<uint32_t>& counts) {
  static constexpr uint32_t kLarge = 1024;  // smaller ones, which most are, are sorted by counting them
  const auto place = [](uint32_t count) { return kLarge - std::min(count, kLarge); };
  std::vector<int32_t> next(kLarge + 1), order(counts.size());
  for (const uint32_t count : counts) ++next[place(count) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  const int32_t num_large = next[1];
  for (size_t i = 0; i < counts.size(); ++i) {
    order[static_cast<size_t>(next[place(counts[i])]++)] = narrow<int32_t>(static_cast<int64_t>(i));
  }
  std::stable_sort(order.begin(), order.begin() + num_large, [&](int32_t a, int32_t b) {
    return counts[static_cast<size_t>(a)] > counts[static_cast<size_t>(b)];
  });
  return order;
}

}  // namespace

UniqueStrings find_unique(const Runner& runner, const StringSpan& in, int64_t* inverse) {
  const int64_t tasks = std::min(in.size(), runner.choose_parts(runner.time_of(in, {10, 0.1})));
  if (tasks <= 1 || !repeats(in)) return find_by_one(in, 1, inverse);
  // Each task finds the distinct strings of a part. Those of all parts, in order, have the first ones of all.
  const auto begin = [&](int64_t t) { return in.size() * t / tasks; };
  std::vector<UniqueStrings> parts(static_cast<size_t>(tasks));
  runner.run(tasks, [&](int64_t t) {
    parts[static_cast<size_t>(t)] = find_by_one(in.part(begin(t), begin(t + 1) - begin(t)), 1, inverse + begin(t));
  });
  std::vector<PackedRange> ranges;
  std::vector<size_t> firsts;
  for (const UniqueStrings& part : parts) {
    firsts.push_back(ranges.size());
    ranges.insert(ranges.end(), part.ranges.begin(), part.ranges.end());
  }
  std::vector<int64_t> ids(ranges.size());
  UniqueStrings unique =
      find_by_one({in.data, in.num_bytes, &ranges.front().begin, static_cast<int64_t>(ranges.size())}, 2, ids.data());
  std::fill(unique.counts.begin(), unique.counts.end(), 0);
  const auto* id = ids.data();
  for (const UniqueStrings& part : parts) {
    for (const uint32_t count : part.counts) unique.counts[static_cast<size_t>(*id++)] += count;
  }
  runner.run(tasks, [&](int64_t t) {
    const int64_t* const new_ids = ids.data() + firsts[static_cast<size_t>(t)];
    for (int64_t i = begin(t); i < begin(t + 1); ++i) inverse[i] = new_ids[inverse[i]];
  });
  return unique;
}

void sort_unique(const StringSpan& in, UniqueStrings& unique, int64_t* inverse, bool by_count) {
  if (by_count && std::is_sorted(unique.counts.rbegin(), unique.counts.rend())) return;
  const std::vector<int32_t> order =
      by_count ? order_by_count(unique.counts) : argsort_strings(in.data, in.num_bytes, unique.ranges);
  UniqueStrings sorted;
  sorted.ranges.reserve(order.size());
  sorted.counts.reserve(order.size());
  sorted.num_bytes = unique.num_bytes;
  std::vector<int32_t> new_ids(order.size());
  for (const int32_t id : order) {
    new_ids[static_cast<size_t>(id)] = narrow<int32_t>(sorted.size());
    sorted.ranges.push_back(unique.ranges[static_cast<size_t>(id)]);
    sorted.counts.push_back(unique.counts[static_cast<size_t>(id)]);
  }
  for (int64_t i = 0; i < in.size(); ++i) inverse[i] = new_ids[static_cast<size_t>(inverse[i])];
  unique = std::move(sorted);
}

void write_unique(const StringSpan& in, const UniqueStrings& unique, const UniqueOutput& out) {
  const uint8_t* const src_end = in.data + in.num_bytes;
  const uint8_t* const dst_end = out.data + unique.num_bytes;
  int64_t at = 0;
  int32_t* offsets = out.offsets;
  *offsets++ = 0;
  for (size_t i = 0; i < unique.ranges.size(); ++i) {
    if (i + kPrefetched < unique.ranges.size()) prefetch(in.data + unique.ranges[i + kPrefetched].begin);
    const auto [begin, end] = unique.ranges[i];
    copy_short(out.data + at, dst_end, in.data + begin, src_end, end - begin);
    at += end - begin;
    *offsets++ = narrow<int32_t>(at);
  }
  std::copy(unique.counts.begin(), unique.counts.end(), out.counts);
}

DistinctTable tabulate_distinct(const char* op, const StringSpan& strings) {
  DistinctTable result;
  result.ids.resize(static_cast<size_t>(strings.size()));
  const UniqueStrings unique = find_by_one(strings, 1, result.ids.data());
  check_result_bytes(op, unique.num_bytes);
  std::vector<uint8_t> data(static_cast<size_t>(unique.num_bytes));
  std::vector<int32_t> offsets(static_cast<size_t>(unique.size()) + 1);
  std::vector<int64_t> counts(static_cast<size_t>(unique.size()));
  write_unique(strings, unique, {data.data(), offsets.data(), counts.data()});
  const StringSpan words{data.data(), unique.num_bytes, offsets.data(), unique.size()};
  result.table.resize(static_cast<size_t>(measure_vocab_table(words)));
  write_vocab_table(op, words, result.table.data(), static_cast<int64_t>(result.table.size()));
  return result;
}

}  // namespace stringops::kernels
