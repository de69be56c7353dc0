// The cutter of string_rsplit_ragged: cuts each string at a delimiter or at whitespace from its end, as str.rsplit
// does.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/narrow.h"
#include "core/poll.h"
#include "core/rows.h"
#include "driver/cut.h"
#include "kernels/strip.h"

namespace stringops::kernels {

// Finds the occurrences of a text that do not overlap, from the end of a string. The time is linear for any texts: the
// search is that of Knuth, Morris and Pratt, on the bytes in reverse order.
class RightFinder {
 public:
  explicit RightFinder(std::string_view text) : text_(text), borders_(text.size()) {
    size_t matched = 0;
    for (size_t i = 1; i < text.size(); ++i) {
      while (matched > 0 && byte(i) != byte(matched)) matched = borders_[matched - 1];
      matched += byte(i) == byte(matched);
      borders_[i] = narrow<uint32_t>(matched);
    }
  }

  // Whether two occurrences may overlap. If not, they are the same from the beginning and from the end.
  bool overlaps_itself() const { return !borders_.empty() && borders_.back() > 0; }

  // Returns the begin of the last occurrence in a string, or null.
  const uint8_t* find_last(StringView in) const {
    if (in.size() < static_cast<int64_t>(text_.size())) return nullptr;
    if (text_.size() == 1) {
      return static_cast<const uint8_t*>(memrchr(in.begin, text_[0], static_cast<size_t>(in.size())));
    }
    size_t matched = 0;
    const uint8_t* p = in.end;
    while (true) {
      for (const uint8_t* const stop = p - std::min<int64_t>(p - in.begin, kPart); p > stop;) {
        --p;
        while (matched > 0 && *p != byte(matched)) matched = borders_[matched - 1];
        matched += *p == byte(matched);
        if (matched == text_.size()) return p;
      }
      if (p == in.begin) return nullptr;
      poll();
    }
  }

 private:
  static constexpr int64_t kPart = 1 << 16;

  // Byte i from the end.
  uint8_t byte(size_t i) const { return static_cast<uint8_t>(text_[text_.size() - 1 - i]); }

  const std::string_view text_;
  std::vector<uint32_t> borders_;  // of each suffix that ends the text, the longest one that it begins with
};

class RightSplitCutter {
 public:
  // Cuts at runs of whitespace if `delimiter` is empty. `maxsplit` is the maximum number of cuts of a string; negative
  // for no limit.
  RightSplitCutter(std::string_view delimiter, int64_t maxsplit)
      : delimiter_size_(static_cast<int64_t>(delimiter.size())), maxsplit_(maxsplit), finder_(delimiter) {}

  struct Task {};

  Cost cost() const { return {20, 1}; }
  Partition divide(const StringSpan& in, int64_t tasks) const { return divide_evenly(in, tasks, false); }

  void count(const StringSpan& in, Position begin, Position end, PieceCounter& counter, Task*) const {
    const uint8_t* const in_end = in.data + in.num_bytes;
    for_each_string(in, begin.index, end.index, [&](int64_t, ByteRange range) {
      find_pieces(in.view(range), [&](StringView piece) { counter.piece(piece, in_end); });
      counter.end_string();
    });
  }
  void check(const char*, const Task&) const {}
  template <class Sink>
  bool write(const StringSpan& in, Position begin, Position end, const Task&, Sink& sink) const {
    const uint8_t* const in_end = in.data + in.num_bytes;
    struct Range {
      uint32_t begin, end;
    };
    std::vector<Range> pieces;  // of a string, the last one first
    for_each_string(in, begin.index, end.index, [&](int64_t, ByteRange range) {
      const StringView text = in.view(range);
      pieces.clear();
      find_pieces(text, [&](StringView piece) {
        pieces.push_back({narrow<uint32_t>(piece.begin - text.begin), narrow<uint32_t>(piece.end - text.begin)});
      });
      for (auto piece = pieces.rbegin(); piece != pieces.rend(); ++piece) {
        sink.piece({text.begin + piece->begin, text.begin + piece->end}, in_end);
      }
      sink.end_string();
    });
    return true;
  }

 private:
  // Calls emit(piece) for each piece of a string, from the last one to the first.
  template <class Emit>
  void find_pieces(StringView text, Emit&& emit) const {
    delimiter_size_ > 0 ? find_fields(text, emit) : find_words(text, emit);
  }

  template <class Emit>
  void find_fields(StringView text, Emit& emit) const {
    for (int64_t cuts = 0; maxsplit_ < 0 || cuts < maxsplit_; ++cuts) {
      const uint8_t* const at = finder_.find_last(text);
      if (!at) break;
      emit(StringView{at + delimiter_size_, text.end});
      text.end = at;
    }
    emit(text);
  }

  template <class Emit>
  void find_words(StringView text, Emit& emit) const {
    Pace pace;
    // Returns the number of bytes of the whitespace character before `end`, or 0.
    const auto space_before = [&](const uint8_t* end) -> int64_t {
      pace.spend(1);
      return end > text.begin && whitespace_.bytes.last[end[-1]] ? whitespace_.last(text.begin, end) : 0;
    };
    const auto trim = [&] {
      while (const int64_t length = space_before(text.end)) text.end -= length;
    };
    trim();
    for (int64_t cuts = 0; text.size() > 0; ++cuts) {
      const bool may_cut = maxsplit_ < 0 || cuts < maxsplit_;
      const uint8_t* begin = may_cut ? text.end - 1 : text.begin;
      while (begin > text.begin && space_before(begin) == 0) --begin;
      emit(StringView{begin, text.end});
      text.end = begin;
      trim();
    }
  }

  const int64_t delimiter_size_;
  const int64_t maxsplit_;
  const RightFinder finder_;
  const WhitespaceSet whitespace_;
};

}  // namespace stringops::kernels
