// The cutter of string_char_ngrams_ragged. It returns the substrings of `min` to `max` code points of each string,
// ordered by begin, then by length. With marks, these are substrings of "<" + string + ">", and no n-gram consists of
// only a mark.
//
// A byte that is not part of a code point counts as one.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/copy_bytes.h"
#include "core/poll.h"
#include "core/strings.h"
#include "core/utf8.h"
#include "driver/cut.h"

namespace stringops::kernels {

class CharNgramCutter {
 public:
  CharNgramCutter(int64_t min, int64_t max, bool marks) : min_(min), max_(max), marks_(marks) {}

  struct Task {};

  Cost cost() const { return {30, 3.0 * static_cast<double>(std::min<int64_t>(max_, 100))}; }
  Partition divide(const StringSpan& in, int64_t tasks) const { return divide_evenly(in, tasks, false); }

  void count(const StringSpan& in, Position begin, Position end, PieceCounter& counter, Task*) const {
    // Long strings have more n-grams than a result can hold: counting stops beyond the limit.
    cut(in, begin, end, counter, [&] { return kCutStrings.holds(counter.size()); });
  }
  void check(const char*, const Task&) const {}
  template <class Sink>
  bool write(const StringSpan& in, Position begin, Position end, const Task&, Sink& sink) const {
    cut(in, begin, end, sink, [] { return true; });
    return true;
  }

 private:
  static const uint8_t* next(const uint8_t* p, const uint8_t* end) {
    return p + (*p < 0x80 ? 1 : std::max<int64_t>(long_codepoint(p, end), 1));
  }

  template <class Sink, class Accept>
  void cut(const StringSpan& in, Position begin, Position end, Sink& sink, Accept&& accept) const {
    std::vector<uint8_t> marked;
    for_each_string(in, begin.index, end.index, [&](int64_t, ByteRange range) {
      StringView text = in.view(range);
      const uint8_t* readable_end = in.data + in.num_bytes;
      if (marks_) {
        marked.resize(static_cast<size_t>(text.size()) + 2);
        marked.front() = '<';
        copy_bytes(marked.data() + 1, text.begin, text.size());
        marked.back() = '>';
        text = {marked.data(), marked.data() + marked.size()};
        readable_end = text.end;
      }
      if (accept()) cut_one(text, readable_end, sink, accept);
      sink.end_string();
    });
  }

  template <class Sink, class Accept>
  void cut_one(StringView text, const uint8_t* readable_end, Sink& sink, Accept&& accept) const {
    const uint8_t* p = text.begin;
    while (p < text.end) {
      for (const uint8_t* const stop = poll_stop(p, text.end); p < stop; p = next(p, text.end)) {
        const uint8_t* q = p;
        for (int64_t length = 1; length <= max_ && q < text.end; ++length) {
          q = next(q, text.end);
          if (length < min_) continue;
          const bool is_mark = marks_ && length == 1 && (p == text.begin || q == text.end);
          if (!is_mark) sink.piece({p, q}, readable_end);
          if (!accept()) return;
        }
      }
    }
  }

  const int64_t min_, max_;
  const bool marks_;
};

}  // namespace stringops::kernels
