// string_reverse, and the driver of string -> string, on results of the same size and of any size.
#include "kernels/edit.h"

#include "kernels/driver/map.h"
#include "oracle.h"
#include "results.h"

namespace stringops::fuzz {
namespace {

// Commas double: an operator whose results have sizes of their own.
struct DoubleCommas {
  static constexpr bool kSameSize = false;

  int64_t size(StringView in) const { return in.size() + std::count(in.begin, in.end, ','); }
  uint8_t* write(StringView in, uint8_t* out, uint8_t* out_end) const {
    for (const uint8_t* p = in.begin; p < in.end && out < out_end; ++p) {
      *out++ = *p;
      if (*p == ',' && out < out_end) *out++ = ',';
    }
    return out;
  }
};

std::string reverse(std::string_view text) {
  std::string reversed;
  for (size_t at = 0; at < text.size();) {
    const size_t length = std::max<size_t>(codepoint_at(text, at), 1);
    reversed.insert(0, text.substr(at, length));
    at += length;
  }
  return reversed;
}

std::string double_commas(std::string_view text) {
  std::string doubled;
  for (const char c : text) doubled += c == ',' ? ",," : std::string(1, c);
  return doubled;
}

template <class Functor>
std::optional<std::vector<std::string>> map(const StringSpan& in, int64_t tasks, const Interference& interfere) {
  const Exact<int32_t> offsets(in.rows * (in.cols + 1));
  Bytes data;
  const auto allocate = [&](int64_t num_bytes) {
    check_room(num_bytes);
    data = Bytes(num_bytes);
    if (interfere) interfere();
    return kernels::MapOutput{data.data(), offsets.data()};
  };
  if (!gives_result(interfere != nullptr,
                    [&] { kernels::map_strings("", kernels::LoopRunner(tasks, true), Functor(), in, allocate); })) {
    return std::nullopt;
  }
  REQUIRE(is_compact(offsets, in.rows, in.cols, data.size()));
  std::vector<std::string> strings;
  for (int64_t i = 0; i < in.size(); ++i) {
    const int32_t* at = &offsets[i / in.cols * (in.cols + 1) + i % in.cols];
    strings.push_back(text_of(data.data() + at[0], at[1] - at[0]));
  }
  return strings;
}

template <class Functor>
void check_map(const Strings& strings, int64_t tasks, std::string (*oracle)(std::string_view), Input in) {
  std::vector<std::string> want;
  strings.for_each([&](std::string_view text) { want.push_back(oracle(text)); });
  REQUIRE(map<Functor>(strings.span, tasks, nullptr) == want);
  Strings victim = strings.copy();
  map<Functor>(victim.span, tasks, [&] { victim.damage(in); });
}

FUZZ_TARGET(edit) {
  const int64_t tasks = 1 + in.below(5);
  const Arguments args = take_strings(in, ",");
  if (!args.trusted) return;
  check_map<kernels::Reverse>(args.strings, tasks, reverse, in);
  check_map<DoubleCommas>(args.strings, tasks, double_commas, in);
}

}  // namespace
}  // namespace stringops::fuzz
