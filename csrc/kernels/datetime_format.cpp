#include "kernels/datetime_format.h"

#include <algorithm>

#include "core/fail.h"

namespace stringops::kernels {
namespace {

constexpr bool is_space(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// Directives that stand for others.
std::string_view expanded(char directive) {
  switch (directive) {
    case 'F':
      return "%Y-%m-%d";
    case 'T':
      return "%H:%M:%S";
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

const TimeDirective* directive_of(TimeField field) {
  for (const TimeDirective& directive : kTimeDirectives) {
    if (directive.field == field) return &directive;
  }
  return nullptr;
}

TimeFormat::TimeFormat(const char* op, std::string_view format, FormatUse use) {
  const auto size = static_cast<int64_t>(format.size());
  STRINGOPS_CHECK(size <= kMaxTimeFormat, op, ": expected `format` of at most ", kMaxTimeFormat, " bytes, got ", size);
  is_iso8601_ = format == "iso8601";
  if (is_iso8601_) {
    is_plain_date_ = is_plain_time_ = true;
    return;
  }
  add(op, format, use);
  if (use == FormatUse::kWrite) return;
  check_fields(op);
  find_prefix();
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
      steps_.push_back({TimeField::kSpace});
    }
  }
}

void TimeFormat::check_fields(const char* op) const {
  uint32_t seen = 0;
  for (const TimeStep step : steps_) {
    const TimeDirective* const directive = directive_of(step.field);
    const uint32_t parts = directive ? directive->parts : 0;
    STRINGOPS_CHECK((seen & parts) == 0, op,
                    ": expected `format` with one directive for each part of a time, got two for the same");
    seen |= parts;
  }
}

void TimeFormat::find_prefix() {
  constexpr TimeStep kDate[] = {{TimeField::kYear},
                                {TimeField::kLiteral, '-'},
                                {TimeField::kMonth},
                                {TimeField::kLiteral, '-'},
                                {TimeField::kDay}};
  constexpr TimeStep kTime[] = {{TimeField::kHour},
                                {TimeField::kLiteral, ':'},
                                {TimeField::kMinute},
                                {TimeField::kLiteral, ':'},
                                {TimeField::kSecond}};
  const auto has = [&](size_t at, const TimeStep(&want)[5]) {
    return steps_.size() >= at + 5 &&
           std::equal(want, want + 5, steps_.begin() + static_cast<int64_t>(at),
                      [](TimeStep a, TimeStep b) { return a.field == b.field && a.literal == b.literal; });
  };
  constexpr size_t kDateSteps = std::size(kDate), kTimeSteps = kDateSteps + 1 + std::size(kTime);
  reads_date_ = has(0, kDate);
  is_plain_date_ = reads_date_ && steps_.size() == kDateSteps;
  if (!reads_date_ || !has(kDateSteps + 1, kTime)) return;
  const TimeStep between = steps_[kDateSteps];
  separator_ = between.field == TimeField::kSpace ? uint8_t{' '} : between.literal;
  reads_time_ = between.field == TimeField::kSpace || between.field == TimeField::kLiteral;
  is_plain_time_ = reads_time_ && steps_.size() == kTimeSteps;
}

}  // namespace stringops::kernels
