// Operators on the occurrences of many patterns in each string (search_patterns.h).
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/strings.h"
#include "driver/map.h"
#include "driver/piece_ranges.h"
#include "driver/run_map.h"
#include "kernels/search_patterns.h"
#include "split/partition.h"

namespace stringops::kernels {

constexpr Cost kManyCost{15, 2};

// Whether any of the patterns occurs in each string. An empty one occurs in all strings.
struct ContainsAny {
  using Value = bool;
  static constexpr Cost kCost = kManyCost;
  static constexpr bool kRuns = true;

  void run(const StringSpan& in, int64_t first, int64_t last, bool* out) const { mark(in, first, last, out + first); }
  // Sets marks[i - first] for each string i in [first, last).
  void mark(const StringSpan& in, int64_t first, int64_t last, bool* marks) const;

  const PatternSet& patterns;
};

// Cuts strings into the occurrences that do not overlap; or, with `overlapping`, into all of them, by their ends, and
// of equal ends by their begins. Empty patterns are never found.
class OccurrenceCutter {
 public:
  using Task = PieceRanges;

  OccurrenceCutter(const PatternSet& patterns, bool overlapping) : patterns_(patterns), overlapping_(overlapping) {}

  Cost cost() const { return kManyCost; }
  Partition divide(const StringSpan& in, int64_t tasks) const { return divide_evenly(in, tasks, false); }
  void count(const StringSpan& in, Position begin, Position end, PieceCounter& counter, Task* task) const;
  void check(const char*, const Task&) const {}
  template <class Sink>
  bool write(const StringSpan& in, Position begin, Position end, const Task& task, Sink& sink) const {
    return task.write(in, begin, end, sink);
  }

 private:
  const PatternSet& patterns_;
  const bool overlapping_;
};

// Replaces each byte, or each code point, that is a pattern. Bytes are mapped by a table. Where sizes change, the
// blocks of bytes at which such a pattern may begin are found by shuffles; those of bytes that are removed are masks
// already.
struct MapCodePoints {
  using Driver = RunMap;
  static constexpr Cost kCost{5, 0.5};
  static constexpr bool kTakesParts = true;       // which end where code points do
  static constexpr int64_t kMaxReplacement = 64;  // so that the changes of a run are small

  // Nothing if the patterns are not all bytes, or all code points, or if replacements are too long.
  static std::optional<MapCodePoints> of(const char* op, const StringSpan& patterns, const StringSpan& replacements);

  void write_run(const Run& run, uint8_t* out, RunChanges& changes) const;

 private:
  explicit MapCodePoints(const StringSpan& by) : replacements(by) {}

  const StringSpan& replacements;
  std::array<uint8_t, 256> table;
  std::array<int32_t, 256> ids;                // of patterns of one byte; -1 if there is none
  std::shared_ptr<const PatternSet> patterns;  // if some have more
  bool maps = false;                           // the table changes bytes
  std::optional<simd::PrefixSet> removed;      // single bytes
  std::optional<simd::PrefixSet> others;       // begins of other patterns that the table does not map
};

// Replaces the occurrences that do not overlap, each by the replacement of its pattern, or by one for all of them.
struct ReplaceMany {
  using Driver = TaskMap;

  Cost cost() const { return kManyCost; }

  class Worker {
   public:
    explicit Worker(const ReplaceMany& f) : f_(f) {}

    int64_t measure(const StringSpan& in, int64_t first, int64_t last);
    bool write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at, int64_t limit);

   private:
    struct Occurrence {
      int32_t begin, size, id;
    };

    const ReplaceMany& f_;
    std::vector<Occurrence> found_;
    std::vector<int32_t> counts_;  // of each string
  };

  const PatternSet& patterns;
  const StringSpan& replacements;  // one row: of one string, or one for each pattern
};

}  // namespace stringops::kernels
