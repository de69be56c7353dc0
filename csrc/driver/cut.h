// string -> pieces: the driver of every operator that cuts strings.
//
// A cutter decides where strings are cut. The driver divides the work among tasks, counts, checks the limits,
// allocates, writes, and rejects the result if an argument changed during the call. A sink stores the pieces:
// ragged_sink.h, padded_sink.h, ids_sink.h, spans_sink.h, and FormattedSink of kernels/tokenizer.h. A cutter has
//
//   struct Task;                             what counting keeps for writing: nothing, or the positions of all pieces
//   Partition divide(in, tasks)              among tasks, so that no piece belongs to two of them
//   void count(in, begin, end, sink, &task)  passes the pieces from `begin` to `end` to a PieceCounter
//   void check(op, task)                     throws the error that counting found, if any
//   bool write(in, begin, end, task, sink)   passes the same pieces to a sink; false if they have changed
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/string_span.h"
#include "driver/buffered.h"
#include "driver/output_range.h"
#include "driver/padded_sink.h"
#include "driver/ragged_sink.h"
#include "split/block_splitter.h"

namespace stringops::kernels {

// The sink of the first pass, and of operators that count pieces:
//
//   PieceCounter counter(first, counts);
//   cut_blocks(in, rule, {first, 0}, {last, 0}, counter);
class PieceCounter {
 public:
  PieceCounter() = default;
  // Sets string_pieces[i], for each string i of the span that ends in the task, to the number of its pieces in the
  // task.
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

  OutputSize size() const { return {bytes_, pieces_}; }
  // These need `string_pieces`: the pieces after the last string that ends in the task, whether any string ends in it,
  // and the maximum number of pieces of those that do.
  int64_t open_pieces() const { return pieces_ - pieces_before_string_; }
  bool ends_string() const { return ends_string_; }
  int64_t max_pieces() const { return max_pieces_; }

 private:
  int64_t bytes_ = 0, pieces_ = 0, pieces_before_string_ = 0, max_pieces_ = 0;
  bool ends_string_ = false;
  int64_t string_ = 0;
  int64_t* string_pieces_ = nullptr;
};

// Calls sink.block for each block of the strings from `begin` to `end`, cut by the rule, until accept(block) is false.
// For a PieceCounter, the block is not split first: its pieces are counted in the masks.
template <class Sink, class Accept>
void cut_blocks(const StringSpan& in, const BlockRule& rule, Position begin, Position end, Sink& sink,
                Accept&& accept) {
  const simd::Primitives& simd = simd::primitives();
  BlockReader reader(in, begin, end);
  BlockSplitter masks(rule, begin.cuts);
  Block block;
  while (reader.next(block) && accept(block)) {
    if constexpr (!std::is_same_v<Sink, PieceCounter>) masks.split(block);
    sink.block(simd, block, masks);
  }
}

template <class Sink>
void cut_blocks(const StringSpan& in, const BlockRule& rule, Position begin, Position end, Sink& sink) {
  cut_blocks(in, rule, begin, end, sink, [](const Block&) { return true; });
}

template <class Cutter>
class Cut {
 public:
  // Counts the pieces, and throws if the result cannot hold them. Counts those of each string too if `string_pieces`,
  // of one element per string, is not null.
  Cut(const char* op, const Runner& runner, const StringSpan& in, const Cutter& cutter, Cost cost,
      const ResultKind& kind, int64_t* string_pieces)
      : in_(in),
        cutter_(cutter),
        string_pieces_(string_pieces),
        tasks_(cutter.divide(in, runner.choose_tasks(runner.time_of(in, cost)))),
        counters_(static_cast<size_t>(tasks_.tasks)),
        found_(
            op, runner, tasks_.tasks, kind,
            [&](int64_t t, std::optional<Task>& task) {
              return (counters_[static_cast<size_t>(t)] = count(t, string_pieces, task)).size();
            },
            [&](const Task& task) { cutter.check(op, task); }) {}

  int64_t num_bytes() const { return found_.size().bytes; }
  int64_t num_pieces() const { return found_.size().pieces; }

  size_t num_tasks() const { return counters_.size(); }
  OutputRange& range(size_t task) { return found_.range(task); }
  int64_t num_strings(size_t task) const {
    return tasks_.last(static_cast<int64_t>(task)) - tasks_.first(static_cast<int64_t>(task));
  }

  // Adds the pieces that earlier tasks counted of the strings that tasks divide. Returns the maximum of a string.
  int64_t finish_string_pieces() {
    int64_t max_pieces = 0, carried = 0;
    for (size_t t = 0; t < counters_.size(); ++t) {
      const int64_t open = carried;
      if (counters_[t].ends_string()) {
        int64_t& first = string_pieces_[tasks_.first(static_cast<int64_t>(t))];
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
  void write(MakeSink&& make_sink) {
    found_.write([&](int64_t t, const Task& task, const OutputRange& range) {
      const Position begin = tasks_.begin(t), end = tasks_.end(t);
      auto sink = make_sink(begin, end, range, open_.empty() ? OpenPieces() : open_[static_cast<size_t>(t)]);
      return cutter_.write(in_, begin, end, task, sink) && sink.complete();
    });
  }

 private:
  using Task = typename Cutter::Task;

  PieceCounter count(int64_t t, int64_t* string_pieces, std::optional<Task>& task) const {
    const Position begin = tasks_.begin(t), end = tasks_.end(t);
    PieceCounter counter(begin.index, string_pieces);
    cutter_.count(in_, begin, end, counter, &task.emplace());
    return counter;
  }

  const StringSpan& in_;
  const Cutter& cutter_;
  int64_t* const string_pieces_;
  const Partition tasks_;
  std::vector<PieceCounter> counters_;
  Buffered<Task> found_;
  std::vector<OpenPieces> open_;
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
  Cut<Cutter> cut(op, runner, in, cutter, cutter.cost(), kCutStrings, nullptr);
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
