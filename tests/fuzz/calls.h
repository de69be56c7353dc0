// Whole calls of operators on strings, without torch: measured and written by tasks that `run` may put on threads of
// their own. Each gives a number that follows from its result, or nothing where another thread changed its arguments.
#pragma once

#include <atomic>
#include <functional>
#include <optional>

#include "fuzz.h"
#include "kernels/string_equal.h"
#include "kernels/string_split.h"
#include "kernels/string_tensor_pack.h"
#include "kernels/string_tensor_unpack.h"
#include "kernels/string_unique.h"
#include "kernels/tokenizer.h"
#include "kernels/vocab_encode.h"

namespace stringops::fuzz {

// Calls task(i) for each i in [0, count), and returns when all are done.
using Run = std::function<void(int64_t count, const std::function<void(int64_t)>& task)>;

inline void serially(int64_t count, const std::function<void(int64_t)>& task) {
  for (int64_t i = 0; i < count; ++i) task(i);
}

using Result = std::optional<uint64_t>;

template <class... Buffers>
Result digest(bool complete, const Buffers&... buffers) {
  if (!complete) return std::nullopt;
  uint64_t sum = 0;
  const auto add = [&](const auto& buffer) {
    const auto bytes = buffer.size() * static_cast<int64_t>(sizeof(buffer[0]));
    sum = sum * 31 + stable_hash(reinterpret_cast<const uint8_t*>(buffer.data()), bytes);
  };
  (add(buffers), ...);
  return sum;
}

// Shares of tasks that wrote `bytes` and `pieces` each.
template <class Measures, class Of>
std::vector<kernels::Share> add_up(const Measures& tasks, Of&& of) {
  std::vector<kernels::Share> shares;
  int64_t bytes = 0, pieces = 0;
  for (const auto& task : tasks) {
    const auto [b, p] = of(task);
    shares.push_back({bytes, bytes + b, pieces, pieces + p});
    bytes += b, pieces += p;
  }
  return shares;
}

inline Result call_split(const StringSpan& in, const kernels::Splitter& by, int64_t parts, const Run& run) {
  const kernels::Cuts cuts = kernels::cut_for_split(in, by, parts);
  std::vector<kernels::SplitMeasure> tasks(static_cast<size_t>(cuts.parts));
  run(cuts.parts,
      [&](int64_t t) { tasks[t] = kernels::measure_split(in, by, cuts.places[t], cuts.places[t + 1], nullptr); });
  const auto shares = add_up(tasks, [](const auto& task) { return std::make_pair(task.bytes, task.pieces); });
  const Bytes data(shares.back().bytes_end);
  const Exact<int32_t> offsets(shares.back().pieces_end + 1);
  const Exact<int64_t> splits(in.size() + 1);
  offsets[0] = 0;
  splits[0] = 0;
  std::atomic<bool> complete{true};
  run(cuts.parts, [&](int64_t t) {
    if (!kernels::write_split_ragged(in, by, cuts.places[t], cuts.places[t + 1], shares[t], data.data(), offsets.data(),
                                     splits.data())) {
      complete = false;
    }
  });
  return digest(complete, data, offsets, splits);
}

inline Result call_split_padded(const StringSpan& in, const kernels::Splitter& by, int64_t parts, const Run& run) {
  const kernels::Cuts cuts = kernels::cut_for_split(in, by, parts);
  std::vector<kernels::SplitMeasure> tasks(static_cast<size_t>(cuts.parts));
  const Exact<int64_t> counts(in.size());
  run(cuts.parts,
      [&](int64_t t) { tasks[t] = kernels::measure_split(in, by, cuts.places[t], cuts.places[t + 1], counts.data()); });
  const auto shares = add_up(tasks, [](const auto& task) { return std::make_pair(task.bytes, task.pieces); });
  const kernels::PaddedRows padding = kernels::finish_counts(cuts, tasks, counts.data());
  const Bytes data(shares.back().bytes_end);
  const Exact<int32_t> offsets(in.size() * (padding.width + 1));
  std::atomic<bool> complete{true};
  run(cuts.parts, [&](int64_t t) {
    if (!kernels::write_split_padded(in, by, cuts.places[t], cuts.places[t + 1], shares[t], padding.open[t],
                                     data.data(), offsets.data(), padding.width)) {
      complete = false;
    }
  });
  return digest(complete, data, offsets);
}

inline Result call_tokenizer(const StringSpan& in, const kernels::TokenRules& rules, int64_t parts, const Run& run) {
  const auto begin = [&](int64_t t) { return in.size() * t / parts; };
  std::vector<kernels::TokenMeasure> tasks(static_cast<size_t>(parts));
  run(parts, [&](int64_t t) { tasks[t] = kernels::measure_tokens(in, rules, begin(t), begin(t + 1), false); });
  for (const auto& task : tasks) {
    if (task.invalid || task.bad_match || task.too_slow) return 1;
  }
  const auto shares = add_up(tasks, [](const auto& task) { return std::make_pair(task.bytes, task.tokens); });
  const Bytes data(shares.back().bytes_end);
  const Exact<int32_t> offsets(shares.back().pieces_end + 1);
  const Exact<int64_t> splits(in.size() + 1);
  offsets[0] = 0;
  splits[0] = 0;
  std::atomic<bool> complete{true};
  run(parts, [&](int64_t t) {
    if (!kernels::write_tokens(in, rules, {false, std::nullopt, {}}, begin(t), begin(t + 1), tasks[t], shares[t],
                               {data.data(), offsets.data(), splits.data()})) {
      complete = false;
    }
  });
  return digest(complete, data, offsets, splits);
}

// Unpacked, then packed again.
inline Result call_unpack_and_pack(const StringSpan& in, int64_t parts, const Run& run) {
  const auto begin = [&](int64_t t) { return in.size() * t / parts; };
  std::vector<int64_t> bases(static_cast<size_t>(parts) + 1, 0);
  run(parts, [&](int64_t t) { bases[t + 1] = kernels::measure_unpack(in, begin(t), begin(t + 1)); });
  for (int64_t t = 0; t < parts; ++t) bases[t + 1] += bases[t];
  if (bases.back() > kMaxBytes / 8) return std::nullopt;  // as the operator refuses it: offsets are int32
  const Bytes symbols(bases.back());
  const Exact<int32_t> begins(in.size()), ends(in.size());
  std::atomic<bool> complete{true};
  run(parts, [&](int64_t t) {
    const kernels::UnpackOutput out{begins.data(), ends.data(), symbols.data()};
    if (!kernels::write_unpack(in, begin(t), begin(t + 1), out, bases[t], bases[t + 1])) complete = false;
  });
  if (!complete) return std::nullopt;
  const kernels::PackInput<int32_t> ranges{begins.data(), ends.data(), symbols.data(), symbols.size()};
  std::vector<kernels::PackMeasure> measures(static_cast<size_t>(parts));
  run(parts, [&](int64_t t) { measures[t] = kernels::measure_pack(ranges, begin(t), begin(t + 1)); });
  for (int64_t t = 0; t < parts; ++t) {
    REQUIRE(!measures[t].bad_index);
    bases[t + 1] = bases[t] + measures[t].num_bytes;
  }
  if (bases.back() > kMaxBytes / 8) return std::nullopt;
  const Bytes data(bases.back());
  const Exact<int32_t> offsets(in.rows * (in.cols + 1));
  run(parts, [&](int64_t t) {
    const kernels::PackOutput out{data.data(), data.size(), offsets.data(), in.cols};
    if (!kernels::write_pack(ranges, begin(t), begin(t + 1), out, bases[t], bases[t + 1])) complete = false;
  });
  return digest(complete, begins, ends, symbols, data, offsets);
}

inline Result call_equal(const StringSpan& left, const StringSpan& right, int64_t parts, const Run& run) {
  const int64_t count = left.size();
  const kernels::EqualInput in{{left, {1}, 1}, {right, {right.rows == 1 ? 0 : 1}, 1}, {left.rows}, left.cols};
  const Exact<bool> out(count);
  run(parts, [&](int64_t t) { kernels::write_equal(in, count * t / parts, count * (t + 1) / parts, out.data()); });
  return digest(true, out);
}

inline Result call_unique(const StringSpan& in) {
  const Exact<int64_t> inverse(in.size());
  const auto unique = kernels::measure_unique(in, inverse.data());
  if (unique.num_bytes > kMaxBytes / 8) return std::nullopt;  // offsets that overlap, in a damaged argument
  const Bytes data(unique.num_bytes);
  const Exact<int32_t> offsets(static_cast<int64_t>(unique.ranges.size()) + 1);
  kernels::write_unique(in, unique, data.data(), offsets.data());
  return digest(true, inverse, data, offsets);
}

inline Result call_encode(const StringSpan& in, const Bytes& table, int64_t parts, const Run& run) {
  const auto opened = kernels::open_vocab_table(table.data(), table.size());
  if (!opened) return std::nullopt;
  const Exact<int64_t> ids(in.size());
  run(parts, [&](int64_t t) {
    kernels::write_vocab_ids(*opened, in, in.size() * t / parts, in.size() * (t + 1) / parts, {-1, 7}, ids.data());
  });
  return digest(true, ids);
}

}  // namespace stringops::fuzz
