// Conversion between strings and numbers, and between bytes and hexadecimal digits.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>

#include "core/format_number.h"
#include "core/hex_digit.h"
#include "core/parse_number.h"
#include "core/poll.h"
#include "core/strings.h"
#include "core/testing.h"
#include "driver/map.h"
#include "kernels/format_texts.h"
#include "simd/primitives.h"

namespace stringops::kernels {

// Reads the number of each string (driver/reduce.h). Strings that are not numbers become `fill`, and set `failed`.
template <class Number>
struct ToNumber {
  using Value = Number;
  static constexpr Cost kCost{8, 0.5};
  static constexpr bool kRuns = true;

  Number fill;
  std::atomic<bool>& failed;

  void run(const StringSpan& in, int64_t first, int64_t last, Number* out) const {
    constexpr int64_t kBlock = block_size(128, 8);
    const auto& primitives = simd::primitives();
    Decimal decimals[kBlock];
    bool all = true;
    for (int64_t i = first; i < last; i += kBlock) {
      const int64_t count = std::min(kBlock, last - i);
      if constexpr (!std::is_same_v<Number, bool>) primitives.read_decimals(in, i, count, decimals);
      for (int64_t k = 0; k < count; ++k) {
        const Decimal& decimal = decimals[k];
        Number& number = out[i + k];
        if (take_number(decimal, number)) continue;
        const StringView text = in.view(in.range(i + k));
        // The string may have changed since it was read (race).
        const bool is_read = decimal.form != Decimal::kUnread && in.data + in.num_bytes - text.end >= kReadAfterNumber;
        if ((is_read ? parse_decimal(text, decimal, number) : parse_number(text, in.data + in.num_bytes, number)) ==
            Parsed::kNumber) {
          continue;
        }
        out[i + k] = fill;
        all = false;
      }
    }
    if (!all) failed = true;
  }
};

// The bytes of the text of all numbers of an expanded tensor, whose equal elements are formatted once.
template <class Number>
int64_t text_bytes(const Number* numbers, const int64_t* sizes, const int64_t* strides, size_t rank, Pace& pace) {
  if (rank == 0) {
    pace.spend(40);
    char text[kMaxNumberText];
    return format_number(*numbers, text) - text;
  }
  if (*sizes == 0) return 0;
  const int64_t different = *strides == 0 ? 1 : *sizes;
  int64_t bytes = 0;
  for (int64_t i = 0; i < different; ++i)
    bytes += text_bytes(numbers + i * *strides, sizes + 1, strides + 1, rank - 1, pace);
  return bytes * (*sizes / different);
}

// Writes the text of `count` numbers as strings. allocate(num_bytes) -> MapOutput.
template <class Number, class Allocate>
void format_numbers(const char* op, const Runner& runner, const Number* numbers, int64_t count, Allocate&& allocate) {
  constexpr double kNs = 40;
  const auto format = [numbers](int64_t i, uint8_t* out) {
    return reinterpret_cast<uint8_t*>(format_number(numbers[i], reinterpret_cast<char*>(out)));
  };
  format_texts(op, runner, kNs, count, kMaxNumberText, format, [](int64_t) {}, allocate);
}

// The bytes as pairs of hexadecimal digits, in lower case.
struct Hex {
  using Driver = StringMap;
  static constexpr Cost kCost{2, 0.5};

  int64_t size(StringView in) const { return 2 * in.size(); }

  // Has neither branches nor a table, so that the compiler vectorizes it.
  uint8_t* write(StringView in, uint8_t* out, uint8_t* out_end) const {
    const int64_t count = std::min<int64_t>(in.size(), (out_end - out) / 2);
    for (int64_t i = 0; i < count; ++i) {
      uint16_t digits = static_cast<uint16_t>(in.begin[i] >> 4 | (in.begin[i] & 15) << 8);
      const auto letters = static_cast<uint16_t>((digits + 0x0606) >> 4 & 0x0101);  // 1 for a digit from 10 on
      digits = static_cast<uint16_t>(digits + 0x3030 + letters * ('a' - '0' - 10));
      std::memcpy(out + 2 * i, &digits, sizeof digits);
    }
    return out + 2 * count;
  }
};

// The bytes that pairs of hexadecimal digits stand for. A string that has other characters, or an odd number of them,
// sets `failed`.
struct Unhex {
  using Driver = StringMap;
  static constexpr Cost kCost{4, 1};

  std::atomic<bool>& failed;

  int64_t size(StringView in) const { return in.size() / 2; }

  uint8_t* write(StringView in, uint8_t* out, uint8_t* out_end) const {
    const int64_t count = std::min<int64_t>(in.size() / 2, out_end - out);
    uint8_t wrong = 0;
    for (int64_t i = 0; i < count; ++i) {
      const uint8_t high = hex_digit(in.begin[2 * i]), low = hex_digit(in.begin[2 * i + 1]);
      wrong |= high | low;
      out[i] = static_cast<uint8_t>(high << 4 | low);
    }
    if ((wrong & kNoDigit) != 0 || in.size() % 2 != 0) failed = true;
    return out + count;
  }
};

// Whether a string is pairs of hexadecimal digits.
inline bool is_hex(StringView in) {
  return in.size() % 2 == 0 && std::all_of(in.begin, in.end, [](uint8_t byte) { return hex_digit(byte) != kNoDigit; });
}

}  // namespace stringops::kernels
