#include "kernels/regex_groups.h"

#include <algorithm>
#include <numeric>

#include "kernels/regex.h"

namespace stringops::kernels {
namespace {

// What a task keeps: the ranges of all groups in one string after the other, and the bytes of each group.
struct FoundGroups {
  std::vector<PackedRange> ranges;
  std::vector<int64_t> bytes;
};

FoundGroups find_groups(const Pattern& pattern, const std::vector<int64_t>& groups, const StringSpan& in, int64_t first,
                        int64_t last) {
  const size_t num_groups = groups.size();
  FoundGroups found{std::vector<PackedRange>(num_groups * static_cast<size_t>(last - first), PackedRange{-1, -1}),
                    std::vector<int64_t>(num_groups, 0)};
  MatchReader reader(pattern, groups.empty() ? 0 : *std::max_element(groups.begin(), groups.end()));
  for_each_marked_copy(pattern, in, first, last, [&](int64_t i, std::string_view text, bool may_match) {
    if (!may_match) return;
    reader.start(text);
    if (!reader.next()) return;
    PackedRange* const ranges = found.ranges.data() + num_groups * static_cast<size_t>(i - first);
    for (size_t g = 0; g < num_groups; ++g) {
      const Match range = reader.group(groups[g]);
      found.bytes[g] += range.end - range.begin;
      ranges[g] = packed(range);
    }
  });
  return found;
}

// The part of a group that a task writes.
struct GroupOutput {
  OffsetsWriter offsets;
  int64_t at, limit;
};

// Returns whether the texts fill the parts.
bool write_groups(const StringSpan& in, int64_t first, int64_t last, const std::vector<PackedRange>& ranges,
                  uint8_t* data, std::vector<GroupOutput>* groups) {
  const PackedRange* range = ranges.data();
  for_each_string(in, first, last, [&](int64_t, ByteRange bytes) {
    const StringView string = in.view(bytes);
    for (GroupOutput& group : *groups) {
      BoundedWriter writer(data + group.at, data + group.limit);
      writer.append(part_of(string, *range++), string.end);
      group.at = writer.at() - data;
      group.offsets.push(group.at);
    }
  });
  return std::all_of(groups->begin(), groups->end(), [](const GroupOutput& group) { return group.at == group.limit; });
}

}  // namespace

void extract_groups(const char* op, const Runner& runner, const Pattern& pattern, const std::vector<int64_t>& groups,
                    const StringSpan& in, const std::function<MapOutput(int64_t)>& allocate) {
  const size_t num_groups = groups.size();
  const Cost cost{kRegexCost.ns_per_string + 10 * static_cast<double>(num_groups), kRegexCost.ns_per_byte};
  const Partition tasks = divide_strings(in, runner, cost);
  const auto num_tasks = static_cast<size_t>(tasks.tasks);
  const auto find = [&](int64_t t, std::optional<FoundGroups>& found) {
    found = find_groups(pattern, groups, in, tasks.first(t), tasks.last(t));
    return OutputSize{std::accumulate(found->bytes.begin(), found->bytes.end(), int64_t{0}), 0};
  };
  // Where each part of the result begins: the parts of a group follow one another in the order of the tasks.
  std::vector<int64_t> begins(num_groups * num_tasks + 1, 0);
  Buffered<FoundGroups> buffered(
      op, runner, tasks.tasks, kMappedStrings,
      [&](int64_t t, std::optional<FoundGroups>& found) {
        const OutputSize size = find(t, found);
        for (size_t g = 0; g < num_groups; ++g) begins[g * num_tasks + static_cast<size_t>(t)] = found->bytes[g];
        return size;
      },
      [](const FoundGroups&) {});
  std::exclusive_scan(begins.begin(), begins.end(), begins.begin(), int64_t{0});
  const MapOutput out = allocate(buffered.size().bytes);
  buffered.write([&](int64_t t, const FoundGroups& found, const OutputRange&) {
    std::vector<GroupOutput> parts;
    parts.reserve(num_groups);
    for (size_t g = 0; g < num_groups; ++g) {
      const int64_t* const begin = &begins[g * num_tasks + static_cast<size_t>(t)];
      const int64_t first = static_cast<int64_t>(g) * in.size() + tasks.first(t);
      parts.push_back({OffsetsWriter(out.offsets, first), begin[0], begin[1]});
    }
    return write_groups(in, tasks.first(t), tasks.last(t), found.ranges, out.data, &parts);
  });
}

}  // namespace stringops::kernels
