#include "match/position_masks.h"

#include <algorithm>

#include "core/utf8.h"
#include "match/shifted_masks.h"

namespace stringops::kernels {
namespace {

// Rounds of a block until the nodes of a loop do not change. The engine takes blocks whose loops are longer.
constexpr int kMaxRounds = 12;
// Words of a block for each begin that a match enters, so that taking all again is as fast as searching there.
constexpr int64_t kEnteredWords = 8;

bool any_of(const uint64_t* mask, int64_t words) {
  return std::any_of(mask, mask + words, [](uint64_t word) { return word != 0; });
}

}  // namespace

PositionMasks::PositionMasks(const Pattern& pattern, bool only_begins, const simd::Primitives& simd)
    : program_(*pattern.position_automaton()), only_begins_(only_begins), simd_(simd), search_(pattern, only_begins) {
  sets_.resize(program_.sets().size());
  ways_.resize(program_.nodes().size());
  paths_.resize(ways_.size());
  conditions_.resize(2 * program_.conditions().size());
  for (const CharSet& set : program_.sets()) bytes_.push_back(only_char(set).value_or(0x80));
  const auto required = std::find(bytes_.begin(), bytes_.end(), pattern.char_of_matches().value_or(0xFF));
  for (const Node& node : program_.nodes()) inside_.add(program_.sets()[node.set]);
  if (required != bytes_.end()) required_ = static_cast<int>(required - bytes_.begin());
  for (size_t i = 0; i < ways_.size(); ++i) {
    const Node& node = program_.nodes()[i];
    const bool is_set = node.accepts && node.accept_if < 0 && (node.is_range || node.count == 1);
    masks_.push_back(is_set ? sets_[node.set].data() : ways_[i].data());
  }
}

void PositionMasks::split(const Block& block, uint64_t* kept, uint64_t* ends) {
  const int64_t words = words_for(block.num_bytes);
  std::fill_n(kept, words, 0);
  std::fill_n(ends, words, 0);
  const bool is_part = block.starts_inside || block.num_strings == 0;
  if (!is_part) {
    if (!find_pieces(block, kept, ends)) search_.split_strings(block, 0, block.num_strings, kept, ends);
    return;
  }
  if (!block.starts_inside) is_searched_ = false;
  if (!is_searched_ && find_in_window(block, kept, ends)) return;
  if (!is_searched_) search_.begin_long(block);
  is_searched_ = true;
  search_.split_long(block, kept, ends);
  search_.split_strings(block, 1, block.num_strings, kept, ends);
}

// Finds the pieces of a block that divides a string, together with bytes around it: up to some that are in no match, so
// that what is beyond them makes no difference. Returns false if masks do not serve it.
bool PositionMasks::find_in_window(const Block& block, uint64_t* kept, uint64_t* ends) {
  const bool goes_on = block.num_strings == 0;
  const int64_t most_before = std::min(block.num_before, kMaxAround);
  const int64_t most_after = goes_on ? std::min(block.readable - block.num_bytes, kMaxAround) : 0;
  int64_t left = 0, right = 0;
  while (left < most_before && inside_.contains(block.data[-left - 1])) ++left;
  while (right < most_after && inside_.contains(block.data[block.num_bytes + right])) ++right;
  if (left < block.num_before && left++ == kMaxAround) return false;
  const bool ends_after = goes_on && right == block.readable - block.num_bytes;
  if (goes_on && !ends_after && right++ == kMaxAround) return false;
  window_.data = block.data - left;
  window_.num_bytes = left + block.num_bytes + right;
  window_.num_strings = ends_after ? 1 : block.num_strings;
  for (int64_t k = 0; k < block.num_strings; ++k) {
    window_.string_ends[static_cast<size_t>(k)] = block.end(k) + static_cast<int32_t>(left);
  }
  if (ends_after) window_.string_ends[0] = static_cast<int32_t>(window_.num_bytes);
  window_.starts_inside = true;
  const int64_t words = words_for(window_.num_bytes);
  for (PaddedMask& mask : found_) std::fill_n(mask.begin(), words, 0);
  if (!find_pieces(window_, found_[0].data(), found_[1].data())) return false;
  for (size_t i = 0; i < 2; ++i) {
    uint64_t* const out = i == 0 ? kept : ends;
    shift<false>(found_[i].data(), left, words, scratch_[0].data());
    std::copy_n(scratch_[0].begin(), words_for(block.num_bytes), out);
    trim_last_word(block, out);
  }
  return true;
}

// Adds the bits of the pieces of a block, or returns false if masks do not serve it.
bool PositionMasks::find_pieces(const Block& block, uint64_t* kept, uint64_t* ends) {
  if (!find_begins(block)) return false;
  if ((live_ & program_.begins()) == 0) return true;
  if (!only_begins_) return take_matches(block, kept, ends);
  for (size_t w = 0; w < static_cast<size_t>(words_for(block.num_bytes)); ++w) {
    kept[w] |= begins_[w];
    ends[w] |= begins_[w];
  }
  return true;
}

// Returns false if masks do not serve the block.
bool PositionMasks::find_begins(const Block& block) {
  const int64_t n = block.num_bytes, words = words_for(n);
  bool is_ascii = true;
  if (program_.needs_ascii() || program_.begins_beyond_ascii()) {
    CharSet beyond;
    beyond.beyond_ascii = true;
    simd_.find_set(block.data, n, beyond, firsts_.data());
    is_ascii = !any_of(firsts_.data(), words);
    if (!is_ascii && program_.needs_ascii()) return false;
  }
  known_sets_ = live_ = 0;
  known_conditions_ = 0;
  has_starts_ = false;
  if (required_ >= 0 && !any_of(classify(block, static_cast<size_t>(required_)), words)) return true;
  reached_ = ~uint32_t{0};
  loops_end_ = program_.loops_end() == 0 ? 0 : find_loops(block);
  int64_t total = 0;
  size_t end = ways_.size();
  for (int round = 0;; ++round) {
    for (size_t i = end; i-- > 0;) live_ |= static_cast<uint32_t>(find_ways(block, i)) << i;
    end = loops_end_;
    int64_t bits = 0;
    for (size_t i = 0; i < end; ++i) {
      if ((live_ >> i & 1) != 0) bits += simd_.count_bits(masks_[i], words);
    }
    if (bits == total) break;
    if (round == kMaxRounds) return false;
    total = bits;
  }
  std::fill_n(begins_.begin(), words, 0);
  begins_[static_cast<size_t>(words)] = 1;  // so that there is a next one
  for (uint32_t rest = live_ & program_.begins(); rest != 0; rest &= rest - 1) {
    const auto i = static_cast<size_t>(first_bit(rest));
    const uint64_t* const ways = masks_[i];
    const uint64_t* const holds = condition(block, program_.nodes()[i].begin_if, false);
    for (size_t w = 0; w < static_cast<size_t>(words); ++w) begins_[w] |= holds ? ways[w] & holds[w] : ways[w];
  }
  // A match does not begin within a code point. If one seems to, the code point is part of a run, with which it begins.
  if (is_ascii || only_begins_) return true;
  simd_.find_codepoint_ends(block.data, n, firsts_.data());
  for (int64_t w = 0; w < words; ++w) {
    begins_[static_cast<size_t>(w)] &= before(firsts_.data(), w) | static_cast<uint64_t>(w == 0);
  }
  return true;
}

// Finds the nodes that are reached by nodes that take a byte of the block. Returns the end of those that are part of
// loops.
size_t PositionMasks::find_loops(const Block& block) {
  uint32_t present = 0, last = 0;
  for (size_t i = 0; i < ways_.size(); ++i) {
    present |= static_cast<uint32_t>(any_of(classify(block, program_.nodes()[i].set), words_for(block.num_bytes))) << i;
  }
  reached_ = program_.begins() & present;
  size_t end = 0;
  while (last != reached_) {
    last = reached_;
    for (size_t i = 0; i < ways_.size(); ++i) {
      const uint32_t next = (last >> i & 1) != 0 ? program_.nodes()[i].after & present : 0;
      reached_ |= next;
      if ((next & low_bits(static_cast<int64_t>(i) + 1)) != 0) end = std::max(end, i + 1);
    }
  }
  return end;
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
    extend<false>(run, node.count - 1, words, lasts, out, all, moved);
    shift<false>(lasts, node.count - 1, words, moved);
    for (int64_t w = 0; w < words; ++w) out[w] = all[w] & moved[w];
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
  known_sets_ |= uint32_t{1} << set;
  if (bytes_[set] < 0x80) {
    simd_.find_byte(block.data, block.num_bytes, bytes_[set], words);
  } else {
    simd_.find_set(block.data, block.num_bytes, program_.sets()[set], words);
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

// Takes all matches at once: from the first byte of each run of begins, the bytes that are taken on the way to a match.
// A match goes on from each of them, so they are its bytes; and it ends where no byte is taken next, or another one
// begins. That is wrong only where a match enters another begin, or a begin is left over: there the engine searches.
// But if many begins are entered, all are taken again without those: a begin that no other enters begins a match.
// Returns false if masks do not serve the block.
bool PositionMasks::take_matches(const Block& block, uint64_t* kept, uint64_t* ends) {
  const int64_t words = words_for(block.num_bytes);
  const auto count = static_cast<size_t>(words);
  mark_starts(block);
  uint64_t last = 0;
  for (size_t w = 0; w < count; ++w) {
    firsts_[w] = begins_[w] & ~((begins_[w] << 1 | last) & ~starts_[w]);
    last = begins_[w] >> (kWordBits - 1);
  }
  firsts_[count] = 0;
  if (!follow_firsts(block)) return false;
  int64_t num_entered = 0;
  for (size_t w = 0; w < count; ++w) num_entered += popcount(entered_[w] & firsts_[w]);
  if (num_entered > words / kEnteredWords) {
    for (size_t w = 0; w < count; ++w) firsts_[w] &= ~entered_[w];
    if (!follow_firsts(block)) return false;
  }
  uint64_t any = 0;
  for (int64_t k = 0; k < words; ++k) {
    const auto w = static_cast<size_t>(k);
    kept[w] |= taken_[w];
    ends[w] |= taken_[w] & (~after(taken_.data(), k) | after(firsts_.data(), k) | after(starts_.data(), k));
    entered_[w] = (entered_[w] & firsts_[w]) | (begins_[w] & ~taken_[w]);
    any |= entered_[w];
  }
  if (any == 0) return true;
  entered_[count] = 1;  // so that there is a next one
  for (int64_t at = next_bit(entered_.data(), 0); at < block.num_bytes; at = next_bit(entered_.data(), at)) {
    at = search_string(block, at, kept, ends);
    if (at < 0) return false;
  }
  return true;
}

// Takes the bytes on the ways from `firsts_`. Returns false if masks do not serve the block.
bool PositionMasks::follow_firsts(const Block& block) {
  const int64_t words = words_for(block.num_bytes);
  std::fill_n(entered_.begin(), words, 0);
  std::fill_n(taken_.begin(), words + 1, 0);
  int64_t total = -1;
  for (int round = 0;; ++round) {
    for (size_t i = 0; i < masks_.size(); ++i) {
      if ((live_ >> i & 1) == 0) continue;
      follow(block, i, round == 0 ? static_cast<uint32_t>(low_bits(static_cast<int64_t>(i))) : ~uint32_t{0});
    }
    const int64_t bits = loops_end_ == 0 ? total : simd_.count_bits(taken_.data(), words);
    if (bits == total) return true;
    if (round == kMaxRounds) return false;
    total = bits;
  }
}

// Finds the bytes that a node takes on the way to a match, from the nodes before it that are known.
void PositionMasks::follow(const Block& block, size_t i, uint32_t known) {
  const Node& node = program_.nodes()[i];
  const int64_t words = words_for(block.num_bytes);
  const uint64_t* before_it[PositionAutomaton::kMaxNodes];
  int64_t num_before = 0;
  for (uint32_t rest = node.before & live_ & known; rest != 0; rest &= rest - 1) {
    before_it[num_before++] = paths_[static_cast<size_t>(first_bit(rest))].data();
  }
  uint64_t *const first = scratch_[0].data(), *const run = scratch_[1].data(), *const all = scratch_[2].data();
  uint64_t *const moved = scratch_[3].data(), *const once = scratch_[4].data(), *const path = paths_[i].data();
  const uint64_t* begins = (program_.begins() >> i & 1) != 0 ? firsts_.data() : nullptr;
  if (const uint64_t* const holds = begins ? condition(block, node.begin_if, false) : nullptr) {
    for (int64_t w = 0; w < words; ++w) first[w] = begins[w] & holds[w];
    begins = first;
  }
  uint64_t* const entries = node.count == 1 ? path : run;
  simd_.follow_ways(masks_[i], begins, before_it, num_before, node.loops, starts_.data(), words, entered_.data(),
                    entries);
  for (int64_t w = 0; w < words; ++w) taken_[static_cast<size_t>(w)] |= entries[w];
  if (node.count == 1) return;
  // The bytes after the first one of a repetition.
  std::copy_n(entries, words, first);
  const uint64_t* const inside = node.is_range ? masks_[i] : sets_[node.set].data();
  for (int64_t w = 0; w < words; ++w) {
    run[w] = inside[w] & ~starts_[static_cast<size_t>(w)];
    once[w] = run[w] & before(first, w);
  }
  extend<true>(run, node.count - 1, words, once, path, all, moved);
  for (int64_t k = 0; k < words; ++k) {
    const auto w = static_cast<size_t>(k);
    taken_[w] |= path[w];
    entered_[w] |= path[w];
    path[w] |= first[w];
  }
  if (!node.is_range) shift<true>(first, node.count - 1, words, path);
}

// Finds the matches of a string from byte `at` on by the engine, where masks do not. Returns the end of the string, -1
// if it is divided.
int64_t PositionMasks::search_string(const Block& block, int64_t at, uint64_t* kept, uint64_t* ends) {
  const auto first = block.string_ends.begin();
  const int64_t k = std::upper_bound(first, first + block.num_strings, static_cast<int32_t>(at)) - first;
  if (k < block.starts_inside || k >= block.num_strings) return -1;
  search_.split_at(block, k, {begins_.data(), taken_.data(), entered_.data()}, kept, ends);
  return block.end(k);
}

}  // namespace stringops::kernels
