// string_split and string_split_ragged, by the driver as in the operators; tasks run in any order.
#include "kernels/split.h"

#include "split/divide.h"

#include <optional>

#include "oracle.h"
#include "results.h"

namespace stringops::fuzz {
namespace {

using kernels::LoopRunner;
using kernels::Partition;
using kernels::Position;
using kernels::SplitCutter;
using kernels::Splitter;

// The first position from `from` on at which the string may be divided between tasks: after a separator that shares no
// byte with another, so that no piece is divided. After as many delimiters as the driver tries, the end.
int64_t first_boundary(std::string_view text, const Splitter& by, size_t from) {
  const auto matches = [&](size_t at) { return text.substr(at, by.delimiter.size()) == by.delimiter; };
  const size_t length = by.delimiter.size();
  int64_t tries = 0;
  for (size_t at = from; at + length < text.size(); ++at) {
    if (by.whitespace()) {
      const auto before = static_cast<uint8_t>(text[at - 1]);
      const bool is_inside = is_continuation(static_cast<uint8_t>(text[at]));  // sets divide at characters only
      if (by.onnxruntime ? before == ' ' && !is_inside : is_ascii_whitespace(before)) return static_cast<int64_t>(at);
      continue;
    }
    bool alone = matches(at);
    if (alone && ++tries > kernels::kMaxBoundaryTries) break;
    for (size_t i = at - std::min(at, length - 1); alone && i < at + length; ++i) alone = i == at || !matches(i);
    if (alone) return static_cast<int64_t>(at + length);
  }
  return static_cast<int64_t>(text.size());
}

// The cuts of a text that ends after a separator, without a limit.
int64_t count_cuts(std::string_view text, Splitter by) {
  by.maxsplit = -1;
  by.skip_empty = by.whitespace();
  Pieces pieces;
  split_one(text, by, &pieces);
  return pieces.size() - (by.whitespace() ? 0 : 1);
}

// Positions are those of equal sizes, each moved to the next position at which its string may be divided, and at which
// it may be cut again.
void check_partition(const StringSpan& in, const Splitter& by, int64_t tasks) {
  const SplitCutter cutter(by);
  const Partition even = kernels::divide_evenly(in, tasks, by.delimiter.size() <= kernels::kMaxBoundaryDelimiter),
                  partition = cutter.divide(in, tasks);
  REQUIRE(partition.tasks == even.tasks && partition.tasks >= 1 && partition.tasks <= 256);
  Position before;
  for (size_t p = 1; p <= static_cast<size_t>(partition.tasks); ++p) {
    Position want = before < even.positions[p] ? even.positions[p] : before;
    if (want.skip > 0 && before < want) {
      const std::string_view text = in[want.index];
      want.skip = first_boundary(text, by, static_cast<size_t>(want.skip));
      const bool is_end = want.skip == static_cast<int64_t>(text.size());
      if (!is_end && by.maxsplit >= 0) want.cuts = count_cuts(text.substr(0, static_cast<size_t>(want.skip)), by);
      if (is_end || (by.maxsplit >= 0 && want.cuts >= by.maxsplit)) want = {want.index + 1, 0};
    }
    const Position& at = partition.positions[p];
    REQUIRE(at.index == want.index && at.skip == want.skip && (at.cuts == want.cuts || at.skip == 0));
    before = want;
  }
}

struct Calls {
  Splitter by;
  int64_t tasks;
  bool backwards;  // the order in which tasks run
};

// `interfere` may change the arguments after they are measured. A result is then still a valid tensor, but pieces may
// be in the wrong rows.
std::optional<Pieces> split_ragged(const StringSpan& in, const Calls& calls, const Interference& interfere) {
  RaggedBuffers result{Exact<int64_t>(in.size() + 1), interfere};
  if (!gives_result(interfere != nullptr, [&] {
        kernels::cut_ragged("", LoopRunner(calls.tasks, calls.backwards), in, SplitCutter(calls.by), result);
      })) {
    return std::nullopt;
  }
  return result.checked_pieces();
}

std::optional<Pieces> split_padded(const StringSpan& in, const Calls& calls, const Interference& interfere) {
  const Exact<int64_t> counts(in.size());
  PaddedBuffers result{in.size(), interfere};
  if (!gives_result(interfere != nullptr, [&] {
        kernels::cut_padded("", "", LoopRunner(calls.tasks, calls.backwards), in, SplitCutter(calls.by), counts.data(),
                            result);
      })) {
    return std::nullopt;
  }
  result.check();
  if (interfere) return std::nullopt;
  // Padding is empty, so without it the pieces are those of the ragged result.
  const int64_t width = result.width;
  Pieces pieces{text_of(result.data.data(), result.data.size())};
  for (int64_t r = 0; r < in.size(); ++r) {
    const int32_t* const row = &result.offsets[r * (width + 1)];
    pieces.offsets.insert(pieces.offsets.end(), row + 1, row + 1 + counts[r]);
    pieces.end_row();
    for (int64_t c = counts[r]; c < width; ++c) REQUIRE(row[c] == row[c + 1]);
  }
  return pieces;
}

void check_calls(const Strings& strings, const Calls& calls, bool ragged, const std::optional<Input>& damage) {
  check_partition(strings.span, calls.by, calls.tasks);

  Pieces want;
  strings.for_each([&](std::string_view text) { split_one(text, calls.by, &want); });
  const auto split = ragged ? split_ragged : split_padded;
  const auto pieces = same_on_every_tier([&] { return split(strings.span, calls, nullptr); });
  REQUIRE(!pieces || *pieces == want);

  if (!damage) return;
  survives_on_every_tier([&] {
    Strings victim = strings.copy();
    Input rest = *damage;
    split(victim.span, calls, [&] { victim.damage(rest); });
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
  // Read last, so that inputs stored before it was added keep their meaning.
  calls.by.skip_empty = in.flag();
  if (calls.by.skip_empty) check_calls(args.strings, calls, ragged, damage);
  // A delimiter of equal bytes, in runs of them.
  const std::string run(static_cast<size_t>(in.below(70)), '-');
  if (run.size() < 2) return;
  calls.by.delimiter = run;
  auto& data = args.strings.data;
  for (int64_t i = 0; i < data.size(); ++i) data[i] = data[i] % 8 == 0 ? ' ' : '-';
  check_calls(args.strings, calls, ragged, damage);
}

}  // namespace
}  // namespace stringops::fuzz
