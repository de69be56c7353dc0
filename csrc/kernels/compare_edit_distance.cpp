#include "kernels/compare_edit_distance.h"

#include <algorithm>

#include "core/bits.h"
#include "core/poll.h"
#include "core/string_span.h"
#include "kernels/compare_edit_diagonals.h"
#include "kernels/compare_edit_lanes.h"
#include "kernels/compare_edit_pair.h"
#include "kernels/compare_metrics.h"

namespace stringops::kernels {
namespace {

// The rows of 64 bytes that lanes for all strings take, if they are of average size.
double rows_of_lanes(const StringSpan& strings, double bytes) {
  const auto count = static_cast<double>(strings.size());
  const double average = bytes / count;
  if (average > 64) return count * average / 64;
  const double lane_bytes = average <= 8 ? 1 : average <= 16 ? 2 : average <= 32 ? 4 : 8;
  return std::max(1.0, count * lane_bytes / simd::PatternLanes::kRowBytes);
}

// The time of a text's byte and a row of lanes.
constexpr double kNsPerStep = 4;

// The time of a pair of long strings for each edit of a small limit.
constexpr double kNsPerEdit = 5;

double grid_ns(const StringSpan& texts, const StringSpan& patterns, int64_t max_distance) {
  constexpr Cost kBytes{0, 1};
  const double text_bytes = Runner::time_of(texts, kBytes), pattern_bytes = Runner::time_of(patterns, kBytes);
  const auto num_texts = static_cast<double>(texts.size()), num_patterns = static_cast<double>(patterns.size());
  if (max_distance <= kMaxDiagonalEdits && pattern_bytes > num_patterns * kWordBits) {
    return text_bytes + pattern_bytes + num_texts * num_patterns * kNsPerEdit * static_cast<double>(max_distance + 1);
  }
  return kNsPerStep * text_bytes * rows_of_lanes(patterns, pattern_bytes);
}

// Whether all axes along which `outer` varies come before those of `inner`, so that an element of the result is
// a string of `outer` and one of `inner`, in this order.
bool is_outer(const Shape& outer, const Shape& inner) {
  size_t varying = inner.size();  // axes of `inner` from its first one that varies, to the last
  while (varying > 0 && inner[inner.size() - varying] == 1) --varying;
  return std::all_of(outer.end() - static_cast<int64_t>(std::min(varying, outer.size())), outer.end(),
                     [](int64_t size) { return size == 1; });
}

PairDistance metric_of(const EditDistance& kernel) {
  return PairDistance(kernel.max_distance);
}
PairRatio metric_of(const Ratio&) {
  return {};
}
PairJaroWinkler metric_of(const JaroWinkler& kernel) {
  return PairJaroWinkler(kernel.prefix_weight);
}
PairDamerau metric_of(const Damerau& kernel) {
  return PairDamerau(kernel.max_distance);
}

// Pair by pair; a string that is broadcast is read once.
template <class Kernel>
void run_pairs(const Kernel& kernel, const simd::StringRun& a, const simd::StringRun& b, int64_t count,
               typename Kernel::Value* out) {
  auto metric = metric_of(kernel);
  UnitBuffer left, right;
  Pace pace;
  const auto read = [&](StringView text, UnitBuffer& buffer) {
    buffer.clear();
    buffer.append(text, kernel.codepoints);
    return buffer.units(0, buffer.size());
  };
  // Whether the sizes of strings differ by more than the limit, whatever their units are, of one to four bytes.
  const auto is_beyond = [&](StringView x, StringView y) {
    const int64_t less = std::min(x.size(), y.size()), more = std::max(x.size(), y.size());
    return more / (kernel.codepoints ? 4 : 1) - less > metric.limit();
  };
  if (count > 1 && (a.is_broadcast || b.is_broadcast)) {
    const simd::StringRun &pattern = a.is_broadcast ? a : b, &texts = a.is_broadcast ? b : a;
    const StringView pattern_view = view_at(pattern, 0);
    metric.start(read(pattern_view, left));
    for (int64_t i = 0; i < count; ++i) {
      if (is_beyond(view_at(texts, i), pattern_view)) {
        out[i] = metric.beyond();
        continue;
      }
      const UnitRange text = read(view_at(texts, i), right);
      pace.spend(text.size());
      out[i] = metric.to_pattern(text);
    }
    return;
  }
  for (int64_t i = 0; i < count; ++i) {
    if (is_beyond(view_at(a, i), view_at(b, i))) {
      out[i] = metric.beyond();
      continue;
    }
    const UnitRange x = read(view_at(a, i), left), y = read(view_at(b, i), right);
    pace.spend(x.size() + y.size());
    out[i] = metric(x, y);
  }
}

}  // namespace

void EditDistance::run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, int64_t* out) const {
  run_pairs(*this, a, b, count, out);
}

void Ratio::run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, float* out) const {
  run_pairs(*this, a, b, count, out);
}

void JaroWinkler::run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, float* out) const {
  run_pairs(*this, a, b, count, out);
}

void Damerau::run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, int64_t* out) const {
  run_pairs(*this, a, b, count, out);
}

std::optional<DistanceGrid> DistanceGrid::find(const StringSpan& left, const Shape& left_shape, const StringSpan& right,
                                               const Shape& right_shape, int64_t max_distance) {
  const bool left_first = is_outer(left_shape, right_shape);
  if (!left_first && !is_outer(right_shape, left_shape)) return std::nullopt;
  const int64_t left_size = left.size(), right_size = right.size();
  if (left_size <= 1 || right_size <= 1 || left_size > kMaxOffsets / right_size) return std::nullopt;
  const int64_t left_stride = left_first ? right_size : 1, right_stride = left_first ? 1 : left_size;
  const DistanceGrid left_texts{left, right, left_stride, right_stride, max_distance},
      right_texts{right, left, right_stride, left_stride, max_distance};
  return left_texts.ns() <= right_texts.ns() ? left_texts : right_texts;
}

double DistanceGrid::ns() const {
  return grid_ns(texts, patterns, max_distance);
}

template <class Kernel>
void DistanceGrid::run(const Kernel& kernel, int64_t first, int64_t last, typename Kernel::Value* out) const {
  const bool by_text = texts.size() > patterns.size();
  const int64_t first_text = by_text ? first : 0, first_pattern = by_text ? 0 : first;
  const auto view_at = [](const StringSpan& span, int64_t i) { return span.view(span.range(i)); };
  AllPairs(kernel.codepoints, metric_of(kernel))
      .run(
          by_text ? last - first : texts.size(), [&](int64_t i) { return view_at(texts, first_text + i); },
          by_text ? patterns.size() : last - first, [&](int64_t i) { return view_at(patterns, first_pattern + i); },
          out + first_text * text_stride + first_pattern * pattern_stride, text_stride, pattern_stride);
}

template void DistanceGrid::run(const EditDistance&, int64_t, int64_t, int64_t*) const;
template void DistanceGrid::run(const Ratio&, int64_t, int64_t, float*) const;
template void DistanceGrid::run(const JaroWinkler&, int64_t, int64_t, float*) const;
template void DistanceGrid::run(const Damerau&, int64_t, int64_t, int64_t*) const;

}  // namespace stringops::kernels
