// Parses numbers by the grammar of Python's int() and float() with ASCII digits: whitespace (also that of Unicode)
// around the number, a sign, single underscores between digits; for floats also inf, infinity and nan, in any case.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "core/read_decimal.h"
#include "core/string_span.h"

namespace stringops {

enum class Parsed { kNumber, kNoNumber, kOutOfRange };

// A float of 16 bits.
enum class Half : uint16_t {};
enum class BFloat : uint16_t {};

// Reads the magnitude of an integer that has more digits than a Decimal. Returns false if 64 bits do not hold it.
bool read_long_integer(StringView text, uint64_t& magnitude);

// Returns the text without the whitespace around it.
StringView without_whitespace(StringView text);

// A copy of a text, after which kReadAfterNumber bytes may be read.
class PaddedText {
 public:
  explicit PaddedText(StringView text) : bytes_(text.begin, text.end) { pad(); }

  // Returns the text without single underscores between digits, if it has any, and no others.
  static std::optional<PaddedText> without_underscores(StringView text);

  StringView view() const { return {bytes_of(bytes_), bytes_of(bytes_) + bytes_.size() - kReadAfterNumber}; }

 private:
  PaddedText() = default;
  void pad() { bytes_.append(kReadAfterNumber, '\0'); }

  std::string bytes_;
};

// Same as parse_number, for a text after which kReadAfterNumber bytes may be read.
Parsed parse_padded(StringView text, double& out);
Parsed parse_padded(StringView text, float& out);
Parsed parse_padded(StringView text, Half& out);
Parsed parse_padded(StringView text, BFloat& out);
Parsed parse_padded(StringView text, bool& out);
template <class Int>
Parsed parse_padded(StringView text, Int& out);

// Same as parse_padded, for a text that is a number only if underscores and the whitespace around it are removed.
template <class Number>
Parsed parse_filled(StringView text, Number& out) {
  const StringView trimmed = without_whitespace(text);
  if (trimmed.size() != text.size()) return parse_padded(trimmed, out);
  const auto rest = PaddedText::without_underscores(text);
  return rest ? parse_padded(rest->view(), out) : Parsed::kNoNumber;
}

template <class Int>
Parsed parse_padded(StringView text, Int& out) {
  const Decimal number = read_decimal(text.begin, text.end);
  if (__builtin_expect(number.form != Decimal::kInteger, false)) return parse_filled(text, out);
  using Limits = std::numeric_limits<Int>;
  const uint64_t minus = number.minus, largest = static_cast<uint64_t>(Limits::max());
  const uint64_t limit = Limits::is_signed ? largest + minus : minus ? 0 : largest;
  uint64_t magnitude = number.digits;
  if (number.has_more_digits && !read_long_integer(text, magnitude)) return Parsed::kOutOfRange;
  if (magnitude > limit) return Parsed::kOutOfRange;
  out = static_cast<Int>((magnitude ^ -minus) + minus);
  return Parsed::kNumber;
}

// Parses a number. Bytes up to readable_end, which is not before the end of the text, may be read. Sets `out` only if
// the result is kNumber.
//
// Floats are rounded to the nearest number of the type in one step, ties to even. Numbers beyond the range become
// infinite, or 0. The texts of bool are "true", "false", "1" and "0", in any case.
template <class Number>
Parsed parse_number(StringView text, const uint8_t* readable_end, Number& out) {
  if (__builtin_expect(readable_end - text.end >= kReadAfterNumber, true)) return parse_padded(text, out);
  return parse_padded(PaddedText(text).view(), out);
}

}  // namespace stringops
