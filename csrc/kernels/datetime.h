// Dates and times as strings, and as the time since 1970-01-01 UTC in an int64: reads them (driver/reduce.h), and
// writes them.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "core/offsets.h"
#include "core/string_span.h"
#include "driver/map.h"
#include "driver/runner.h"
#include "driver/two_pass.h"
#include "kernels/datetime_format.h"

namespace stringops::kernels {

struct TimeUnit {
  const char* name;
  int64_t per_second;
  int digits;  // of a fraction of a second
};

// Returns the unit "s", "ms", "us" or "ns", or null.
const TimeUnit* find_time_unit(std::string_view name);

// The value that stands for no time, as in NumPy.
constexpr int64_t kNotATime = std::numeric_limits<int64_t>::min();

enum class ReadTime : uint8_t { kTime, kOtherText, kOutOfRange };

// Reads a time. Sets `out` only if the result is kTime.
ReadTime read_time(const TimeFormat& format, const TimeUnit& unit, StringView text, int64_t& out);

// Reads the time of each string. Other strings become `fill`, and set `failed`.
struct ToDatetime {
  using Value = int64_t;
  static constexpr Cost kCost{15, 0.5};
  static constexpr bool kRuns = true;

  const TimeFormat& format;
  const TimeUnit& unit;
  int64_t fill;
  std::atomic<bool>& failed;

  void run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const;
};

// Writes times. kNotATime is "NaT".
class TimeWriter {
 public:
  TimeWriter(const TimeFormat& format, const TimeUnit& unit);

  // Whether the time is of the years 1 to 9999, or kNotATime. Others have no text.
  bool has_text(int64_t time) const { return (time >= first_ && time <= last_) || time == kNotATime; }

  // The least bytes of a text.
  int64_t min_size() const { return std::min<int64_t>(fixed_size_, 3); }

  // Returns the number of bytes of the text of a time that has one.
  int64_t size(int64_t time) const;

  // Writes size(time) bytes; returns their end.
  uint8_t* write(int64_t time, uint8_t* out) const;

 private:
  // Whether the digits of the unit follow the steps of the format.
  bool has_point() const { return format_.is_iso8601() && unit_.digits > 0; }

  const TimeFormat& format_;
  const TimeUnit& unit_;
  int64_t first_, last_;
  int64_t fixed_size_ = 0;  // without names and seconds since 1970
  bool is_fixed_ = true;
};

// Writes the text of `count` times as strings. Sets `bad` to the index of a time that has none, if
// there is one, and then writes nothing. allocate(num_bytes) -> MapOutput.
template <class Allocate>
void format_times(const char* op, const Runner& runner, const TimeWriter& writer, const int64_t* times, int64_t count,
                  int64_t& bad, Allocate&& allocate) {
  constexpr double kNs = 30;
  const EvenTasks tasks{count, runner.choose_tasks(kNs * static_cast<double>(count))};
  std::atomic<int64_t> first_bad{count};
  const auto measure = [&](int64_t t) {
    Pace pace;
    int64_t bytes = 0;
    for (int64_t i = tasks.begin(t); i < tasks.begin(t + 1); ++i) {
      pace.spend(2);
      const int64_t time = times[i];
      if (writer.has_text(time)) {
        bytes += writer.size(time);
        continue;
      }
      int64_t before = first_bad;
      while (i < before && !first_bad.compare_exchange_weak(before, i)) continue;
      break;
    }
    return bytes;
  };
  const auto first_bytes = measure_tasks(op, runner, tasks.tasks, measure);
  bad = first_bad;
  if (bad < count) return;
  const MapOutput out = allocate(first_bytes.back());
  if (count == 0) return;
  write_tasks(op, runner, first_bytes, [&](int64_t t, int64_t at, int64_t limit) {
    Pace pace;
    OffsetsWriter offsets(out.offsets, tasks.begin(t));
    for (int64_t i = tasks.begin(t); i < tasks.begin(t + 1); ++i) {
      pace.spend(20);
      const int64_t time = times[i];
      const int64_t size = writer.has_text(time) ? writer.size(time) : kMaxBytes;
      if (size > limit - at) return false;
      writer.write(time, out.data + at);
      at += size;
      offsets.push(at);
    }
    return at == limit;
  });
}

}  // namespace stringops::kernels
