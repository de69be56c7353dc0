#include "match/position_masks.h"

#include <algorithm>

#include "core/utf8.h"

namespace stringops::kernels {
PositionMasks::PositionMasks(const Pattern& pattern, bool only_begins, const simd::Primitives& simd)
    : program_(*pattern.position_automaton()), only_begins_(only_begins), simd_(simd), search_(pattern, only_begins) {
  sets_.resize(program_.sets().size());
  ways_.resize(program_.nodes().size());
  paths_.resize(ways_.size());
  for (const CharSet& set : program_.sets()) bytes_.push_back(only_char(set).value_or(0x80));
  for (size_t i = 0; i < ways_.size(); ++i) {
    const PositionAutomaton::Node& node = program_.nodes()[i];
    masks_.push_back(node.accepts ? sets_[node.set].data() : ways_[i].data());
  }
}

void PositionMasks::split(const Block& block, uint64_t* kept, uint64_t* ends) {
  const int64_t words = words_for(block.num_bytes);
  std::fill_n(kept, words, 0);
  std::fill_n(ends, words, 0);
  const int64_t from = search_.split_long(block, kept, ends);
  if (from == block.num_bytes) return;
  if (!find_begins(block)) return search_.split_strings(block, from > 0 ? 1 : 0, kept, ends);
  clear_bits(begins_.data(), 0, from);
  if ((live_ & program_.begins()) == 0) return;
  if (only_begins_) {
    for (size_t w = 0; w < static_cast<size_t>(words); ++w) {
      kept[w] |= begins_[w];
      ends[w] |= begins_[w];
    }
  } else {
    take_matches(block, kept, ends);
  }
}

// Returns false if masks do not serve the block.
bool PositionMasks::find_begins(const Block& block) {
  const int64_t n = block.num_bytes, words = words_for(n);
  bool is_ascii = true;
  if (program_.needs_ascii() || program_.begins_beyond_ascii()) {
    CharSet beyond;
    beyond.beyond_ascii = true;
    simd_.find_set(block.data, n, beyond, beyond_ascii_.data());
    is_ascii = std::all_of(beyond_ascii_.begin(), beyond_ascii_.begin() + words, [](uint64_t w) { return w == 0; });
    if (!is_ascii && program_.needs_ascii()) return false;
  }
  known_sets_ = live_ = 0;
  has_starts_ = false;
  for (size_t i = ways_.size(); i-- > 0;) {
    const PositionAutomaton::Node& node = program_.nodes()[i];
    const bool begins = (program_.begins() >> i & 1) != 0;
    // If matches begin with a run, its last character is enough to tell that there is one.
    const bool loops = node.loops && !(only_begins_ && begins && node.before == 0);
    const uint64_t* next[PositionAutomaton::kMaxNodes];
    int64_t count = 0;
    for (uint32_t rest = node.after & live_; rest != 0; rest &= rest - 1) {
      next[count++] = masks_[static_cast<size_t>(first_bit(rest))];
    }
    if (!node.accepts && count == 0) continue;
    classify(block, node.set);
    bool any = false;
    if (node.accepts) {
      any = std::any_of(masks_[i], masks_[i] + words, [](uint64_t word) { return word != 0; });
    } else {
      mark_starts(block);
      any = simd_.find_ways(sets_[node.set].data(), next, count, loops, starts_.data(), words, ways_[i].data());
    }
    live_ |= static_cast<uint32_t>(any) << i;
  }
  std::fill_n(begins_.begin(), words, 0);
  for (uint32_t rest = live_ & program_.begins(); rest != 0; rest &= rest - 1) {
    const uint64_t* const ways = masks_[static_cast<size_t>(first_bit(rest))];
    for (size_t w = 0; w < static_cast<size_t>(words); ++w) begins_[w] |= ways[w];
  }
  // A match does not begin within a code point. If one seems to, the code point is part of a run, with which it begins.
  if (is_ascii || only_begins_) return true;
  simd_.find_codepoint_ends(block.data, n, beyond_ascii_.data());
  uint64_t before = 1;
  for (size_t w = 0; w < static_cast<size_t>(words); ++w) {
    begins_[w] &= beyond_ascii_[w] << 1 | before;
    before = beyond_ascii_[w] >> (kWordBits - 1);
  }
  return true;
}

void PositionMasks::mark_starts(const Block& block) {
  if (has_starts_) return;
  has_starts_ = true;
  mark_string_starts(block, starts_.data());
}

void PositionMasks::classify(const Block& block, size_t set) {
  if ((known_sets_ >> set & 1) != 0) return;
  known_sets_ |= uint32_t{1} << set;
  uint64_t* const words = sets_[set].data();
  if (bytes_[set] < 0x80) {
    simd_.find_byte(block.data, block.num_bytes, bytes_[set], words);
  } else {
    simd_.find_set(block.data, block.num_bytes, program_.sets()[set], words);
  }
  words[words_for(block.num_bytes)] = 0;
}

// Takes all matches at once: from the first byte of each run of begins, the bytes that are taken on the way to a match.
// A match goes on from each of them, so they are its bytes; and it ends where no byte is taken next, or another one
// begins. That is wrong only where a match enters another begin, or a begin is left over: such strings are done again.
void PositionMasks::take_matches(const Block& block, uint64_t* kept, uint64_t* ends) {
  mark_starts(block);
  const int64_t words = words_for(block.num_bytes);
  const auto count = static_cast<size_t>(words);
  PaddedMask& firsts = beyond_ascii_;
  uint64_t last = 0;
  for (size_t w = 0; w < count; ++w) {
    firsts[w] = begins_[w] & ~((begins_[w] << 1 | last) & ~starts_[w]);
    last = begins_[w] >> (kWordBits - 1);
  }
  firsts[count] = 0;
  std::fill_n(entered_.begin(), count, 0);
  std::fill_n(taken_.begin(), count + 1, 0);
  for (size_t i = 0; i < masks_.size(); ++i) {
    if ((live_ >> i & 1) == 0) continue;
    const PositionAutomaton::Node& node = program_.nodes()[i];
    const uint64_t* before[PositionAutomaton::kMaxNodes];
    int64_t num_before = 0;
    for (uint32_t rest = node.before & live_; rest != 0; rest &= rest - 1) {
      before[num_before++] = paths_[static_cast<size_t>(first_bit(rest))].data();
    }
    simd_.follow_ways(masks_[i], (program_.begins() >> i & 1) != 0 ? firsts.data() : nullptr, before, num_before,
                      node.loops, starts_.data(), words, entered_.data(), paths_[i].data());
    for (size_t w = 0; w < count; ++w) taken_[w] |= paths_[i][w];
  }
  const auto next = [](const PaddedMask& mask, size_t w) { return mask[w] >> 1 | mask[w + 1] << (kWordBits - 1); };
  uint64_t any = 0;
  for (size_t w = 0; w < count; ++w) {
    kept[w] |= taken_[w];
    ends[w] |= taken_[w] & (~next(taken_, w) | next(firsts, w) | next(starts_, w));
    entered_[w] = (entered_[w] & firsts[w]) | (begins_[w] & ~taken_[w]);
    any |= entered_[w];
  }
  if (any == 0) return;
  for (int64_t at = 0, w = 0; w < words; ++w) {
    for (uint64_t rest = entered_[static_cast<size_t>(w)]; rest != 0; rest &= rest - 1) {
      const int64_t wrong = w * kWordBits + first_bit(rest);
      if (wrong >= at) at = take_string(wrong, kept, ends);
    }
  }
}

// Takes the matches of the string of byte `wrong`, one after the other. Returns the end of the string.
int64_t PositionMasks::take_string(int64_t wrong, uint64_t* kept, uint64_t* ends) const {
  const int64_t stop = next_bit(starts_.data(), wrong + 1);
  int64_t w = wrong / kWordBits;
  uint64_t word = starts_[static_cast<size_t>(w)] & low_bits(wrong % kWordBits + 1);
  while (word == 0 && w > 0) word = starts_[static_cast<size_t>(--w)];
  const int64_t first = word == 0 ? 0 : w * kWordBits + last_bit(word);
  clear_bits(kept, first, stop);
  clear_bits(ends, first, stop);
  for (int64_t at = first; at < stop;) {
    w = at / kWordBits;
    word = begins_[static_cast<size_t>(w)] & ~low_bits(at % kWordBits);
    if (word == 0) {
      at = (w + 1) * kWordBits;
      continue;
    }
    const int64_t begin = w * kWordBits + first_bit(word);
    if (begin >= stop) break;
    at = end_of_match(begin, stop);
    set_bits(kept, begin, at);
    set_bit(ends, at - 1);
  }
  return stop;
}

// Returns the end of the match that begins at `begin`. Every byte that is read belongs to a viable match.
int64_t PositionMasks::end_of_match(int64_t begin, int64_t stop) const {
  int64_t end = begin + 1;
  uint32_t entered = program_.begins();  // nodes that may take the first byte of a window
  for (int64_t at = begin; at < stop && entered != 0; at += kWordBits) {
    const uint64_t inside = low_bits(stop - at);
    uint64_t taken[PositionAutomaton::kMaxNodes], last = 0;
    uint32_t goes_on = 0;
    for (size_t i = 0; i < masks_.size(); ++i) {  // without branches on the text
      const PositionAutomaton::Node& node = program_.nodes()[i];
      uint64_t bytes = entered >> i & 1;
      for (uint32_t rest = node.before; rest != 0; rest &= rest - 1) bytes |= taken[first_bit(rest)] << 1;
      const uint64_t is_live = uint64_t{0} - (live_ >> i & 1);
      const uint64_t ways = bits_at(masks_[i], at) & inside & is_live;
      bytes &= ways;
      if (node.loops) bytes = (((bytes + ways) ^ ways) | bytes) & ways;
      if (node.accepts) last |= bytes;
      goes_on |=
          (uint32_t{0} - static_cast<uint32_t>(bytes >> (kWordBits - 1))) & (node.after | uint32_t{node.loops} << i);
      taken[i] = bytes;
    }
    if (last != 0) end = at + last_bit(last) + 1;
    entered = goes_on;
  }
  return end;
}

}  // namespace stringops::kernels
