// ONNX Split and SplitToSequence: copies the chunks into which an axis is divided.
#pragma once

#include <cstdint>
#include <vector>

#include "core/string_span.h"
#include "driver/map.h"
#include "driver/two_pass.h"

namespace stringops::kernels {

// A chunk of a contiguous tensor: of each of its `blocks` blocks of `block_bytes`, the `num_bytes` from `first_byte`
// on.
struct TensorChunk {
  int64_t blocks;
  int64_t block_bytes;
  int64_t first_byte;
  int64_t num_bytes;
};

void write_tensor_chunk(const uint8_t* in, const TensorChunk& chunk, uint8_t* out);

// A chunk of strings: of each of `blocks` blocks of `block_strings`, the `num_strings` from `first_string` on.
struct StringChunk {
  int64_t blocks;
  int64_t block_strings;
  int64_t first_string;
  int64_t num_strings;
};

int64_t measure_string_chunk(const StringSpan& in, const StringChunk& chunk);

// Writes at most num_bytes; returns false if the strings no longer fill them.
bool write_string_chunk(const StringSpan& in, const StringChunk& chunk, const MapOutput& out, int64_t num_bytes);

// allocate(i, num_bytes) -> MapOutput of chunk i, called in order.
template <class Allocate>
void copy_string_chunks(const char* op, const Runner& runner, const StringSpan& in,
                        const std::vector<StringChunk>& chunks, Allocate&& allocate) {
  const auto count = static_cast<int64_t>(chunks.size());
  const EvenTasks tasks{count, std::min(count, runner.choose_tasks(runner.time_of(in, {1, 0.05})))};
  const auto for_each_chunk = [&](int64_t t, auto&& f) {
    for (auto i = static_cast<size_t>(tasks.begin(t)); i < static_cast<size_t>(tasks.begin(t + 1)); ++i) f(i);
  };
  std::vector<int64_t> num_bytes(chunks.size());
  measure_tasks(op, runner, tasks.tasks, [&](int64_t t) {
    int64_t bytes = 0;
    for_each_chunk(t, [&](size_t i) { bytes += num_bytes[i] = measure_string_chunk(in, chunks[i]); });
    return bytes;
  });
  std::vector<MapOutput> outputs;
  for (size_t i = 0; i < chunks.size(); ++i) outputs.push_back(allocate(i, num_bytes[i]));
  write_tasks(op, runner, tasks.tasks, [&](int64_t t) {
    bool complete = true;
    for_each_chunk(t, [&](size_t i) { complete &= write_string_chunk(in, chunks[i], outputs[i], num_bytes[i]); });
    return complete;
  });
}

}  // namespace stringops::kernels
