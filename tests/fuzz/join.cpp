// string_join_ragged and string_join: rows of strings to strings.
#include "driver/join.h"

#include "results.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

using kernels::JoinInput;

template <class RowOf>
std::optional<std::vector<std::string>> join(const JoinInput<RowOf>& in, int64_t tasks, const Interference& interfere) {
  const int64_t out_rows = in.out_cols ? in.num_rows / in.out_cols : 0;
  const Exact<int32_t> offsets(out_rows * (in.out_cols + 1));
  Bytes data;
  const auto allocate = [&](int64_t num_bytes) {
    check_room(num_bytes);
    data = Bytes(num_bytes);
    if (interfere) interfere();
    return kernels::MapOutput{data.data(), offsets.data()};
  };
  if (!gives_result(interfere != nullptr,
                    [&] { kernels::join_strings("", kernels::LoopRunner(tasks, true), in, allocate); })) {
    return std::nullopt;
  }
  REQUIRE(is_compact(offsets, out_rows, in.out_cols, data.size()));
  std::vector<std::string> strings;
  for (int64_t i = 0; i < in.num_rows; ++i) {
    const int32_t* at = &offsets[i + i / in.out_cols];
    strings.push_back(text_of(data.data() + at[0], at[1] - at[0]));
  }
  return strings;
}

std::string joined(const std::vector<std::string>& strings, int64_t first, int64_t last, const std::string& separator) {
  std::string text;
  for (int64_t i = first; i < last; ++i) text += (i > first ? separator : "") + strings[static_cast<size_t>(i)];
  return text;
}

// Covers string_join, string_join_ragged.
FUZZ_TARGET(join) {
  const int64_t tasks = 1 + in.below(5);
  const std::string separator = take_text(in, in.below(4));
  std::vector<int64_t> lengths;
  for (int64_t i = in.below(6); i > 0; --i) lengths.push_back(in.below(5));
  Arguments args = take_strings(in);
  if (!args.trusted) return;
  const StringSpan& span = args.strings.span;
  const std::vector<std::string> values = args.strings.values();

  // The rows of the tensor, then ragged rows of all its strings.
  std::vector<std::string> want;
  for (int64_t r = 0; r < span.rows; ++r) want.push_back(joined(values, r * span.cols, (r + 1) * span.cols, separator));
  const int64_t out_cols = span.rows % 2 == 0 && span.rows > 0 ? span.rows / 2 : span.rows;
  const auto row_of = [&](int64_t row) { return ElementRange{row * span.cols, (row + 1) * span.cols}; };
  REQUIRE(join(JoinInput<decltype(row_of)>{span, span.rows, row_of, separator, out_cols}, tasks, nullptr) == want);

  std::vector<int64_t> ends{0};
  for (const int64_t length : lengths) ends.push_back(std::min(ends.back() + length, span.size()));
  ends.push_back(span.size());
  want.clear();
  for (size_t r = 0; r + 1 < ends.size(); ++r) want.push_back(joined(values, ends[r], ends[r + 1], separator));
  const Exact<int64_t> own(ends);
  const RowSplits splits{own.data(), own.size() - 1, span.size()};
  const auto ragged = [&](int64_t row) { return splits.row(row); };
  REQUIRE(join(JoinInput<decltype(ragged)>{span, splits.rows, ragged, separator, splits.rows}, tasks, nullptr) == want);

  Strings victim = args.strings.copy();
  join(JoinInput<decltype(ragged)>{victim.span, splits.rows, ragged, separator, splits.rows}, tasks, [&] {
    victim.damage(in);
    if (in.flag()) own[in.below(own.size())] = in.any<int64_t>();
  });
}

SHARED_CALL(string_join, {
  const StringSpan& in = world.strings.span;
  const auto row_of = [&](int64_t row) { return ElementRange{row * in.cols, (row + 1) * in.cols}; };
  const Exact<int32_t> offsets(in.rows + 1);
  Bytes data;
  kernels::join_strings("", runner, JoinInput<decltype(row_of)>{in, in.rows, row_of, ", ", in.rows},
                        [&](int64_t num_bytes) {
                          check_room(num_bytes);
                          data = Bytes(num_bytes);
                          return kernels::MapOutput{data.data(), offsets.data()};
                        });
  return digest(data, offsets);
})

}  // namespace
}  // namespace stringops::fuzz
