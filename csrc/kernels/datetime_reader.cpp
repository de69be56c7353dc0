#include "kernels/datetime.h"

#include <cstring>

#include "core/civil.h"
#include "core/parse_number.h"
#include "core/strings.h"
#include "core/utf8.h"

namespace stringops::kernels {
namespace {

// The bytes of "YYYY-MM-DD" and of "HH:MM:SS".
constexpr int64_t kDateSize = 10, kClockSize = 8;
constexpr int32_t kNanosecondDigits = 9;
constexpr int64_t kNanoseconds = 1000000000;  // of a second
constexpr TimeUnit kUnits[] = {{"s", 1, 0}, {"ms", 1000, 3}, {"us", 1000000, 6}, {"ns", 1000000000, 9}};

// Reads eight bytes that are digits where `kText` has '0', and otherwise as in `kText`. Byte k of the result is the
// number of the digits k and k + 1, if both are digits. Returns false for other text.
template <uint64_t kText, uint64_t kSeparators>
bool read_pairs(const uint8_t* p, uint64_t& pairs) {
  constexpr uint64_t kOnes = 0x0101010101010101;
  uint64_t word;
  std::memcpy(&word, p, sizeof word);
  word ^= kText;
  // The top bit of a byte is set by a digit above 9, or by a separator that differs.
  if (((((word & kOnes * 0x7F) + kOnes * 0x76 + kSeparators * 9) | word) & kOnes * 0x80) != 0) return false;
  pairs = word * 10 + (word >> 8);
  return true;
}

constexpr int32_t byte_of(uint64_t word, int index) {
  return static_cast<int32_t>(word >> 8 * index & 0xFF);
}

// Reads two digits.
bool read_two(const uint8_t* p, int32_t& number) {
  const auto tens = static_cast<uint8_t>(p[0] - '0'), ones = static_cast<uint8_t>(p[1] - '0');
  number = tens * 10 + ones;
  return tens < 10 && ones < 10;
}

// Reads "YYYY-MM-DD", of ten bytes. Whether the date exists is not checked.
bool read_date(const uint8_t* p, CivilDate& date) {
  uint64_t pairs;
  if (!read_pairs<0x2D30302D30303030, 0x0100000100000000>(p, pairs)) return false;
  date.year = byte_of(pairs, 0) * 100 + byte_of(pairs, 2);
  date.month = byte_of(pairs, 5);
  return read_two(p + 8, date.day);
}

struct ClockTime {
  int32_t hour = 0;
  int32_t minute = 0;
  int32_t second = 0;
};

// Reads "HH:MM:SS", of eight bytes. The limits of the numbers are not checked.
bool read_clock(const uint8_t* p, ClockTime& clock) {
  uint64_t pairs;
  if (!read_pairs<0x30303A30303A3030, 0x0000010000010000>(p, pairs)) return false;
  clock = {byte_of(pairs, 0), byte_of(pairs, 3), byte_of(pairs, 6)};
  return true;
}

// The parts of a time that is read.
struct TimeParts {
  CivilDate date{1900, 1, 1};
  ClockTime clock;
  int32_t nanosecond = 0;
  int32_t offset_minutes = 0;
  int32_t day_of_year = 0;    // or 0
  bool is_afternoon = false;  // PM
  bool has_hour12 = false;
  bool has_seconds = false;  // `seconds` replaces the date and the clock
  int64_t seconds = 0;       // since 1970
};

// Reads text from left to right. Functions return false for other text.
class Reader {
 public:
  explicit Reader(StringView text) : at_(text.begin), end_(text.end) {}

  int64_t left() const { return end_ - at_; }
  const uint8_t* at() const { return at_; }
  void skip(int64_t bytes) { at_ += bytes; }

  bool take(uint8_t byte) {
    if (at_ == end_ || *at_ != byte) return false;
    ++at_;
    return true;
  }

  // Exactly two digits.
  bool two(int32_t max, int32_t& number) {
    if (left() < 2 || !read_two(at_, number) || number > max) return false;
    at_ += 2;
    return true;
  }

  // Up to `digits` digits, of which the next one is read only if the number stays at most `max`.
  bool number(int digits, int32_t min, int32_t max, int32_t& number) {
    const uint8_t* const begin = at_;
    number = 0;
    for (; at_ < end_ && at_ - begin < digits && is_ascii_digit(*at_); ++at_) {
      const int32_t more = number * 10 + (*at_ - '0');
      if (more > max) break;
      number = more;
    }
    return at_ > begin && number >= min;
  }

  bool four(int32_t& number) {
    int32_t high, low;
    if (left() < 4 || !read_two(at_, high) || !read_two(at_ + 2, low)) return false;
    number = high * 100 + low;
    at_ += 4;
    return number > 0;
  }

  // One to nine digits after the decimal point, as nanoseconds.
  bool fraction(int32_t& nanoseconds) {
    const uint8_t* const begin = at_;
    nanoseconds = 0;
    while (at_ < end_ && at_ - begin < kNanosecondDigits && is_ascii_digit(*at_)) {
      nanoseconds = nanoseconds * 10 + (*at_++ - '0');
    }
    constexpr int32_t kPowers[] = {0, 100000000, 10000000, 1000000, 100000, 10000, 1000, 100, 10, 1};
    nanoseconds *= kPowers[at_ - begin];
    return at_ > begin;
  }

  // Z, +hh, +hhmm or +hh:mm.
  bool offset(int32_t& minutes) {
    minutes = 0;
    if (take('Z')) return true;
    const bool minus = at_ < end_ && *at_ == '-';
    if (!minus && (at_ == end_ || *at_ != '+')) return false;
    ++at_;
    int32_t hours, more = 0;
    if (!two(23, hours)) return false;
    const bool colon = take(':');
    if ((colon || (at_ < end_ && is_ascii_digit(*at_))) && !two(59, more)) return false;
    minutes = hours * 60 + more;
    if (minus) minutes = -minutes;
    return true;
  }

  // The text in any case. It has only letters.
  bool word(std::string_view text) {
    const auto size = static_cast<int64_t>(text.size());
    if (left() < size) return false;
    for (int64_t i = 0; i < size; ++i) {
      if ((at_[i] | 0x20) != (text[static_cast<size_t>(i)] | 0x20)) return false;
    }
    at_ += size;
    return true;
  }

  // One of the names, or of their abbreviations; its number counts from 1. No name begins with another.
  template <size_t kCount>
  bool name(const std::array<std::string_view, kCount>& names, bool is_abbreviated, int32_t& number) {
    for (size_t i = 0; i < kCount; ++i) {
      if (!word(is_abbreviated ? names[i].substr(0, kAbbreviated) : names[i])) continue;
      number = static_cast<int32_t>(i) + 1;
      return true;
    }
    return false;
  }

  bool spaces() {
    const uint8_t* const begin = at_;
    while (at_ < end_ && (*at_ == ' ' || (*at_ >= '\t' && *at_ <= '\r'))) ++at_;
    return at_ > begin;
  }

  // Seconds since 1970. More digits than an int64 has are another text.
  bool epoch(int64_t& seconds) {
    const bool minus = take('-');
    const uint8_t* const begin = at_;
    seconds = 0;
    for (; at_ < end_ && is_ascii_digit(*at_); ++at_) {
      const int64_t digit = minus ? '0' - *at_ : *at_ - '0';
      if (__builtin_mul_overflow(seconds, int64_t{10}, &seconds)) return false;
      if (__builtin_add_overflow(seconds, digit, &seconds)) return false;
    }
    return at_ > begin;
  }

 private:
  const uint8_t* at_;
  const uint8_t* const end_;
};

bool is_clock(ClockTime clock) {
  return clock.hour < 24 && clock.minute < 60 && clock.second < 60;
}

bool is_date(CivilDate date) {
  return date.year >= 1 && date.month >= 1 && date.month <= 12 && date.day >= 1 &&
         date.day <= days_in_month(date.year, date.month);
}

// YYYY-MM-DD, then T or a space and hh, hh:mm or hh:mm:ss, a point or comma and a fraction of the seconds, and an
// offset.
bool read_iso8601(Reader& in, TimeParts& parts) {
  if (in.left() < kDateSize || !read_date(in.at(), parts.date)) return false;
  in.skip(kDateSize);
  if (in.left() == 0) return true;
  if (!in.take('T') && !in.take(' ')) return false;
  const bool has_seconds = in.left() >= kClockSize && read_clock(in.at(), parts.clock);
  if (has_seconds) {
    in.skip(kClockSize);
    if (!is_clock(parts.clock)) return false;
  } else {
    if (!in.two(23, parts.clock.hour)) return false;
    if (in.take(':') && !in.two(59, parts.clock.minute)) return false;
  }
  if (has_seconds && (in.take('.') || in.take(',')) && !in.fraction(parts.nanosecond)) return false;
  return in.left() == 0 || in.offset(parts.offset_minutes);
}

// Reads %F: all digits at once, if the string has them.
bool read_date(Reader& in, CivilDate& date) {
  if (in.left() >= kDateSize && read_date(in.at(), date) && is_date(date)) {
    in.skip(kDateSize);
    return true;
  }
  return in.four(date.year) && in.take('-') && in.number(2, 1, 12, date.month) && in.take('-') &&
         in.number(2, 1, 31, date.day);
}

// Reads %T in the same way.
bool read_clock(Reader& in, ClockTime& clock) {
  if (in.left() >= kClockSize && read_clock(in.at(), clock) && is_clock(clock)) {
    in.skip(kClockSize);
    return true;
  }
  return in.number(2, 0, 23, clock.hour) && in.take(':') && in.number(2, 0, 59, clock.minute) && in.take(':') &&
         in.number(2, 0, 59, clock.second);
}

bool read_step(TimeStep step, Reader& in, TimeParts& parts) {
  int32_t ignored;
  switch (step.field) {
    case TimeField::kYear:
      return in.four(parts.date.year);
    case TimeField::kShortYear:
      if (!in.two(99, parts.date.year)) return false;
      parts.date.year += parts.date.year < 69 ? 2000 : 1900;
      return true;
    case TimeField::kMonth:
      return in.number(2, 1, 12, parts.date.month);
    case TimeField::kMonthName:
      return in.name(kMonthNames, false, parts.date.month);
    case TimeField::kMonthAbbr:
      return in.name(kMonthNames, true, parts.date.month);
    case TimeField::kPaddedDay:
      if (in.take(' ')) return in.number(1, 1, 9, parts.date.day);
      return in.number(2, 1, 31, parts.date.day);
    case TimeField::kDay:
      return in.number(2, 1, 31, parts.date.day);
    case TimeField::kDayOfYear:
      return in.number(3, 1, 366, parts.day_of_year);
    case TimeField::kWeekdayName:
      return in.name(kWeekdayNames, false, ignored);
    case TimeField::kWeekdayAbbr:
      return in.name(kWeekdayNames, true, ignored);
    case TimeField::kHour:
      return in.number(2, 0, 23, parts.clock.hour);
    case TimeField::kHour12:
      parts.has_hour12 = true;
      return in.number(2, 1, 12, parts.clock.hour);
    case TimeField::kHalf:
      if (in.word("AM")) return true;
      parts.is_afternoon = true;
      return in.word("PM");
    case TimeField::kMinute:
      return in.number(2, 0, 59, parts.clock.minute);
    case TimeField::kSecond:
      return in.number(2, 0, 59, parts.clock.second);
    case TimeField::kFraction:
      return in.fraction(parts.nanosecond);
    case TimeField::kOffset:
      return in.offset(parts.offset_minutes);
    case TimeField::kZone:
      return in.word("UTC") || in.word("GMT");
    case TimeField::kEpoch:
      parts.has_seconds = true;
      return in.epoch(parts.seconds);
    case TimeField::kDate:
      return read_date(in, parts.date);
    case TimeField::kClock:
      return read_clock(in, parts.clock);
    case TimeField::kSpace:
      return in.spaces();
    case TimeField::kLiteral:
      return in.take(step.literal);
  }
  return false;
}

bool read_parts(const TimeFormat& format, StringView text, TimeParts& parts) {
  Reader in(text);
  if (format.is_iso8601()) {
    if (!read_iso8601(in, parts)) return false;
  } else {
    for (const TimeStep step : format.steps()) {
      if (!read_step(step, in, parts)) return false;
    }
  }
  return in.left() == 0;
}

// The seconds since 1970-01-01 UTC. Returns false if there is no such date.
bool seconds_of(const TimeParts& parts, int64_t& seconds) {
  if (parts.has_seconds) {
    seconds = parts.seconds;
    return true;
  }
  CivilDate date = parts.date;
  if (parts.day_of_year != 0) date.month = date.day = 1;
  if (!is_date(date)) return false;
  int64_t days = days_of(date);
  if (parts.day_of_year != 0) {
    if (parts.day_of_year > 365 + is_leap_year(date.year)) return false;
    days += parts.day_of_year - 1;
  }
  int32_t hour = parts.clock.hour;
  if (parts.has_hour12) hour = hour % 12 + (parts.is_afternoon ? 12 : 0);
  seconds = days * kSecondsOfDay + (hour * 60 + parts.clock.minute - parts.offset_minutes) * 60 + parts.clock.second;
  return true;
}

// Reads "YYYY-MM-DD", a separator and "HH:MM:SS", the whole text of most strings. Returns false for others.
bool read_plain(const TimeFormat& format, StringView text, int64_t& seconds) {
  const uint8_t *const p = text.begin, *const at_clock = p + kDateSize + 1;
  CivilDate date;
  ClockTime clock;
  if (text.size() != kDateSize + 1 + kClockSize || p[kDateSize] != format.separator()) return false;
  if (!read_date(p, date) || !is_date(date) || !read_clock(at_clock, clock) || !is_clock(clock)) return false;
  seconds = days_of(date) * kSecondsOfDay + (clock.hour * 60 + clock.minute) * 60 + clock.second;
  return true;
}

// Units since 1970; digits of the fraction that the unit does not have are dropped. Returns false if int64 does not
// hold them; kNotATime is no time.
bool in_units(const TimeUnit& unit, int64_t seconds, int32_t nanosecond, int64_t& out) {
  int64_t fraction = nanosecond == 0 ? 0 : nanosecond / (kNanoseconds / unit.per_second);
  // The part before the fraction must not be below the sum, which may be the least int64.
  if (seconds < 0 && fraction > 0) {
    ++seconds;
    fraction -= unit.per_second;
  }
  int64_t units;
  if (__builtin_mul_overflow(seconds, unit.per_second, &units)) return false;
  if (__builtin_add_overflow(units, fraction, &units) || units == kNotATime) return false;
  out = units;
  return true;
}

}  // namespace

const TimeUnit* find_time_unit(std::string_view name) {
  for (const TimeUnit& unit : kUnits) {
    if (name == unit.name) return &unit;
  }
  return nullptr;
}

ReadTime read_time(const TimeFormat& format, const TimeUnit& unit, StringView text, int64_t& out) {
  int64_t seconds;
  if (read_plain(format, text, seconds)) {
    return in_units(unit, seconds, 0, out) ? ReadTime::kTime : ReadTime::kOutOfRange;
  }
  TimeParts parts;
  if (!read_parts(format, text, parts) || !seconds_of(parts, seconds)) return ReadTime::kOtherText;
  return in_units(unit, seconds, parts.nanosecond, out) ? ReadTime::kTime : ReadTime::kOutOfRange;
}

void ToDatetime::run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const {
  bool all = true;
  Pace pace;
  for_each_string(in, first, last, [&](int64_t i, ByteRange string) {
    pace.spend(16 + string.size());
    if (read_time(format, unit, in.view(string), out[i]) == ReadTime::kTime) return;
    out[i] = fill;
    all = false;
  });
  if (!all) failed = true;
}

}  // namespace stringops::kernels
