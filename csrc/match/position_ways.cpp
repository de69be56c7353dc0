// The first half of PositionMasks: from right to left, the bytes from which each node goes on to a match.
#include <algorithm>

#include "match/position_masks.h"
#include "match/shifted_masks.h"

namespace stringops::kernels {
namespace {

constexpr int64_t kMostBeyond =
    8;  // one byte of so many may be beyond ASCII where only some strings are served by masks

bool any_of(const uint64_t* mask, int64_t words) {
  return std::any_of(mask, mask + words, [](uint64_t word) { return word != 0; });
}

}  // namespace

// Returns false if masks do not serve the block.
bool PositionMasks::find_begins(const Block& block) {
  const int64_t n = block.num_bytes, words = words_for(n);
  live_ = 0;
  known_conditions_ = 0;
  has_starts_ = has_beyond_ = false;
  if (!required_.empty() && !any_of(classify(block, required_[rarest_].set), words)) return true;
  int64_t num_beyond = 0;
  if (program_.needs_ascii() || program_.begins_beyond_ascii()) {
    CharSet beyond;
    beyond.beyond_ascii = true;
    simd_.find_set(block.data, n, beyond, beyond_.data());
    num_beyond = simd_.count_bits(beyond_.data(), words);
    has_beyond_ = num_beyond > 0 && program_.needs_ascii();
    if (has_beyond_ && (block.num_strings <= 1 || num_beyond > n / kMostBeyond)) return false;
  }
  reached_ = ~uint32_t{0};
  loops_end_ = loops_begin_ = 0;
  entries_ = 0;
  if (program_.loops_end() != 0) find_loops(block);
  int64_t total = 0;
  const auto find_all = [&](size_t begin, size_t end) {
    for (size_t i = end; i-- > begin;) live_ |= static_cast<uint32_t>(find_ways(block, i)) << i;
  };
  find_all(loops_begin_, ways_.size());
  for (int round = 0;; ++round) {
    int64_t bits = 0;
    for (uint32_t rest = entries_ & live_; rest != 0; rest &= rest - 1) {
      bits += simd_.count_bits(masks_[static_cast<size_t>(first_bit(rest))], words);
    }
    if (bits == total) break;
    if (round == kMaxRounds) return false;
    total = bits;
    find_all(loops_begin_, loops_end_);
  }
  find_all(0, loops_begin_);
  std::fill_n(begins_.begin(), words, 0);
  begins_[static_cast<size_t>(words)] = 1;  // so that there is a next one
  for (uint32_t rest = live_ & program_.begins(); rest != 0; rest &= rest - 1) {
    const auto i = static_cast<size_t>(first_bit(rest));
    const uint64_t* const ways = masks_[i];
    const uint64_t* const holds = condition(block, program_.nodes()[i].begin_if, false);
    for (size_t w = 0; w < static_cast<size_t>(words); ++w) begins_[w] |= holds ? ways[w] & holds[w] : ways[w];
  }
  // A match does not begin within a code point. If one seems to, the code point is part of a run, with which it begins.
  if (num_beyond == 0 || only_begins_) return true;
  simd_.find_codepoint_ends(block.data, n, firsts_.data());
  for (int64_t w = 0; w < words; ++w) {
    begins_[static_cast<size_t>(w)] &= before(firsts_.data(), w) | static_cast<uint64_t>(w == 0);
  }
  return true;
}

// Removes the begins after the first one of each string.
void PositionMasks::keep_first_begins(const Block& block) {
  int64_t at = next_bit(begins_.data(), 0);
  for (int64_t k = 0; k < block.num_strings; ++k) {
    if (at >= block.end(k)) continue;
    clear_bits(begins_.data(), at + 1, block.end(k));
    at = next_bit(begins_.data(), block.end(k));
  }
}

// Finds the nodes that are reached by nodes that take a byte of the block, the loops of these, and the nodes that are
// entered from the right.
void PositionMasks::find_loops(const Block& block) {
  uint32_t present = 0, last = 0;
  for (size_t i = 0; i < ways_.size(); ++i) {
    present |= static_cast<uint32_t>(any_of(classify(block, program_.nodes()[i].set), words_for(block.num_bytes))) << i;
  }
  reached_ = program_.begins() & present;
  while (last != reached_) {
    last = reached_;
    for (size_t i = 0; i < ways_.size(); ++i) {
      const uint32_t next = (last >> i & 1) != 0 ? program_.nodes()[i].after & present : 0;
      const auto back = next & static_cast<uint32_t>(low_bits(static_cast<int64_t>(i) + 1));
      reached_ |= next;
      entries_ |= back;
      if (back != 0) loops_end_ = std::max(loops_end_, i + 1);
    }
  }
  if (entries_ != 0) loops_begin_ = static_cast<size_t>(first_bit(entries_));
}

// Finds the bytes from which a match goes on by a node. Returns whether there are any.
bool PositionMasks::find_ways(const Block& block, size_t i) {
  const Node& node = program_.nodes()[i];
  const int64_t words = words_for(block.num_bytes);
  const bool begins = (program_.begins() >> i & 1) != 0;
  // If matches begin with a run, its last character is enough to tell that there is one.
  const bool loops = node.loops && !(only_begins_ && begins && node.before == 0 && node.begin_if < 0);
  const uint64_t* next[PositionAutomaton::kMaxNodes];
  int64_t count = 0;
  for (uint32_t rest = node.after & live_; rest != 0; rest &= rest - 1) {
    next[count++] = masks_[static_cast<size_t>(first_bit(rest))];
  }
  if ((reached_ >> i & 1) == 0 || (!node.accepts && count == 0)) return false;
  const uint64_t* const set = classify(block, node.set);
  const bool ends_always = node.accepts && node.accept_if < 0;
  if (masks_[i] == set) return any_of(set, words);
  passes_ += passes_of(node);
  mark_starts(block);
  uint64_t* const out = ways_[i].data();
  const uint64_t* lasts = set;
  if (!ends_always) {
    const uint64_t* const ends = node.accepts ? condition(block, node.accept_if, true) : nullptr;
    uint64_t* const found = node.count == 1 ? out : scratch_[0].data();
    if (!simd_.find_ways(set, next, count, ends, loops, starts_.data(), words, found)) return false;
    lasts = found;
  }
  if (node.count == 1) return true;
  extend_ways(node, lasts, words, out);
  return any_of(out, words);
}

// Sets `out` to the first bytes of repetitions, of whose last ones `lasts` are.
void PositionMasks::extend_ways(const Node& node, const uint64_t* lasts, int64_t words, uint64_t* out) {
  uint64_t *const run = scratch_[1].data(), *const all = scratch_[2].data(), *const moved = scratch_[3].data();
  const uint64_t* const set = sets_[node.set].data();
  for (int64_t w = 0; w < words; ++w) run[w] = set[w] & ~after(starts_.data(), w);
  if (node.is_range) {
    extend<false>(run, node.count, words, lasts, out, all, moved);
  } else {
    combine<false, false>(node.count - 1, words, run, moved);
    shift<false>(lasts, node.count - 1, words, moved);
    for (int64_t w = 0; w < words; ++w) out[w] = run[w] & moved[w];
  }
  out[words] = 0;
}

void PositionMasks::mark_starts(const Block& block) {
  if (has_starts_) return;
  has_starts_ = true;
  mark_string_starts(block, starts_.data());
}

const uint64_t* PositionMasks::classify(const Block& block, size_t set) {
  uint64_t* const words = sets_[set].data();
  if ((known_sets_ >> set & 1) != 0) return words;
  known_sets_ |= uint64_t{1} << set;
  ++passes_;
  if (bytes_[set] < 0x80) {
    simd_.find_byte(block.data, block.num_bytes, bytes_[set], words);
  } else {
    simd_.find_set(block.data, block.num_bytes, char_sets_[set], words);
  }
  words[words_for(block.num_bytes)] = 0;
  return words;
}

// The bytes before which, or if `at_end` after which a condition holds. Null if there is none.
const uint64_t* PositionMasks::condition(const Block& block, int number, bool at_end) {
  if (number < 0) return nullptr;
  const auto i = 2 * static_cast<size_t>(number) + at_end;
  uint64_t* const out = conditions_[i].data();
  if ((known_conditions_ >> i & 1) != 0) return out;
  known_conditions_ |= uint64_t{1} << i;
  mark_starts(block);
  const int64_t words = words_for(block.num_bytes);
  std::fill_n(out, words, 0);
  for (const PositionAutomaton::Case& one : program_.conditions()[static_cast<size_t>(number)]) {
    const uint64_t *const left = classify(block, one.before), *const right = classify(block, one.after);
    const uint64_t edge = uint64_t{0} - static_cast<uint64_t>(at_end ? one.at_end : one.at_begin);
    for (int64_t w = 0; w < words; ++w) {
      if (at_end) {
        const uint64_t last = after(starts_.data(), w);
        out[w] |= left[w] & ((after(right, w) & ~last) | (last & edge));
      } else {
        const uint64_t first = starts_[static_cast<size_t>(w)] | static_cast<uint64_t>(w == 0);
        out[w] |= right[w] & ((before(left, w) & ~first) | (first & edge));
      }
    }
  }
  return out;
}

}  // namespace stringops::kernels
