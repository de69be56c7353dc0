#include "kernels/search_many.h"

#include <string_view>
#include <utility>

#include "core/copy_bytes.h"
#include "core/utf8.h"

namespace stringops::kernels {
namespace {

ByteRange replacement_of(const StringSpan& replacements, int64_t id) {
  return replacements.range(replacements.size() == 1 ? 0 : id);
}

}  // namespace

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

std::optional<MapCodePoints> MapCodePoints::of(const char* op, const StringSpan& patterns, const StringSpan& by) {
  MapCodePoints map(by);
  bool has_long = false, has_high = false;  // a pattern of many bytes, of a byte beyond ASCII
  for (size_t b = 0; b < map.table.size(); ++b) map.table[b] = static_cast<uint8_t>(b);
  map.ids.fill(-1);
  for (int64_t i = patterns.size(); i-- > 0;) {  // the first of equal patterns last
    const StringView pattern = patterns.view(patterns.range(i));
    if (pattern.size() == 0 || replacement_of(by, i).size() > kMaxReplacement) return std::nullopt;
    if (pattern.size() == 1) {
      map.ids[*pattern.begin] = narrow<int32_t>(i);
      has_high |= *pattern.begin >= 0x80;
    } else {
      if (long_codepoint(pattern.begin, pattern.end) != pattern.size()) return std::nullopt;
      has_long = true;
    }
  }
  if (has_long && has_high) return std::nullopt;
  const auto add = [](std::optional<simd::PrefixSet>& set, const uint8_t* text, int bit) {
    if (!set) set.emplace();
    set->add(text, bit % simd::PrefixSet::kBits);
  };
  for (size_t b = 0; b < map.table.size(); ++b) {
    if (map.ids[b] < 0) continue;
    const auto byte = static_cast<uint8_t>(b);
    const ByteRange text = replacement_of(by, map.ids[b]);
    if (text.size() == 1) {
      map.maps |= (map.table[b] = by.data[text.begin]) != byte;
    } else {
      add(text.size() == 0 && byte < 0x80 ? map.removed : map.others, &byte, byte >> 4);
    }
  }
  if (!has_long) return map;
  map.patterns = PatternSet::of(op, patterns);
  if (!map.others) map.others.emplace().num_bytes = 2;
  for (int64_t i = 0; i < patterns.size(); ++i) {
    const ByteRange pattern = patterns.range(i);
    // Code points of one lead byte share a bit only if they are next to each other.
    const uint8_t* const text = patterns.data + pattern.begin;
    if (pattern.size() > 1) map.others->add(text, text[1] >> 3 & 7);
  }
  return map;
}

void MapCodePoints::write_run(const Run& run, uint8_t* out, RunChanges& changes) const {
  const int64_t n = run.num_bytes, count = words_for(n);
  if (maps) {
    const uint8_t *const data = run.data, *const to = table.data();
    for (int64_t i = 0; i < n; ++i) out[i] = to[data[i]];
  } else {
    copy_bytes(out, run.data, n);
  }
  std::array<uint64_t, kBlockWords> words, others_words;
  const auto find = [&](const simd::PrefixSet& set, uint64_t* to) {
    simd::primitives().find_prefixes(run.data, n, n, set, to);
    return std::any_of(to, to + count, [](uint64_t word) { return word != 0; });
  };
  const bool removes = removed && find(*removed, words.data());
  if (!others || !find(*others, others_words.data())) {
    if (removes) changes.remove(words.data(), n);
    return;
  }
  int64_t done = 0, k = 0;  // bytes before, strings that end before
  for (int64_t w = 0; removes && w < count; ++w) others_words[static_cast<size_t>(w)] |= words[static_cast<size_t>(w)];
  for_each_bit(others_words.data(), count, [&](int64_t at) {
    int32_t id = ids[run.data[at]];
    int64_t size = 1;
    if (id < 0 && patterns) {
      const PieceTrie::FoundPiece found =
          patterns->trie().find_longest(PieceTrie::kRoot, {run.data + at, run.data + n});
      id = found.id;
      size = found.end - (run.data + at);
    }
    while (k < run.count && run.ends[k] <= at) ++k;
    const int64_t end = k < run.count ? run.ends[k] : n;  // of the string
    if (id < 0 || at < done || at + size > end) return;
    done = at + size;
    const ByteRange text = replacement_of(replacements, id);
    if (text.size() == size) {
      copy_exact(out + at, replacements.data + text.begin, size);
    } else {
      changes.add(at, at + size, replacements.data + text.begin, text.size());
    }
  });
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
            bytes += replacement_of(f_.replacements, id).size() - size;
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
      const ByteRange replacement = replacement_of(f_.replacements, next->id);
      at = append_range(out.data, at, limit, by.data, by.num_bytes, replacement.begin, replacement.end);
      from = string.begin + next->begin + next->size;
    }
    at = append_range(out.data, at, limit, in.data, in.num_bytes, from, string.end);
    offsets.push(at);
  });
  return at == limit;
}

}  // namespace stringops::kernels
