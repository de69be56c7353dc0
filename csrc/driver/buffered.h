// Driver of results whose sizes are known only after they were computed or measured. Each task keeps what it found; the
// sums of the sizes give each task its range of the result, which the caller allocates; then tasks copy. For a type
// `Kept` of what a task keeps, a caller passes
//
//   OutputSize compute(task, std::optional<Kept>& kept)   sets `kept`, and returns the size of the task's results
//   void check(const Kept& kept)                          throws the error that computing found, if any
//   bool write(task, Kept& kept, OutputRange range)       copies the results; false if they do not fill the range
//   (race)
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/fail.h"
#include "core/string_span.h"
#include "driver/output_range.h"
#include "driver/two_pass.h"
#include "split/partition.h"

namespace stringops::kernels {

inline Partition divide_strings(const StringSpan& in, const Runner& runner, Cost cost) {
  return divide_evenly(in, runner.choose_tasks(runner.time_of(in, cost)), false);
}

// The content of a result: strings, or one element for each piece.
struct ResultKind {
  bool has_bytes;
  const char* noun;          // of the elements, for errors
  bool tells_bytes = false;  // whether errors tell the number of bytes

  bool holds(OutputSize size) const {
    return (!has_bytes || size.bytes <= kMaxBytes) && size.pieces + (has_bytes ? 1 : 0) <= kMaxOffsets;
  }

  // Throws if the result is too large.
  void check(const char* op, OutputSize size) const {
    if (tells_bytes) check_result_bytes(op, size.bytes);
    if (holds(size)) return;
    if (has_bytes && size.bytes > kMaxBytes) fail_result_bytes(op);
    fail(op, ": the result needs more than ", kMaxOffsets, " ", noun, "; a tensor has at most ", kMaxOffsets,
         " (pass fewer or shorter strings)");
  }
};

constexpr ResultKind kMappedStrings{true, "offsets", true};
constexpr ResultKind kCutStrings{true, "offsets"}, kCutIds{false, "ids"}, kCutSpans{false, "spans"};

template <class Kept>
class Buffered {
 public:
  // Computes all tasks. Throws the error of the first one that found one, or if the result cannot hold what they found.
  template <class Compute, class Check>
  Buffered(const char* op, const Runner& runner, int64_t tasks, const ResultKind& kind, Compute&& compute,
           Check&& check)
      : op_(op), runner_(runner), slots_(static_cast<size_t>(tasks)) {
    runner_.run(tasks, [&](int64_t t) {
      Slot& slot = slots_[static_cast<size_t>(t)];
      slot.size = compute(t, slot.kept);
    });
    for (Slot& slot : slots_) {
      check(*slot.kept);
      const OutputSize end{std::min(size_.bytes + slot.size.bytes, kTooMany), size_.pieces + slot.size.pieces};
      slot.range = {size_.bytes, end.bytes, size_.pieces, end.pieces};
      size_ = end;
    }
    kind.check(op_, size_);
  }

  // Returns the size of all results.
  OutputSize size() const { return size_; }

  // The range of a task's results. A row format that adds bytes or pieces shifts it.
  OutputRange& range(size_t task) { return slots_[task].range; }

  template <class Write>
  void write(Write&& write) {
    write_tasks(op_, runner_, static_cast<int64_t>(slots_.size()), [&](int64_t t) {
      Slot& slot = slots_[static_cast<size_t>(t)];
      const bool complete = write(t, *slot.kept, slot.range);
      slot.kept.reset();
      return complete;
    });
  }

 private:
  // In cache lines of its own, as another thread writes the next one.
  struct alignas(64) Slot {
    std::optional<Kept> kept;
    OutputSize size;
    OutputRange range;
  };

  const char* const op_;
  const Runner& runner_;
  std::vector<Slot> slots_;
  OutputSize size_;
};

}  // namespace stringops::kernels
