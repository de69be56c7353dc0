// string_ljust, string_rjust, string_center, string_zfill and string_slice: padding and slices in code points.
#include "kernels/build_pad.h"
#include "kernels/build_slice.h"

#include "map.h"

namespace stringops::fuzz {
namespace {

using kernels::Pad;
using kernels::Slice;
using kernels::ZeroFill;

std::string take_fill(Input& in) {
  constexpr std::string_view kFills[] = {" ", "0", "\xC3\xA9", "\xE6\x97\xA5", "\xF0\x9F\x98\x80", "\xFF"};
  return std::string(kFills[in.below(6)]);
}

int64_t take_position(Input& in) {
  return in.byte() < 224 ? in.below(48) - 16 : in.any<int64_t>();
}

// Covers string_ljust, string_rjust, string_center.
FUZZ_TARGET(string_pad) {
  const auto side = static_cast<Pad::Side>(in.below(3));
  check_map(in, Pad(in.below(60), take_fill(in), side));
}

FUZZ_TARGET(string_zfill) {
  check_map(in, ZeroFill(in.below(60)));
}

FUZZ_TARGET(string_slice) {
  const int64_t start = take_position(in);
  const std::optional<int64_t> stop = in.flag() ? std::optional(take_position(in)) : std::nullopt;
  if (in.flag()) return check_map(in, Slice<true>{start, stop});
  check_map(in, Slice<false>{start, stop});
}

SHARED_CALL(string_pad, { return call_map(Pad(20, "\xC3\xA9", Pad::Side::kBoth), world, runner); })
SHARED_CALL(string_zfill, { return call_map(ZeroFill(20), world, runner); })
SHARED_CALL(string_slice, { return call_map(Slice<false>{1, -1}, world, runner); })

}  // namespace
}  // namespace stringops::fuzz
