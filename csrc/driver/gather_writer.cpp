#include "driver/gather_writer.h"

#include <algorithm>
#include <cstring>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "core/prefetch.h"
#include "simd/primitives.h"

namespace stringops::kernels {
namespace {

constexpr int64_t kLanes = 8;
constexpr int64_t kFitting = 128;         // bytes of the longest strings that are copied without a look at each
constexpr int64_t kLongRun = 4 * kLanes;  // mean of a block whose runs are worth a call of a primitive each

// Ways to copy a string of at most kLongest bytes, which is followed by kBeyond bytes in its source, and whose copy is
// followed by as many. They have no loop whose end depends on the length, as it would be mispredicted.

// Bytes after the string are read too: the next string has them, or they come with it.
template <int64_t kStep, int64_t kSteps>
struct WholeSteps {
  static constexpr int64_t kLongest = kStep * kSteps, kBeyond = kLongest;

  static void copy(uint8_t* to, const uint8_t* from, int64_t) {
    for (int64_t i = 0; i < kLongest; i += kStep) std::memcpy(to + i, from + i, kStep);
  }
};

// Only the first step reads bytes after the string, because at random addresses the CPU would wait for them. Most
// strings end within kSteps, so that the loop is rarely mispredicted.
template <int64_t kSteps>
struct StepsWithin {
  static constexpr int64_t kStep = 32, kLongest = kMaxBytes, kBeyond = kStep;

  static void copy(uint8_t* to, const uint8_t* from, int64_t size) {
    const int64_t last = std::max<int64_t>(size - kStep, 0);
    const auto step = [&](int64_t i) { std::memcpy(to + std::min(i, last), from + std::min(i, last), kStep); };
    for (int64_t k = 0; k < kSteps; ++k) step(k * kStep);
    for (int64_t i = kSteps * kStep; i < size; i += kStep) step(i);
  }
};

// out[i] = offsets[i] + shift for 1 <= i <= count; `out` may be written up to out_end.
void shift_offsets(const int32_t* offsets, const int32_t* readable_end, int64_t count, uint32_t shift, int32_t* out,
                   const int32_t* out_end) {
  // The sum is unsigned, as it may overflow.
  const auto shifted = [&](int64_t i) { return static_cast<int32_t>(static_cast<uint32_t>(offsets[i]) + shift); };
  // Whole vectors if there is room, as the end of a loop over a short run is mispredicted.
  const int64_t padded = (count + kLanes - 1) / kLanes * kLanes;
  if (readable_end - offsets <= padded || out_end - out <= padded) {
    for (int64_t i = 1; i <= count; ++i) out[i] = shifted(i);
    return;
  }
  for (int64_t i = 1; i <= count; i += kLanes) {
    for (int64_t k = i; k < i + kLanes; ++k) out[k] = shifted(k);
  }
}

// Whether an offset is less than the one before it, or the first one than `low`.
bool has_decrease(int32_t low, const int32_t* offsets, const int32_t* end) {
  int32_t decreasing = offsets < end && offsets[0] < low ? -1 : 0;
  for (int64_t i = 1; i < end - offsets; ++i) decreasing |= offsets[i] < offsets[i - 1] ? -1 : 0;
  return decreasing != 0;
}

// Returns the bytes of a run whose first and last offsets are `begin` and `end`: at most `room`, and within the source.
inline ByteRange clamped(const StringSpan& source, int64_t begin, int64_t end, int64_t room) {
  if (begin >= 0 && end >= begin && end <= source.num_bytes && end - begin <= room) return {begin, end};
  begin = std::clamp<int64_t>(begin, 0, source.num_bytes);
  return {begin, std::clamp(end, begin, std::min(source.num_bytes, begin + room))};
}

// The distance, in strings, from the copied string to the prefetched one. Prefetching all strings of a block at once
// would exceed what the CPU fetches at a time, and the copies would wait for the last ones.
constexpr int64_t kAhead = 16;

// Prefetches the first and the last byte, at any address: most strings have no other cache lines.
inline void prefetch_string(const StringSpan& source, int32_t begin, int32_t end) {
  const auto data = reinterpret_cast<uintptr_t>(source.data);
  prefetch(data + static_cast<uintptr_t>(begin));
  prefetch(data + static_cast<uintptr_t>(end) - 1);
}

// Whether the CPU, which prefetches adjacent lines by itself, would miss most of the strings.
bool is_sparse(const StringRanges& ranges) {
  constexpr int64_t kDistance = 256;
  const int64_t n = ranges.count;
  return n > 0 && int64_t{ranges.ends[n - 1]} - ranges.begins[0] >= n * kDistance;
}

}  // namespace

void prefetch_first(const AdjacentRun* strings, int64_t n) {
  for (int64_t k = 0; k < std::min(n, kAhead); ++k) {
    prefetch_string(*strings[k].source, strings[k].offsets[0], strings[k].offsets[1]);
  }
}

GatherWriter::GatherWriter(const GatherOutput& out, const OutputRange& range)
    : out_(out),
      left_(range),
      at_(out.offsets + range.pieces),
      offsets_end_(out.offsets + range.pieces_end + 1),
      mean_bytes_((range.bytes_end - range.bytes) / std::max<int64_t>(range.pieces_end - range.pieces, 1)) {}

void GatherWriter::append(const AdjacentRun* runs, int64_t n) {
  int64_t strings = 0;
  bool are_single = true;  // a run may also be empty
  for (int64_t k = 0; k < n; ++k) {
    strings += runs[k].count;
    are_single &= runs[k].count == 1;
  }
  if (are_single) return append_strings(runs, n, true);
  strings < n* kLongRun ? append_runs<false>(runs, n) : append_runs<true>(runs, n);
}

struct GatherWriter::String {
  const StringSpan& source;
  int64_t begin, end;
};

void GatherWriter::append_strings(const AdjacentRun* runs, int64_t n, bool in_order) {
  const auto string = [runs](int64_t k) -> String { return {*runs[k].source, runs[k].offsets[0], runs[k].offsets[1]}; };
  if (in_order) return append_whole(n, string);
  append_within<false>(n, [runs, n, &string](int64_t k) {
    if (k + kAhead < n) {
      const AdjacentRun& next = runs[k + kAhead];
      prefetch_string(*next.source, next.offsets[0], next.offsets[1]);
    }
    return string(k);
  });
}

void GatherWriter::append_ranges(const StringRanges& ranges, bool scattered) {
  const auto string = [&source = *ranges.source, begins = ranges.begins, ends = ranges.ends](int64_t k) -> String {
    return {source, begins[k], ends[k]};
  };
  if (scattered || is_sparse(ranges)) {
    const int64_t n = ranges.count;
    const auto prefetch_at = [&](int64_t k) { prefetch_string(*ranges.source, ranges.begins[k], ranges.ends[k]); };
    for (int64_t k = 0; k < std::min(n, kAhead); ++k) prefetch_at(k);
    const auto prefetched = [&](int64_t k) {
      if (k + kAhead < n) prefetch_at(k + kAhead);
      return string(k);
    };
    const bool fit = longest_if_valid(ranges, StepsWithin<1>::kBeyond) <= kMaxBytes;
    return fit ? append_within<true>(n, prefetched) : append_within<false>(n, prefetched);
  }
  const int64_t longest = longest_if_valid(ranges, kFitting);
  if (longest <= 16) return append_each<WholeSteps<16, 1>, true>(ranges.count, string);
  if (longest <= 32) return append_each<WholeSteps<32, 1>, true>(ranges.count, string);
  if (longest <= 64) return append_each<WholeSteps<32, 2>, true>(ranges.count, string);
  if (longest <= kFitting) return append_each<WholeSteps<32, 4>, true>(ranges.count, string);
  append_whole(ranges.count, string);
}

// Returns the size of the longest string; more than kMaxBytes if one is malformed, or is not followed by `beyond` bytes
// in the source and in the range.
int64_t GatherWriter::longest_if_valid(const StringRanges& ranges, int64_t beyond) const {
  const simd::RangesSummary all = simd::primitives().summarize_ranges(ranges.begins, ranges.ends, ranges.count);
  const bool fit = all.valid && all.last_end <= ranges.source->num_bytes - beyond &&
                   all.bytes <= left_.bytes_end - left_.bytes - beyond;
  return fit ? all.longest : kMaxBytes + 1;
}

// Strings in the order of their addresses: in the steps that few of them exceed.
template <class At>
inline void GatherWriter::append_whole(int64_t n, At&& string) {
  if (mean_bytes_ <= 12) return append_each<WholeSteps<32, 1>, false>(n, string);
  if (mean_bytes_ <= 28) return append_each<WholeSteps<32, 2>, false>(n, string);
  append_each<WholeSteps<32, 4>, false>(n, string);
}

template <bool kFit, class At>
inline void GatherWriter::append_within(int64_t n, At&& string) {
  mean_bytes_ <= 12 ? append_each<StepsWithin<1>, kFit>(n, string) : append_each<StepsWithin<2>, kFit>(n, string);
}

// string(k) returns String k of n, which Copy copies. kFit tells that all of them can be copied.
template <class Copy, bool kFit, class At>
inline void GatherWriter::append_each(int64_t n, At&& string) {
  n = std::min(n, left_.pieces_end - left_.pieces);
  left_.pieces += n;
  // Local variables, since the compiler cannot tell that writing an offset leaves the members unchanged.
  uint8_t* const data = out_.data;
  int32_t* const ends = at_ + 1;
  const int64_t limit = left_.bytes_end;
  int64_t at = left_.bytes;
  for (int64_t k = 0; k < n; ++k) {
    const String s = string(k);
    const int64_t size = s.end - s.begin;
    // One branch for all conditions: each is not negative.
    const int64_t room = std::min(s.source.num_bytes - s.end, limit - at - size) - Copy::kBeyond;
    if (kFit || (s.begin | size | room | (Copy::kLongest - size)) >= 0) {
      Copy::copy(data + at, s.source.data + s.begin, size);
      at += size;
    } else {
      const ByteRange bytes = clamped(s.source, s.begin, s.end, limit - at);
      copy_bytes(data + at, s.source.data + bytes.begin, bytes.size());
      at += bytes.size();
    }
    ends[k] = narrow<int32_t>(at);
  }
  left_.bytes = at;
  at_ += n;
}

// Bytes of runs that are adjacent in their source are copied at once.
template <bool kLong>
void GatherWriter::append_runs(const AdjacentRun* runs, int64_t n) {
  const auto first_byte = narrow<int32_t>(left_.bytes);
  const int32_t* const first_end = at_ + 1;
  uint8_t* to = out_.data + left_.bytes;
  StringView pending{nullptr, nullptr};
  const uint8_t* source_end = nullptr;
  const auto flush = [&] {
    copy_short(to, out_.data + left_.bytes_end, pending.begin, source_end, pending.size());
    to += pending.size();
  };
  for (int64_t k = 0; k < n; ++k) {
    const StringSpan& source = *runs[k].source;
    const int64_t count = std::min(runs[k].count, left_.pieces_end - left_.pieces);
    const ByteRange bytes = clamped(source, runs[k].offsets[0], runs[k].offsets[count], left_.bytes_end - left_.bytes);
    write_offsets<kLong>(runs[k], count, bytes);
    const StringView view = source.view(bytes);
    const uint8_t* const end = source.data + source.num_bytes;
    if (view.begin != pending.end || source_end != end) {
      flush();
      pending.begin = view.begin;
      source_end = end;
    }
    pending.end = view.end;
  }
  flush();
  if (!kLong) in_order_ &= !has_decrease(first_byte, first_end, at_ + 1);
}

// `bytes` are those of the run.
template <bool kLong>
inline void GatherWriter::write_offsets(const AdjacentRun& run, int64_t count, ByteRange bytes) {
  if (count == 0) return;
  const int32_t* const readable_end = run.source->offsets + run.source->count + 1;
  const auto shift = static_cast<uint32_t>(left_.bytes - bytes.begin);
  const auto first = narrow<int32_t>(left_.bytes);
  left_.bytes += bytes.size();
  left_.pieces += count;
  if (kLong) {
    in_order_ &= simd::primitives().shift_offsets(run.offsets + 1, count, static_cast<int32_t>(shift), at_ + 1);
    in_order_ &= at_[1] >= first && left_.bytes >= at_[count];
  } else {
    shift_offsets(run.offsets, readable_end, count, shift, at_, offsets_end_);
  }
  at_ += count;
  *at_ = narrow<int32_t>(left_.bytes);
}

}  // namespace stringops::kernels
