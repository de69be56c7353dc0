// Dates and times as strings, and as the time since 1970-01-01 UTC in an int64: reads them (driver/reduce.h), and
// writes them. Formats are the directives of strptime and strftime, compiled to steps.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/string_span.h"
#include "driver/runner.h"

namespace stringops::kernels {

enum class TimeField : uint8_t {
  kYear,         // %Y: four digits
  kShortYear,    // %y: 69 to 99 are of the 20th century, 00 to 68 of the 21st
  kMonth,        // %m
  kMonthName,    // %B
  kMonthAbbr,    // %b
  kDay,          // %d
  kPaddedDay,    // %e: a space in place of a leading zero
  kDayOfYear,    // %j
  kWeekdayName,  // %A
  kWeekdayAbbr,  // %a
  kHour,         // %H
  kHour12,       // %I
  kHalf,         // %p: AM or PM
  kMinute,       // %M
  kSecond,       // %S
  kFraction,     // %f
  kOffset,       // %z
  kZone,         // %Z: UTC or GMT
  kEpoch,        // %s: seconds since 1970
  kDate,         // %F: %Y-%m-%d
  kClock,        // %T: %H:%M:%S
  kSpace,        // whitespace in a format that is read
  kLiteral,
};

struct TimeStep {
  TimeField field;
  uint8_t literal = 0;
};

// The parts of a time, of which a format that is read has each at most once.
enum TimePart : uint32_t {
  kYearPart = 1,
  kMonthPart = 2,
  kDayPart = 4,
  kHourPart = 8,
  kMinutePart = 16,
  kSecondPart = 32,
  kFractionPart = 64,
  kZonePart = 128,
  kHalfPart = 256,
  kWeekdayPart = 512,
  kAllParts = ~uint32_t{0},
};

struct TimeDirective {
  char name;
  TimeField field;
  uint32_t parts;  // that it sets when it is read
};

inline constexpr TimeDirective kTimeDirectives[] = {
    {'Y', TimeField::kYear, kYearPart},
    {'y', TimeField::kShortYear, kYearPart},
    {'m', TimeField::kMonth, kMonthPart},
    {'B', TimeField::kMonthName, kMonthPart},
    {'b', TimeField::kMonthAbbr, kMonthPart},
    {'d', TimeField::kDay, kDayPart},
    {'e', TimeField::kPaddedDay, kDayPart},
    {'j', TimeField::kDayOfYear, kMonthPart | kDayPart},
    {'A', TimeField::kWeekdayName, kWeekdayPart},
    {'a', TimeField::kWeekdayAbbr, kWeekdayPart},
    {'H', TimeField::kHour, kHourPart},
    {'I', TimeField::kHour12, kHourPart},
    {'p', TimeField::kHalf, kHalfPart},
    {'M', TimeField::kMinute, kMinutePart},
    {'S', TimeField::kSecond, kSecondPart},
    {'f', TimeField::kFraction, kFractionPart},
    {'z', TimeField::kOffset, kZonePart},
    {'Z', TimeField::kZone, kZonePart},
    {'s', TimeField::kEpoch, kAllParts & ~kFractionPart},
    {'F', TimeField::kDate, kYearPart | kMonthPart | kDayPart},
    {'T', TimeField::kClock, kHourPart | kMinutePart | kSecondPart},
};

// Whether strings are read by the format, or written.
enum class FormatUse : uint8_t { kRead, kWrite };

// The largest format, in bytes.
constexpr int64_t kMaxTimeFormat = 1024;

// A format as a list of steps. "iso8601" has none when it is read, by code of its own; times are written by its steps
// and the digits of their unit.
class TimeFormat {
 public:
  // Throws std::invalid_argument, with an error that begins with `op`, if the format is malformed.
  TimeFormat(const char* op, std::string_view format, FormatUse use);

  bool is_iso8601() const { return is_iso8601_; }
  const std::vector<TimeStep>& steps() const { return steps_; }

  // The byte between %F and %T if the format has nothing else, else -1.
  int separator() const { return separator_; }

 private:
  void add(const char* op, std::string_view format, FormatUse use);
  void check_fields(const char* op) const;
  void join(const TimeStep (&parts)[5], TimeField whole);

  std::vector<TimeStep> steps_;
  bool is_iso8601_ = false;
  int separator_ = -1;
};

inline constexpr std::array<std::string_view, 12> kMonthNames = {"January",   "February", "March",    "April",
                                                                 "May",       "June",     "July",     "August",
                                                                 "September", "October",  "November", "December"};
// From Monday on.
inline constexpr std::array<std::string_view, 7> kWeekdayNames = {"Monday", "Tuesday",  "Wednesday", "Thursday",
                                                                  "Friday", "Saturday", "Sunday"};
constexpr size_t kAbbreviated = 3;  // characters of a name

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
