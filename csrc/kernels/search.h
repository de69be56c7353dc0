// Search in strings: for one string in all of them, a block at a time (driver/reduce.h), or for a string in each
// (driver/zip.h).
//
// The bytes of the string searched for are compared, so that neither needs to be UTF-8. In valid UTF-8 this finds what
// a search by code points does, as no code point contains the bytes of another.
#pragma once

#include <cstdint>
#include <string_view>

#include "core/string_span.h"
#include "driver/runner.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// The position of the first `sub` in a string, or of the last one, in bytes or in code points, or -1.
struct FindLiteral {
  using Value = int64_t;
  static constexpr Cost kCost{4, 0.05};
  static constexpr bool kRuns = true;

  std::string_view sub;
  bool in_codepoints;
  bool is_last = false;

  void run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const;
};

struct ContainsLiteral {
  using Value = bool;
  static constexpr Cost kCost{2, 0.05};
  static constexpr bool kRuns = true;

  std::string_view sub;

  void run(const StringSpan& in, int64_t first, int64_t last, bool* out) const { mark(in, first, last, out + first); }
  // Sets marks[i - first] for each string i in [first, last).
  void mark(const StringSpan& in, int64_t first, int64_t last, bool* marks) const;
};

// The number of occurrences that do not overlap, from left to right. That of "" is the number of code points and one.
struct CountLiteral {
  using Value = int64_t;
  static constexpr Cost kCost{3, 0.05};
  static constexpr bool kRuns = true;

  std::string_view sub;

  void run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const;
};

struct Find {
  using Value = int64_t;
  static constexpr Cost kCost{20, 0.3};

  bool in_codepoints;
  bool is_last = false;

  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, int64_t* out) const;
};

struct Contains {
  using Value = bool;
  static constexpr Cost kCost{20, 0.3};

  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, bool* out) const;
};

struct Count {
  using Value = int64_t;
  static constexpr Cost kCost{20, 0.3};

  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, int64_t* out) const;
};

// Whether a string begins with the other, or ends with it.
enum class Affix { kPrefix, kSuffix };

template <Affix kAffix>
struct HasAffix {
  using Value = bool;
  static constexpr Cost kCost{2.5, 0};

  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, bool* out) const;
};

template <Affix kAffix>
struct HasAffixLiteral {
  using Value = bool;
  static constexpr Cost kCost{2.5, 0};
  static constexpr bool kRuns = true;

  std::string_view sub;  // of at most kMaxBytes

  void run(const StringSpan& in, int64_t first, int64_t last, bool* out) const;
  // Sets out[k] for string first + k.
  void find(const StringSpan& in, int64_t first, int64_t count, bool* out) const;
};

using StartsWith = HasAffix<Affix::kPrefix>;
using EndsWith = HasAffix<Affix::kSuffix>;
using StartsWithLiteral = HasAffixLiteral<Affix::kPrefix>;
using EndsWithLiteral = HasAffixLiteral<Affix::kSuffix>;

}  // namespace stringops::kernels
