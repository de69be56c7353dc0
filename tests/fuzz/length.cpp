// string_length, and the driver of string -> value.
#include "kernels/length.h"

#include "fuzz.h"
#include "oracle.h"
#include "reduce.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

int64_t codepoints(std::string_view text) {
  int64_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) at += std::max<size_t>(codepoint_at(text, at), 1);
  return count;
}

FUZZ_TARGET(string_length) {
  const int64_t tasks = 1 + in.below(5);
  const Arguments args = take_strings(in);
  if (!args.trusted) return;
  std::vector<int64_t> bytes, characters;
  args.strings.for_each([&](std::string_view text) {
    bytes.push_back(static_cast<int64_t>(text.size()));
    characters.push_back(codepoints(text));
  });
  REQUIRE(reduce(kernels::ByteLength(), args.strings.span, tasks) == bytes);
  REQUIRE(reduce(kernels::CodepointLength(), args.strings.span, tasks) == characters);
  Strings victim = args.strings.copy();
  victim.damage(in);
  reduce(kernels::CodepointLength(), victim.span, tasks);
}

SHARED_CALL(string_length, {
  const Exact<int64_t> lengths(world.strings.span.size());
  kernels::reduce_strings(runner, kernels::CodepointLength(), world.strings.span, lengths.data());
  return digest(lengths);
})

}  // namespace
}  // namespace stringops::fuzz
