// string_split and string_split_ragged, as the operators run them: cut among tasks, measured, written in any order.
#include "kernels/string_split.h"

#include <optional>

#include "fuzz.h"
#include "kernels/split_walk.h"
#include "oracle.h"

namespace stringops::fuzz {
namespace {

using kernels::Cuts;
using kernels::Place;
using kernels::Share;
using kernels::SplitMeasure;
using kernels::Splitter;

struct Plan {
  Cuts cuts;
  std::vector<SplitMeasure> tasks;
  std::vector<Share> shares;
  int64_t bytes = 0, pieces = 0;
};

// Where a string of `text` is cut between tasks, from `from` on: behind the first separator that none other shares a
// byte with, so that neither task holds a part of a piece of the other.
int64_t first_cut(std::string_view text, const Splitter& by, size_t from) {
  const auto matches = [&](size_t at) { return text.substr(at, by.delimiter.size()) == by.delimiter; };
  const size_t length = by.delimiter.size();
  for (size_t at = from; at + length < text.size(); ++at) {
    if (by.whitespace()) {
      const auto before = static_cast<uint8_t>(text[at - 1]);
      if (by.onnxruntime ? before == ' ' : is_ascii_whitespace(before)) return static_cast<int64_t>(at);
      continue;
    }
    bool alone = matches(at);
    for (size_t i = at - std::min(at, length - 1); alone && i < at + length; ++i) alone = i == at || !matches(i);
    if (alone) return static_cast<int64_t>(at + length);
  }
  return static_cast<int64_t>(text.size());
}

// The cuts are those of equal sizes, each moved on to where its string may be cut.
void check_cuts(const StringSpan& in, const Splitter& by, int64_t parts) {
  const Cuts even = kernels::cut_evenly(in, parts, kernels::masks_serve(by)),
             cuts = kernels::cut_for_split(in, by, parts);
  REQUIRE(cuts.parts == even.parts);
  Place before;
  for (size_t p = 1; p <= static_cast<size_t>(cuts.parts); ++p) {
    Place want = even.places[p];
    if (want.index < before.index || (want.index == before.index && want.skip <= before.skip)) want = before;
    if (want.skip > 0 && (want.index != before.index || want.skip != before.skip)) {
      const std::string_view text = in[want.index];
      want.skip = first_cut(text, by, static_cast<size_t>(want.skip));
      if (want.skip == static_cast<int64_t>(text.size())) want = {want.index + 1, 0};
    }
    REQUIRE(cuts.places[p].index == want.index && cuts.places[p].skip == want.skip);
    before = want;
  }
}

Plan plan(const StringSpan& in, const Splitter& by, int64_t parts, int64_t* row_pieces) {
  Plan p;
  p.cuts = kernels::cut_for_split(in, by, parts);
  REQUIRE(p.cuts.parts >= 1 && p.cuts.parts <= 256);
  for (int64_t t = 0; t < p.cuts.parts; ++t) {
    p.tasks.push_back(kernels::measure_split(in, by, p.cuts.places[t], p.cuts.places[t + 1], row_pieces));
    const SplitMeasure& task = p.tasks.back();
    p.shares.push_back({p.bytes, p.bytes + task.bytes, p.pieces, p.pieces + task.pieces});
    p.bytes += task.bytes;
    p.pieces += task.pieces;
  }
  return p;
}

struct Calls {
  Splitter by;
  int64_t parts;
  bool backwards;  // the order in which tasks write

  int64_t task(int64_t i, int64_t count) const { return backwards ? count - 1 - i : i; }
};

// Between measuring and writing, `meanwhile` may change the arguments, which it tells. A result that is complete all
// the same is a valid tensor, though which row a piece went to may be past saying.
template <class Meanwhile>
std::optional<Pieces> split_ragged(const StringSpan& in, const Calls& calls, Meanwhile&& meanwhile) {
  const Plan p = plan(in, calls.by, calls.parts, nullptr);
  Bytes data(p.bytes);
  Exact<int32_t> offsets(p.pieces + 1);
  Exact<int64_t> splits(in.size() + 1);
  offsets[0] = 0;
  splits[0] = 0;
  const bool damaged = meanwhile();
  bool complete = true;
  for (int64_t i = 0; i < p.cuts.parts; ++i) {
    const int64_t t = calls.task(i, p.cuts.parts);
    complete &= kernels::write_split_ragged(in, calls.by, p.cuts.places[t], p.cuts.places[t + 1], p.shares[t],
                                            data.data(), offsets.data(), splits.data());
  }
  REQUIRE(complete || damaged);
  if (!complete) return std::nullopt;
  REQUIRE(is_compact(offsets, 1, p.pieces, p.bytes));
  REQUIRE(splits[in.size()] == p.pieces);
  for (int64_t r = 0; r < in.size(); ++r) REQUIRE(splits[r] <= splits[r + 1]);
  return Pieces{text_of(data.data(), p.bytes), offsets.copy(), splits.copy()};
}

template <class Meanwhile>
std::optional<Pieces> split_padded(const StringSpan& in, const Calls& calls, Meanwhile&& meanwhile) {
  Exact<int64_t> counts(in.size());
  const Plan p = plan(in, calls.by, calls.parts, counts.data());
  const kernels::PaddedRows padding = kernels::finish_counts(p.cuts, p.tasks, counts.data());
  if (in.size() * (padding.width + 1) > 1 << 20) return std::nullopt;
  Bytes data(p.bytes);
  Exact<int32_t> offsets(in.size() * (padding.width + 1));
  const bool damaged = meanwhile();
  bool complete = true;
  for (int64_t i = 0; i < p.cuts.parts; ++i) {
    const int64_t t = calls.task(i, p.cuts.parts);
    complete &= kernels::write_split_padded(in, calls.by, p.cuts.places[t], p.cuts.places[t + 1], p.shares[t],
                                            padding.open[t], data.data(), offsets.data(), padding.width);
  }
  REQUIRE(complete || damaged);
  if (!complete) return std::nullopt;
  REQUIRE(!find_bad_offset({data.data(), p.bytes, offsets.data(), in.size(), padding.width}));
  if (damaged) return std::nullopt;
  REQUIRE(in.size() == 0 || is_compact(offsets, in.size(), padding.width, p.bytes));
  // Padding is empty, so that what is left without it is the ragged form.
  Pieces pieces{text_of(data.data(), p.bytes)};
  for (int64_t r = 0; r < in.size(); ++r) {
    const int32_t* const row = &offsets[r * (padding.width + 1)];
    pieces.offsets.insert(pieces.offsets.end(), row + 1, row + 1 + counts[r]);
    pieces.end_row();
    for (int64_t c = counts[r]; c < padding.width; ++c) REQUIRE(row[c] == row[c + 1]);
  }
  return pieces;
}

void check_calls(const Strings& strings, const Calls& calls, bool ragged, const std::optional<Input>& damage) {
  check_cuts(strings.span, calls.by, calls.parts);

  const auto unchanged = [] { return false; };
  Pieces want;
  strings.for_each([&](std::string_view text) { split_one(text, calls.by, &want); });
  const auto split = [&](const StringSpan& span, const auto& meanwhile) {
    return ragged ? split_ragged(span, calls, meanwhile) : split_padded(span, calls, meanwhile);
  };
  const auto pieces = same_on_every_tier([&] { return split(strings.span, unchanged); });
  REQUIRE(!pieces || pieces == want);

  if (!damage) return;
  survives_on_every_tier([&] {
    Strings victim = strings.copy();
    Input rest = *damage;
    split(victim.span, [&] {
      victim.damage(rest);
      return true;
    });
  });
}

FUZZ_TARGET(string_split) {
  static constexpr int64_t kLengths[] = {0, 0, 0, 1, 1, 2, 2, 3, 4, 64, 65, 130};
  const int64_t length = kLengths[in.below(std::size(kLengths))];
  const std::string delimiter = length ? take_text(in, length) : std::string();
  const int64_t maxsplit = in.flag() ? -1 : in.below(6) - 1;
  Calls calls{{delimiter, maxsplit, in.flag()}, 1 + in.below(6), in.flag()};
  Arguments args = take_strings(in, delimiter);
  if (!args.trusted) return;

  const bool ragged = in.flag();
  std::optional<Input> damage;
  if (in.below(4) == 0) damage = in;
  check_calls(args.strings, calls, ragged, damage);
  // Comes last, and in addition: inputs stored before mean what they meant.
  calls.by.skip_empty = in.flag();
  if (calls.by.skip_empty) check_calls(args.strings, calls, ragged, damage);
}

}  // namespace
}  // namespace stringops::fuzz
