// Errors of operators: their wording, and the limits of all results. An error names the operator, the argument, what
// was expected and what it got; it never contains the user's strings. std::invalid_argument reaches Python as
// ValueError.
#pragma once

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/string_span.h"

namespace stringops {

// A part of an error's text: text that outlives it, or a number.
struct ErrorPart {
  ErrorPart(std::string_view part) : text(part) {}
  ErrorPart(const std::string& part) : text(part) {}
  ErrorPart(const char* part) : text(part) {}
  template <class Number, std::enable_if_t<std::is_integral_v<Number>, int> = 0>
  ErrorPart(Number part)
      : kind(std::is_signed_v<Number> ? Kind::kSigned : Kind::kUnsigned), number(static_cast<uint64_t>(part)) {}

  enum class Kind : uint8_t { kText, kSigned, kUnsigned };
  Kind kind = Kind::kText;
  std::string_view text;
  uint64_t number = 0;
};

// Throws std::invalid_argument with the parts as its text.
[[noreturn]] void fail_with(std::initializer_list<ErrorPart> parts);

template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  fail_with({ErrorPart(parts)...});
}

#define STRINGOPS_CHECK(condition, ...)               \
  do {                                                \
    if (!(condition)) ::stringops::fail(__VA_ARGS__); \
  } while (0)

// Fails because an argument is not one of the names listed in `choices`.
[[noreturn]] void fail_choice(const char* op, const char* name, const char* choices, const std::string& got);

std::string shape_text(const std::vector<int64_t>& sizes);

// Returns the number of elements of a tensor of these sizes; INT64_MAX if there are more.
inline int64_t count_elements(const std::vector<int64_t>& sizes) {
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return 0;
  int64_t count = 1;
  for (const int64_t size : sizes) {
    if (__builtin_mul_overflow(count, size, &count)) return INT64_MAX;
  }
  return count;
}

// No result has as many bytes or elements. Sums stop here, before they overflow, and are not shown in errors.
constexpr int64_t kTooMany = int64_t{1} << 60;

std::string size_text(int64_t size);

// Results are checked before anything of their size is allocated.
void check_result_bytes(const char* op, int64_t num_bytes);

// Throws the error of a result that was not counted to the end.
[[noreturn]] inline void fail_result_bytes(const char* op) {
  check_result_bytes(op, kTooMany);
  __builtin_unreachable();
}

// Returns the number of elements of a tensor of these sizes, where a size of 0 counts as 1, so that empty tensors have
// the same limit.
inline int64_t count_extent(std::vector<int64_t> sizes) {
  std::replace(sizes.begin(), sizes.end(), int64_t{0}, int64_t{1});
  return count_elements(sizes);
}

// Checks the number of offsets of a result, or of its strings if it has one element for each.
void check_result_offsets(const char* op, int64_t num_offsets);

inline void check_result_offsets(const char* op, const std::vector<int64_t>& sizes) {
  check_result_offsets(op, count_extent(sizes));
}

// Thrown if another thread has written to an argument during the call. Drivers stay within their bounds, and the result
// is rejected.
struct ConcurrentWrite : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

[[noreturn]] void fail_changed(const char* op);

inline void check_unchanged(const char* op, bool unchanged) {
  if (!unchanged) fail_changed(op);
}

}  // namespace stringops
