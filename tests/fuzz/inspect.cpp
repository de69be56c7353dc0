// string_length and the classes of characters, and the driver of string -> value.
#include "kernels/inspect.h"

#include "driver/reduce.h"
#include "driver/testing.h"
#include "fuzz.h"
#include "kernels/inspect_classes.h"
#include "oracle.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

int64_t codepoints(std::string_view text) {
  int64_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) at += std::max<size_t>(codepoint_at(text, at), 1);
  return count;
}

template <class Functor>
std::vector<typename Functor::Value> reduce(const StringSpan& in, int64_t tasks) {
  const Exact<typename Functor::Value> values(in.size());
  kernels::reduce_strings(kernels::LoopRunner(tasks), Functor(), in, values.data());
  return values.copy();
}

// Covers string_length.
FUZZ_TARGET(inspect) {
  const int64_t tasks = 1 + in.below(5);
  const Arguments args = take_strings(in);
  if (!args.trusted) return;
  std::vector<int64_t> bytes, characters;
  args.strings.for_each([&](std::string_view text) {
    bytes.push_back(static_cast<int64_t>(text.size()));
    characters.push_back(codepoints(text));
  });
  REQUIRE(reduce<kernels::ByteLength>(args.strings.span, tasks) == bytes);
  REQUIRE(reduce<kernels::CodepointLength>(args.strings.span, tasks) == characters);
  Strings victim = args.strings.copy();
  victim.damage(in);
  reduce<kernels::CodepointLength>(victim.span, tasks);
}

// Many strings at once must give what each one gives alone.
template <class Functor>
void check_class(const Strings& strings, int64_t tasks, Input damage) {
  std::vector<bool> want;
  strings.for_each([&](std::string_view text) {
    const Bytes copy = bytes_of(text);
    want.push_back(Functor()({copy.data(), copy.data() + copy.size()}));
  });
  const auto found = same_on_every_tier([&] {
    const auto values = reduce<Functor>(strings.span, tasks);
    return std::vector<bool>(values.begin(), values.end());
  });
  REQUIRE(found == want);
  Strings victim = strings.copy();
  victim.damage(damage);
  reduce<Functor>(victim.span, tasks);
}

// Covers string_is_alpha, string_is_alnum, string_is_digit, string_is_space, string_is_upper, string_is_lower,
// string_is_ascii.
FUZZ_TARGET(inspect_classes) {
  const int64_t tasks = 1 + in.below(5);
  const Arguments args = take_strings(in, "\xC7\x85");
  if (!args.trusted) return;
  check_class<kernels::IsAlpha>(args.strings, tasks, in);
  check_class<kernels::IsAlnum>(args.strings, tasks, in);
  check_class<kernels::IsDigit>(args.strings, tasks, in);
  check_class<kernels::IsSpace>(args.strings, tasks, in);
  check_class<kernels::IsUpper>(args.strings, tasks, in);
  check_class<kernels::IsLower>(args.strings, tasks, in);
  check_class<kernels::IsAscii>(args.strings, tasks, in);
}

SHARED_CALL(string_length, {
  const Exact<int64_t> lengths(world.strings.span.size());
  kernels::reduce_strings(runner, kernels::CodepointLength(), world.strings.span, lengths.data());
  return digest(lengths);
})

}  // namespace
}  // namespace stringops::fuzz
