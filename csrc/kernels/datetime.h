// Dates and times as strings, and as the time since 1970-01-01 UTC in an int64: reads them (driver/reduce.h), and
// writes them.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>

#include "core/string_span.h"
#include "driver/runner.h"
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

  // The least and the most bytes of a text.
  int64_t min_size() const { return min_size_; }
  int64_t max_size() const;

  // Writes the text of a time, and returns its end; null if it is not of the years 1 to 9999. Other times have no text.
  uint8_t* write(int64_t time, uint8_t* out) const;

 private:
  const TimeFormat& format_;
  const TimeUnit& unit_;
  int64_t first_, last_, min_size_;
};

}  // namespace stringops::kernels
