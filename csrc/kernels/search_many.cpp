#include "kernels/search_many.h"

#include "core/copy_bytes.h"

namespace stringops::kernels {

void ContainsAny::run(const StringSpan& in, int64_t first, int64_t last, bool* out) const {
  if (patterns.first_empty()) {
    std::fill(out + first, out + last, true);
    return;
  }
  PatternSearcher searcher(patterns);
  const uint8_t* const in_end = in.data + in.num_bytes;
  for_each_string(in, first, last, [&](int64_t i, ByteRange string) {
    bool found = false;
    searcher.find(in.view(string), in_end, [&](int64_t, int64_t, int32_t) {
      found = true;
      return false;
    });
    out[i] = found;
  });
}

void OccurrenceCutter::count(const StringSpan& in, Position begin, Position end, PieceCounter& counter,
                             Task* task) const {
  PatternSearcher searcher(patterns_);
  std::vector<PackedRange>& ranges = task->ranges;
  task->counts.reserve(static_cast<size_t>(end.index - begin.index));
  // Many occurrences that overlap have far more bytes than their string. What no result can hold is not kept.
  int64_t bytes = 0;
  const auto keep = [&](int64_t at, int64_t size, int32_t) {
    ranges.push_back({narrow<int32_t>(at), narrow<int32_t>(at + size)});
    bytes += size;
    return bytes <= kMaxBytes;
  };
  const uint8_t* const in_end = in.data + in.num_bytes;
  for_each_string(in, begin.index, end.index, [&](int64_t, ByteRange string) {
    const auto before = static_cast<std::ptrdiff_t>(ranges.size());
    if (!overlapping_) {
      searcher.find(in.view(string), in_end, keep);
    } else if (bytes <= kMaxBytes) {
      searcher.find_all(in.view(string), in_end, keep);
      std::sort(ranges.begin() + before, ranges.end(),
                [](PackedRange a, PackedRange b) { return a.end != b.end ? a.end < b.end : a.begin < b.begin; });
    }
    task->end_string(counter);
  });
}

int64_t ReplaceMany::Worker::measure(const StringSpan& in, int64_t first, int64_t last) {
  constexpr int64_t kEnough = int64_t{1} << 53;  // an occurrence adds 2**31 bytes at most, and there are few tasks
  PatternSearcher searcher(f_.patterns);
  const uint8_t* const in_end = in.data + in.num_bytes;
  int64_t bytes = 0;
  counts_.reserve(static_cast<size_t>(last - first));
  for_each_string(in, first, last, [&](int64_t, ByteRange string) {
    const size_t before = found_.size();
    bytes += string.size();
    searcher.find(in.view(string), in_end, [&](int64_t begin, int64_t size, int32_t id) {
      found_.push_back({narrow<int32_t>(begin), narrow<int32_t>(size), id});
      bytes += f_.replacement(id).size() - size;
      return bytes < kEnough;
    });
    counts_.push_back(narrow<int32_t>(static_cast<int64_t>(found_.size() - before)));
  });
  return bytes;
}

bool ReplaceMany::Worker::write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at,
                                int64_t limit) {
  const StringSpan& by = f_.replacements;
  const Occurrence* next = found_.data();
  const int32_t* count = counts_.data();
  OffsetsWriter offsets(out.offsets, in.cols, first);
  for_each_string(in, first, last, [&](int64_t, ByteRange string) {
    const int64_t begin = at;
    int64_t from = string.begin;  // what is not written yet
    for (const Occurrence* const end = next + *count++; next < end; ++next) {
      at = append_range(out.data, at, limit, in.data, in.num_bytes, from, string.begin + next->begin);
      const ByteRange replacement = f_.replacement(next->id);
      at = append_range(out.data, at, limit, by.data, by.num_bytes, replacement.begin, replacement.end);
      from = string.begin + next->begin + next->size;
    }
    at = append_range(out.data, at, limit, in.data, in.num_bytes, from, string.end);
    offsets.push(begin, at);
  });
  return at == limit;
}

}  // namespace stringops::kernels
