// split_encode: the ids of the pieces that string_split gives; with malformed tables, any ids.
#include "kernels/split.h"
#include "oracle.h"
#include "vocabulary.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

struct Calls {
  kernels::Splitter by;
  kernels::UnknownWords unknown;
  int64_t tasks;
};

std::optional<EncodedRows> encode(const StringSpan& in, const Calls& calls, const Bytes& table,
                                  const Interference& interfere) {
  return encode_pieces(in, calls.tasks, kernels::SplitCutter(calls.by), calls.unknown, table, interfere);
}

void check_calls(const Strings& strings, const Calls& calls, const std::optional<Input>& damage) {
  Pieces pieces;
  strings.for_each([&](std::string_view text) { split_one(text, calls.by, &pieces); });
  const KnownPieces want(pieces, calls.unknown);
  const Bytes& table = want.vocabulary.table;
  REQUIRE(same_on_every_tier([&] { return encode(strings.span, calls, table, nullptr); }) == want.ids);

  if (!damage) return;
  Input rest = *damage;
  forge(rest, table);
  survives_on_every_tier([&] {
    Strings victim = strings.copy();
    Input more = rest;
    encode(victim.span, calls, table, [&] { victim.damage(more); });
  });
}

FUZZ_TARGET(split_encode) {
  static constexpr int64_t kLengths[] = {0, 0, 1, 1, 2, 3, 65};
  const int64_t length = kLengths[in.below(7)];
  const std::string delimiter = length ? take_text(in, length) : std::string();
  Calls calls{{delimiter}, {in.any<int64_t>(), in.flag() ? 0 : in.below(1000)}, 1 + in.below(5)};
  const Arguments args = take_strings(in, delimiter);
  if (!args.trusted) return;

  std::optional<Input> damage;
  if (in.below(4) == 0) damage = in;
  check_calls(args.strings, calls, damage);
  // Read last, so that inputs stored before it was added keep their meaning.
  calls.by.skip_empty = in.flag();
  if (calls.by.skip_empty) check_calls(args.strings, calls, damage);
}

SHARED_CALL(split_encode, {
  const StringSpan& in = world.strings.span;
  const auto opened = kernels::open_vocab_table(world.table.data(), world.table.size());
  if (!opened) return std::nullopt;
  const Exact<int64_t> splits(in.size() + 1);
  Exact<int64_t> ids;
  kernels::cut_ids("", runner, in, kernels::SplitCutter({" "}), kernels::VocabLookup(*opened, {-1, 7}), splits.data(),
                   [&](int64_t num_ids) {
                     ids = Exact<int64_t>(num_ids);
                     return ids.data();
                   });
  return digest(ids, splits);
})

}  // namespace
}  // namespace stringops::fuzz
