// Search in strings: for one string in all of them, a block at a time (driver/reduce.h), or for a string in each
// (driver/zip.h).
//
// A kernel for one string has ends_early(), whether the first bytes of a string may decide its value, and
// is_final(value, size), whether the value of its first `size` bytes does.
//
// The bytes of the string searched for are compared, so that neither needs to be UTF-8. In valid UTF-8 this finds what
// a search by code points does, as no code point contains the bytes of another. If the kernel has a folded text, which
// is the string searched for, it finds that one instead; positions are in code points then.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/string_span.h"
#include "driver/broadcast.h"
#include "driver/runner.h"
#include "kernels/text_finder.h"
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
  const FoldedText* folded = nullptr;

  void run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const;
  int64_t find_in(StringView in, TextFinder& finder) const;
};

struct ContainsLiteral {
  using Value = bool;
  static constexpr Cost kCost{2, 0.05};
  static constexpr bool kRuns = true;

  std::string_view sub;
  const FoldedText* folded = nullptr;

  void run(const StringSpan& in, int64_t first, int64_t last, bool* out) const { mark(in, first, last, out + first); }
  // Sets marks[i - first] for each string i in [first, last).
  void mark(const StringSpan& in, int64_t first, int64_t last, bool* marks) const;
  bool find_in(StringView in, TextFinder& finder) const { return finder.find_first(in) >= 0; }
};

// The number of occurrences that do not overlap, from left to right. That of "" is the number of code points and one.
struct CountLiteral {
  using Value = int64_t;
  static constexpr Cost kCost{3, 0.05};
  static constexpr bool kRuns = true;

  std::string_view sub;
  const FoldedText* folded = nullptr;

  void run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const;
  int64_t find_in(StringView in, TextFinder& finder) const;
};

// The value of a string searched for in each string.
template <class Literal>
struct InPairs {
  using Value = typename Literal::Value;
  static constexpr Cost kCost{20, 0.3};

  Literal literal;

  void run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, Value* out) const {
    const auto sub_at = [&](int64_t i) {
      const StringView sub = view_at(b, i);
      return std::string_view(reinterpret_cast<const char*>(sub.begin), static_cast<size_t>(sub.size()));
    };
    Literal one = literal;
    if (b.is_broadcast && a.ends == a.begins + 1 && !a.is_broadcast) {
      const std::string copy(sub_at(0));  // a concurrent write must not change it
      one.sub = copy;
      return one.run({a.data, a.num_bytes, a.begins, count}, 0, count, out);
    }
    for (int64_t i = 0; i < count; ++i) {
      one.sub = sub_at(i);
      TextFinder finder(one.sub);
      out[i] = one.find_in(view_at(a, i), finder);
    }
  }
};

using Find = InPairs<FindLiteral>;
using Contains = InPairs<ContainsLiteral>;
using Count = InPairs<CountLiteral>;

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
  const FoldedText* folded = nullptr;

  void run(const StringSpan& in, int64_t first, int64_t last, bool* out) const;
};

using StartsWith = HasAffix<Affix::kPrefix>;
using EndsWith = HasAffix<Affix::kSuffix>;
using StartsWithLiteral = HasAffixLiteral<Affix::kPrefix>;
using EndsWithLiteral = HasAffixLiteral<Affix::kSuffix>;

}  // namespace stringops::kernels
