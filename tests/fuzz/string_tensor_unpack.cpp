// string_tensor_unpack, with and without the bytes; and packed again, which gives the strings back.
#include "kernels/string_tensor_unpack.h"

#include "fuzz.h"

namespace stringops::fuzz {
namespace {

template <class Meanwhile>
void unpack(const Strings& strings, int64_t tasks, bool symbols, Meanwhile&& meanwhile) {
  const StringSpan& in = strings.span;
  const int64_t count = in.size();
  const auto begin = [&](int64_t t) { return count * t / tasks; };
  std::vector<int64_t> bases{0};
  for (int64_t t = 0; t < tasks; ++t) {
    bases.push_back(bases.back() + kernels::measure_unpack(in, begin(t), begin(t + 1)));
  }
  REQUIRE(bases.back() >= 0);
  if (bases.back() > 1 << 20) return;  // of offsets that somebody changed before they were measured
  const Bytes bytes(symbols ? bases.back() : 0);
  const Exact<int32_t> begins(count), ends(count);
  const kernels::UnpackOutput out{begins.data(), ends.data(), symbols ? bytes.data() : nullptr};
  const bool damaged = meanwhile();
  bool complete = true;
  for (int64_t t = tasks; t-- > 0;) {
    complete &= kernels::write_unpack(in, begin(t), begin(t + 1), out, bases[t], bases[t + 1]);
  }
  REQUIRE(complete || damaged);
  if (!complete) return;
  int64_t at = 0;
  for (int64_t i = 0; i < count; ++i) {
    REQUIRE(0 <= begins[i] && begins[i] <= ends[i] && ends[i] <= bases.back());
    if (damaged) continue;
    const int32_t* offset = &strings.offsets[i / in.cols * (in.cols + 1) + i % in.cols];
    REQUIRE(begins[i] == at && ends[i] - begins[i] == offset[1] - offset[0]);
    at = ends[i];
    if (symbols) {
      REQUIRE(text_of(bytes.data() + begins[i], ends[i] - begins[i]) ==
              text_of(strings.data.data() + offset[0], offset[1] - offset[0]));
    }
  }
  REQUIRE(damaged || at == bases.back());
}

FUZZ_TARGET(string_tensor_unpack) {
  const int64_t tasks = 1 + in.below(5);
  const bool symbols = in.below(4) != 0;
  const Arguments args = take_strings(in);
  if (!args.trusted) return;
  unpack(args.strings, tasks, symbols, [] { return false; });
  Strings victim = args.strings.copy();
  unpack(victim, tasks, symbols, [&] {
    victim.damage(in);
    return true;
  });
  unpack(victim, tasks, symbols, [] { return true; });
}

}  // namespace
}  // namespace stringops::fuzz
