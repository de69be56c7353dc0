// string -> pieces: the driver of every operator that cuts strings.
//
// A cutter decides where strings are cut. The driver divides the work among tasks, counts, checks the limits,
// allocates, writes, and rejects the result if an argument changed during the call. A sink stores the pieces:
// ragged_sink.h, padded_sink.h, ids_sink.h, row_format.h. A cutter has
//
//   struct Task;                             what counting keeps for writing: nothing, or the positions of all pieces
//   Partition divide(in, tasks)              among tasks, so that no piece belongs to two of them
//   void count(in, begin, end, sink, &task)  passes the pieces from `begin` to `end` to a PieceCounter
//   void check(op, task)                     throws the error that counting found, if any
//   bool write(in, begin, end, task, sink)   passes the same pieces to a sink; false if they have changed
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <vector>

#include "core/string_span.h"
#include "driver/output_range.h"
#include "driver/padded_sink.h"
#include "driver/ragged_sink.h"
#include "driver/two_pass.h"
#include "split/block_splitter.h"
#include "split/overlap.h"

namespace stringops::kernels {

// Text that is cut in one pass.
struct TextPart {
  const StringSpan& strings;
  int64_t first_string;  // the number of the part's first string
  bool are_utf8;         // known to be valid UTF-8
};

// The sink of the first pass.
class PieceCounter {
 public:
  // If `string_pieces` is not null, sets string_pieces[i], for each string i that ends in the task, to the number of
  // its pieces in the task.
  PieceCounter(int64_t first_string, int64_t* string_pieces) : string_(first_string), string_pieces_(string_pieces) {}

  void block(const simd::Primitives& simd, const Block& block, BlockSplitter& masks) {
    const auto [bytes, pieces, complete] = masks.count(block);
    if (string_pieces_ && block.num_strings > 0) {
      masks.count_strings(block);
      int64_t* const counts = string_pieces_ + string_;
      const int64_t greatest = simd.widen_differences(masks.string_pieces(), block.num_strings, counts);
      counts[0] += open_pieces();
      max_pieces_ = std::max({max_pieces_, greatest, counts[0]});
      pieces_before_string_ = pieces_ + masks.string_pieces()[block.num_strings - 1];
      ends_string_ = true;
    }
    string_ += block.num_strings;
    bytes_ += bytes;
    pieces_ += pieces;
  }

  void piece(StringView text, const uint8_t*) {
    bytes_ += text.size();
    ++pieces_;
  }

  void end_string() {
    if (string_pieces_) {
      max_pieces_ = std::max(max_pieces_, open_pieces());
      string_pieces_[string_++] = open_pieces();
    }
    pieces_before_string_ = pieces_;
    ends_string_ = true;
  }

  // A whole string at once.
  void string(int64_t bytes, int64_t pieces) {
    bytes_ += bytes;
    pieces_ += pieces;
    end_string();
  }

  int64_t bytes() const { return bytes_; }
  int64_t pieces() const { return pieces_; }
  // With `string_pieces`: the pieces after the last string that ends in the task, whether any string ends in it, and
  // the maximum number of pieces of those that do.
  int64_t open_pieces() const { return pieces_ - pieces_before_string_; }
  bool ends_string() const { return ends_string_; }
  int64_t max_pieces() const { return max_pieces_; }

 private:
  int64_t bytes_ = 0, pieces_ = 0, pieces_before_string_ = 0, max_pieces_ = 0;
  bool ends_string_ = false;
  int64_t string_;
  int64_t* string_pieces_;
};

// Calls sink.block for each block of the strings from `begin` to `end`, cut by the rule, until accept(block) is false.
// A PieceCounter has the block counted instead.
template <class Sink, class Accept>
void cut_blocks(const StringSpan& in, const BlockRule& rule, Position begin, Position end, Sink& sink, Accept&& accept,
                const KeptDelimiters& kept = {}) {
  const simd::Primitives& simd = simd::primitives();
  BlockReader reader(in, begin, end);
  BlockSplitter masks(rule, simd, begin.cuts, kept);
  Block block;
  while (reader.next(block) && accept(block)) {
    if constexpr (!std::is_same_v<Sink, PieceCounter>) masks.split(block);
    sink.block(simd, block, masks);
  }
}

template <class Sink>
void cut_blocks(const StringSpan& in, const BlockRule& rule, Position begin, Position end, Sink& sink,
                const KeptDelimiters& kept = {}) {
  cut_blocks(in, rule, begin, end, sink, [](const Block&) { return true; }, kept);
}

// What a result holds of the pieces: strings, or one element for each.
struct CutResult {
  bool has_bytes;
  const char* noun;  // of the elements, for errors

  bool holds(int64_t bytes, int64_t pieces, int64_t limit = kMaxBytes) const {
    return (!has_bytes || bytes <= limit) && pieces + (has_bytes ? 1 : 0) <= limit;
  }

  // Throws if the result cannot hold the pieces, which need not have been counted to the end.
  void check(const char* op, int64_t bytes, int64_t pieces, int64_t limit = kMaxBytes) const {
    if (holds(bytes, pieces, limit)) return;
    if (has_bytes && bytes > limit) fail_result_bytes(op);
    fail(op, ": the result needs more than ", kMaxOffsets, " ", noun, "; a tensor has at most ", kMaxOffsets,
         " (pass fewer or shorter strings)");
  }
};

constexpr CutResult kCutStrings{true, "offsets"}, kCutIds{false, "ids"}, kCutSpans{false, "spans"};

template <class Cutter>
class Cut {
 public:
  // Counts the pieces, and throws if the result cannot hold them. Counts those of each string too if `string_pieces`,
  // of one element per string, is not null.
  Cut(const char* op, const Runner& runner, const StringSpan& in, const Cutter& cutter, Cost cost,
      const CutResult& result, int64_t* string_pieces)
      : op_(op), runner_(runner), in_(in), cutter_(cutter), string_pieces_(string_pieces) {
    const int64_t many = overlapping_tasks(in);
    keeps_ = many == 0;
    partition_ = keeps_ ? cutter.divide(in, runner.choose_tasks(runner.time_of(in, cost)))
                        : divide_evenly(in, many, false, Partition::kMaxOverlapTasks);
    const auto tasks = static_cast<size_t>(partition_.tasks);
    kept_.resize(tasks);
    counters_.reserve(tasks);
    for (size_t t = 0; t < tasks; ++t) counters_.emplace_back(partition_.positions[t].index, string_pieces);
    ranges_.reserve(tasks);
    if (!keeps_) {
      count_overlapping(result);
      return;
    }
    runner.run(partition_.tasks, [&](int64_t t) { count(t, &kept_[static_cast<size_t>(t)]); });
    for (size_t t = 0; t < tasks; ++t) {
      cutter.check(op, kept_[t]);
      add_range(counters_[t]);
    }
    result.check(op, bytes_, pieces_);
  }

  int64_t num_bytes() const { return bytes_; }
  int64_t num_pieces() const { return pieces_; }

  // Output ranges of the tasks, in order. A row format that adds bytes or pieces shifts them.
  std::vector<OutputRange>& ranges() { return ranges_; }
  int64_t num_strings(size_t task) const {
    return partition_.positions[task + 1].index - partition_.positions[task].index;
  }

  // Adds the pieces that earlier tasks counted of the strings that tasks divide. Returns the maximum of a string.
  int64_t finish_string_pieces() {
    int64_t max_pieces = 0, carried = 0;
    for (size_t t = 0; t < counters_.size(); ++t) {
      const int64_t open = carried;
      if (counters_[t].ends_string()) {
        int64_t& first = string_pieces_[partition_.positions[t].index];
        first += carried;
        max_pieces = std::max({max_pieces, first, counters_[t].max_pieces()});
        carried = 0;
      }
      carried += counters_[t].open_pieces();
      open_.push_back({open, carried});
    }
    return max_pieces;
  }

  // make_sink(begin, end, range, open) returns the sink of a task; `open` is set only after finish_string_pieces.
  template <class MakeSink>
  void write(MakeSink&& make_sink) const {
    write_tasks(op_, runner_, partition_.tasks, [&](int64_t t) {
      const auto i = static_cast<size_t>(t);
      const Position begin = partition_.begin(t), end = partition_.end(t);
      typename Cutter::Task again;
      if (!keeps_) {
        PieceCounter counter(begin.index, nullptr);
        cutter_.count(in_, begin, end, counter, &again);
        if (counter.bytes() != counters_[i].bytes() || counter.pieces() != counters_[i].pieces()) return false;
      }
      auto sink = make_sink(begin, end, ranges_[i], open_.empty() ? OpenPieces() : open_[i]);
      return cutter_.write(in_, begin, end, keeps_ ? kept_[i] : again, sink) && sink.complete();
    });
  }

 private:
  void count(int64_t t, typename Cutter::Task* task) {
    const auto i = static_cast<size_t>(t);
    PieceCounter counter = counters_[i];  // a copy, so that tasks share no cache line
    cutter_.count(in_, partition_.begin(t), partition_.end(t), counter, task);
    counters_[i] = counter;
  }

  void add_range(const PieceCounter& counter) {
    ranges_.push_back({bytes_, bytes_ + counter.bytes(), pieces_, pieces_ + counter.pieces()});
    bytes_ += counter.bytes();
    pieces_ += counter.pieces();
  }

  // Stops once the result cannot hold what all tasks have found. The error is that of the first task that has an error,
  // or with which the result is too large, so that it does not depend on the threads.
  void count_overlapping(const CutResult& result) {
    const auto tasks = static_cast<size_t>(partition_.tasks);
    std::vector<uint8_t> is_counted(tasks, 0);
    std::vector<std::exception_ptr> errors(tasks);
    std::atomic<int64_t> bytes{0}, pieces{0};
    const auto count_task = [&](int64_t t) {
      const auto i = static_cast<size_t>(t);
      typename Cutter::Task task;
      count(t, &task);
      is_counted[i] = 1;
      bytes += counters_[i].bytes();
      pieces += counters_[i].pieces();
      try {
        cutter_.check(op_, task);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    };
    runner_.run(partition_.tasks, [&](int64_t t) {
      if (result.holds(bytes, pieces, overlap_limit)) count_task(t);
    });
    for (size_t t = 0; t < tasks; ++t) {
      if (is_counted[t] == 0) count_task(static_cast<int64_t>(t));
      add_range(counters_[t]);
      result.check(op_, bytes_, pieces_, overlap_limit);
      if (errors[t]) std::rethrow_exception(errors[t]);
    }
  }

  const char* const op_;
  const Runner& runner_;
  const StringSpan& in_;
  const Cutter& cutter_;
  int64_t* const string_pieces_;
  Partition partition_;
  std::vector<typename Cutter::Task> kept_;
  std::vector<PieceCounter> counters_;
  std::vector<OutputRange> ranges_;
  std::vector<OpenPieces> open_;
  int64_t bytes_ = 0, pieces_ = 0;
  bool keeps_ = true;  // what counting found, for writing
};

// One long row among many short ones makes the result mostly padding. For the error: `pieces` is the noun for the
// pieces, `ragged_op` the operator that does not pad.
inline void check_padded_offsets(const char* op, int64_t rows, int64_t width, const char* pieces,
                                 const char* ragged_op) {
  int64_t num_offsets = 0;
  STRINGOPS_CHECK(!__builtin_mul_overflow(rows, width + 1, &num_offsets) && num_offsets <= kMaxOffsets, op,
                  ": padding ", rows, " rows to the ", width, " ", pieces, " of the longest one needs more than ",
                  kMaxOffsets, " offsets (use ", ragged_op, ")");
}

// allocate(num_bytes, num_pieces) -> RaggedOutput.
template <class Cutter, class Allocate>
void cut_ragged(const char* op, const Runner& runner, const StringSpan& in, const Cutter& cutter, Allocate&& allocate) {
  const Cut<Cutter> cut(op, runner, in, cutter, cutter.cost(), kCutStrings, nullptr);
  const RaggedOutput out = allocate(cut.num_bytes(), cut.num_pieces());
  out.offsets[0] = 0;
  out.row_splits[0] = 0;
  cut.write([&](Position begin, Position, const OutputRange& range, OpenPieces) {
    return RaggedSink(out, range, begin.index);
  });
}

// Sets counts[i] to the number of pieces of string i. allocate(num_bytes, width) -> PaddedOutput.
template <class Cutter, class Allocate>
void cut_padded(const char* op, const char* ragged_op, const Runner& runner, const StringSpan& in, const Cutter& cutter,
                int64_t* counts, Allocate&& allocate) {
  Cut<Cutter> cut(op, runner, in, cutter, cutter.cost(), kCutStrings, counts);
  const int64_t width = cut.finish_string_pieces();
  check_padded_offsets(op, in.size(), width, "pieces", ragged_op);
  const PaddedOutput out = allocate(cut.num_bytes(), width);
  cut.write([&](Position begin, Position end, const OutputRange& range, OpenPieces open) {
    return PaddedSink(out, range, begin.index, end.index, open);
  });
}

}  // namespace stringops::kernels
