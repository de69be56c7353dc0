#include "match/delimited_masks.h"

#include <algorithm>

#include "match/near_bits.h"
#include "regex/simple_patterns.h"

namespace stringops::kernels {

std::optional<DelimitedMasks> DelimitedMasks::make(const PositionAutomaton& program, const simd::Primitives& simd) {
  const std::vector<PositionAutomaton::Node>& nodes = program.nodes();
  const auto bit = [](size_t node) { return uint32_t{1} << node; };
  const auto set = [&](size_t node) -> const CharSet& { return program.sets()[nodes[node].set]; };
  DelimitedMasks masks(simd);
  uint32_t begins = 0;
  CharSet opens;
  for (size_t i = 0; i < nodes.size(); i += 3) {
    if (i + 3 > nodes.size() || program.needs_ascii()) return std::nullopt;
    const auto &open = nodes[i], &run = nodes[i + 1], &close = nodes[i + 2];
    const auto first = only_char(set(i)), last = only_char(set(i + 2));
    const bool can_be_empty = open.after == (bit(i + 1) | bit(i + 2));
    if (!first || !last || opens.contains(*first) || set(i + 1).contains(*last)) return std::nullopt;
    if (open.loops || open.accepts || (!can_be_empty && open.after != bit(i + 1))) return std::nullopt;
    if (!run.loops || run.accepts || run.after != bit(i + 2)) return std::nullopt;
    if (close.loops || !close.accepts || close.after != 0) return std::nullopt;
    opens.add(*first);
    begins |= bit(i);
    masks.of_byte_[*first] = static_cast<uint8_t>(masks.alternatives_.size());
    CharSet others = set(i + 1);
    others.invert();
    masks.alternatives_.push_back({*first, *last, others, can_be_empty, {}, {}});
  }
  if (program.begins() != begins) return std::nullopt;
  return masks;
}

void DelimitedMasks::split(const Block& block, int64_t from, uint64_t* kept, uint64_t* ends) {
  const int64_t n = block.num_bytes;
  const auto words = static_cast<size_t>(words_for(n));
  uint64_t any = 0;
  std::fill_n(opens_.begin(), words, 0);
  for (Alternative& a : alternatives_) {
    simd_.find_byte(block.data, n, a.open, a.closes.data());
    for (size_t w = 0; w < words; ++w) any |= opens_[w] |= a.closes[w];
  }
  if (any == 0) return;
  mark_string_starts(block, starts_.data());
  for (Alternative& a : alternatives_) {
    if (a.close != a.open) simd_.find_byte(block.data, n, a.close, a.closes.data());
    simd_.find_set(block.data, n, a.others, a.stops.data());
    a.stops[words] = a.closes[words] = 0;
    for (size_t w = 0; w <= words; ++w) {
      a.stops[w] |= starts_[w];
      a.closes[w] &= ~starts_[w];
    }
    a.stops[words + 1] = 0;
  }
  int64_t at = from;
  for (size_t w = static_cast<size_t>(from / kWordBits); w < words; ++w) {
    const auto first = static_cast<int64_t>(w) * kWordBits;
    const auto clear_before = [&](uint64_t bits) { return at - first < kWordBits ? bits & ~low_bits(at - first) : 0; };
    for (uint64_t rest = at > first ? clear_before(opens_[w]) : opens_[w]; rest != 0;) {
      const int64_t begin = first + first_bit(rest);
      const Alternative& a = alternatives_[of_byte_[block.data[begin]]];
      const int64_t stop = first_from(a.stops.data(), begin + 1);
      rest &= rest - 1;
      if (!test_bit(a.closes.data(), stop) || (stop == begin + 1 && !a.can_be_empty)) continue;
      set_short(kept, begin, stop + 1);
      set_bit(ends, stop);
      at = stop + 1;
      rest = clear_before(rest);
    }
  }
}

}  // namespace stringops::kernels
