// Text -> ids of subword tokens, by a table (subword/table.h).
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/fail.h"
#include "core/string_span.h"
#include "driver/buffered.h"
#include "subword/table.h"

namespace stringops::kernels {

struct SubwordOptions {
  bool add_special_tokens;  // the template's ids around those of each string
  int64_t max_length;       // of the ids of a string, with the template's; -1: any
  bool spans;               // where each id comes from
};

struct SubwordOutput {
  int64_t* ids;
  int64_t* row_splits;  // as in IdsOutput
  int32_t* begins;      // of each id, in bytes of the string that it comes from; null without spans
  int32_t* ends;
};

// The ids of the strings of a task, which the first pass keeps (driver/buffered.h).
struct SubwordIds {
  std::vector<uint32_t> ids;
  std::vector<PackedRange> spans;
  std::vector<int64_t> counts;  // of the ids of each string
  int64_t missing = -1;         // the first string of a MissingPiece; then the others are not complete

  // Encodes strings [first, last).
  void encode(const StringSpan& in, int64_t first, int64_t last, const subword::Table& table,
              const SubwordOptions& options);
  // Copies all to the range of ids, and to the row splits of the strings.
  void copy(const SubwordOutput& out, const OutputRange& range, int64_t first_string) const;
};

constexpr Cost kSubwordCost{60, 4};

// allocate(num_ids) -> SubwordOutput.
template <class Allocate>
void encode_subwords(const char* op, const Runner& runner, const StringSpan& in, const subword::Table& table,
                     const SubwordOptions& options, Allocate&& allocate) {
  const Partition tasks = divide_strings(in, runner, kSubwordCost);
  Buffered<SubwordIds> buffered(
      op, runner, tasks.tasks, kCutIds,
      [&](int64_t t, std::optional<SubwordIds>& kept) {
        kept.emplace().encode(in, tasks.first(t), tasks.last(t), table, options);
        return OutputSize{0, static_cast<int64_t>(kept->ids.size())};
      },
      [op](const SubwordIds& kept) {
        STRINGOPS_CHECK(kept.missing < 0, op, ": row ", kept.missing,
                        " has a character that is not a piece, and the model has no unknown token");
      });
  const SubwordOutput out = allocate(buffered.size().pieces);
  out.row_splits[0] = 0;
  buffered.write([&](int64_t t, const SubwordIds& kept, const OutputRange& range) {
    kept.copy(out, range, tasks.first(t));
    return kept.missing < 0;
  });
}

}  // namespace stringops::kernels
