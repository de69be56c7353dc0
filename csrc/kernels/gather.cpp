#include "kernels/gather.h"

#include <algorithm>
#include <cstring>

#include "core/copy_bytes.h"
#include "core/narrow.h"

namespace stringops::kernels {
namespace {

constexpr int64_t kLanes = 8;

// out[i] = offsets[i] + shift for 1 <= i <= count; `out` may be written up to out_end.
void shift_offsets(const int32_t* offsets, const int32_t* readable_end, int64_t count, uint32_t shift, int32_t* out,
                   const int32_t* out_end) {
  // Unsigned, as offsets that have changed (race) may overflow.
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

// The bytes of a run whose first and last offsets are `begin` and `end`; at most `room`, and within the source even if
// the offsets have changed (race).
inline ByteRange clamped(const StringSpan& source, int64_t begin, int64_t end, int64_t room) {
  if (begin >= 0 && end >= begin && end <= source.num_bytes && end - begin <= room) return {begin, end};
  begin = std::clamp<int64_t>(begin, 0, source.num_bytes);
  return {begin, std::clamp(end, begin, std::min(source.num_bytes, begin + room))};
}

}  // namespace

void prefetch_bytes(const StringsRun* runs, int64_t n) {
  for (int64_t k = 0; k < n; ++k) {
    // An address out of bounds, after a race, is not an error.
    const auto data = reinterpret_cast<uintptr_t>(runs[k].source->data);
    __builtin_prefetch(reinterpret_cast<const void*>(data + static_cast<uintptr_t>(runs[k].offsets[0])));
  }
}

GatherWriter::GatherWriter(const GatherOutput& out, const OutputRange& range)
    : out_(out),
      left_(range),
      col_(out.cols ? range.pieces % out.cols : 0),
      at_(out.offsets + range.pieces + (out.cols ? range.pieces / out.cols : 0)),
      offsets_end_(range.pieces_end > range.pieces
                       ? out.offsets + range.pieces_end + (range.pieces_end - 1) / out.cols + 1
                       : at_) {}

void GatherWriter::append(const StringsRun* runs, int64_t n) {
  int64_t counts = 0;
  for (int64_t k = 0; k < n; ++k) counts |= runs[k].count;
  counts == 1 ? append_strings(runs, n) : append_runs(runs, n);
}

void GatherWriter::append_strings(const StringsRun* runs, int64_t n) {
  n = std::min(n, left_.pieces_end - left_.pieces);
  left_.pieces += n;
  while (n > 0) {
    if (col_ == 0) *at_ = narrow<int32_t>(left_.bytes);
    const int64_t in_row = std::min(n, out_.cols - col_);
    left_.bytes = append_in_row(runs, in_row);
    runs += in_row;
    n -= in_row;
    col_ += in_row;
    at_ += in_row;
    if (col_ == out_.cols) {
      col_ = 0;
      ++at_;
    }
  }
}

// Writes strings and their ends; returns the end of the last one.
inline int64_t GatherWriter::append_in_row(const StringsRun* runs, int64_t n) {
  // Local variables, since the compiler cannot tell that writing an offset leaves the members unchanged.
  uint8_t* const data = out_.data;
  int32_t* const ends = at_ + 1;
  const int64_t limit = left_.bytes_end;
  int64_t at = left_.bytes;
  for (int64_t k = 0; k < n; ++k) {
    const StringSpan& source = *runs[k].source;
    at = append_range(data, at, limit, source.data, source.num_bytes, runs[k].offsets[0], runs[k].offsets[1]);
    ends[k] = narrow<int32_t>(at);
  }
  return at;
}

// Bytes of runs that are adjacent in their source are copied at once.
void GatherWriter::append_runs(const StringsRun* runs, int64_t n) {
  const auto first_byte = narrow<int32_t>(left_.bytes);
  const int32_t* const first_offset = at_ + (col_ != 0);  // the one before was written with the string before
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
    write_offsets(runs[k], count, bytes);
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
  in_order_ &= !has_decrease(first_byte, first_offset, at_ + (col_ != 0));
}

// `bytes` are those of the run.
inline void GatherWriter::write_offsets(const StringsRun& run, int64_t count, ByteRange bytes) {
  const int32_t* const readable_end = run.source->row_offsets(run.source->rows);
  const int32_t* offsets = run.offsets;
  const auto shift = static_cast<uint32_t>(left_.bytes - bytes.begin);
  auto first = narrow<int32_t>(left_.bytes);
  left_.bytes += bytes.size();
  left_.pieces += count;
  while (count > 0) {  // once, unless the run continues in another row of the result
    if (col_ == 0) *at_ = first;
    const int64_t in_row = std::min(count, out_.cols - col_);
    shift_offsets(offsets, readable_end, in_row, shift, at_, offsets_end_);
    if (in_row == count) at_[in_row] = narrow<int32_t>(left_.bytes);
    at_ += in_row;
    offsets += in_row;
    count -= in_row;
    col_ += in_row;
    first = *at_;
    if (col_ == out_.cols) {
      col_ = 0;
      ++at_;
    }
  }
}

}  // namespace stringops::kernels
