// Driver for functors whose result is a substring with most bytes of its string. Each string is read once, and adjacent
// results that are adjacent in the input are copied at once. A functor has
//
//   static constexpr Cost kCost      what it takes (driver/runner.h)
//   StringView piece(in) const       returns the part of `in` that the result is a copy of
#pragma once

#include <cstdint>

#include "core/copy_bytes.h"
#include "core/strings.h"
#include "driver/run_map.h"

namespace stringops::kernels {

// Writes the results of a task to its place, which has room for its strings.
template <class Functor>
class PieceWriter {
 public:
  PieceWriter(const char*, const Functor& f, const MapOutput& out, int64_t begin, int64_t end)
      : f_(f), out_(out), begin_(begin), end_(end) {}

  void write(const StringSpan& in, int64_t first, int64_t last) {
    OffsetsWriter offsets(out_.offsets, first);
    RangeCopier copier(in.data, in.num_bytes, out_.data, begin_, end_);
    for_each_string(in, first, last, [&](int64_t, ByteRange range) {
      const StringView piece = f_.piece(in.view(range));
      copier.take(piece.begin - in.data, piece.end - in.data);
      offsets.push(copier.at());
    });
    copier.finish();
    result.in_place = copier.at() - begin_;
  }

  RunResult result;

 private:
  const Functor& f_;
  const MapOutput out_;
  const int64_t begin_, end_;
};

struct PieceMap {
  template <class Functor, class Allocate>
  static void map(const char* op, const Runner& runner, const Functor& f, const StringSpan& in, Allocate&& allocate) {
    RunMap::map_by<PieceWriter<Functor>>(op, runner, f, in, allocate);
  }
};

}  // namespace stringops::kernels
