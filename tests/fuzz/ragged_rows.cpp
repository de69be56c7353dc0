// ragged_count, and the positions of segments: against loops.
#include "kernels/ragged_rows.h"

#include <vector>

#include "fuzz.h"
#include "ragged.h"

namespace stringops::fuzz {
namespace {

FUZZ_TARGET(ragged_count) {
  Ragged ragged = take_ragged(in);
  const int64_t num_ids = in.below(12), tasks = 1 + in.below(3), rows = ragged.rows.rows;
  const bool binary = in.flag();
  if (!ragged.trusted) return;
  const Exact<int64_t> ids(ragged.rows.num_values);
  const Exact<int32_t> short_ids(ids.size());
  for (int64_t i = 0; i < ids.size(); ++i) {
    ids[i] = in.byte() < 240 ? in.below(14) - 1 : in.any<int64_t>();
    short_ids[i] = static_cast<int32_t>(ids[i]);
  }
  const auto run = [&](const auto& from) {
    const Exact<int64_t> counts(rows * num_ids);
    for (int64_t t = tasks; t-- > 0;) {
      kernels::IdCounts{ragged.rows, num_ids, binary}.write(from.data(), rows * t / tasks, rows * (t + 1) / tasks,
                                                            counts.data());
    }
    return counts.copy();
  };
  const auto check = [&](const auto& from) {
    std::vector<int64_t> want(static_cast<size_t>(rows * num_ids));
    for (int64_t r = 0; r < rows; ++r) {
      for (int64_t i = ragged.splits[r]; i < ragged.splits[r + 1]; ++i) {
        if (from[i] < 0 || from[i] >= num_ids) continue;
        int64_t& count = want[static_cast<size_t>(r * num_ids + from[i])];
        count = binary ? 1 : count + 1;
      }
    }
    REQUIRE(run(from) == want);
  };
  check(ids);
  check(short_ids);
  ragged.damage(in);
  run(ids);
}

// Covers _ragged_segments.
FUZZ_TARGET(ragged_segments) {
  const int64_t count = in.below(9), tasks = 1 + in.below(3);
  const Exact<int64_t> starts(count), lengths(count);
  for (int64_t i = 0; i < count; ++i) {
    starts[i] = in.any<int64_t>();
    lengths[i] = in.byte() < 224 ? in.below(20) : in.any<int64_t>();
  }
  const kernels::Segments segments{starts.data(), lengths.data(), count};
  std::vector<int64_t> want, at{0};
  int64_t bad = -1;
  for (int64_t i = 0; i < count && bad < 0; ++i) {
    if (lengths[i] < 0 || lengths[i] > 1000) bad = i;
    for (int64_t k = 0; k < lengths[i] && bad < 0; ++k) {
      want.push_back(static_cast<int64_t>(static_cast<uint64_t>(starts[i]) + static_cast<uint64_t>(k)));
    }
    at.push_back(static_cast<int64_t>(want.size()));
  }
  int64_t sum = 0;
  const int64_t found = kernels::find_bad_length(segments, &sum);
  if (bad >= 0) return;
  REQUIRE(found < 0 && sum == at.back());
  const auto run = [&] {
    const Exact<int64_t> out(sum);
    bool fits = true;
    for (int64_t t = tasks; t-- > 0;) {
      const int64_t first = count * t / tasks, last = count * (t + 1) / tasks;
      fits &= kernels::write_segments(segments, first, last, out.data(), at[static_cast<size_t>(first)],
                                      at[static_cast<size_t>(last)]);
    }
    return std::pair{fits, out.copy()};
  };
  // In order, as a segment writes over the next one of its task.
  REQUIRE(run() == std::pair(true, want));
  for (int64_t i = 1 + in.below(3); i > 0 && count > 0; --i) lengths[in.below(count)] = in.any<int64_t>();
  run();
}

}  // namespace
}  // namespace stringops::fuzz
