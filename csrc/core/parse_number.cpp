#include "core/parse_number.h"

#include <algorithm>
#include <cstring>
#include <string_view>
#include <utility>

#include "core/whitespace.h"

namespace stringops {
namespace {

// Returns the letters of a text of up to 8 bytes in lower case, the first one in the lowest byte; or 0. Other
// characters do not become letters.
uint64_t lower_case_word(StringView text) {
  if (text.size() < 1 || text.size() > 8) return 0;
  uint64_t word;
  std::memcpy(&word, text.begin, sizeof word);
  return (word | 0x2020202020202020) << 8 * (8 - text.size()) >> 8 * (8 - text.size());
}

constexpr uint64_t word_of(std::string_view letters) {
  uint64_t word = 0;
  for (size_t i = 0; i < letters.size(); ++i) word |= static_cast<uint64_t>(letters[i]) << 8 * i;
  return word;
}

// A natural number below 2**kBits; the least significant word is the first.
class BigNumber {
 public:
  void multiply(uint64_t factor, uint64_t addend = 0) {
    __extension__ using Wide = unsigned __int128;
    for (int i = 0; i < size_; ++i) {
      const Wide product = Wide{words_[i]} * factor + addend;
      words_[i] = static_cast<uint64_t>(product);
      addend = static_cast<uint64_t>(product >> 64);
    }
    if (addend != 0) words_[size_++] = addend;
  }

  void multiply_by_power(uint64_t base, int64_t power) {
    while (power > 0) {
      uint64_t factor = 1;
      for (; power > 0 && factor <= UINT64_MAX / base; --power) factor *= base;
      multiply(factor);
    }
  }

  // Returns -1, 0 or 1 if this is less than, equal to or greater than the other one.
  int compare(const BigNumber& other) const {
    if (size_ != other.size_) return size_ < other.size_ ? -1 : 1;
    int i = size_ - 1;
    while (i > 0 && words_[i] == other.words_[i]) --i;
    return words_[i] == other.words_[i] ? 0 : words_[i] < other.words_[i] ? -1 : 1;
  }

 private:
  // Numbers of kMostDigits have 2661 bits, and the powers multiply them by less than 2**5000.
  static constexpr int kBits = 8192;

  uint64_t words_[kBits / 64];
  int size_ = 0;
};

// Compares the decimal of a text with middle * 2**exponent, exactly.
int compare(StringView text, const Decimal& number, uint64_t middle, int exponent) {
  // A middle of two floats has fewer digits: of the further ones, it matters only whether one is not 0.
  constexpr int64_t kMostDigits = 800;
  BigNumber mine, other;
  int64_t power = number.exponent;
  if (number.has_more_digits) {
    int64_t count = 0;
    uint64_t part = 0, places = 0, rest = 0;
    const uint8_t* p = text.begin;
    while (p < text.end && (*p < '1' || *p > '9')) ++p;
    for (; p < text.end && (*p | 0x20) != 'e'; ++p) {
      uint64_t word;
      std::memcpy(&word, p, sizeof word);
      word ^= kZeroChars;
      if (text.end - p >= 8 && bytes_above_9(word) == 0 && count <= kMostDigits - 8) {
        part = part * kTenTo8 + number_of_eight(word);
        places += 8;
        count += 8;
        p += 7;
      } else if (is_ascii_digit(*p)) {
        const uint64_t digit = *p - uint64_t{'0'};
        if (count == kMostDigits) {
          rest |= digit != 0;
        } else {
          part = part * 10 + digit;
          ++places;
          ++count;
        }
      }
      if (places > 8) mine.multiply(kTenTo[std::exchange(places, 0)], std::exchange(part, 0));
    }
    mine.multiply(kTenTo[places], part);
    mine.multiply(10, rest);
    power += Decimal::kMaxDigits - count - 1;
  } else {
    mine.multiply(0, number.digits);
  }
  other.multiply(0, middle);
  mine.multiply_by_power(5, power);
  other.multiply_by_power(5, -power);
  mine.multiply_by_power(2, power - exponent);
  other.multiply_by_power(2, exponent - power);
  return mine.compare(other);
}

}  // namespace

bool is_nearer_to_next(StringView text, const Decimal& number, uint64_t bits, FloatFormat format) {
  const int fraction_bits = format.precision - 1;
  const uint64_t biased = bits >> fraction_bits, fraction = bits & ((uint64_t{1} << fraction_bits) - 1);
  const uint64_t significand = fraction | uint64_t{biased != 0} << fraction_bits;
  const int exponent = format.min_exponent - fraction_bits + static_cast<int>(biased) - (biased != 0);
  const int order = compare(text, number, 2 * significand + 1, exponent - 1);
  return order > 0 || (order == 0 && (bits & 1) != 0);
}

bool read_word(StringView text, FloatFormat format, uint64_t& bits, bool& minus) {
  minus = take_minus(text.begin, text.end);
  const uint64_t word = lower_case_word(text), is_nan = word == word_of("nan");
  const auto infinity = static_cast<uint64_t>(2 * -format.min_exponent + 3) << (format.precision - 1);
  bits = infinity | is_nan << (format.precision - 2);
  return is_nan != 0 || word == word_of("inf") || word == word_of("infinity");
}

StringView without_whitespace(StringView text) {
  while (const int n = whitespace_length(text.begin, text.end)) text.begin += n;
  const auto ends_with_space = [&](int n) {
    return text.size() >= n && whitespace_length(text.end - n, text.end) == n;
  };
  for (;;) {
    if (ends_with_space(1)) {
      --text.end;
    } else if (text.size() > 1 && text.end[-1] >= 0x80 && (ends_with_space(2) || ends_with_space(3))) {
      text.end -= ends_with_space(2) ? 2 : 3;
    } else {
      return text;
    }
  }
}

std::optional<PaddedText> PaddedText::without_underscores(StringView text) {
  if (std::find(text.begin, text.end, '_') == text.end) return std::nullopt;
  PaddedText rest;
  for (const uint8_t* p = text.begin; p < text.end; ++p) {
    if (*p != '_') {
      rest.bytes_ += static_cast<char>(*p);
    } else if (p == text.begin || text.end - p < 2 || !is_ascii_digit(p[-1]) || !is_ascii_digit(p[1])) {
      return std::nullopt;
    }
  }
  rest.pad();
  return rest;
}

bool read_long_integer(StringView text, uint64_t& magnitude) {
  bool overflows = false;
  magnitude = 0;
  for (const uint8_t* p = text.begin; p < text.end; ++p) {
    if (!is_ascii_digit(*p)) continue;  // the sign
    overflows |= __builtin_mul_overflow(magnitude, uint64_t{10}, &magnitude);
    overflows |= __builtin_add_overflow(magnitude, uint64_t{*p} - '0', &magnitude);
  }
  return !overflows;
}

Parsed parse_padded(StringView text, bool& out) {
  text = without_whitespace(text);
  const uint64_t word = lower_case_word(text);
  const uint8_t digit = text.size() == 1 ? *text.begin : 0;
  const bool is_true = word == word_of("true") || digit == '1';
  if (!is_true && word != word_of("false") && digit != '0') return Parsed::kNoNumber;
  out = is_true;
  return Parsed::kNumber;
}

}  // namespace stringops
