// OpenVINO StringTensorPack-15 gathers strings from byte ranges of a buffer; StringTensorUnpack-15 compacts strings
// into a buffer, and returns their ranges.
//
// Ranges may overlap, repeat and come in any order.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/strings.h"
#include "driver/map.h"
#include "driver/two_pass.h"

namespace stringops::kernels {

// Ranges [begins[i], ends[i]) in bytes of `symbols`. Index is int32_t or int64_t.
template <class Index>
struct PackInput {
  const Index* begins;
  const Index* ends;
  const uint8_t* symbols;
  int64_t num_symbols;
  int64_t count;
};

// The sum of the lengths of ranges [first, last), or the index of the first range that is not
// 0 <= begin <= end <= num_symbols.
struct PackMeasure {
  int64_t num_bytes;
  std::optional<int64_t> bad_index;
};
template <class Index>
PackMeasure measure_pack(const PackInput<Index>& in, int64_t first, int64_t last);

// Writes strings [first, last), their bytes to [at, limit) of the data. Returns false if they no longer fill these
// bytes.
template <class Index>
bool write_pack(const PackInput<Index>& in, int64_t first, int64_t last, const MapOutput& out, int64_t at,
                int64_t limit);

// allocate(num_bytes) -> MapOutput.
template <class Index, class Allocate>
void pack_strings(const char* op, const Runner& runner, const PackInput<Index>& in, Allocate&& allocate) {
  const int64_t count = in.count;
  // The sizes of the ranges are not known before they are measured, so the time is estimated from their number.
  constexpr double kNsPerString = 4;
  const EvenTasks tasks{count, runner.choose_tasks(static_cast<double>(count) * kNsPerString)};
  std::vector<std::optional<int64_t>> bad(static_cast<size_t>(tasks.tasks));
  const auto first_bytes = measure_tasks(
      op, runner, tasks.tasks,
      [&](int64_t t) {
        const PackMeasure m = measure_pack(in, tasks.begin(t), tasks.begin(t + 1));
        bad[static_cast<size_t>(t)] = m.bad_index;
        return m.num_bytes;
      },
      [&](size_t t) {
        if (const auto i = bad[t]) {
          fail(op, ": expected 0 <= `begins` <= `ends` <= ", in.num_symbols, " (bytes of `symbols`), got begin ",
               in.begins[*i], " and end ", in.ends[*i], " at index ", *i, " (row-major)");
        }
      });
  const MapOutput out = allocate(first_bytes.back());
  write_tasks(op, runner, first_bytes, [&](int64_t t, int64_t at, int64_t limit) {
    return write_pack(in, tasks.begin(t), tasks.begin(t + 1), out, at, limit);
  });
}

struct UnpackOutput {
  int32_t* begins;  // one per string
  int32_t* ends;
  uint8_t* symbols;  // null if only the ranges are wanted
};

// Writes strings [first, last), their bytes to [at, limit) of the symbols. Returns false if they no longer fill these
// bytes.
bool write_unpack(const StringSpan& in, int64_t first, int64_t last, const UnpackOutput& out, int64_t at,
                  int64_t limit);

// allocate(num_bytes) -> UnpackOutput.
template <class Allocate>
void unpack_strings(const char* op, const Runner& runner, const StringSpan& in, bool copies_bytes,
                    Allocate&& allocate) {
  const EvenTasks tasks{in.size(), runner.choose_tasks(runner.time_of(in, {0.6, copies_bytes ? 0.04 : 0}))};
  const auto first_bytes = measure_tasks(
      op, runner, tasks.tasks, [&](int64_t t) { return count_bytes(in, tasks.begin(t), tasks.begin(t + 1)); });
  const UnpackOutput out = allocate(first_bytes.back());
  write_tasks(op, runner, first_bytes, [&](int64_t t, int64_t at, int64_t limit) {
    return write_unpack(in, tasks.begin(t), tasks.begin(t + 1), out, at, limit);
  });
}

}  // namespace stringops::kernels
