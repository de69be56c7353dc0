// split_encode: the numbers of the pieces that string_split gives; with forged tables, any numbers.
#include "kernels/split_encode.h"

#include "fuzz.h"
#include "kernels/string_split.h"
#include "oracle.h"
#include "vocabulary.h"

namespace stringops::fuzz {
namespace {

using kernels::Cuts;
using kernels::Share;
using kernels::Splitter;
using kernels::UnknownWords;
using Rows = std::pair<std::vector<int64_t>, std::vector<int64_t>>;  // ids, row splits

struct Calls {
  Splitter by;
  UnknownWords unknown;
  int64_t parts;
};

template <class Meanwhile>
std::optional<Rows> encode(const StringSpan& in, const Calls& calls, const Bytes& table, Meanwhile&& meanwhile) {
  const auto opened = kernels::open_vocab_table(table.data(), table.size());
  if (!opened) return std::nullopt;
  const Cuts cuts = kernels::cut_for_split(in, calls.by, calls.parts);
  std::vector<Share> shares;
  int64_t bytes = 0, pieces = 0;
  for (int64_t t = 0; t < cuts.parts; ++t) {
    const auto task = kernels::measure_split(in, calls.by, cuts.places[t], cuts.places[t + 1], nullptr);
    shares.push_back({bytes, bytes + task.bytes, pieces, pieces + task.pieces});
    bytes += task.bytes;
    pieces += task.pieces;
  }
  const Exact<int64_t> ids(pieces), splits(in.size() + 1);
  splits[0] = 0;
  const bool damaged = meanwhile();
  bool complete = true;
  for (int64_t t = cuts.parts; t-- > 0;) {
    complete &= kernels::write_split_ids(in, calls.by, *opened, calls.unknown, cuts.places[t], cuts.places[t + 1],
                                         shares[t], ids.data(), splits.data());
  }
  REQUIRE(complete || damaged);
  if (!complete) return std::nullopt;
  REQUIRE(splits[in.size()] == pieces);
  for (int64_t r = 0; r < in.size(); ++r) REQUIRE(splits[r] <= splits[r + 1]);
  return Rows{ids.copy(), splits.copy()};
}

void check_calls(const Strings& strings, const Calls& calls, const std::optional<Input>& damage) {
  // Every other piece is a word of the vocabulary.
  Pieces pieces;
  strings.for_each([&](std::string_view text) { split_one(text, calls.by, &pieces); });
  std::vector<std::string> known;
  for (int64_t j = 0; j < pieces.size(); j += 2) known.emplace_back(pieces.piece(j));
  const Vocabulary vocabulary(known);
  Rows want{{}, pieces.splits};
  for (int64_t j = 0; j < pieces.size(); ++j) {
    want.first.push_back(vocabulary.id(std::string(pieces.piece(j)), calls.unknown));
  }
  const auto unchanged = [] { return false; };
  REQUIRE(same_on_every_tier([&] { return encode(strings.span, calls, vocabulary.table, unchanged); }) == want);

  if (!damage) return;
  Input rest = *damage;
  forge(rest, vocabulary.table);
  survives_on_every_tier([&] {
    Strings victim = strings.copy();
    Input more = rest;
    encode(victim.span, calls, vocabulary.table, [&] {
      victim.damage(more);
      return true;
    });
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
  // Comes last, and in addition: inputs stored before mean what they meant.
  calls.by.skip_empty = in.flag();
  if (calls.by.skip_empty) check_calls(args.strings, calls, damage);
}

}  // namespace
}  // namespace stringops::fuzz
