// Several groups of the first match in each string, which is searched once.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "driver/map.h"
#include "kernels/regex.h"

namespace stringops::kernels {

// Writes strings of shape [groups, rows, cols] for strings of shape [rows, cols]: the first group in all strings, then
// the second one in all strings, and so on; "" for a group that is not part of the match. The numbers of the groups are
// from 0 to that of the pattern's last one. allocate(num_bytes) -> MapOutput.
void extract_groups(const char* op, const Runner& runner, const Pattern& pattern, const std::vector<int64_t>& groups,
                    const StringSpan& in, const std::function<MapOutput(int64_t)>& allocate);

}  // namespace stringops::kernels
