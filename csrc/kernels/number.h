// Conversion between strings and numbers, and between bytes and hexadecimal digits.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <vector>

#include "core/format_number.h"
#include "core/hex_digit.h"
#include "core/parse_number.h"
#include "core/poll.h"
#include "core/strings.h"
#include "core/testing.h"
#include "driver/map.h"
#include "driver/two_pass.h"

namespace stringops::kernels {

// Reads the number of each string (driver/reduce.h). Strings that are not numbers become `fill`, and set `failed`.
template <class Number>
struct ToNumber {
  using Value = Number;
  static constexpr Cost kCost{8, 0.5};
  static constexpr bool kRuns = true;

  Number fill;
  std::atomic<bool>& failed;

  void run(const StringSpan& in, int64_t first, int64_t last, Number* out) const {
    const uint8_t* const readable_end = in.data + in.num_bytes;
    bool all = true;
    for_each_string(in, first, last, [&](int64_t i, ByteRange string) {
      const StringView text = in.view(string);
      if (parse_number(text, readable_end, out[i]) == Parsed::kNumber) return;
      out[i] = fill;
      all = false;
    });
    if (!all) failed = true;
  }
};

// Writes the texts of numbers one after the other, and their sizes. kMaxNumberText bytes of `out` may be overwritten
// for each number. Returns the end of the last text.
template <class Number>
char* format_block(const Number* numbers, int64_t count, char* out, uint8_t* sizes) {
  for (int64_t i = 0; i < count; ++i) {
    char* const end = format_number(numbers[i], out);
    sizes[i] = static_cast<uint8_t>(end - out);
    out = end;
  }
  return out;
}

// The bytes of the text of all numbers of an expanded tensor, whose equal elements are formatted once.
template <class Number>
int64_t text_bytes(const Number* numbers, const int64_t* sizes, const int64_t* strides, size_t rank, Pace& pace) {
  if (rank == 0) {
    pace.spend(40);
    char text[kMaxNumberText];
    return format_number(*numbers, text) - text;
  }
  if (*sizes == 0) return 0;
  const int64_t different = *strides == 0 ? 1 : *sizes;
  int64_t bytes = 0;
  for (int64_t i = 0; i < different; ++i)
    bytes += text_bytes(numbers + i * *strides, sizes + 1, strides + 1, rank - 1, pace);
  return bytes * (*sizes / different);
}

// Writes the text of `count` numbers as strings. allocate(num_bytes) -> MapOutput.
template <class Number, class Allocate>
void format_numbers(const char* op, const Runner& runner, const Number* numbers, int64_t count, Allocate&& allocate) {
  constexpr double kNs = 40;
  constexpr int64_t kBlock = block_size(256, 4), kChunk = 8 * kBlock * kMaxNumberText;
  // The text of a task, in chunks that are neither cleared nor copied when it grows.
  struct TaskText {
    struct Chunk {
      std::unique_ptr<char[]> bytes;
      int64_t size;
    };
    std::vector<Chunk> chunks;
    std::vector<uint8_t> sizes;

    // One that has room for a block of numbers.
    Chunk& open_chunk() {
      if (chunks.empty() || kChunk - chunks.back().size < kBlock * kMaxNumberText) {
        chunks.push_back({std::unique_ptr<char[]>(new char[static_cast<size_t>(kChunk)]), 0});
      }
      return chunks.back();
    }
  };
  const EvenTasks tasks{count, runner.choose_tasks(kNs * static_cast<double>(count))};
  std::vector<TaskText> texts(static_cast<size_t>(tasks.tasks));
  // Numbers are formatted once, into memory of each task, as that takes longer than a copy. Tasks stop when all of
  // them together have more bytes than a result can have.
  std::atomic<int64_t> total{0};
  const auto check_total = [&](size_t) {
    if (total > kMaxBytes) fail_result_bytes(op);
  };
  const auto measure = [&](int64_t t) {
    TaskText& text = texts[static_cast<size_t>(t)];
    const int64_t first = tasks.begin(t), last = tasks.begin(t + 1);
    text.sizes.resize(static_cast<size_t>(last - first));
    int64_t at = 0;
    for (int64_t i = first; i < last && total <= kMaxBytes; i += kBlock) {
      auto& chunk = text.open_chunk();
      char* const begin = chunk.bytes.get() + chunk.size;
      const int64_t n = std::min(kBlock, last - i);
      const char* const end = format_block(numbers + i, n, begin, text.sizes.data() + (i - first));
      chunk.size += end - begin;
      at += end - begin;
      total += end - begin;
    }
    return at;
  };
  const auto first_bytes = measure_tasks(op, runner, tasks.tasks, measure, check_total);
  const MapOutput out = allocate(first_bytes.back());
  if (count == 0) return;
  write_tasks(op, runner, first_bytes, [&](int64_t t, int64_t at, int64_t limit) {
    const TaskText& text = texts[static_cast<size_t>(t)];
    int64_t copied = at;
    for (const auto& chunk : text.chunks) {
      const int64_t size = std::min(chunk.size, limit - copied);
      if (size > 0) std::memcpy(out.data + copied, chunk.bytes.get(), static_cast<size_t>(size));
      copied += size;
    }
    OffsetsWriter offsets(out.offsets, tasks.begin(t));
    for (const uint8_t size : text.sizes) {
      at += size;
      offsets.push(at);
    }
    return at == limit;
  });
}

// The bytes as pairs of hexadecimal digits, in lower case. Strings that follow each other in memory are converted at
// once.
struct Hex {
  using Driver = TaskMap;

  Cost cost() const { return {2, 0.5}; }

  int64_t size(StringView in) const { return 2 * in.size(); }

  // Has neither branches nor a table, so that the compiler vectorizes it.
  uint8_t* write(StringView in, uint8_t* out, uint8_t* out_end) const {
    const int64_t count = std::min<int64_t>(in.size(), (out_end - out) / 2);
    for (int64_t i = 0; i < count; ++i) {
      uint16_t digits = static_cast<uint16_t>(in.begin[i] >> 4 | (in.begin[i] & 15) << 8);
      const auto letters = static_cast<uint16_t>((digits + 0x0606) >> 4 & 0x0101);  // 1 for a digit from 10 on
      digits = static_cast<uint16_t>(digits + 0x3030 + letters * ('a' - '0' - 10));
      std::memcpy(out + 2 * i, &digits, sizeof digits);
    }
    return out + 2 * count;
  }

  class Worker : public StringMap::Worker<Hex> {
   public:
    using StringMap::Worker<Hex>::Worker;

    bool write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at,
               int64_t limit) const {
      OffsetsWriter offsets(out.offsets, first);
      ByteRange run{0, 0};
      int64_t run_at = at;
      const auto write_run = [&] {
        if (run_at < limit) Hex().write(in.view(run), out.data + run_at, out.data + limit);
      };
      for_each_string(in, first, last, [&](int64_t, ByteRange string) {
        if (string.begin != run.end) {
          write_run();
          run.begin = string.begin;
          run_at = at;
        }
        run.end = string.end;
        at += Hex().size(in.view(string));
        offsets.push(at);
      });
      write_run();
      return at == limit;
    }
  };
};

// The bytes that pairs of hexadecimal digits stand for. A string that has other characters, or an odd number of them,
// sets `failed`.
struct Unhex {
  using Driver = StringMap;
  static constexpr Cost kCost{4, 1};

  std::atomic<bool>& failed;

  int64_t size(StringView in) const { return in.size() / 2; }

  uint8_t* write(StringView in, uint8_t* out, uint8_t* out_end) const {
    const int64_t count = std::min<int64_t>(in.size() / 2, out_end - out);
    uint8_t wrong = 0;
    for (int64_t i = 0; i < count; ++i) {
      const uint8_t high = hex_digit(in.begin[2 * i]), low = hex_digit(in.begin[2 * i + 1]);
      wrong |= high | low;
      out[i] = static_cast<uint8_t>(high << 4 | low);
    }
    if ((wrong & kNoDigit) != 0 || in.size() % 2 != 0) failed = true;
    return out + count;
  }
};

// Whether a string is pairs of hexadecimal digits.
inline bool is_hex(StringView in) {
  return in.size() % 2 == 0 && std::all_of(in.begin, in.end, [](uint8_t byte) { return hex_digit(byte) != kNoDigit; });
}

}  // namespace stringops::kernels
