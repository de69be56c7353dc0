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

}  // namespace stringops::kernels
