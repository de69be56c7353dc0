// string_to_datetime and string_from_datetime.
#include "kernels/datetime.h"

#include <array>
#include <ctime>

#include "driver/reduce.h"
#include "map.h"
#include "reduce.h"

namespace stringops::fuzz {
namespace {

using kernels::FormatUse;
using kernels::TimeFormat;
using kernels::TimeUnit;

constexpr std::string_view kFormats[] = {"iso8601",           "%Y-%m-%d",
                                         "%Y-%m-%d %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f%z",
                                         "%d/%b/%Y:%T %z",    "%A, %e %B %y %I:%M %p",
                                         "%Y%j %Z",           "%s",
                                         "%m%d%H%%",          ""};

// A format of the list, or one made of the input; null if that is malformed.
std::optional<TimeFormat> take_format(Input& in, FormatUse use) {
  const auto kind = static_cast<size_t>(in.below(std::size(kFormats) + 2));
  std::string text;
  if (kind < std::size(kFormats)) {
    text = kFormats[kind];
  } else {
    constexpr std::string_view kLetters = "%Y%y%m%B%b%d%e%j%A%a%H%I%p%M%S%f%z%Z%s%F%T%D%R%n%t%% -:/";
    for (const char c : in.take_front(in.below(12))) {
      const size_t at = static_cast<uint8_t>(c) % (kLetters.size() / 2);
      text += kLetters.substr(2 * at, 2);
    }
  }
  try {
    return TimeFormat("", text, use);
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

const TimeUnit& take_unit(Input& in) {
  constexpr std::string_view kNames[] = {"s", "ms", "us", "ns"};
  return *kernels::find_time_unit(kNames[in.below(4)]);
}

std::string take_time_text(Input& in) {
  constexpr std::string_view kPieces[] = {"0",   "1",          "2",        "9",        "20",  "24", "-",    ":",
                                          "T",   " ",          ".",        "Z",        "+",   "01", "2024", "59",
                                          "60",  "Feb",        "february", "AM",       "pM",  "/",  "UTC",  "%",
                                          "Mon", "2024-02-29", "12:30:15", "Thursday", "\xC3"};
  std::string text;
  for (const char c : in.take_front(static_cast<int64_t>(in.left()) - 24)) {
    text += kPieces[static_cast<uint8_t>(c) % std::size(kPieces)];
  }
  return text;
}

// A string of the C library's calendar has its time.
void compare_with_timegm(const std::array<int32_t, 6>& parts, const TimeUnit& unit) {
  std::tm time{};
  time.tm_year = parts[0] - 1900;
  time.tm_mon = parts[1] - 1;
  time.tm_mday = parts[2];
  time.tm_hour = parts[3];
  time.tm_min = parts[4];
  time.tm_sec = parts[5];
  std::tm copy = time;
  const int64_t wanted = timegm(&copy);
  const bool exists = copy.tm_mday == time.tm_mday && copy.tm_mon == time.tm_mon;
  char text[80];
  std::snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d", parts[0], parts[1], parts[2], parts[3], parts[4],
                parts[5]);
  const Bytes bytes = bytes_of(text);
  const StringView view{bytes.data(), bytes.data() + bytes.size()};
  const TimeFormat iso("", "iso8601", FormatUse::kRead), steps("", "%Y-%m-%dT%H:%M:%S", FormatUse::kRead);
  for (const TimeFormat* format : {&iso, &steps}) {
    int64_t got = 0;
    const kernels::ReadTime result = kernels::read_time(*format, unit, view, got);
    int64_t scaled = 0;
    const bool fits = !__builtin_mul_overflow(wanted, unit.per_second, &scaled);
    REQUIRE((result == kernels::ReadTime::kTime) == (exists && fits));
    REQUIRE((result == kernels::ReadTime::kOtherText) == !exists);
    REQUIRE(!exists || !fits || got == scaled);
  }
}

FUZZ_TARGET(string_to_datetime) {
  const TimeUnit& unit = take_unit(in);
  compare_with_timegm({static_cast<int32_t>(1 + in.below(9999)), static_cast<int32_t>(1 + in.below(12)),
                       static_cast<int32_t>(1 + in.below(31)), static_cast<int32_t>(in.below(24)),
                       static_cast<int32_t>(in.below(60)), static_cast<int32_t>(in.below(60))},
                      unit);
  const auto format = take_format(in, FormatUse::kRead);
  if (!format) return;
  const int64_t tasks = 1 + in.below(4);
  const Shape shape = take_shape(in);
  const std::string text = in.flag() ? take_time_text(in) : take_text(in, static_cast<int64_t>(in.left()) - 24);
  const Arguments args = take_strings(in, text, shape);
  if (!args.trusted) return;
  // The time of each string of a tensor is that of the string alone, in a separate buffer.
  std::vector<int64_t> want;
  bool all = true;
  args.strings.for_each([&](std::string_view string) {
    const Bytes copy = bytes_of(string);
    int64_t time = -1;
    const auto result = kernels::read_time(*format, unit, {copy.data(), copy.data() + copy.size()}, time);
    all &= result == kernels::ReadTime::kTime;
    want.push_back(time);
  });
  std::atomic<bool> failed{false};
  const kernels::ToDatetime functor{*format, unit, -1, failed};
  REQUIRE(reduce(functor, args.strings.span, tasks) == want);
  REQUIRE(failed == !all);
  Strings victim = args.strings.copy();
  victim.damage(in);
  reduce(functor, victim.span, tasks);
}

FUZZ_TARGET(string_from_datetime) {
  const TimeUnit& unit = take_unit(in);
  const auto format = take_format(in, FormatUse::kWrite);
  if (!format) return;
  const int64_t tasks = 1 + in.below(4), rows = 1 + in.below(3), cols = 1 + in.below(12);
  const kernels::TimeWriter writer(*format, unit);
  const Exact<int64_t> times(rows * cols);
  bool all = true;
  for (int64_t i = 0; i < times.size(); ++i) {
    times[i] = in.any<int64_t>() / (in.flag() ? unit.per_second : 1);
    all &= writer.has_text(times[i]);
  }
  const Exact<int32_t> offsets(rows * (cols + 1));
  Bytes data;
  int64_t bad = -1;
  const auto write = [&](const std::function<void()>& interfere) {
    kernels::format_times("", kernels::LoopRunner(tasks, true), writer, times.data(), times.size(), cols, bad,
                          [&](int64_t num_bytes) {
                            data = Bytes(num_bytes);
                            interfere();
                            return kernels::MapOutput{data.data(), offsets.data()};
                          });
  };
  write([] {});
  REQUIRE((bad == times.size()) == all);
  REQUIRE(all || !writer.has_text(times[bad]));
  if (!all) return;
  REQUIRE(is_compact(offsets, rows, cols, data.size()));
  for (int64_t i = 0; i < times.size(); ++i) {
    const int32_t* const at = &offsets[i / cols * (cols + 1) + i % cols];
    const Bytes alone(writer.size(times[i]));
    REQUIRE(writer.write(times[i], alone.data()) == alone.data() + alone.size());
    REQUIRE(text_of(data.data() + at[0], at[1] - at[0]) == text_of(alone.data(), alone.size()));
    if (!format->is_iso8601() || times[i] == kernels::kNotATime) continue;
    int64_t back = 0;
    REQUIRE(kernels::read_time(*format, unit, {alone.data(), alone.data() + alone.size()}, back) ==
            kernels::ReadTime::kTime);
    REQUIRE(back == times[i]);
  }
  gives_result(true, [&] {
    write([&] {
      for (int64_t i = 0; i < times.size(); ++i) times[i] = in.any<int64_t>();
    });
  });
}

SHARED_CALL(string_to_datetime, {
  std::atomic<bool> failed{false};
  const TimeFormat format("", "iso8601", FormatUse::kRead);
  const StringSpan& strings = world.strings.span;
  const Exact<int64_t> times(strings.size());
  kernels::reduce_strings(runner, kernels::ToDatetime{format, *kernels::find_time_unit("ns"), 0, failed}, strings,
                          times.data());
  return digest(times);
})

}  // namespace
}  // namespace stringops::fuzz
