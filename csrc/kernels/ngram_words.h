// Ragged rows of strings -> the n-grams of each row: every n adjacent strings, joined with a separator.
//
// The n-grams of a row overlap: all of them are substrings of the joined row. So the strings of a block of n-grams are
// joined once, and each n-gram is one copy.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/copy_bytes.h"
#include "core/row_splits.h"
#include "core/string_span.h"
#include "driver/cut.h"

namespace stringops::kernels {

struct WordNgrams {
  const StringSpan& strings;
  RowSplits rows;
  const std::vector<int64_t>& widths;  // the values of n, each at least 1
  std::string_view separator;

  int64_t separator_size() const { return static_cast<int64_t>(separator.size()); }

  // Adds what row r has. The bytes are not counted beyond the limits.
  void count(int64_t r, OutputRange& sizes) const {
    const ElementRange row = rows.row(r);
    for (const int64_t n : widths) {
      if (n > row.size()) continue;
      const int64_t ngrams = row.size() - n + 1;
      sizes.pieces_end = std::min(sizes.pieces_end + ngrams, kTooMany);
      if (sizes.bytes_end > kMaxBytes || sizes.pieces_end > kMaxOffsets) continue;
      // Strings [i, i + n) have the bytes from offset i to offset i + n. No sum exceeds 2**62.
      const int32_t* const offsets = strings.offsets + row.begin;
      int64_t bytes = 0, separators = 0;
      for (int64_t i = 0; i < ngrams; ++i) bytes += int64_t{offsets[i + n]} - offsets[i];
      const bool overflows = __builtin_mul_overflow(ngrams * (n - 1), separator_size(), &separators);
      sizes.bytes_end += overflows ? kMaxBytes + 1 : std::max<int64_t>(bytes, 0) + std::min(separators, kMaxBytes + 1);
    }
  }
};

// Passes the n-grams of rows to a sink.
class WordNgramWriter {
 public:
  explicit WordNgramWriter(const WordNgrams& in) : in_(in) {}

  // False if an argument has changed, and the n-grams do not fit.
  bool write_row(int64_t r, RaggedSink& sink) {
    const ElementRange row = in_.rows.row(r);
    bool complete = true;
    for (const int64_t n : in_.widths) {
      for (int64_t i = row.begin; complete && n <= row.end - i; i += kBlock) {
        const int64_t ngrams = std::min(kBlock, row.end - i - n + 1);
        if (n == 1 || in_.separator.empty()) {
          write_adjacent(i, n, ngrams, sink);
        } else {
          complete = write_joined(i, n, ngrams, sink);
        }
      }
    }
    sink.end_string();
    return complete;
  }

 private:
  static constexpr int64_t kBlock = 64;  // n-grams

  // n-grams whose bytes are adjacent in the input.
  void write_adjacent(int64_t first, int64_t n, int64_t ngrams, RaggedSink& sink) const {
    const StringSpan& strings = in_.strings;
    for (int64_t i = first; i < first + ngrams; ++i) {
      const int32_t* const offsets = strings.offsets + i;
      sink.piece(strings.view(strings.clamped(offsets[0], offsets[n])), strings.data + strings.num_bytes);
    }
  }

  bool write_joined(int64_t first, int64_t n, int64_t ngrams, RaggedSink& sink) {
    constexpr int64_t kRoom = 64;  // which copies of short strings may write and read
    const int64_t strings = ngrams + n - 1;
    const StringSpan in = in_.strings;  // a local variable, as storing bytes could change others
    const int32_t* const offsets = in.offsets + first;
    const int64_t size =
        std::max<int64_t>(int64_t{offsets[strings]} - offsets[0], 0) + (strings - 1) * in_.separator_size();
    // The n-grams contain all of it.
    if (size > sink.rest().bytes_end - sink.rest().bytes) return false;
    if (static_cast<int64_t>(text_.size()) < size + kRoom) text_.resize(static_cast<size_t>(2 * size + kRoom));
    uint8_t* const text = text_.data();
    const auto* const separator = reinterpret_cast<const uint8_t*>(in_.separator.data());
    int64_t at = 0;
    for (int64_t j = 0; j < strings; ++j) {
      if (j > 0) {
        copy_exact(text + at, separator, in_.separator_size());
        at += in_.separator_size();
      }
      if (j < ngrams) begins_[static_cast<size_t>(j)] = at;
      const int64_t rest = (strings - 1 - j) * in_.separator_size();
      const StringView string = in.view(in.range(first + j));
      const int64_t length = std::min(string.size(), size - rest - at);
      copy_short(text + at, text + text_.size(), string.begin, in.data + in.num_bytes, length);
      at += length;
      if (j >= n - 1) ends_[static_cast<size_t>(j - n + 1)] = at;
    }
    const uint8_t* const readable_end = text + text_.size();
    for (size_t k = 0; k < static_cast<size_t>(ngrams); ++k) {
      sink.piece({text + begins_[k], text + ends_[k]}, readable_end);
    }
    return true;
  }

  const WordNgrams& in_;
  std::vector<uint8_t> text_;                  // a block's strings, joined
  std::array<int64_t, kBlock> begins_, ends_;  // of its n-grams
};

// allocate(num_bytes, num_ngrams) -> RaggedOutput.
template <class Allocate>
void word_ngrams(const char* op, const Runner& runner, const WordNgrams& in, Allocate&& allocate) {
  double ns = 0;
  for (const int64_t n : in.widths) {
    const double strings = 1 + static_cast<double>(std::min<int64_t>(n, 64)) / 4;
    ns += runner.time_of(in.strings, {4 * strings, 0.1 * strings});
  }
  const EvenTasks tasks{in.rows.rows, runner.choose_tasks(ns)};
  std::vector<OutputRange> ranges(static_cast<size_t>(tasks.tasks));
  runner.run(tasks.tasks, [&](int64_t t) {
    OutputRange sizes;
    for (int64_t r = tasks.begin(t); r < tasks.begin(t + 1); ++r) in.count(r, sizes);
    ranges[static_cast<size_t>(t)] = sizes;
  });
  OutputRange all;
  for (OutputRange& range : ranges) {
    range = {all.bytes_end, std::min(all.bytes_end + range.bytes_end, kTooMany), all.pieces_end,
             std::min(all.pieces_end + range.pieces_end, kTooMany)};
    all = range;
  }
  kCutStrings.check(op, {all.bytes_end, all.pieces_end});
  const RaggedOutput out = allocate(all.bytes_end, all.pieces_end);
  out.offsets[0] = 0;
  out.row_splits[0] = 0;
  write_tasks(op, runner, tasks.tasks, [&](int64_t t) {
    RaggedSink sink(out, ranges[static_cast<size_t>(t)], tasks.begin(t));
    WordNgramWriter writer(in);
    bool complete = true;
    for (int64_t r = tasks.begin(t); r < tasks.begin(t + 1); ++r) complete &= writer.write_row(r, sink);
    return complete && sink.complete();
  });
}

}  // namespace stringops::kernels
