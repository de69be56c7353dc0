// vocab_encode: against a map; and with malformed tables, which may give wrong ids, but no access out of bounds.
#include "driver/testing.h"
#include "fuzz.h"
#include "kernels/vocabulary.h"
#include "vocabulary.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

FUZZ_TARGET(vocab_encode) {
  const kernels::UnknownWords unknown{in.any<int64_t>(), in.flag() ? 0 : in.below(1000)};
  const int64_t tasks = 1 + in.below(3), num_words = in.below(40);
  const Shape shape = take_shape(in, 120);
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 48);
  const Arguments for_words = take_strings(in, text, {1, num_words});
  const Arguments args = take_strings(in, text, shape);
  if (!for_words.trusted || !args.trusted) return;
  const Vocabulary vocabulary(for_words.strings.values());
  const Bytes& table = vocabulary.table;

  const auto encode = [&](const StringSpan& span) -> std::optional<std::vector<int64_t>> {
    const auto opened = kernels::open_vocab_table(table.data(), table.size());
    if (!opened) return std::nullopt;
    const Exact<int64_t> found(span.size());
    kernels::encode_strings(kernels::LoopRunner(tasks), span, {*opened, unknown}, found.data());
    return found.copy();
  };
  const auto found = same_on_every_tier([&] { return encode(args.strings.span); });
  REQUIRE(found);
  size_t i = 0;
  for (const std::string& value : args.strings.values()) {
    REQUIRE((*found)[i++] == vocabulary.id(value, unknown));
  }

  Strings victim = args.strings.copy();
  if (in.flag()) victim.damage(in);
  forge(in, table);
  survives_on_every_tier([&] { encode(victim.span); });
}

SHARED_CALL(vocab_encode, {
  const auto opened = kernels::open_vocab_table(world.table.data(), world.table.size());
  if (!opened) return std::nullopt;
  const Exact<int64_t> ids(world.strings.span.size());
  kernels::encode_strings(runner, world.strings.span, {*opened, {-1, 7}}, ids.data());
  return digest(ids);
})

}  // namespace
}  // namespace stringops::fuzz
