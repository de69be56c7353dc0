#include "split/around_masks.h"

#include <algorithm>

#include "regex/simple_patterns.h"
#include "split/near_bits.h"

namespace stringops::kernels {

// The nodes [begin, end) as S+, or as ST*, where T has all of S.
std::optional<AroundMasks::Side> AroundMasks::side_of(const PositionAutomaton& program, size_t begin, size_t end) {
  if (begin == end || end - begin > 2) return std::nullopt;
  const auto &first = program.nodes()[begin], &run = program.nodes()[end - 1];
  const bool is_single = end - begin == 1;
  if (!run.loops || (!is_single && first.loops)) return std::nullopt;
  const Side side{program.sets()[first.set], program.sets()[run.set]};
  CharSet both = side.run;
  both.add(side.first);
  return both == side.run ? std::optional(side) : std::nullopt;
}

std::optional<AroundMasks> AroundMasks::make(const PositionAutomaton& program, const simd::Primitives& simd) {
  const std::vector<PositionAutomaton::Node>& nodes = program.nodes();
  const size_t count = nodes.size();
  if (program.needs_ascii() || program.begins() != 1) return std::nullopt;
  for (size_t i = 1; i < count; ++i) {
    const auto bits = [](size_t first, size_t last) { return (uint32_t{1} << last) - (uint32_t{1} << first); };
    const auto middle = only_char(program.sets()[nodes[i].set]);
    const auto before = side_of(program, 0, i), after = side_of(program, i + 1, count);
    if (!middle || !before || !after || nodes[i].loops || nodes[i].accepts) continue;
    if (before->run.contains(*middle) || after->run.contains(*middle)) continue;
    // Each node of a side leads to the next one, and, before the character, to it; those after it accept.
    bool fits = nodes[i].after == bits(i + 1, i + 2);
    for (size_t k = 0; k < count; ++k) {
      if (k < i) fits &= !nodes[k].accepts && nodes[k].after == bits(k + 1, i + 1);
      if (k > i) fits &= nodes[k].accepts && nodes[k].after == bits(k + 1, count);
    }
    if (!fits) continue;
    AroundMasks masks(simd);
    masks.before_ = *before;
    masks.after_ = *after;
    masks.middle_ = *middle;
    return masks;
  }
  return std::nullopt;
}

void AroundMasks::split(const Block& block, int64_t from, uint64_t* kept, uint64_t* ends) {
  const int64_t n = block.num_bytes;
  const auto words = static_cast<size_t>(words_for(n));
  simd_.find_byte(block.data, n, middle_, middles_.data());
  if (simd_.count_bits(middles_.data(), words_for(n)) == 0) return;
  mark_string_starts(block, starts_.data());
  const auto find = [&](const CharSet& set, PaddedMask* mask) {
    simd_.find_set(block.data, n, set, mask->data());
    (*mask)[words] = (*mask)[words + 1] = 0;
  };
  find(before_.run, &runs_before_);
  find(before_.first, &firsts_before_);
  firsts_before_[words] = ~uint64_t{0};  // so that there is one
  if (after_.run == before_.run) {
    stops_after_ = runs_before_;
  } else {
    find(after_.run, &stops_after_);
  }
  const PaddedMask* firsts_after = after_.first == before_.first ? &firsts_before_ : &firsts_after_;
  if (after_.first != before_.first) find(after_.first, &firsts_after_);
  uint64_t last = 0;
  for (size_t w = 0; w <= words; ++w) {
    const uint64_t run = runs_before_[w], follows = (run << 1 | last) & ~starts_[w];
    last = run >> (kWordBits - 1);
    const uint64_t next = (*firsts_after)[w] & ~starts_[w];
    const uint64_t after_next = w < words ? (*firsts_after)[w + 1] & ~starts_[w + 1] : 0;
    middles_[w] = w < words ? middles_[w] & follows & (next >> 1 | after_next << (kWordBits - 1)) : 0;
    runs_before_[w] = run & ~follows;  // the begins of runs
    stops_after_[w] = ~stops_after_[w] | starts_[w];
  }
  int64_t at = from;
  for (int64_t w = from / kWordBits; w < static_cast<int64_t>(words); ++w) {
    for (uint64_t rest = middles_[static_cast<size_t>(w)]; rest != 0; rest &= rest - 1) {
      const int64_t middle = w * kWordBits + first_bit(rest);
      int64_t begin = std::max(at, last_before(runs_before_.data(), middle));
      if (begin >= middle) continue;
      begin = first_from(firsts_before_.data(), begin);
      if (begin >= middle) continue;
      at = first_from(stops_after_.data(), middle + 2);
      set_short(kept, begin, at);
      set_bit(ends, at - 1);
    }
  }
}

}  // namespace stringops::kernels
