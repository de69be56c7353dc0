// string_to_number and string_from_number.
#include "kernels/number.h"

#include <cmath>
#include <cstdlib>

#include "driver/reduce.h"
#include "driver/testing.h"
#include "results.h"

namespace stringops::fuzz {
namespace {

template <class Number>
bool parse(StringView text, Number& number) {
  return parse_number(text, text.end, number) == Parsed::kNumber;
}

template <class Number>
bool same(Number a, Number b) {
  return std::memcmp(&a, &b, sizeof a) == 0;
}

// The number of each string of a tensor must be that of the string alone, in a separate buffer.
template <class Number>
void check_numbers(const Arguments& args, int64_t tasks, Input& in) {
  const Number fill{};
  std::vector<Number> want;
  bool all = true;
  args.strings.for_each([&](std::string_view text) {
    const Bytes copy = bytes_of(text);
    Number number = fill;
    all &= parse({copy.data(), copy.data() + copy.size()}, number);
    want.push_back(number);
  });
  const StringSpan& span = args.strings.span;
  const Exact<Number> numbers(span.size());
  std::atomic<bool> failed{false};
  const auto run = [&](const StringSpan& strings) {
    kernels::reduce_strings(kernels::LoopRunner(tasks), kernels::ToNumber<Number>{fill, failed}, strings,
                            numbers.data());
  };
  same_on_every_tier([&] {
    run(span);
    return text_of(reinterpret_cast<const uint8_t*>(numbers.data()), span.size() * int64_t{sizeof(Number)});
  });
  REQUIRE(failed == !all);
  for (int64_t i = 0; i < span.size(); ++i)
    REQUIRE(same(numbers[i], static_cast<Number>(want[static_cast<size_t>(i)])));
  Strings victim = args.strings.copy();
  victim.damage(in);
  run(victim.span);
}

// Text that may be a number: letters of numbers.
std::string take_number_text(Input& in) {
  constexpr std::string_view kLetters = "0123456789.eE+-_ 00inftyaINF";
  std::string text;
  for (const char c : in.take_front(static_cast<int64_t>(in.left()) - 24)) {
    text += kLetters[static_cast<uint8_t>(c) % kLetters.size()];
  }
  return text;
}

// The C library's, for text without underscores and whitespace, which it treats in another way.
void compare_with_strtod(const std::string& text) {
  if (text.find_first_of("_ naNAxXpP") != std::string::npos || text.empty()) return;
  const StringView bytes{stringops::bytes_of(text), stringops::bytes_of(text) + text.size()};
  double number = 0;
  float narrow = 0;
  const bool is_number = parse(bytes, number) && parse(bytes, narrow);
  char* end = nullptr;
  const double wanted = std::strtod(text.c_str(), &end);
  const bool whole = end == text.c_str() + text.size();
  REQUIRE(is_number == whole);
  if (!whole) return;
  REQUIRE(same(number, wanted));
  REQUIRE(same(narrow, std::strtof(text.c_str(), nullptr)));
}

FUZZ_TARGET(string_to_number) {
  const int64_t tasks = 1 + in.below(4), kind = in.below(8);
  const int64_t count = take_count(in);
  const bool numeric = in.flag();
  const std::string text = numeric ? take_number_text(in) : take_text(in, static_cast<int64_t>(in.left()) - 24);
  if (numeric) compare_with_strtod(text.substr(0, 60));
  const Arguments args = take_strings(in, text, count);
  if (!args.trusted) return;
  switch (kind) {
    case 0:
      return check_numbers<int8_t>(args, tasks, in);
    case 1:
      return check_numbers<uint64_t>(args, tasks, in);
    case 2:
      return check_numbers<int64_t>(args, tasks, in);
    case 3:
      return check_numbers<double>(args, tasks, in);
    case 4:
      return check_numbers<float>(args, tasks, in);
    case 5:
      return check_numbers<Half>(args, tasks, in);
    case 6:
      return check_numbers<BFloat>(args, tasks, in);
    default:
      return check_numbers<bool>(args, tasks, in);
  }
}

// The text of each number is read as the same number.
template <class Number>
void check_text(Input& in) {
  const int64_t tasks = 1 + in.below(4), count = (1 + in.below(3)) * (1 + in.below(12));
  const Exact<Number> numbers(count);
  for (int64_t i = 0; i < numbers.size(); ++i) {
    if constexpr (std::is_same_v<Number, bool>) {
      numbers[i] = in.flag();
    } else {
      std::array<uint8_t, sizeof(Number)> bytes;
      for (uint8_t& byte : bytes) byte = in.byte();
      std::memcpy(&numbers[i], bytes.data(), sizeof(Number));
    }
  }
  const Exact<int32_t> offsets(count + 1);
  offsets[0] = 0;
  Bytes data;
  kernels::format_numbers("", kernels::LoopRunner(tasks, true), numbers.data(), numbers.size(), [&](int64_t num_bytes) {
    data = Bytes(num_bytes);
    return kernels::MapOutput{data.data(), offsets.data()};
  });
  REQUIRE(is_compact(offsets, 1, count, data.size()));
  for (int64_t i = 0; i < numbers.size(); ++i) {
    const int32_t* const at = &offsets[i];
    Number back{};
    REQUIRE(parse({data.data() + at[0], data.data() + at[1]}, back));
    const bool is_nan = text_of(data.data() + at[0], at[1] - at[0]) == "nan";
    REQUIRE(is_nan || same(back, static_cast<Number>(numbers[i])));
  }
}

FUZZ_TARGET(string_from_number) {
  switch (in.below(8)) {
    case 0:
      return check_text<int8_t>(in);
    case 1:
      return check_text<uint64_t>(in);
    case 2:
      return check_text<int64_t>(in);
    case 3:
      return check_text<double>(in);
    case 4:
      return check_text<float>(in);
    case 5:
      return check_text<Half>(in);
    case 6:
      return check_text<BFloat>(in);
    default:
      return check_text<bool>(in);
  }
}

}  // namespace
}  // namespace stringops::fuzz
