// The classes of characters.
#include "kernels/classes.h"

#include "fuzz.h"
#include "reduce.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

// Many strings at once must give what each one gives alone.
template <class Functor>
void check_class(const Strings& strings, int64_t tasks, Input damage) {
  std::vector<bool> want;
  strings.for_each([&](std::string_view text) {
    const Bytes copy = bytes_of(text);
    want.push_back(Functor()({copy.data(), copy.data() + copy.size()}));
  });
  const auto found = same_on_every_tier([&] {
    const auto values = reduce(Functor(), strings.span, tasks);
    return std::vector<bool>(values.begin(), values.end());
  });
  REQUIRE(found == want);
  Strings victim = strings.copy();
  victim.damage(damage);
  reduce(Functor(), victim.span, tasks);
}

// Covers string_is_alpha, string_is_alnum, string_is_digit, string_is_space, string_is_upper, string_is_lower,
// string_is_ascii.
FUZZ_TARGET(classes) {
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

}  // namespace
}  // namespace stringops::fuzz
