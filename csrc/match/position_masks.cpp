#include "match/position_masks.h"

#include <algorithm>

#include "core/utf8.h"
#include "match/shifted_masks.h"

namespace stringops::kernels {
namespace {

// If a block has more than one entered begin for so many words, taking all matches again is faster than searching from
// each.
constexpr int64_t kEnteredWords = 8;

// The most rare characters with which matches may begin for a block to be tested for these, if no character is in all
// matches.
constexpr int kMaxRequired = 4;
constexpr int64_t kWordsOfByte = 2;       // words of masks that are made while the engine reads a byte
constexpr int64_t kBytesOfSearch = 40;    // bytes that it reads in the time of starting a search
constexpr int64_t kRemembered = 32;       // blocks after which masks are made again, to count their passes
constexpr int64_t kMostPasses = 1 << 10;  // more than those that any block takes

}  // namespace

PositionMasks::PositionMasks(const Pattern& pattern, bool only_begins, const simd::Primitives& simd)
    : program_(*pattern.position_automaton()), only_begins_(only_begins), simd_(simd), search_(pattern, only_begins) {
  add_required(pattern);
  sets_.resize(char_sets_.size());
  ways_.resize(program_.nodes().size());
  paths_.resize(ways_.size());
  conditions_.resize(2 * program_.conditions().size());
  for (const CharSet& set : char_sets_) bytes_.push_back(only_char(set).value_or(0x80));
  for (const Node& node : program_.nodes()) inside_.add(char_sets_[node.set]);
  for (size_t i = 0; i < ways_.size(); ++i) {
    const Node& node = program_.nodes()[i];
    const bool is_set = node.accepts && node.accept_if < 0 && (node.is_range || node.count == 1);
    masks_.push_back(is_set ? sets_[node.set].data() : ways_[i].data());
  }
}

// The set is a character of all matches, or those with which they begin, if these are a few rare ones.
void PositionMasks::add_required(const Pattern& pattern) {
  char_sets_ = program_.sets();
  CharSet set;
  const std::optional<uint8_t> required = pattern.char_of_matches();
  if (required) set.add(*required);
  for (uint32_t rest = required ? 0 : program_.begins(); rest != 0; rest &= rest - 1) {
    set.add(char_sets_[program_.nodes()[static_cast<size_t>(first_bit(rest))].set]);
  }
  int count = 0;
  for (uint8_t c = 0; c < 0x80; ++c) count += set.contains(c) ? (is_rarer(c, 'a') ? 1 : kMaxRequired) : 0;
  if (!required && count > kMaxRequired) return;
  required_ = std::find(char_sets_.begin(), char_sets_.end(), set) - char_sets_.begin();
  if (required_ == static_cast<int64_t>(char_sets_.size())) char_sets_.push_back(set);
}

void PositionMasks::split(const Block& block, uint64_t* kept, uint64_t* ends) {
  const int64_t words = words_for(block.num_bytes);
  std::fill_n(kept, words, 0);
  std::fill_n(ends, words, 0);
  const bool is_part = block.starts_inside || block.num_strings == 0;
  known_sets_ = 0;
  if (!is_part) {
    if (required_ >= 0 && search_few(block, kept, ends)) return;
    if (find_pieces(block, kept, ends)) return;
    passes_ = kMostPasses;
    return search_.split_strings(block, 0, block.num_strings, kept, ends);
  }
  if (!block.starts_inside) is_searched_ = false;
  if (!is_searched_ && find_in_window(block, kept, ends)) return;
  if (!is_searched_) search_.begin_long(block);
  is_searched_ = true;
  search_.split_long(block, kept, ends);
  search_.split_strings(block, 1, block.num_strings, kept, ends);
}

// If few strings have one of the characters of all matches, so that the engine searches these sooner than masks as
// those of the last block are made, it does. Otherwise returns false.
bool PositionMasks::search_few(const Block& block, uint64_t* kept, uint64_t* ends) {
  const uint64_t* const required = classify(block, static_cast<size_t>(required_));
  const int64_t words = words_for(block.num_bytes), most = words * passes_ / kWordsOfByte;
  const int64_t found = simd_.count_bits(required, words);
  if (found == 0) return true;
  if (found * kBytesOfSearch > most || ++num_few_ % kRemembered == 0) return false;
  std::array<int64_t, kBlockWords> few;
  int64_t count = 0, bytes = 0, at = 0, end = 0;
  for (Bits bits(required, words); bits.next(&at);) {
    if (at < end) continue;
    const auto first = block.string_ends.begin();
    const int64_t k = std::upper_bound(first, first + block.num_strings, static_cast<int32_t>(at)) - first;
    if (k >= block.num_strings) break;
    end = block.end(k);
    bytes += end - block.begin(k) + kBytesOfSearch;
    if (bytes > most || count == kBlockWords) return false;
    few[static_cast<size_t>(count++)] = k;
  }
  for (int64_t i = 0; i < count; ++i) {
    const int64_t k = few[static_cast<size_t>(i)];
    search_.split_strings(block, k, k + 1, kept, ends);
  }
  return true;
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
  known_sets_ = 0;
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
  passes_ = 0;
  if (!find_begins(block)) return false;
  if ((live_ & program_.begins()) == 0) return true;
  if (!only_begins_) return take_matches(block, kept, ends);
  for (size_t w = 0; w < static_cast<size_t>(words_for(block.num_bytes)); ++w) {
    kept[w] |= begins_[w];
    ends[w] |= begins_[w];
  }
  return true;
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
  const auto follow_all = [&](size_t begin, size_t end, bool again) {
    for (size_t i = begin; i < end; ++i) {
      const uint32_t known = again ? ~uint32_t{0} : static_cast<uint32_t>(low_bits(static_cast<int64_t>(i)));
      if ((live_ >> i & 1) != 0) follow(block, i, known);
    }
  };
  follow_all(0, loops_end_, false);
  for (int round = 0; loops_end_ != 0; ++round) {
    int64_t bits = 0;
    for (uint32_t rest = entries_ & live_; rest != 0; rest &= rest - 1) {
      bits += simd_.count_bits(paths_[static_cast<size_t>(first_bit(rest))].data(), words);
    }
    if (bits == total) break;
    if (round == kMaxRounds) return false;
    total = bits;
    follow_all(loops_begin_, loops_end_, true);
  }
  follow_all(loops_end_, masks_.size(), false);
  return true;
}

// Finds the bytes that a node takes on the way to a match, from the nodes before it that are known.
void PositionMasks::follow(const Block& block, size_t i, uint32_t known) {
  const Node& node = program_.nodes()[i];
  passes_ += passes_of(node);
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
  if (!node.is_range && (node.after >> i & 1) != 0) {
    for (int64_t w = 0; w < words; ++w) all[w] = masks_[i][w] & ~starts_[static_cast<size_t>(w)];
    extend_steps(all, node.count, words, entries, entered_.data(), moved);
  }
  for (int64_t w = 0; w < words; ++w) taken_[static_cast<size_t>(w)] |= entries[w];
  if (node.count == 1) return;
  // The bytes after the first one of a repetition: as many as it has, or as many as it goes on.
  std::copy_n(entries, words, first);
  if (node.is_range) {
    for (int64_t w = 0; w < words; ++w) {
      run[w] = masks_[i][w] & ~starts_[static_cast<size_t>(w)];
      once[w] = run[w] & before(first, w);
    }
    extend<true>(run, node.count - 1, words, once, path, all, moved);
  } else {
    shift<true>(first, 1, words, path);
    combine<true, true>(node.count - 1, words, path, moved);
  }
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
