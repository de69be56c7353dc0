// Rows of ids -> text: the bytes of the tokens, one after the other.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/fail.h"
#include "core/row_splits.h"
#include "core/rows.h"
#include "kernels/driver/join.h"
#include "kernels/driver/two_pass.h"
#include "subword/table.h"

namespace stringops::kernels {

struct SubwordDecode {
  const int64_t* ids;
  RowSplits rows;
  const subword::Table& table;
  bool skip_special;

  bool is_skipped(int64_t id) const { return skip_special && table.is_special(id); }
};

// The bytes of rows [first, last), and the position of the first id that is not in the table, or -1.
struct DecodedSize {
  int64_t num_bytes = 0;
  int64_t bad = -1;
};

inline DecodedSize measure_decoded(const SubwordDecode& in, int64_t first, int64_t last) {
  DecodedSize size;
  for (int64_t row = first; row < last; ++row) {
    const ElementRange range = in.rows.row(row);
    bool begins_row = true;
    for (int64_t i = range.begin; i < range.end; ++i) {
      const int64_t id = in.ids[i];
      if (id < 0 || id >= in.table.num_ids()) return {0, i};
      if (in.is_skipped(id)) continue;
      size.num_bytes += in.table.texts_at(begins_row)[id].size();
      begins_row = false;
    }
  }
  return size;
}

inline bool write_decoded(const SubwordDecode& in, int64_t first, int64_t last, const MapOutput& out, int64_t begin,
                          int64_t end) {
  JoinWriter writer(out.data, begin, end);
  OffsetsWriter offsets(out.offsets, in.rows.rows, first);
  for (int64_t row = first; row < last; ++row) {
    const ElementRange range = in.rows.row(row);
    const int64_t row_begin = writer.at();
    bool begins_row = true;
    for (int64_t i = range.begin; i < range.end; ++i) {
      const int64_t id = in.ids[i];
      if (in.is_skipped(id)) continue;
      // An id that is no longer in the table (race) has no text.
      const subword::TokenTexts& texts = in.table.texts_at(begins_row);
      const StringView text = texts[id];
      if (text.size() > 0) writer.append(text, texts.bytes.at + texts.bytes.size);
      begins_row = false;
    }
    offsets.push(row_begin, writer.at());
  }
  return writer.complete();
}

// allocate(num_bytes) -> MapOutput, with offsets of one more than the rows.
template <class Allocate>
void decode_subwords(const char* op, const Runner& runner, const SubwordDecode& in, Allocate&& allocate) {
  constexpr double kNsPerRow = 10, kNsPerId = 4;
  const double ns = kNsPerRow * static_cast<double>(in.rows.rows) + kNsPerId * static_cast<double>(in.rows.num_values);
  const EvenTasks tasks{in.rows.rows, runner.choose_tasks(ns)};
  std::vector<int64_t> bad(static_cast<size_t>(tasks.tasks), -1);
  const auto first_bytes = measure_tasks(
      op, runner, tasks.tasks,
      [&](int64_t t) {
        const DecodedSize size = measure_decoded(in, tasks.begin(t), tasks.begin(t + 1));
        bad[static_cast<size_t>(t)] = size.bad;
        return size.num_bytes;
      },
      [&](size_t t) {
        STRINGOPS_CHECK(bad[t] < 0, op, ": expected `ids` within [0, ", in.table.num_ids(), "), got ",
                        in.ids[std::max<int64_t>(bad[t], 0)], " at position ", bad[t]);
      });
  const MapOutput out = allocate(first_bytes.back());
  write_tasks(op, runner, first_bytes, [&](int64_t t, int64_t begin, int64_t end) {
    return write_decoded(in, tasks.begin(t), tasks.begin(t + 1), out, begin, end);
  });
}

}  // namespace stringops::kernels
