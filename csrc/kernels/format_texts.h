// Writes the texts of values as strings. Each text is made once, into memory of its task, as that takes longer than a
// copy.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/copy_bytes.h"
#include "core/fail.h"
#include "core/poll.h"
#include "core/strings.h"
#include "core/testing.h"
#include "driver/buffered.h"
#include "driver/map.h"

namespace stringops::kernels {

// The texts that a task has made, one after the other.
struct TaskTexts {
  struct Chunk {
    std::unique_ptr<uint8_t[]> bytes;
    int64_t size;  // of its texts
  };

  std::vector<Chunk> chunks;
  std::vector<int32_t> sizes;
  std::optional<int64_t> without_text;  // the first value that has none
};

// format(i, out) writes the text of value i, of at most `most` bytes, and returns its end, or null if it has none.
// fail_at(i) throws the error of the first value that has none. A text takes `ns`. allocate(num_bytes) -> MapOutput.
template <class Format, class FailAt, class Allocate>
void format_texts(const char* op, const Runner& runner, double ns, int64_t count, int64_t most, Format&& format,
                  FailAt&& fail_at, Allocate&& allocate) {
  constexpr int64_t kBlock = block_size(256, 4);  // texts for which there is room at once
  constexpr int64_t kChunk = 1 << 16;             // bytes of a chunk of several blocks
  const EvenTasks tasks{count, runner.choose_tasks(ns * static_cast<double>(count))};
  std::atomic<int64_t> total{0};  // tasks stop when it is more than a result can have
  const auto make = [&](int64_t t, std::optional<TaskTexts>& kept) {
    TaskTexts& texts = kept.emplace();
    const int64_t first = tasks.begin(t), last = tasks.begin(t + 1);
    texts.sizes.reserve(static_cast<size_t>(last - first));
    const int64_t room = std::min((last - first) * most, std::max(kBlock * most, kChunk));
    Pace pace;
    int64_t bytes = 0;
    for (int64_t i = first; i < last && total <= kMaxBytes && !texts.without_text;) {
      const int64_t end = std::min(last, i + kBlock);
      pace.spend((end - i) * static_cast<int64_t>(ns));
      if (texts.chunks.empty() || room - texts.chunks.back().size < (end - i) * most) {
        texts.chunks.push_back({std::unique_ptr<uint8_t[]>(new uint8_t[static_cast<size_t>(room)]), 0});
      }
      auto& chunk = texts.chunks.back();
      uint8_t *const begin = chunk.bytes.get() + chunk.size, *out = begin;
      for (; i < end; ++i) {
        uint8_t* const text_end = format(i, out);
        if (!text_end) {
          texts.without_text = i;
          break;
        }
        texts.sizes.push_back(narrow<int32_t>(text_end - out));
        out = text_end;
      }
      chunk.size += out - begin;
      bytes += out - begin;
      total += out - begin;
    }
    return OutputSize{bytes, 0};
  };
  const auto check = [&](const TaskTexts& texts) {
    if (total > kMaxBytes) fail_result_bytes(op);
    if (texts.without_text) fail_at(*texts.without_text);
  };
  Buffered<TaskTexts> made(op, runner, tasks.tasks, kMappedStrings, make, check);
  const MapOutput out = allocate(made.size().bytes);
  made.write([&](int64_t t, const TaskTexts& texts, const OutputRange& range) {
    int64_t at = range.bytes;
    for (const auto& chunk : texts.chunks) {
      copy_bytes(out.data + at, chunk.bytes.get(), chunk.size);
      at += chunk.size;
    }
    at = range.bytes;
    OffsetsWriter offsets(out.offsets, tasks.begin(t));
    for (const int32_t size : texts.sizes) offsets.push(at += size);
    return true;
  });
}

}  // namespace stringops::kernels
