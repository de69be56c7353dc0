#include "match/position_masks.h"

#include <algorithm>

#include "core/utf8.h"
#include "match/shifted_masks.h"

namespace stringops::kernels {
namespace {

// If a block has more than one entered begin for so many words, taking all matches again is faster than searching from
// each.
constexpr int64_t kEnteredWords = 8;

constexpr int64_t kWordsOfByte = 2;                  // words of masks that are made while the engine reads a byte
constexpr int64_t kBytesOfSearch = 40;               // bytes that it reads in the time of starting a search
constexpr int64_t kBytesOfCopy = 16;                 // that it skips in the time of reading one
constexpr int64_t kRemembered = 31;                  // blocks after which masks are made again, to count their passes
constexpr int64_t kMaxPatience = 63;                 // strings without tries to find gaps
constexpr int64_t kMostLikeBlock = 4 * kBlockBytes;  // of a string, of which its first block tells
constexpr int64_t kMostPasses = 1 << 10;             // more than those that any block takes

// The string of byte `at`; num_strings if it does not end in the block.
int64_t string_at(const Block& block, int64_t at) {
  const auto first = block.string_ends.begin();
  return std::upper_bound(first, first + block.num_strings, static_cast<int32_t>(at)) - first;
}

void clear(const Block& block, uint64_t* kept, uint64_t* ends) {
  std::fill_n(kept, words_for(block.num_bytes), 0);
  std::fill_n(ends, words_for(block.num_bytes), 0);
}

}  // namespace

PositionMasks::PositionMasks(const Pattern& pattern, MatchUse use, const simd::Primitives& simd)
    : pattern_(pattern),
      program_(*pattern.position_automaton()),
      is_anchored_(pattern.is_anchored()),
      only_begins_(use == MatchUse::kExists),
      only_first_(use == MatchUse::kFirst),
      simd_(simd),
      search_(pattern, only_begins_ || only_first_) {
  add_required(pattern);
  sets_.resize(char_sets_.size());
  ways_.resize(program_.nodes().size());
  paths_.resize(ways_.size());
  conditions_.resize(2 * program_.conditions().size());
  for (const CharSet& set : char_sets_) bytes_.push_back(only_char(set).value_or(0x80));
  for (size_t i = 0; i < ways_.size(); ++i) {
    const Node& node = program_.nodes()[i];
    const bool is_set = node.accepts && node.accept_if < 0 && (node.is_range || node.count == 1);
    masks_.push_back(is_set ? sets_[node.set].data() : ways_[i].data());
  }
}

void PositionMasks::add_required(const Pattern& pattern) {
  char_sets_ = program_.sets();
  const auto number_of = [&](const CharSet& set) {
    const auto at = static_cast<size_t>(std::find(char_sets_.begin(), char_sets_.end(), set) - char_sets_.begin());
    if (at == char_sets_.size()) char_sets_.push_back(set);
    return at;
  };
  CharSet all;
  all.invert();
  for (const RequiredChar& required : pattern.chars_of_matches()) {
    CharSet set;
    set.add(required.c);
    required_.push_back({number_of(set), {kAny, kAny}});
    for (size_t i = 0; i < required.after.size() && required.after[i] != all; ++i) {
      required_.back().after[i] = number_of(required.after[i]);
    }
  }
  if (!required_.empty()) return;
  if (pattern.prefixes()) {
    prefixes_ = &*pattern.prefixes();
  } else if (pattern.folded_text()) {
    prefixes_ = &pattern.folded_text()->filter();
  }
}

void PositionMasks::split(const Block& block, uint64_t* kept, uint64_t* ends) {
  if (!block.starts_inside && block.num_strings > 0) {
    find_whole(block, kept, ends);
    return;
  }
  if (!block.starts_inside) {
    known_sets_ = 0;
    const bool is_like_block = block.readable <= kMostLikeBlock;
    is_searched_ = is_anchored_ || left_out_++ < patience_ || (is_like_block && has_few(block));
    if (is_searched_) search_.begin_long(block);
  }
  if (!is_searched_) {
    const bool found = find_in_window(block, kept, ends);
    left_out_ = 0;
    patience_ = found ? 0 : std::min<int64_t>(2 * patience_ + 1, kMaxPatience);
    if (found) return;
    search_.begin_long(block);
    is_searched_ = true;
  }
  clear(block, kept, ends);
  search_.split_long(block, kept, ends);
  search_.split_strings(block, 1, block.num_strings, kept, ends);
}

// Finds the pieces of a block that divides no string. Returns false if only the engine could, and may not.
bool PositionMasks::find_whole(const Block& block, uint64_t* kept, uint64_t* ends) {
  clear(block, kept, ends);
  known_sets_ = 0;
  if (may_search() && search_few(block, kept, ends)) return true;
  if (find_pieces(block, kept, ends)) return true;
  passes_ = kMostPasses;
  if (!may_search()) return false;
  search_.split_strings(block, 0, block.num_strings, kept, ends);
  return true;
}

// Finds the required characters of the block, those that a match may have next to them. Beyond the block is any byte.
int64_t PositionMasks::find_required(const Block& block, size_t i) {
  const int64_t words = words_for(block.num_bytes);
  const uint64_t* const found = classify(block, required_[i].set);
  std::copy_n(found, words, candidates_.begin());
  if (simd_.count_bits(found, words) == 0) return 0;
  for (int64_t distance = 1; distance <= 2; ++distance) {
    const size_t set = required_[i].after[static_cast<size_t>(distance) - 1];
    if (set == kAny) break;
    const uint64_t* const next = classify(block, set);
    for (int64_t w = 0; w < words; ++w) {
      candidates_[static_cast<size_t>(w)] &= next[w] >> distance | next[w + 1] << (kWordBits - distance);
    }
  }
  for (int64_t at = std::max<int64_t>(block.num_bytes - 2, 0); at < block.num_bytes; ++at) {
    if (test_bit(found, at)) set_bit(candidates_.data(), at);
  }
  return simd_.count_bits(candidates_.data(), words);
}

int64_t PositionMasks::find_edges(const Block& block) {
  int64_t count = 0;
  std::fill_n(candidates_.begin(), words_for(block.num_bytes), 0);
  for (int64_t k = 0; k < block.num_strings; ++k) {
    const StringView string = block.string(k);
    if (!pattern_.may_match_at_edges(string.begin, string.size())) continue;
    set_bit(candidates_.data(), block.begin(k));
    ++count;
  }
  return count;
}

int64_t PositionMasks::find_prefixes(const Block& block) {
  simd_.find_prefixes(block.data, block.num_bytes, block.num_bytes, *prefixes_, candidates_.data());
  return simd_.count_bits(candidates_.data(), words_for(block.num_bytes));
}

// Whether the block has so few strings with the right edges, or characters or first bytes of all matches, that the
// engine, which skips what is between them, searches it sooner than masks as those of the last block are made.
bool PositionMasks::has_few(const Block& block) {
  if (required_.empty() && !prefixes_ && !is_anchored_) return false;
  const int64_t most = words_for(block.num_bytes) * passes_ / kWordsOfByte;
  const bool is_tried = num_few_++ % kRemembered == 0;  // masks are made again, to count their passes
  if (prefixes_ && has_many_ && !is_tried) return false;
  int64_t found = is_anchored_ ? find_edges(block) : prefixes_ ? find_prefixes(block) : find_required(block, rarest_);
  for (size_t i = 0; i < required_.size() && is_tried; ++i) {
    const int64_t other = find_required(block, i);
    if (other < found) rarest_ = i;
    found = std::min(found, other);
  }
  if (is_tried && required_.size() > 1) find_required(block, rarest_);
  has_many_ = passes_ > 0 && found * kBytesOfSearch + block.num_bytes / kBytesOfCopy > most;
  return found == 0 || (!is_tried && passes_ > 0 && !has_many_);
}

// If few strings have one of these, the engine searches these. Otherwise returns false.
bool PositionMasks::search_few(const Block& block, uint64_t* kept, uint64_t* ends) {
  if (!has_few(block)) return false;
  Bits bits(candidates_.data(), words_for(block.num_bytes));
  for (int64_t at = 0, end = 0; bits.next(&at);) {
    if (at < end) continue;
    const int64_t k = string_at(block, at);
    if (k >= block.num_strings) break;
    end = block.end(k);
    search_.split_strings(block, k, k + 1, kept, ends);
  }
  return true;
}

// Returns the first byte in [at, end) before which no match goes on, whatever comes before `at`; null if there is none.
const uint8_t* PositionMasks::find_gap(const uint8_t* at, const uint8_t* end) {
  if (takers_.empty()) {
    takers_.assign(256, 0);
    for (size_t i = 0; i < ways_.size(); ++i) {
      const Node& node = program_.nodes()[i];
      const bool stays = node.loops || node.count > 1 || char_sets_[node.set].beyond_ascii;
      next_.push_back(node.after | static_cast<uint32_t>(stays) << i);
      for (size_t b = 0; b < 256; ++b) {
        takers_[b] |= static_cast<uint32_t>(char_sets_[node.set].contains(static_cast<uint8_t>(b))) << i;
      }
    }
  }
  uint32_t alive = takers_[at[-1]];
  for (; at < end; ++at) {
    uint32_t next = 0;
    for (uint32_t rest = alive; rest != 0; rest &= rest - 1) next |= next_[static_cast<size_t>(first_bit(rest))];
    alive = next & takers_[*at];
    if (alive == 0) return at;
    alive |= program_.begins() & takers_[*at];
  }
  return nullptr;
}

// Finds the pieces of a block that divides a string, together with bytes around it, up to gaps between matches, and a
// code point beyond each of them, which assertions may look at. These bytes need not be UTF-8: a code point has at most
// three continuation bytes. Returns false if there are no such gaps.
bool PositionMasks::find_in_window(const Block& block, uint64_t* kept, uint64_t* ends) {
  const bool goes_on = block.num_strings == 0;
  const uint8_t *const end = block.data + block.num_bytes, *const string_end =
                                                               end + (goes_on ? block.readable - block.num_bytes : 0);
  const uint8_t *begin = block.data - block.num_before, *stop = end, *first_gap = nullptr;
  for (int64_t around = kLeastAround; block.num_before > around; around = std::min(8 * around, kMaxAround)) {
    const uint8_t* const gap = find_gap(block.data - around, block.data + 1);
    if (!gap && around == kMaxAround) return false;
    if (!gap) continue;
    first_gap = gap;
    begin = gap - 1;
    for (int i = 0; i < 3 && begin > block.data - block.num_before && is_continuation(*begin); ++i) --begin;
    break;
  }
  if (goes_on) {
    stop = find_gap(end, end + std::min(string_end - end, kMaxAround));
    if (!stop && string_end - end > kMaxAround) return false;
    stop = stop ? stop + 1 : string_end;
    for (int i = 0; i < 3 && stop < string_end && is_continuation(*stop); ++i) ++stop;
  }
  const int64_t left = block.data - begin;
  window_.data = begin;
  window_.num_bytes = stop - begin;
  window_.num_strings = std::max<int64_t>(block.num_strings, 1);
  for (int64_t k = 0; k < block.num_strings; ++k) {
    window_.string_ends[static_cast<size_t>(k)] = block.end(k) + static_cast<int32_t>(left);
  }
  if (goes_on) window_.string_ends[0] = static_cast<int32_t>(window_.num_bytes);
  const int64_t words = words_for(window_.num_bytes);
  before_gap_ = first_gap ? first_gap - begin : 0;
  const bool is_found = find_whole(window_, found_[0].data(), found_[1].data());
  before_gap_ = 0;
  if (!is_found) return false;
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
  if (has_beyond_ && !may_search()) return false;
  if (has_beyond_) search_beyond_ascii(block, kept, ends);
  if ((live_ & program_.begins()) == 0) return true;
  if (only_first_) {
    clear_bits(begins_.data(), 0, before_gap_);  // assertions see no code point before these
    keep_first_begins(block);
  }
  if (!only_begins_) return program_.length() > 0 ? take_equal(block, kept, ends) : take_matches(block, kept, ends);
  for (size_t w = 0; w < static_cast<size_t>(words_for(block.num_bytes)); ++w) {
    kept[w] |= begins_[w];
    ends[w] |= begins_[w];
  }
  return true;
}

// Searches the strings that masks do not serve, and removes their begins.
void PositionMasks::search_beyond_ascii(const Block& block, uint64_t* kept, uint64_t* ends) {
  passes_ = kMostPasses;
  beyond_[static_cast<size_t>(words_for(block.num_bytes))] = 1;  // so that there is a next one
  for (int64_t at = next_bit(beyond_.data(), 0); at < block.num_bytes; at = next_bit(beyond_.data(), at)) {
    const int64_t k = string_at(block, at);
    if (k == block.num_strings) break;
    at = block.end(k);
    clear_bits(begins_.data(), block.begin(k), at);
    search_.split_strings(block, k, k + 1, kept, ends);
  }
}

// Takes matches that all have the same length, one after the other.
bool PositionMasks::take_equal(const Block& block, uint64_t* kept, uint64_t* ends) {
  for (int64_t at = next_bit(begins_.data(), 0); at < block.num_bytes; at = next_bit(begins_.data(), at)) {
    const int64_t end = std::min(at + program_.length(), block.num_bytes);
    set_bits(kept, at, end);
    set_bit(ends, end - 1);
    at = end;
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
    const int64_t k = string_at(block, at);
    if (k == block.num_strings) break;
    search_.split_at(block, k, {begins_.data(), taken_.data(), entered_.data()}, kept, ends);
    at = block.end(k);
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

}  // namespace stringops::kernels
