#include "split/divide.h"

#include <algorithm>
#include <memory>

#include "split/blocks.h"
#include "split/mask_maker.h"

namespace stringops::kernels {
namespace {

// The distance, after the position that would divide the bytes evenly, within which a boundary is searched for.
constexpr int64_t kMaxSearch = 64 * 1024;

// The cuts from the beginning of the string of both positions to `end`; those before `begin` are known. Stops at the
// limit.
int64_t count_cuts(const StringSpan& in, const BlockRule& rule, Position begin, Position end) {
  BlockReader reader(in, begin, end);
  const std::unique_ptr<MaskMaker> maker = rule.make_maker(begin.cuts);
  PieceMasks masks(simd::primitives());
  Block block;
  int64_t cuts = begin.cuts;
  while (cuts < rule.max_cuts && reader.next(block)) {
    maker->find(block, masks);
    cuts = maker->cuts();
  }
  return cuts;
}

}  // namespace

Partition divide_inside_strings(const StringSpan& in, int64_t tasks, const BlockRule& rule) {
  Partition partition = divide_evenly(in, tasks, rule.find_boundary != nullptr);
  for (int64_t task = 1; task < partition.tasks; ++task) {
    Position& at = partition.positions[static_cast<size_t>(task)];
    const Position before = partition.begin(task - 1);
    // The previous position may have moved past this one.
    if (!(before < at)) {
      at = before;
      continue;
    }
    if (at.skip == 0) continue;
    const ByteRange range = in.range(at.index);
    const uint8_t* const begin = in.data + range.begin;
    const uint8_t* const from = begin + std::min(at.skip, range.size());
    const uint8_t* const end = begin + std::min(range.size(), from - begin + kMaxSearch);
    const int64_t skip = rule.find_boundary(begin, from, end) - begin;
    if (skip == end - begin) {
      // If there is no boundary here, the task before has no work, and the next one has that of both.
      at = skip < range.size() ? before : Position{at.index + 1, 0};
      continue;
    }
    at = {at.index, skip};
    if (rule.max_cuts < 0) continue;
    at.cuts = count_cuts(in, rule, before.index == at.index ? before : Position{at.index}, at);
    if (at.cuts >= rule.max_cuts) at = {at.index + 1, 0};  // the rest of the string is one piece
  }
  return partition;
}

}  // namespace stringops::kernels
