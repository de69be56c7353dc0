// string_length, string_width, and the driver of string -> value.
#include "kernels/length.h"

#include "core/codepoint.h"
#include "core/unicode_width.h"
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

// The code points that are measured are found first, then they are.
int64_t columns(std::string_view text) {
  std::vector<uint32_t> measured;
  for (size_t at = 0, skipped = 0; at < text.size();) {
    const size_t length = codepoint_at(text, at);
    const auto* const p = reinterpret_cast<const uint8_t*>(text.data()) + at;
    const uint32_t c = length == 0 ? kInvalidByte : decode_codepoint(p, static_cast<int64_t>(length));
    at += std::max<size_t>(length, 1);
    if (skipped > 0) {
      --skipped;
    } else if (c == kZeroWidthJoiner) {
      skipped = 1;
    } else {
      measured.push_back(c);
    }
  }
  int64_t sum = 0;
  for (size_t i = 0; i < measured.size(); ++i) {
    const uint8_t kind = kWidths[measured[i]];
    if (kind == kControl) return -1;
    sum += kind == kWide ? 2 : kind == kZeroWidth ? 0 : 1;
    if (kind != kNarrowOrWide) continue;
    size_t next = i + 1;
    while (next < measured.size() && kWidths[measured[next]] == kZeroWidth && measured[next] != kVariationSelector)
      ++next;
    if (next < measured.size() && measured[next] == kVariationSelector) ++sum;
  }
  return sum;
}

// Covers string_width.
FUZZ_TARGET(string_length) {
  const int64_t tasks = 1 + in.below(5);
  const Arguments args = take_strings(in, "\xE2\x80\x8D\xEF\xB8\x8F#");
  if (!args.trusted) return;
  std::vector<int64_t> bytes, characters, widths;
  args.strings.for_each([&](std::string_view text) {
    bytes.push_back(static_cast<int64_t>(text.size()));
    characters.push_back(codepoints(text));
    widths.push_back(columns(text));
  });
  REQUIRE(reduce(kernels::ByteLength(), args.strings.span, tasks) == bytes);
  REQUIRE(reduce(kernels::CodepointLength(), args.strings.span, tasks) == characters);
  REQUIRE(reduce(kernels::Width(), args.strings.span, tasks) == widths);
  Strings victim = args.strings.copy();
  victim.damage(in);
  reduce(kernels::CodepointLength(), victim.span, tasks);
  reduce(kernels::Width(), victim.span, tasks);
}

SHARED_CALL(string_length, {
  const Exact<int64_t> lengths(world.strings.span.size());
  kernels::reduce_strings(runner, kernels::CodepointLength(), world.strings.span, lengths.data());
  return digest(lengths);
})

}  // namespace
}  // namespace stringops::fuzz
