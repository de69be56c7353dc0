// Driver of results whose sizes are known only after they were computed or measured. Each task keeps what it found; the
// sums of the sizes give each task its range of the result, which the caller allocates; then tasks copy. For a type
// `Kept` of what a task keeps, a caller passes
//
//   OutputSize compute(task, std::optional<Kept>& kept)   sets `kept`, and returns the size of the task's results
//   void check(const Kept& kept)                          throws the error that computing found, if any
//   bool write(task, Kept& kept, OutputRange range)       copies the results; false if they do not fill the range
//   (race)
//
// Strings that overlap may need far more memory than their data (split/overlap.h). Their tasks stop once they have
// found, together, more than a result can have. They keep nothing, and compute again before they write, unless `Kept`
// is small.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <optional>
#include <vector>

#include "core/fail.h"
#include "core/string_span.h"
#include "driver/output_range.h"
#include "driver/two_pass.h"
#include "split/overlap.h"
#include "split/partition.h"

namespace stringops::kernels {

// The strings of each task.
struct StringTasks {
  Partition partition;
  bool overlap;  // whether the strings overlap, and are large

  int64_t count() const { return partition.tasks; }
  int64_t first(int64_t task) const { return partition.begin(task).index; }
  int64_t last(int64_t task) const { return partition.end(task).index; }
};

// divide(tasks) -> Partition divides strings that do not overlap among this number of tasks.
template <class Divide>
StringTasks divide_strings(const StringSpan& in, const Runner& runner, Cost cost, Divide&& divide) {
  const int64_t many = overlapping_tasks(in);
  if (many > 0) return {divide_evenly(in, many, false, Partition::kMaxOverlapTasks), true};
  return {divide(runner.choose_tasks(runner.time_of(in, cost))), false};
}

inline StringTasks divide_strings(const StringSpan& in, const Runner& runner, Cost cost) {
  return divide_strings(in, runner, cost, [&](int64_t tasks) { return divide_evenly(in, tasks, false); });
}

// The content of a result: strings, or one element for each piece.
struct ResultKind {
  bool has_bytes;
  const char* noun;          // of the elements, for errors
  bool tells_bytes = false;  // whether errors tell the number of bytes

  bool holds(OutputSize size, int64_t limit) const {
    return (!has_bytes || size.bytes <= limit) && size.pieces + (has_bytes ? 1 : 0) <= limit;
  }

  // Throws if the result is too large.
  void check(const char* op, OutputSize size) const {
    if (tells_bytes) check_result_bytes(op, size.bytes);
    check_part(op, size, kMaxBytes);
  }

  // Throws if a result of which this is a part is too large.
  void check_part(const char* op, OutputSize size, int64_t limit) const {
    if (holds(size, limit)) return;
    if (has_bytes && size.bytes > limit) fail_result_bytes(op);
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
  // With `always_keeps`, tasks of strings that overlap keep what they found, too.
  template <class Compute, class Check>
  Buffered(const char* op, const Runner& runner, const StringTasks& tasks, const ResultKind& kind, Compute&& compute,
           Check&& check, bool always_keeps = false)
      : op_(op), runner_(runner), keeps_(always_keeps || !tasks.overlap), slots_(static_cast<size_t>(tasks.count())) {
    if (tasks.overlap) {
      compute_overlapping(kind, compute, check);
    } else {
      compute_all(kind, compute, check);
    }
  }

  // Returns the size of all results.
  OutputSize size() const { return size_; }

  // The range of a task's results. A row format that adds bytes or pieces shifts it.
  OutputRange& range(size_t task) { return slots_[task].range; }

  template <class Compute, class Write>
  void write(Compute&& compute, Write&& write) {
    write_tasks(op_, runner_, static_cast<int64_t>(slots_.size()), [&](int64_t t) {
      Slot& slot = slots_[static_cast<size_t>(t)];
      if (!keeps_ && compute(t, slot.kept) != slot.size) return false;
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

  void set_range(Slot& slot) {
    const OutputSize end{std::min(size_.bytes + slot.size.bytes, kTooMany), size_.pieces + slot.size.pieces};
    slot.range = {size_.bytes, end.bytes, size_.pieces, end.pieces};
    size_ = end;
  }

  template <class Compute, class Check>
  void compute_all(const ResultKind& kind, Compute&& compute, Check&& check) {
    runner_.run(static_cast<int64_t>(slots_.size()), [&](int64_t t) {
      Slot& slot = slots_[static_cast<size_t>(t)];
      slot.size = compute(t, slot.kept);
    });
    for (Slot& slot : slots_) {
      check(*slot.kept);
      set_range(slot);
    }
    kind.check(op_, size_);
  }

  // The error is that of the first task that has an error, or with which the result is too large, so that it does not
  // depend on the threads.
  template <class Compute, class Check>
  void compute_overlapping(const ResultKind& kind, Compute&& compute, Check&& check) {
    std::vector<uint8_t> is_computed(slots_.size(), 0);
    std::vector<std::exception_ptr> errors(slots_.size());
    std::atomic<int64_t> bytes{0}, pieces{0};
    const auto compute_task = [&](int64_t t) {
      const auto i = static_cast<size_t>(t);
      Slot& slot = slots_[i];
      slot.size = compute(t, slot.kept);
      is_computed[i] = 1;
      bytes += slot.size.bytes;
      pieces += slot.size.pieces;
      try {
        check(*slot.kept);
      } catch (...) {
        errors[i] = std::current_exception();
      }
      if (!keeps_) slot.kept.reset();
    };
    runner_.run(static_cast<int64_t>(slots_.size()), [&](int64_t t) {
      if (kind.holds({bytes, pieces}, overlap_limit)) compute_task(t);
    });
    for (size_t t = 0; t < slots_.size(); ++t) {
      if (is_computed[t] == 0) compute_task(static_cast<int64_t>(t));
      set_range(slots_[t]);
      kind.check_part(op_, size_, overlap_limit);
      if (errors[t]) std::rethrow_exception(errors[t]);
    }
  }

  const char* const op_;
  const Runner& runner_;
  const bool keeps_;
  std::vector<Slot> slots_;
  OutputSize size_;
};

}  // namespace stringops::kernels
