#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "core/civil.h"
#include "core/fail.h"
#include "core/format_number.h"
#include "kernels/datetime.h"

namespace stringops::kernels {
namespace {

constexpr bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// Directives that stand for others.
std::string_view expanded(char directive) {
  switch (directive) {
    case 'D':
      return "%m/%d/%y";
    case 'R':
      return "%H:%M";
    default:
      return {};
  }
}

const TimeDirective* find_directive(char name) {
  for (const TimeDirective& directive : kTimeDirectives) {
    if (directive.name == name) return &directive;
  }
  return nullptr;
}

}  // namespace

TimeFormat::TimeFormat(const char* op, std::string_view format, FormatUse use) {
  const auto size = static_cast<int64_t>(format.size());
  STRINGOPS_CHECK(size <= kMaxTimeFormat, op, ": expected `format` of at most ", kMaxTimeFormat, " bytes, got ", size);
  is_iso8601_ = format == "iso8601";
  if (is_iso8601_) separator_ = 'T';
  if (is_iso8601_ && use == FormatUse::kRead) return;
  add(op, is_iso8601_ ? "%FT%T" : format, use);
  if (use == FormatUse::kRead) check_fields(op);
  using F = TimeField;
  join({{F::kYear}, {F::kLiteral, '-'}, {F::kMonth}, {F::kLiteral, '-'}, {F::kDay}}, F::kDate);
  join({{F::kHour}, {F::kLiteral, ':'}, {F::kMinute}, {F::kLiteral, ':'}, {F::kSecond}}, F::kClock);
  if (steps_.size() != 3 || steps_[0].field != F::kDate || steps_[2].field != F::kClock) return;
  if (steps_[1].field == F::kSpace || steps_[1].field == F::kLiteral) separator_ = steps_[1].literal;
}

void TimeFormat::add(const char* op, std::string_view format, FormatUse use) {
  for (size_t i = 0; i < format.size(); ++i) {
    char c = format[i];
    if (c == '%') {
      ++i;
      STRINGOPS_CHECK(i < format.size(), op, ": expected a directive after the last `%` of `format`, got none");
      const char name = format[i];
      if (const std::string_view others = expanded(name); !others.empty()) {
        add(op, others, use);
        continue;
      }
      if (const TimeDirective* const found = find_directive(name)) {
        steps_.push_back({found->field});
        continue;
      }
      STRINGOPS_CHECK(name == '%' || name == 'n' || name == 't', op,
                      ": expected `format` of the directives %Y %y %m %B %b %d %e %j %A %a %H %I %p %M %S %f %z %Z %s "
                      "%F %T %D %R %n %t %%, got another one at byte ",
                      i - 1);
      c = name == 'n' ? '\n' : name == 't' ? '\t' : '%';
    }
    if (use == FormatUse::kWrite || !is_space(c)) {
      steps_.push_back({TimeField::kLiteral, static_cast<uint8_t>(c)});
    } else if (steps_.empty() || steps_.back().field != TimeField::kSpace) {
      steps_.push_back({TimeField::kSpace, ' '});
    }
  }
}

void TimeFormat::check_fields(const char* op) const {
  uint32_t seen = 0;
  for (const TimeStep step : steps_) {
    uint32_t parts = 0;
    for (const TimeDirective& directive : kTimeDirectives) {
      if (directive.field == step.field) parts = directive.parts;
    }
    STRINGOPS_CHECK((seen & parts) == 0, op,
                    ": expected `format` with one directive for each part of a time, got two for the same");
    seen |= parts;
  }
}

// Makes one step of each five that are `parts`, because their digits are read at once.
void TimeFormat::join(const TimeStep (&parts)[5], TimeField whole) {
  const auto equal = [](TimeStep a, TimeStep b) { return a.field == b.field && a.literal == b.literal; };
  auto at = steps_.begin();
  while ((at = std::search(at, steps_.end(), parts, parts + 5, equal)) != steps_.end()) {
    at->field = whole;
    steps_.erase(at + 1, at + 5);
  }
}

namespace {

constexpr int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0);
}

// Writes `count` digits, with leading zeros.
uint8_t* write_digits(uint32_t number, int count, uint8_t* out) {
  for (int i = count; i-- > 0; number /= 10) out[i] = static_cast<uint8_t>('0' + number % 10);
  return out + count;
}

// The digits of the numbers below 100, the first one in the low byte.
constexpr auto kTwoDigits = [] {
  std::array<uint16_t, 100> digits{};
  for (uint16_t i = 0; i < 100; ++i) digits[i] = static_cast<uint16_t>(0x3030 + i / 10 + (i % 10 << 8));
  return digits;
}();

uint8_t* write_two(int32_t number, uint8_t* out) {
  std::memcpy(out, &kTwoDigits[static_cast<size_t>(number)], 2);
  return out + 2;
}

uint8_t* write_year(int32_t year, uint8_t* out) {
  return write_two(year % 100, write_two(year / 100, out));
}

uint8_t* write_text(std::string_view text, uint8_t* out) {
  std::memcpy(out, text.data(), text.size());
  return out + text.size();
}

// A time that is written.
struct WrittenTime {
  WrittenTime(int64_t time, const TimeUnit& unit)
      : seconds(floor_div(time, unit.per_second)),
        fraction(static_cast<uint32_t>(time - seconds * unit.per_second)),
        days(floor_div(seconds, kSecondsOfDay)),
        date(date_of(days)),
        second_of_day(static_cast<int32_t>(seconds - days * kSecondsOfDay)) {}

  int32_t hour() const { return second_of_day / 3600; }
  int32_t minute() const { return second_of_day / 60 % 60; }
  int32_t second() const { return second_of_day % 60; }
  size_t weekday() const { return static_cast<size_t>((days - kFirstDay) % 7); }  // the first day was a Monday
  int32_t day_of_year() const { return static_cast<int32_t>(days - days_of({date.year, 1, 1})) + 1; }

  int64_t seconds;
  uint32_t fraction;  // in units
  int64_t days;
  CivilDate date;
  int32_t second_of_day;
};

uint8_t* write_step(TimeStep step, const WrittenTime& time, const TimeUnit& unit, uint8_t* out) {
  const auto month = static_cast<size_t>(time.date.month - 1);
  switch (step.field) {
    case TimeField::kYear:
      return write_year(time.date.year, out);
    case TimeField::kShortYear:
      return write_two(time.date.year % 100, out);
    case TimeField::kMonth:
      return write_two(time.date.month, out);
    case TimeField::kMonthName:
      return write_text(kMonthNames[month], out);
    case TimeField::kMonthAbbr:
      return write_text(kMonthNames[month].substr(0, kAbbreviated), out);
    case TimeField::kPaddedDay:
      write_two(time.date.day, out);
      if (*out == '0') *out = ' ';
      return out + 2;
    case TimeField::kDay:
      return write_two(time.date.day, out);
    case TimeField::kDayOfYear:
      return write_digits(static_cast<uint32_t>(time.day_of_year()), 3, out);
    case TimeField::kWeekdayName:
      return write_text(kWeekdayNames[time.weekday()], out);
    case TimeField::kWeekdayAbbr:
      return write_text(kWeekdayNames[time.weekday()].substr(0, kAbbreviated), out);
    case TimeField::kHour:
      return write_two(time.hour(), out);
    case TimeField::kHour12:
      return write_two((time.hour() + 11) % 12 + 1, out);
    case TimeField::kHalf:
      return write_text(time.hour() < 12 ? "AM" : "PM", out);
    case TimeField::kMinute:
      return write_two(time.minute(), out);
    case TimeField::kSecond:
      return write_two(time.second(), out);
    case TimeField::kFraction: {
      const int digits = std::max(unit.digits, 6);  // as in Python, or nine
      uint8_t* const end = write_digits(time.fraction, unit.digits, out);
      std::fill(end, out + digits, uint8_t{'0'});
      return out + digits;
    }
    case TimeField::kOffset:
      return write_text("+0000", out);
    case TimeField::kZone:
      return write_text("UTC", out);
    case TimeField::kEpoch: {
      char text[kMaxNumberText];
      const bool minus = time.seconds < 0;
      if (minus) *out++ = '-';
      const char* const end = write_integer(static_cast<uint64_t>(minus ? -time.seconds : time.seconds), text);
      return write_text({text, static_cast<size_t>(end - text)}, out);
    }
    case TimeField::kDate:
      out = write_year(time.date.year, out);
      *out++ = '-';
      out = write_two(time.date.month, out);
      *out++ = '-';
      return write_two(time.date.day, out);
    case TimeField::kClock:
      out = write_two(time.hour(), out);
      *out++ = ':';
      out = write_two(time.minute(), out);
      *out++ = ':';
      return write_two(time.second(), out);
    case TimeField::kSpace:
    case TimeField::kLiteral:
      break;
  }
  *out = step.literal;
  return out + 1;
}

constexpr std::string_view kNotATimeText = "NaT";

}  // namespace

TimeWriter::TimeWriter(const TimeFormat& format, const TimeUnit& unit) : format_(format), unit_(unit) {
  constexpr int64_t kFirst = kFirstDay * kSecondsOfDay, kEnd = (kLastDay + 1) * kSecondsOfDay;
  // Times of nanoseconds are always of these years.
  int64_t end = 0;
  if (__builtin_mul_overflow(kFirst, unit.per_second, &first_)) first_ = kNotATime;
  last_ = __builtin_mul_overflow(kEnd, unit.per_second, &end) ? std::numeric_limits<int64_t>::max() : end - 1;
  // The names and the seconds of this time have as few bytes as any, or at least three.
  std::vector<uint8_t> text(static_cast<size_t>(max_size()));
  min_size_ = std::min<int64_t>(write(0, text.data()) - text.data(), kNotATimeText.size());
}

int64_t TimeWriter::max_size() const {
  constexpr int64_t kMaxStep = kMaxNumberText;  // also of the fraction after the last step
  return kMaxStep * (static_cast<int64_t>(format_.steps().size()) + 1);
}

uint8_t* TimeWriter::write(int64_t time, uint8_t* out) const {
  if (time == kNotATime) return write_text(kNotATimeText, out);
  if (time < first_ || time > last_) return nullptr;
  const WrittenTime written(time, unit_);
  for (const TimeStep step : format_.steps()) out = write_step(step, written, unit_, out);
  if (!format_.is_iso8601() || unit_.digits == 0) return out;
  *out++ = '.';
  return write_digits(written.fraction, unit_.digits, out);
}

}  // namespace stringops::kernels
