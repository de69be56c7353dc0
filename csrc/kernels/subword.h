// Text -> ids of subword tokens, by a table (subword/table.h).
#pragma once

#include <cstdint>
#include <vector>

#include "core/fail.h"
#include "core/string_span.h"
#include "driver/cut.h"
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

// A cutter (driver/cut.h) that keeps the ids between the passes.
class SubwordCutter {
 public:
  struct Task {
    std::vector<uint32_t> ids;
    std::vector<PackedRange> spans;
    std::vector<int64_t> counts;  // of the ids of each string
  };

  SubwordCutter(const subword::Table& table, const SubwordOptions& options) : table_(table), options_(options) {}

  Cost cost() const { return {60, 4}; }
  Partition divide(const StringSpan& in, int64_t tasks) const { return divide_evenly(in, tasks, false); }
  void count(const StringSpan& in, Position begin, Position end, PieceCounter& counter, Task* task) const;
  static void check(const char*, const Task&) {}
  template <class Sink>
  bool write(const StringSpan&, Position, Position, const Task& task, Sink& sink) const {
    sink.take(task);
    return true;
  }

 private:
  const subword::Table& table_;
  const SubwordOptions options_;
};

class SubwordSink {
 public:
  SubwordSink(const SubwordOutput& out, const OutputRange& range, int64_t first_string)
      : out_(out), range_(range), first_string_(first_string) {}

  void take(const SubwordCutter::Task& task);
  bool complete() const { return true; }

 private:
  const SubwordOutput& out_;
  const OutputRange range_;
  const int64_t first_string_;
};

// The number of ids of strings that overlap (split/overlap.h), which may be too many; 0 of others.
inline int64_t count_overlapping_subwords(const char* op, const Runner& runner, const StringSpan& in,
                                          const subword::Table& table) {
  if (overlapping_tasks(in) == 0) return 0;
  const SubwordCutter cutter(table, {false, -1, false});
  return Cut<SubwordCutter>(op, runner, in, cutter, cutter.cost(), kCutIds, nullptr).num_pieces();
}

// allocate(num_ids) -> SubwordOutput.
template <class Allocate>
void encode_subwords(const char* op, const Runner& runner, const StringSpan& in, const subword::Table& table,
                     const SubwordOptions& options, Allocate&& allocate) {
  const SubwordCutter cutter(table, options);
  const Cut<SubwordCutter> cut(op, runner, in, cutter, cutter.cost(), kCutIds, nullptr);
  const SubwordOutput out = allocate(cut.num_pieces());
  out.row_splits[0] = 0;
  cut.write([&](Position begin, Position, const OutputRange& range, OpenPieces) {
    return SubwordSink(out, range, begin.index);
  });
}

}  // namespace stringops::kernels
