// Myers' bit-vector algorithm, in blocks of 64 units (Hyyrö, 2003): bit i of `up` and `down` of a block is set if the
// distance increases or decreases from unit i - 1 to unit i of the pattern, and a unit of the text takes a few
// operations on whole words.
#include "kernels/compare_edit_distance.h"

#include <algorithm>
#include <vector>

#include "core/codepoint.h"
#include "core/string_span.h"
#include "core/testing.h"

namespace stringops::kernels {
namespace {

struct UnitRange {
  const uint32_t* begin;
  const uint32_t* end;
  int64_t size() const { return end - begin; }
};

// Code points, bytes that are not part of one as 0xDC80 + byte - 0x80, like Python's surrogateescape; or bytes. The
// units are a copy in `room`, which a concurrent write does not change.
UnitRange read_units(StringView text, bool codepoints, std::vector<uint32_t>& room) {
  if (room.size() < static_cast<size_t>(text.size())) room.resize(static_cast<size_t>(text.size()));
  uint32_t* out = room.data();
  for (const uint8_t* p = text.begin; p < text.end;) {
    const uint8_t first = *p;
    if (!codepoints || first < 0x80) {
      *out++ = first;
      ++p;
      continue;
    }
    const Codepoint c = read_codepoint(p, text.end);
    *out++ = c.value == kInvalidByte ? 0xdc00u + first : c.value;
    p += c.length;
  }
  return {room.data(), out};
}

// Numbers 1, 2, ... for the distinct units of a pattern, 0 for all others.
class Alphabet {
 public:
  // Returns how many numbers there are, 0 included.
  int64_t assign(UnitRange pattern) {
    std::fill(direct_, direct_ + kDirect, 0);
    size_t capacity = 4;
    while (capacity < 2 * static_cast<size_t>(pattern.size())) capacity *= 2;
    slots_.clear();
    slots_.resize(capacity);
    int32_t numbers = 1;
    for (const uint32_t* p = pattern.begin; p < pattern.end; ++p) {
      int32_t& number = *p < kDirect ? direct_[*p] : slot(*p).number;
      if (number == 0) number = numbers++;
    }
    return numbers;
  }

  int32_t operator[](uint32_t unit) {
    if (unit < kDirect) return direct_[unit];
    return slot(unit).number;
  }

 private:
  static constexpr uint32_t kDirect = 256;
  struct Slot {
    uint32_t unit = 0;
    int32_t number = 0;  // 0: the slot is empty
  };

  // The slot of the unit, or the empty one where it belongs.
  Slot& slot(uint32_t unit) {
    const size_t mask = slots_.size() - 1;
    for (size_t i = (unit * 0x9e3779b1u >> 7) & mask;; i = (i + 1) & mask) {
      Slot& slot = slots_[i];
      if (slot.number == 0) slot.unit = unit;
      if (slot.unit == unit) return slot;
    }
  }

  int32_t direct_[kDirect];
  std::vector<Slot> slots_;  // at most half of them are taken
};

// Where the units of a pattern of up to 64 are: bit i of the mask of a unit.
class UnitMasks {
 public:
  void add(uint32_t unit, int64_t i) { (unit < kDirect ? direct_[unit] : taken_slot(unit).mask) |= uint64_t{1} << i; }

  uint64_t operator[](uint32_t unit) const { return unit < kDirect ? direct_[unit] : slots_[find(unit)].mask; }

  // Removes the units, which are those that were added.
  void clear(UnitRange pattern) {
    for (const uint32_t* p = pattern.begin; p < pattern.end; ++p) {
      if (*p < kDirect) direct_[*p] = 0;
    }
    while (num_taken_ > 0) slots_[taken_[--num_taken_]].mask = 0;
  }

 private:
  static constexpr uint32_t kDirect = 256;
  static constexpr uint32_t kSlots = 128;  // at most half of them are taken
  struct Slot {
    uint64_t mask = 0;  // 0: the slot is empty
    uint32_t unit = 0;
  };

  // The slot of the unit, or the empty one where it belongs.
  uint32_t find(uint32_t unit) const {
    uint32_t i = unit * 0x9e3779b1u >> 7 & (kSlots - 1);
    while (slots_[i].mask != 0 && slots_[i].unit != unit) i = (i + 1) & (kSlots - 1);
    return i;
  }

  Slot& taken_slot(uint32_t unit) {
    const uint32_t i = find(unit);
    if (slots_[i].mask == 0) {
      slots_[i].unit = unit;
      taken_[num_taken_++] = static_cast<uint8_t>(i);
    }
    return slots_[i];
  }

  uint64_t direct_[kDirect] = {};
  Slot slots_[kSlots];
  uint8_t taken_[kSlots / 2];
  int64_t num_taken_ = 0;
};

// Differences of the distance from one unit of the text to the next: bit i of `up` and `down` is set if it increases or
// decreases at unit i of the pattern.
struct Step {
  uint64_t up;
  uint64_t down;

  int64_t difference(int64_t i) const {
    return static_cast<int64_t>(up >> i & 1) - static_cast<int64_t>(down >> i & 1);
  }
};

// A block of 64 units of the pattern.
struct Block {
  uint64_t up = ~uint64_t{0};
  uint64_t down = 0;

  // Takes a unit of the text, which occurs at `equal`. `before` is the difference before the block, in bit 0.
  Step take(uint64_t equal, Step before) {
    const uint64_t vertical = equal | down;
    equal |= before.down;
    const uint64_t horizontal = (((equal & up) + up) ^ up) | equal;
    const Step step{down | ~(horizontal | up), up & horizontal};
    const uint64_t up_next = step.up << 1 | before.up, down_next = step.down << 1 | before.down;
    up = down_next | ~(vertical | up_next);
    down = up_next & vertical;
    return step;
  }
};

class Distance {
 public:
  int64_t operator()(UnitRange a, UnitRange b) {
    while (a.size() > 0 && b.size() > 0 && *a.begin == *b.begin) ++a.begin, ++b.begin;
    while (a.size() > 0 && b.size() > 0 && a.end[-1] == b.end[-1]) --a.end, --b.end;
    if (a.size() > b.size()) std::swap(a, b);
    if (a.size() == 0) return b.size();
    return a.size() <= 64 ? of_one_block(a, b) : of_strips(a, b);
  }

 private:
  // The masks of a strip, and so its memory, are bounded, whatever the length of the pattern.
  static constexpr int64_t kStrip = 64 * block_size(64, 2);

  // masks_[number * num_blocks + block]: where the unit of this number is in the block.
  void make_masks(UnitRange pattern, int64_t num_blocks) {
    masks_.clear();
    masks_.resize(static_cast<size_t>(alphabet_.assign(pattern) * num_blocks));
    for (int64_t i = 0; i < pattern.size(); ++i) {
      masks_[static_cast<size_t>(alphabet_[pattern.begin[i]] * num_blocks + i / 64)] |= uint64_t{1} << (i % 64);
    }
  }

  int64_t of_one_block(UnitRange pattern, UnitRange text) {
    for (int64_t i = 0; i < pattern.size(); ++i) unit_masks_.add(pattern.begin[i], i);
    Block block;
    int64_t distance = pattern.size();
    const int64_t last = pattern.size() - 1;
    for (const uint32_t* p = text.begin; p < text.end; ++p) {
      distance += block.take(unit_masks_[*p], {1, 0}).difference(last);
    }
    unit_masks_.clear(pattern);
    return distance;
  }

  // Strips of the pattern, one after the other. Between two of them are the differences at each unit of the text.
  int64_t of_strips(UnitRange pattern, UnitRange text) {
    // At the beginning of the pattern, the distance increases with each unit of the text.
    edges_.assign(static_cast<size_t>(text.size()), {1, 0});
    int64_t distance = pattern.size();
    for (int64_t first = 0; first < pattern.size(); first += kStrip) {
      const UnitRange strip{pattern.begin + first, std::min(pattern.begin + first + kStrip, pattern.end)};
      const int64_t num_blocks = (strip.size() + 63) / 64, last = (strip.size() - 1) % 64;
      make_masks(strip, num_blocks);
      blocks_.assign(static_cast<size_t>(num_blocks), Block());
      for (size_t j = 0; j < edges_.size(); ++j) {
        const uint64_t* const masks = &masks_[static_cast<size_t>(alphabet_[text.begin[j]] * num_blocks)];
        Step step{}, edge{edges_[j].up, edges_[j].down};
        for (size_t i = 0; i < blocks_.size(); ++i) {
          step = blocks_[i].take(masks[i], edge);
          edge = {step.up >> 63, step.down >> 63};
        }
        edges_[j] = {static_cast<uint8_t>(edge.up), static_cast<uint8_t>(edge.down)};
        if (strip.end == pattern.end) distance += step.difference(last);
      }
    }
    return distance;
  }

  struct Edge {
    uint8_t up;
    uint8_t down;
  };

  UnitMasks unit_masks_;
  Alphabet alphabet_;
  std::vector<uint64_t> masks_;
  std::vector<Block> blocks_;
  std::vector<Edge> edges_;
};

}  // namespace

void EditDistance::run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, int64_t* out) const {
  Distance distance;
  std::vector<uint32_t> left_room, right_room;
  UnitRange left{}, right{};
  const auto read = [&](const simd::StringRun& run, int64_t i, std::vector<uint32_t>& room, UnitRange& units) {
    if (run.is_broadcast && i > 0) return;
    const StringSpan span{run.data, run.num_bytes, nullptr, 0, 0};
    units = read_units(span.view(span.clamped(run.begins[i], run.ends[i])), codepoints, room);
  };
  for (int64_t i = 0; i < count; ++i) {
    read(a, i, left_room, left);
    read(b, i, right_room, right);
    out[i] = distance(left, right);
  }
}

}  // namespace stringops::kernels
