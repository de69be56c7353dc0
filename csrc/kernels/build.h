// Operators that build strings from operands that broadcast: concatenation and repetition.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "core/copy_bytes.h"
#include "core/strings.h"
#include "driver/broadcast.h"
#include "driver/map.h"
#include "driver/strings_with_room.h"
#include "driver/two_pass.h"

namespace stringops::kernels {

// A work has
//
//   const Shape& shape() const                               of the result
//   Reader reader() const                                    for one task: has
//     int64_t measure(first, count)                          the bytes of a block of elements
//     int64_t write(first, count, out, offsets, at, limit)   writes them at `at`, nothing at or past `limit`, and
//                                                            their offsets; returns where they end
//   double ns() const                                        what all of it takes
//
// allocate(num_bytes) -> MapOutput.
template <class Work, class Allocate>
void build_strings(const char* op, const Runner& runner, const Work& work, Allocate&& allocate) {
  const Shape& shape = work.shape();
  const int64_t count = count_elements(shape);
  const EvenTasks tasks{count, runner.choose_tasks(work.ns())};
  const std::vector<int64_t> first_bytes = measure_tasks(op, runner, tasks.tasks, [&](int64_t t) {
    auto reader = work.reader();
    int64_t bytes = 0;
    for_each_element_block(shape, tasks.begin(t), tasks.begin(t + 1), [&](int64_t first, int64_t n) {
      bytes = std::min(bytes + reader.measure(first, n), kTooMany);
    });
    return bytes;
  });
  const MapOutput out = allocate(first_bytes.back());
  if (count == 0) return;
  write_tasks(op, runner, first_bytes, [&](int64_t t, int64_t at, int64_t limit) {
    auto reader = work.reader();
    OffsetsWriter offsets(out.offsets, tasks.begin(t));
    for_each_element_block(shape, tasks.begin(t), tasks.begin(t + 1), [&](int64_t first, int64_t n) {
      at = reader.write(first, n, out.data, offsets, at, limit);
    });
    return at == limit;
  });
}

// The strings of all operands at each element, one after the other.
class Concat {
 public:
  // Operands of these shapes, each of at least one dimension.
  Concat(const std::vector<StringSpan>& spans, const std::vector<Shape>& shapes, Shape shape)
      : shape_(std::move(shape)) {
    operands_.reserve(spans.size());
    for (size_t i = 0; i < spans.size(); ++i) {
      operands_.emplace_back(strings_.emplace_back(spans[i]).span(), shapes[i], shape_.size());
    }
  }

  const Shape& shape() const { return shape_; }
  double ns() const;

  class Reader {
   public:
    explicit Reader(const Concat& concat);
    int64_t measure(int64_t first, int64_t count);
    int64_t write(int64_t first, int64_t count, uint8_t* out, OffsetsWriter& offsets, int64_t at, int64_t limit);

   private:
    void read(int64_t first, int64_t count);

    std::vector<StringsReader> readers_;
    std::vector<simd::StringRun> runs_;  // of the block that was read last
  };
  Reader reader() const { return Reader(*this); }

 private:
  Shape shape_;
  std::deque<StringsWithRoom> strings_;
  std::vector<Operand> operands_;
};

// Each string as many times in a row as its number says; a negative number counts as 0.
class Repeat {
 public:
  Repeat(const StringSpan& span, const Shape& span_shape, const int64_t* counts, const Shape& counts_shape, Shape shape)
      : shape_(std::move(shape)),
        strings_(span),
        operand_(strings_.span(), span_shape, shape_.size()),
        counts_(counts),
        counts_shape_(counts_shape) {}

  const Shape& shape() const { return shape_; }
  double ns() const;

  class Reader {
   public:
    explicit Reader(const Repeat& repeat);
    int64_t measure(int64_t first, int64_t count);
    int64_t write(int64_t first, int64_t count, uint8_t* out, OffsetsWriter& offsets, int64_t at, int64_t limit);

   private:
    StringsReader strings_;
    NumbersReader counts_;
  };
  Reader reader() const { return Reader(*this); }

 private:
  Shape shape_;
  StringsWithRoom strings_;
  Operand operand_;
  const int64_t* const counts_;
  const Shape counts_shape_;
};

}  // namespace stringops::kernels
