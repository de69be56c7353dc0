// Division and sorting of entries by their keys (divide_by_key, sort_few): every tier against the standard library.
#include <algorithm>
#include <tuple>

#include "fuzz.h"
#include "simd/primitives.h"

namespace stringops::fuzz {
namespace {

using Entry = std::pair<uint64_t, int32_t>;

struct Entries {
  explicit Entries(int64_t count) : keys(count), positions(count) {}

  void set(const std::vector<Entry>& from) const {
    for (size_t i = 0; i < from.size(); ++i)
      std::tie(keys[static_cast<int64_t>(i)], positions[static_cast<int64_t>(i)]) = from[i];
  }
  void append_to(std::vector<Entry>& to, int64_t count) const {
    for (int64_t i = 0; i < count; ++i) to.emplace_back(keys[i], positions[i]);
  }
  simd::KeyedPositions at(int64_t i) const { return {keys.data() + i, positions.data() + i}; }

  Exact<uint64_t> keys;
  Exact<int32_t> positions;
};

}  // namespace

FUZZ_TARGET(primitives_sort) {
  // Keys that differ in few of their bits, so that many are equal.
  const int64_t shift = in.below(57), count = in.below(100), before = in.below(10);
  const uint64_t others = in.any<uint64_t>() & ~(uint64_t{0xff} << shift);
  std::vector<Entry> entries;
  for (int64_t i = 0; i < count; ++i) entries.emplace_back(others | uint64_t{in.byte()} << shift, in.any<int32_t>());
  const uint64_t bound = in.flag() ? in.any<uint64_t>() : others | uint64_t{in.byte()} << shift;
  const auto size = static_cast<size_t>(count);

  // The entries may be after the place of those that are less; what follows them is another part's.
  const auto divided = same_on_every_tier([&] {
    std::vector<Entry> all(size + static_cast<size_t>(before) + 1, Entry{7, 7});
    std::copy(entries.begin(), entries.end(), all.begin() + before);
    const Entries from(static_cast<int64_t>(all.size())), to(count + 8);
    from.set(all);
    const int64_t less = simd::primitives().divide_by_key(from.at(before), count, bound, from.at(0), to.at(0));
    REQUIRE(0 <= less && less <= count);
    REQUIRE(from.keys[count + before] == 7 && from.positions[count + before] == 7);
    std::vector<Entry> result;
    from.append_to(result, less);
    to.append_to(result, count - less);
    return std::make_pair(less, result);
  });
  std::vector<Entry> want = entries;
  const auto middle = std::stable_partition(want.begin(), want.end(), [&](const Entry& e) { return e.first < bound; });
  REQUIRE(divided.first == middle - want.begin() && divided.second == want);

  const int64_t few = std::min(count, simd::KeyedPositions::kFew);
  const auto sorted = same_on_every_tier([&] {
    const Entries some(few);
    some.set({entries.begin(), entries.begin() + few});
    const uint64_t equal = simd::primitives().sort_few(some.at(0), few);
    std::vector<Entry> result;
    some.append_to(result, few);
    return std::make_pair(equal, result);
  });
  want.assign(entries.begin(), entries.begin() + few);
  std::stable_sort(want.begin(), want.end(), [](const Entry& a, const Entry& b) { return a.first < b.first; });
  REQUIRE(sorted.second == want);
  for (int64_t i = 0; i < 64; ++i) {
    const auto k = static_cast<size_t>(i);
    REQUIRE((sorted.first >> i & 1) == (i > 0 && i < few && want[k - 1].first == want[k].first));
  }
}

}  // namespace stringops::fuzz
