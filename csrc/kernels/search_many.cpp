#include "kernels/search_many.h"

#include <string_view>
#include <utility>

#include "core/copy_bytes.h"

namespace stringops::kernels {

void ContainsAny::mark(const StringSpan& in, int64_t first, int64_t last, bool* marks) const {
  if (patterns.first_empty()) {
    std::fill(marks, marks + (last - first), true);
    return;
  }
  bool found = false;
  PatternSearcher(patterns).find<true>(
      in, first, last,
      [&](int64_t, int64_t, int32_t) {
        found = true;
        return false;
      },
      [&](int64_t) { *marks++ = std::exchange(found, false); });
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
  if (!overlapping_) {
    searcher.find<false>(in, begin.index, end.index, keep, [&](int64_t) { task->end_string(counter); });
    return;
  }
  std::ptrdiff_t before = 0;  // the occurrences in earlier strings
  searcher.find<true>(in, begin.index, end.index, keep, [&](int64_t) {
    std::sort(ranges.begin() + before, ranges.end(),
              [](PackedRange a, PackedRange b) { return a.end != b.end ? a.end < b.end : a.begin < b.begin; });
    before = static_cast<std::ptrdiff_t>(ranges.size());
    task->end_string(counter);
  });
}

std::optional<MapBytes> MapBytes::of(const StringSpan& patterns, const StringSpan& replacements) {
  MapBytes map{};
  for (size_t b = 0; b < map.table.size(); ++b) map.table[b] = static_cast<uint8_t>(b);
  for (int64_t i = patterns.size(); i-- > 0;) {  // the first of equal patterns last
    const std::string_view pattern = patterns[i], replacement = replacements[replacements.size() == 1 ? 0 : i];
    if (pattern.size() != 1 || replacement.size() != 1) return std::nullopt;
    map.table[static_cast<uint8_t>(pattern[0])] = static_cast<uint8_t>(replacement[0]);
  }
  return map;
}

int64_t ReplaceMany::Worker::measure(const StringSpan& in, int64_t first, int64_t last) {
  constexpr int64_t kEnough = int64_t{1} << 53;  // an occurrence adds 2**31 bytes at most, and there are few tasks
  int64_t bytes = 0;
  size_t before = 0;  // the occurrences in earlier strings
  counts_.reserve(static_cast<size_t>(last - first));
  PatternSearcher(f_.patterns)
      .find<false>(
          in, first, last,
          [&](int64_t begin, int64_t size, int32_t id) {
            found_.push_back({narrow<int32_t>(begin), narrow<int32_t>(size), id});
            bytes += f_.replacement(id).size() - size;
            return bytes < kEnough;
          },
          [&](int64_t size) {
            bytes += size;
            counts_.push_back(narrow<int32_t>(static_cast<int64_t>(found_.size() - before)));
            before = found_.size();
          });
  return bytes;
}

bool ReplaceMany::Worker::write(const StringSpan& in, int64_t first, int64_t last, const MapOutput& out, int64_t at,
                                int64_t limit) {
  const StringSpan& by = f_.replacements;
  const Occurrence* next = found_.data();
  const int32_t* count = counts_.data();
  OffsetsWriter offsets(out.offsets, first);
  for_each_string(in, first, last, [&](int64_t, ByteRange string) {
    int64_t from = string.begin;  // what is not written yet
    for (const Occurrence* const end = next + *count++; next < end; ++next) {
      at = append_range(out.data, at, limit, in.data, in.num_bytes, from, string.begin + next->begin);
      const ByteRange replacement = f_.replacement(next->id);
      at = append_range(out.data, at, limit, by.data, by.num_bytes, replacement.begin, replacement.end);
      from = string.begin + next->begin + next->size;
    }
    at = append_range(out.data, at, limit, in.data, in.num_bytes, from, string.end);
    offsets.push(at);
  });
  return at == limit;
}

}  // namespace stringops::kernels
