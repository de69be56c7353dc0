// Dates of the proleptic Gregorian calendar, and days since 1970-01-01.
#pragma once

#include <array>
#include <cstdint>

namespace stringops {

constexpr int64_t kSecondsOfDay = 86400;

struct CivilDate {
  int32_t year;
  int32_t month;  // 1 to 12
  int32_t day;    // from 1
};

constexpr bool is_leap_year(int32_t year) {
  return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

constexpr int32_t days_in_month(int32_t year, int32_t month) {
  constexpr std::array<uint8_t, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  return month == 2 && is_leap_year(year) ? 29 : kDays[static_cast<size_t>(month - 1)];
}

// Years that begin in March end with the leap day, so that months have the same lengths in all of them: 153 days for
// each five. March is month 0.
constexpr int32_t days_before_month_from_march(int32_t month) {
  return (153 * month + 2) / 5;
}

// The days from 0000-03-01 to 1970-01-01.
constexpr int64_t kDaysBeforeEpoch = 719468;

// Returns the days of a date of the years 0 to 9999 since 1970-01-01.
constexpr int64_t days_of(CivilDate date) {
  const bool is_after_february = date.month > 2;
  // The year 1 begins before March of that year, so it is at least 0.
  const auto year =
      static_cast<uint32_t>(date.year + 399 + is_after_february);  // 400 years more, against negative ones
  const int32_t month = date.month + (is_after_february ? -3 : 9);
  const uint32_t days = 365 * year + year / 4 - year / 100 + year / 400 +
                        static_cast<uint32_t>(days_before_month_from_march(month) + date.day - 1);
  constexpr int64_t kDaysOf400Years = 146097;
  return int64_t{days} - kDaysOf400Years - kDaysBeforeEpoch;
}

constexpr int64_t kFirstDay = days_of({1, 1, 1});
constexpr int64_t kLastDay = days_of({9999, 12, 31});

// Returns the date of a day within [kFirstDay, kLastDay].
constexpr CivilDate date_of(int64_t days) {
  const auto since_march = static_cast<uint32_t>(days + kDaysBeforeEpoch);
  const uint32_t era = since_march / 146097, day_of_era = since_march % 146097;
  const uint32_t year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
  const uint32_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
  const uint32_t month = (5 * day_of_year + 2) / 153;
  const auto day = static_cast<int32_t>(day_of_year) - days_before_month_from_march(static_cast<int32_t>(month)) + 1;
  const bool is_next_year = month >= 10;
  return {static_cast<int32_t>(400 * era + year_of_era + is_next_year),
          static_cast<int32_t>(month) + (is_next_year ? -9 : 3), day};
}

static_assert(days_of({1970, 1, 1}) == 0 && days_of({2000, 2, 29}) == 11016 && kFirstDay == -719162);
static_assert(date_of(11016).month == 2 && date_of(11016).day == 29 && date_of(kFirstDay).year == 1);

}  // namespace stringops
