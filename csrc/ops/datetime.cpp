#include "kernels/datetime.h"

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <tuple>

#include "kernels/format_texts.h"
#include "ops/kinds.h"

namespace stringops {
namespace {

const kernels::TimeUnit& check_time_unit(const char* op, const std::string& name) {
  const kernels::TimeUnit* const unit = kernels::find_time_unit(name);
  if (!unit) fail_choice(op, "unit", "'s', 'ms', 'us' or 'ns'", name);
  return *unit;
}

Tensor string_to_datetime(const Tensor& data, const Tensor& offsets, const std::string& format_text,
                          const std::string& unit_name, const std::string& errors,
                          const std::optional<Tensor>& fill_arg) {
  constexpr const char* kOp = __func__;
  const kernels::TimeUnit& unit = check_time_unit(kOp, unit_name);
  const bool fills = check_choice(kOp, "errors", errors, "raise", "fill");
  const kernels::TimeFormat format(kOp, format_text, kernels::FormatUse::kRead);
  const Strings in = check_strings(kOp, data, offsets);
  int64_t fill = kernels::kNotATime;
  if (fill_arg) {
    check_cpu(kOp, "fill", *fill_arg);
    check_dtype(kOp, "fill", *fill_arg, ScalarType::Long);
    check_rank(kOp, "fill", *fill_arg, 0);
    fill = *const_ptr<int64_t>(*fill_arg);
  }
  std::atomic<bool> failed{false};
  Tensor result = reduce_tensor(kernels::ToDatetime{format, unit, fill, failed}, ScalarType::Long, in);
  if (failed && !fills) {
    kernels::ReadTime reason{};
    const std::string at = find_wrong(kOp, in, [&](StringView text) {
      int64_t ignored;
      reason = kernels::read_time(format, unit, text, ignored);
      return reason != kernels::ReadTime::kTime;
    });
    constexpr const char* kRemedy = " (errors='fill' gives `fill` instead)";
    if (reason == kernels::ReadTime::kOutOfRange) {
      fail(kOp, ": expected times that int64 holds in units of ", unit.name, ", got another one at index ", at,
           kRemedy);
    }
    fail(kOp, ": expected dates and times of `format`, got another string at index ", at, kRemedy);
  }
  return result;
}

std::tuple<Tensor, Tensor> string_from_datetime(const Tensor& input, const std::string& format_text,
                                                const std::string& unit_name) {
  constexpr const char* kOp = __func__;
  const kernels::TimeUnit& unit = check_time_unit(kOp, unit_name);
  check_cpu(kOp, "input", input);
  check_dtype(kOp, "input", input, ScalarType::Long);
  check_count(kOp, "input", input);
  Sizes shape = shape_of(input);
  if (shape.empty()) shape.push_back(1);
  const Sizes times_shape = shape;
  ++shape.back();
  check_result_offsets(kOp, shape);
  const kernels::TimeFormat format(kOp, format_text, kernels::FormatUse::kWrite);
  const kernels::TimeWriter writer(format, unit);
  const int64_t count = input.numel();
  // Before the elements of an expanded tensor are copied.
  if (count * writer.min_size() > kMaxBytes) fail_result_bytes(kOp);
  const Tensor times = as_contiguous(input);
  NewStrings result(shape);
  const auto* const time = const_ptr<int64_t>(times);
  const auto fail_at = [&](int64_t i) {
    fail(kOp, ": expected times of the years 1 to 9999, got another one at index ", position_text(times_shape, i));
  };
  kernels::format_texts(
      kOp, TorchRunner(), 30, count, writer.max_size(),
      [&](int64_t i, uint8_t* out) { return writer.write(time[i], out); }, fail_at, result);
  return result.take();
}

}  // namespace
}  // namespace stringops

STRINGOPS_OPERATOR(string_to_datetime,
                   "(Tensor data, Tensor offsets, str format='iso8601', str unit='ns', str errors='raise',"
                   " Tensor? fill=None) -> Tensor",
                   "int64")
STRINGOPS_OPERATOR(string_from_datetime,
                   "(Tensor input, str format='iso8601', str unit='ns') -> (Tensor data, Tensor offsets)")
