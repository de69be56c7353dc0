// Ragged rows of strings -> the n-grams of each row: every n adjacent strings, joined with a separator.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
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

  // Adds what row r has. Nothing is counted beyond the limits.
  void count(int64_t r, OutputSize& size) const {
    const ElementRange row = rows.row(r);
    for (const int64_t n : widths) {
      if (n > row.size() || !kCutStrings.holds(size)) continue;
      const int64_t ngrams = row.size() - n + 1;
      size.pieces += ngrams;
      // Strings [i, i + n) have the bytes from offset i to offset i + n. No sum exceeds 2**62.
      const int32_t* const offsets = strings.offsets + row.begin;
      int64_t bytes = 0, separators = 0;
      for (int64_t i = 0; i < ngrams; ++i) bytes += int64_t{offsets[i + n]} - offsets[i];
      const bool overflows = __builtin_mul_overflow(ngrams * (n - 1), separator_size(), &separators);
      size.bytes += overflows ? kMaxBytes + 1 : std::max<int64_t>(bytes, 0) + std::min(separators, kMaxBytes + 1);
    }
  }
};

// Passes the n-grams of rows to a sink.
class WordNgramWriter {
 public:
  explicit WordNgramWriter(const WordNgrams& in) : in_(in) {}

  // Returns false if an argument has changed, and the n-grams do not fit.
  bool write_row(int64_t r, RaggedSink& sink) {
    const ElementRange row = in_.rows.row(r);
    bool complete = true;
    for (const int64_t n : in_.widths) {
      for (int64_t i = row.begin; complete && n <= row.end - i; ++i) complete = write_one(i, n, sink);
    }
    sink.end_string();
    return complete;
  }

 private:
  bool write_one(int64_t first, int64_t n, RaggedSink& sink) {
    const StringSpan in = in_.strings;  // a local variable, as storing bytes could change others
    const int32_t* const offsets = in.offsets + first;
    const ByteRange bytes = in.clamped(offsets[0], offsets[n]);
    if (n == 1 || in_.separator.empty()) {
      sink.piece(in.view(bytes), in.data + in.num_bytes);
      return true;
    }
    constexpr int64_t kRoom = 64;  // which copies of short strings may write and read
    const int64_t size = bytes.size() + (n - 1) * in_.separator_size();
    if (size > sink.rest().bytes_end - sink.rest().bytes) return false;
    if (static_cast<int64_t>(text_.size()) < size + kRoom) text_.resize(static_cast<size_t>(2 * size + kRoom));
    uint8_t *const text = text_.data(), *const text_end = text + text_.size();
    int64_t at = 0;
    for (int64_t j = 0; j < n; ++j) {
      if (j > 0) {
        copy_exact(text + at, in_.separator.data(), in_.separator_size());
        at += in_.separator_size();
      }
      const StringView string = in.view(in.range(first + j));
      const int64_t length = std::min(string.size(), size - (n - 1 - j) * in_.separator_size() - at);
      copy_short(text + at, text_end, string.begin, in.data + in.num_bytes, length);
      at += length;
    }
    sink.piece({text, text + at}, text_end);
    return true;
  }

  const WordNgrams& in_;
  std::vector<uint8_t> text_;  // an n-gram
};

// allocate(num_bytes, num_ngrams) -> RaggedOutput.
template <class Allocate>
void word_ngrams(const char* op, const Runner& runner, const WordNgrams& in, Allocate&& allocate) {
  double ns = 0;
  for (const int64_t n : in.widths) {
    const auto strings = static_cast<double>(n);
    ns += runner.time_of(in.strings, {4 * strings, 0.1 * strings});
  }
  const EvenTasks tasks{in.rows.rows, runner.choose_tasks(ns)};
  const auto count = [&](int64_t t, std::optional<WordNgramWriter>& writer) {
    writer.emplace(in);
    OutputSize size;
    for (int64_t r = tasks.begin(t); r < tasks.begin(t + 1); ++r) in.count(r, size);
    return size;
  };
  Buffered<WordNgramWriter> found(op, runner, tasks.tasks, kCutStrings, count, [](const WordNgramWriter&) {});
  const RaggedOutput out = allocate(found.size().bytes, found.size().pieces);
  out.offsets[0] = 0;
  out.row_splits[0] = 0;
  found.write([&](int64_t t, WordNgramWriter& writer, const OutputRange& range) {
    RaggedSink sink(out, range, tasks.begin(t));
    bool complete = true;
    for (int64_t r = tasks.begin(t); r < tasks.begin(t + 1); ++r) complete &= writer.write_row(r, sink);
    return complete && sink.complete();
  });
}

}  // namespace stringops::kernels
