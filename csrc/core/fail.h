// Errors of operators: their wording, and the limits of all results. An error names the operator, the argument, what
// was expected and what it got; it never contains the user's strings. std::invalid_argument reaches Python as
// ValueError.
#pragma once

#include <algorithm>
#include <cstdint>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/quote.h"
#include "core/string_span.h"

namespace stringops {

template <class... Parts>
[[noreturn]] void fail(const Parts&... parts) {
  std::ostringstream text;
  text.exceptions(std::ios_base::badbit);  // running out of memory throws, rather than ending the text in mid-word
  (text << ... << parts);
  throw std::invalid_argument(text.str());
}

#define STRINGOPS_CHECK(condition, ...)               \
  do {                                                \
    if (!(condition)) ::stringops::fail(__VA_ARGS__); \
  } while (0)

// Fails because an argument is not one of the names listed in `choices`.
[[noreturn]] inline void fail_choice(const char* op, const char* name, const char* choices, const std::string& got) {
  fail(op, ": expected `", name, "` to be ", choices, ", got ", quoted(got.data(), got.size()));
}

inline std::string shape_text(const std::vector<int64_t>& sizes) {
  std::string text;
  for (const int64_t size : sizes) text += (text.empty() ? "[" : ", ") + std::to_string(size);
  return text.empty() ? "[]" : text + "]";
}

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

inline std::string size_text(int64_t size) {
  return size < kTooMany ? std::to_string(size) : "more than " + std::to_string(kMaxBytes);
}

// Results are checked before anything of their size is allocated.
inline void check_result_bytes(const char* op, int64_t num_bytes) {
  STRINGOPS_CHECK(num_bytes <= kMaxBytes, op, ": the result needs ", size_text(num_bytes),
                  " bytes; int32 offsets address at most ", kMaxBytes, " (pass fewer or shorter strings)");
}

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
inline void check_result_offsets(const char* op, int64_t num_offsets) {
  STRINGOPS_CHECK(num_offsets <= kMaxOffsets, op, ": the result needs ", size_text(num_offsets),
                  " offsets; a tensor has at most ", kMaxOffsets, " (pass fewer or shorter strings)");
}

inline void check_result_offsets(const char* op, const std::vector<int64_t>& sizes) {
  check_result_offsets(op, count_extent(sizes));
}

// Thrown if another thread has written to an argument during the call. Drivers stay within their bounds, and the result
// is rejected.
struct ConcurrentWrite : std::invalid_argument {
  using std::invalid_argument::invalid_argument;
};

inline void check_unchanged(const char* op, bool unchanged) {
  if (unchanged) return;
  throw ConcurrentWrite(std::string(op) + ": an argument was modified by another thread during the call (pass a copy)");
}

}  // namespace stringops
