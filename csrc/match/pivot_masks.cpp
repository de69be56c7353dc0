#include "match/pivot_masks.h"

#include "core/bits.h"
#include "regex/simple_patterns.h"

namespace stringops::kernels {
namespace {

constexpr size_t kMaxPivot = 3;          // bytes; more are hardly ever rarer
constexpr int64_t kBytesPerPivot = 128;  // with more pivots, masks of all nodes take less time
constexpr int64_t kStepsPerByte = 1;
constexpr int64_t kLeftOut = 15;  // blocks after one in which the search was of no use

constexpr uint32_t bit(size_t node) {
  return uint32_t{1} << node;
}

}  // namespace

std::optional<PivotMasks> PivotMasks::make(const PositionAutomaton& program, const simd::Primitives& simd) {
  if (program.needs_ascii()) return std::nullopt;
  const std::vector<PositionAutomaton::Node>& nodes = program.nodes();
  PivotMasks masks(program, simd);
  const auto byte_of = [&](size_t node) { return only_char(program.sets()[nodes[node].set]); };
  for (size_t i = 0; i < nodes.size(); ++i) {
    masks.accepts_ |= nodes[i].accepts ? bit(i) : 0;
    for (int b = 0; b < 256; ++b) {
      if (program.sets()[nodes[i].set].contains(static_cast<uint8_t>(b)))
        masks.takes_[static_cast<size_t>(b)] |= bit(i);
    }
  }
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (!byte_of(i) || !masks.is_passed_by_all(i)) continue;
    size_t last = i;
    // The next node follows this one alone, and is followed by it alone.
    while (last + 1 < nodes.size() && last + 1 - i < kMaxPivot && !nodes[last].loops && !nodes[last].accepts &&
           nodes[last].after == bit(last + 1) && nodes[last + 1].before == bit(last) && byte_of(last + 1) &&
           (program.begins() & bit(last + 1)) == 0) {
      ++last;
    }
    const size_t size = last + 1 - i, best = masks.bytes_.size();
    if (size < best || (size == best && !is_rarer(*byte_of(i), masks.bytes_[0].byte))) continue;
    masks.first_ = i;
    masks.last_ = last;
    masks.bytes_.clear();
    for (size_t k = i; k <= last; ++k) masks.bytes_.push_back({static_cast<int64_t>(k - i), *byte_of(k)});
  }
  if (masks.bytes_.empty()) return std::nullopt;
  return masks;
}

// Returns whether no path leads from a begin to an end without the node.
bool PivotMasks::is_passed_by_all(size_t node) const {
  uint32_t reached = program_->begins() & ~bit(node);
  for (size_t i = 0; i < program_->nodes().size(); ++i) {  // each after those before it
    if ((reached & bit(i)) != 0) reached |= program_->nodes()[i].after & ~bit(node);
  }
  return (reached & accepts_) == 0;
}

// Returns whether a match goes on to its end after the pivot, which ends at `at`.
bool PivotMasks::goes_on(const uint8_t* at, const uint8_t* end) {
  for (uint32_t nodes = bit(last_); (nodes & accepts_) == 0; ++at, ++steps_) {
    if (nodes == 0 || at == end) return false;
    uint32_t next = 0;
    for (uint32_t rest = nodes; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<size_t>(first_bit(rest));
      next |= program_->nodes()[i].after | (program_->nodes()[i].loops ? bit(i) : 0);
    }
    nodes = next & takes_[*at];
  }
  return true;
}

// Returns whether a match leads to the pivot, which begins at `at`.
bool PivotMasks::begins(const uint8_t* at, const uint8_t* begin) {
  for (uint32_t nodes = bit(first_); (nodes & program_->begins()) == 0; ++steps_) {
    if (nodes == 0 || at == begin) return false;
    uint32_t next = 0;
    for (uint32_t rest = nodes; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<size_t>(first_bit(rest));
      next |= program_->nodes()[i].before | (program_->nodes()[i].loops ? bit(i) : 0);
    }
    nodes = next & takes_[*--at];
  }
  return true;
}

bool PivotMasks::leave_out() {
  num_left_out_ = kLeftOut;
  return false;
}

bool PivotMasks::split(const Block& block, int64_t from, uint64_t* kept, uint64_t* ends) {
  if (num_left_out_ > 0) {
    --num_left_out_;
    return false;
  }
  const int64_t n = block.num_bytes, words = words_for(n), size = static_cast<int64_t>(bytes_.size());
  if (size == 1) {
    simd_->find_byte(block.data, n, bytes_[0].byte, found_.data());
  } else {
    simd_->find_bytes(block.data, n, block.readable, bytes_.data(), size, found_.data());
  }
  if (simd_->count_bits(found_.data(), words) > n / kBytesPerPivot) return leave_out();
  steps_ = 0;
  int64_t k = 0;
  for (int64_t w = from / kWordBits; w < words; ++w) {
    for (uint64_t rest = found_[static_cast<size_t>(w)]; rest != 0; rest &= rest - 1) {
      const int64_t at = w * kWordBits + first_bit(rest);
      if (at < from) continue;
      while (k + 1 < block.num_strings && block.end(k) <= at) ++k;
      if (at + size > block.end(k)) continue;
      if (goes_on(block.data + at + size, block.data + block.end(k)) &&
          begins(block.data + at, block.data + block.begin(k))) {
        set_bit(kept, at);
        set_bit(ends, at);
        from = block.end(k);
      }
      if (steps_ > kStepsPerByte * n) return leave_out();
    }
  }
  return true;
}

}  // namespace stringops::kernels
