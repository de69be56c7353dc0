#include "kernels/ragged_rows.h"

#include <algorithm>

namespace stringops::kernels {

int64_t find_bad_length(const Segments& segments, int64_t* sum) {
  *sum = 0;
  for (int64_t i = 0; i < segments.count; ++i) {
    const int64_t length = segments.lengths[i];
    if (length < 0 || __builtin_add_overflow(*sum, length, sum)) return i;
  }
  return -1;
}

bool write_segments(const Segments& segments, int64_t first, int64_t last, int64_t* out, int64_t at, int64_t limit) {
  bool fits = true;
  for (int64_t i = first; i < last; ++i) {
    const int64_t length = std::max<int64_t>(segments.lengths[i], 0);
    const auto start = static_cast<uint64_t>(segments.starts[i]);
    const int64_t count = std::min(length, limit - at);
    fits &= count == length;
    for (int64_t k = 0; k < count; ++k) out[at + k] = static_cast<int64_t>(start + static_cast<uint64_t>(k));
    at += count;
  }
  return fits && at == limit;
}

template <class Id>
void IdCounts::write(const Id* ids, int64_t first, int64_t last, int64_t* counts) const {
  for (int64_t r = first; r < last; ++r) {
    int64_t* const row = counts + r * num_ids;
    std::fill_n(row, num_ids, 0);
    const ElementRange elements = rows.row(r);
    for (int64_t i = elements.begin; i < elements.end; ++i) {
      const int64_t id = ids[i];
      if (static_cast<uint64_t>(id) >= static_cast<uint64_t>(num_ids)) continue;
      row[id] = binary ? 1 : row[id] + 1;
    }
  }
}

template void IdCounts::write<int32_t>(const int32_t*, int64_t, int64_t, int64_t*) const;
template void IdCounts::write<int64_t>(const int64_t*, int64_t, int64_t, int64_t*) const;

}  // namespace stringops::kernels
