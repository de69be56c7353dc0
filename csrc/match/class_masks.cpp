#include "match/class_masks.h"

#include <algorithm>
#include <cstring>

#include "core/utf8.h"

namespace stringops::kernels {
namespace {

using Kind = ClassRule::Kind;

}  // namespace

void ClassMasks::split(const Block& block, uint64_t* kept, uint64_t* ends) {
  if (words_) return words_->split(block, kept, ends);
  if (!block.starts_inside) last_ = {};
  const int64_t ahead = std::max<int64_t>(4 * rule_.min_codepoints, 8);
  num_bytes_ = std::min(block.num_bytes + ahead, block.readable);
  num_words_ = words_for(num_bytes_);
  std::fill_n(starts_.begin() + words_for(block.num_bytes), kWords - words_for(block.num_bytes), 0);
  mark_string_starts(block, starts_.data());
  if (block.readable > block.num_bytes && num_bytes_ == block.readable) set_bit(starts_.data(), num_bytes_);

  classify(block);
  end_runs();
  if (has_joints_) join_runs(block);
  if (rule_.gives_back >= 0) give_back();
  if (rule_.lead) join_leads(block.data);
  if (!rule_.endings.empty()) join_endings(block);
  if (rule_.min_codepoints > 1) drop_short();

  const int64_t words = words_for(block.num_bytes);
  std::copy_n(kept_.begin(), words, kept);
  std::copy_n(ends_.begin(), words, ends);
  if (words == 0) return;
  const uint64_t inside = low_bits((block.num_bytes - 1) % kWordBits + 1);
  kept[words - 1] &= inside;
  ends[words - 1] &= inside;
  const auto last = [&](const BlockMask& mask) { return uint64_t{test_bit(mask.data(), block.num_bytes - 1)}; };
  last_.kept = last(kept_);
  last_.end = last(ends_);
  if (rule_.lead) last_.lead = last(leads_);
  if (rule_.lead_class >= 0) last_.lead_class = last(classes_[static_cast<size_t>(rule_.lead_class)]);
  if (rule_.mark_class >= 0) last_.mark_class = last(classes_[static_cast<size_t>(rule_.mark_class)]);
}

void ClassMasks::classify(const Block& block) {
  bool needs_ends = rule_.min_codepoints > 1 || rule_.table;
  for (size_t k = 0; k < rule_.classes.size(); ++k) {
    const ClassRule::Class& c = rule_.classes[k];
    if (c.chars == CharSet()) {
      std::fill_n(classes_[k].begin(), num_words_, 0);
    } else {
      simd_.find_set(block.data, num_bytes_, c.chars, classes_[k].data());
    }
    classes_[k][static_cast<size_t>(num_words_)] = 0;
    needs_ends |= c.kind == Kind::kSingle && c.has_beyond;
  }
  beyond_ascii_ = false;
  if (!needs_ends) return;
  CharSet beyond;
  beyond.beyond_ascii = true;
  simd_.find_set(block.data, num_bytes_, beyond, scratch_.data());
  for (int64_t w = 0; w < num_words_; ++w) beyond_ascii_ |= scratch_[static_cast<size_t>(w)] != 0;
  if (!beyond_ascii_) return;
  simd_.find_codepoint_ends(block.data, num_bytes_, codepoint_ends_.data());
  if (rule_.table) classify_beyond_ascii(block);
}

// Classifies the bytes beyond ASCII in scratch_: writes the class to 4 bytes per code point; the next code point
// overwrites the excess. Bytes that no code point has reached are of no class, in whichever block they are read.
void ClassMasks::classify_beyond_ascii(const Block& block) {
  const ClassTable& table = *rule_.table;
  const uint8_t* const data = block.data;
  const int64_t readable = block.readable;
  uint64_t carry = block.starts_inside && is_continuation(data[0]) ? 0 : 1, leads_before = 0;
  for (int64_t w = 0; w < num_words_; ++w) {
    const uint64_t last_bytes = codepoint_ends_[static_cast<size_t>(w)];
    uint64_t leads = scratch_[static_cast<size_t>(w)] & (last_bytes << 1 | carry);
    carry = last_bytes >> (kWordBits - 1);
    uint64_t reached = leads;
    for (int i = 1; i < 4; ++i) reached |= leads << i | leads_before >> (kWordBits - i);
    scratch_[static_cast<size_t>(w)] &= reached;
    leads_before = leads;
    for (; leads != 0; leads &= leads - 1) {
      const int64_t at = w * kWordBits + first_bit(leads);
      const uint32_t stored = table.at(data + at, data + readable) * 0x01010101u;
      std::memcpy(numbers_.data() + at, &stored, sizeof(stored));
    }
  }
  if (rule_.lead_has_beyond) {
    simd_.find_byte(numbers_.data(), num_bytes_, static_cast<uint8_t>(rule_.classes.size()), beyond_leads_.data());
    for (size_t i = 0; i < static_cast<size_t>(num_words_); ++i) beyond_leads_[i] &= scratch_[i];
  }
  BlockMask& found = leads_;
  for (size_t k = 0; k < rule_.classes.size(); ++k) {
    if (!rule_.classes[k].has_beyond) continue;
    simd_.find_byte(numbers_.data(), num_bytes_, static_cast<uint8_t>(k), found.data());
    for (size_t i = 0; i < static_cast<size_t>(num_words_); ++i) classes_[k][i] |= found[i] & scratch_[i];
  }
}

// A run ends before another class, a single code point on its last byte.
void ClassMasks::end_runs() {
  const int64_t count = num_words_;
  uint64_t* const __restrict kept = kept_.data();
  uint64_t* const __restrict ends = ends_.data();
  uint64_t* const __restrict same = scratch_.data();  // whether the next byte is of the same string
  const uint64_t* const __restrict starts = starts_.data();
  for (int64_t w = 0; w < count; ++w) same[w] = ~(starts[w] >> 1 | starts[w + 1] << (kWordBits - 1));
  std::fill_n(kept, count + 1, 0);
  std::fill_n(ends, count + 1, 0);
  for (size_t k = 0; k < rule_.classes.size(); ++k) {
    const ClassRule::Class& c = rule_.classes[k];
    const uint64_t* const __restrict words = classes_[k].data();
    const uint64_t* const follow = classes_[c.follow < 0 ? k : static_cast<size_t>(c.follow)].data();
    const auto next_follows = [&](int64_t w) { return (follow[w] >> 1 | follow[w + 1] << (kWordBits - 1)) & same[w]; };
    if (c.kind == Kind::kPrefix) {
      for (int64_t w = 0; w < count; ++w) kept[w] |= words[w] & next_follows(w);
      continue;
    }
    for (int64_t w = 0; w < count; ++w) kept[w] |= words[w];
    if (c.kind != Kind::kSingle) {
      for (int64_t w = 0; w < count; ++w) ends[w] |= words[w] & ~next_follows(w);
    } else if (c.has_beyond && beyond_ascii_) {
      for (int64_t w = 0; w < count; ++w) {
        ends[w] |= words[w] & (codepoint_ends_[static_cast<size_t>(w)] | ~next_follows(w));
      }
    } else {
      for (int64_t w = 0; w < count; ++w) ends[w] |= words[w];
    }
  }
}

// A joint between two characters of a class belongs to the match, which does not end before it.
void ClassMasks::join_runs(const Block& block) {
  uint32_t last_classes = 0, last_joined = 0;
  for (size_t k = 0; k < rule_.classes.size(); ++k) {
    const ClassRule::Class& c = rule_.classes[k];
    if (!c.has_joints()) continue;
    const BlockMask& words = classes_[k];
    BlockMask& joints = leads_;
    simd_.find_set(block.data, num_bytes_, c.joints, joints.data());
    uint64_t any = 0;
    for (int64_t w = 0; w < num_words_; ++w) {
      joints[static_cast<size_t>(w)] &= before(words, w, last_.classes >> k & 1) & next(words, w);
      any |= joints[static_cast<size_t>(w)];
    }
    joints[static_cast<size_t>(num_words_)] = 0;
    if (block.num_bytes > 0) last_classes |= uint32_t{test_bit(words.data(), block.num_bytes - 1)} << k;
    if (c.joins_once && (any != 0 || (last_.joined >> k & 1) != 0)) {
      last_joined |= join_once(block, words, last_.joined >> k & 1, &joints) << k;
    }
    if (any == 0) continue;
    for (int64_t w = 0; w < num_words_; ++w) {
      const auto i = static_cast<size_t>(w);
      kept_[i] |= joints[i];
      ends_[i] &= ~(joints[i] | next(joints, w));
    }
  }
  last_.classes = last_classes;
  last_.joined = last_joined;
}

// Clears every other joint among those with only one run between them. `joined` tells whether the match that continues
// has one. Returns that of the match at the end of the block.
uint32_t ClassMasks::join_once(const Block& block, const BlockMask& words, uint32_t joined, BlockMask* joints) {
  // Returns the latest end of the match that has a joint.
  const auto end_of_run = [&](int64_t at) {
    while (at < num_bytes_) {
      const auto w = static_cast<size_t>(at / kWordBits);
      const uint64_t others = (~words[w] | starts_[w]) >> at % kWordBits;
      if (others != 0) return std::min(at + first_bit(others), num_bytes_);
      at = (at / kWordBits + 1) * kWordBits;
    }
    return num_bytes_;
  };
  int64_t end = joined != 0 && !test_bit(starts_.data(), 0) ? end_of_run(0) : -1;
  const auto goes_on = [&] { return end >= block.num_bytes; };
  bool result = goes_on();
  for (int64_t w = 0; w < num_words_; ++w) {
    for (uint64_t rest = (*joints)[static_cast<size_t>(w)]; rest != 0; rest &= rest - 1) {
      const int64_t at = w * kWordBits + first_bit(rest);
      if (at == end) {
        clear_bit(joints->data(), at);
        end = -1;
        continue;
      }
      end = end_of_run(at + 1);
      if (at < block.num_bytes) result = goes_on();
    }
  }
  return result;
}

// A run before another character of its string ends before its last byte, too.
void ClassMasks::give_back() {
  const BlockMask& words = classes_[static_cast<size_t>(rule_.gives_back)];
  for (int64_t w = 0; w < num_words_; ++w) {
    scratch_[static_cast<size_t>(w)] = words[static_cast<size_t>(w)] & ~next(words, w) & ~down(starts_, w);
  }
  scratch_[static_cast<size_t>(num_words_)] = 0;
  for (int64_t w = 0; w < num_words_; ++w) {
    ends_[static_cast<size_t>(w)] |= words[static_cast<size_t>(w)] & next(scratch_, w);
  }
}

void ClassMasks::join_leads(const uint8_t* data) {
  simd_.find_set(data, num_bytes_, *rule_.lead, leads_.data());
  BlockMask& bodies = scratch_;
  std::fill_n(bodies.begin(), num_words_ + 1, 0);
  for (size_t k = 0; k < rule_.classes.size(); ++k) {
    if (!rule_.classes[k].has_lead) continue;
    for (size_t i = 0; i < static_cast<size_t>(num_words_); ++i) bodies[i] |= classes_[k][i];
  }
  const int lead_class = rule_.lead_class;
  const bool only_first = lead_class >= 0 && lead_class != rule_.gives_back &&
                          rule_.classes[static_cast<size_t>(lead_class)].kind == Kind::kRun;
  const bool has_beyond = rule_.lead_has_beyond && beyond_ascii_;
  uint64_t leads_after = 0;
  for (int64_t w = num_words_ - 1; w >= 0; --w) {
    const auto i = static_cast<size_t>(w);
    if (has_beyond) leads_[i] |= beyond_leads_[i];
    leads_[i] &= next(bodies, w);
    if (has_beyond) {  // the bytes before the last one of a code point
      const uint64_t inside = beyond_leads_[i] & ~codepoint_ends_[i];
      for (int k = 0; k < 3; ++k) leads_[i] |= inside & (leads_[i] >> 1 | leads_after << (kWordBits - 1));
      leads_after = leads_[i];
    }
    if (only_first) leads_[i] &= ~before(classes_[static_cast<size_t>(lead_class)], w, last_.lead_class);
    kept_[i] |= leads_[i];
    ends_[i] &= ~leads_[i];
  }
}

// Joins an ending to a match that begins with the mark.
void ClassMasks::join_endings(const Block& block) {
  if (last_.ending > 0) set_bit(ends_.data(), last_.ending - 1);
  BlockMask& marks = scratch_;
  simd_.find_byte(block.data, block.num_bytes, rule_.mark, marks.data());
  const int64_t words = words_for(block.num_bytes);
  int64_t last_end = 0;
  for (int64_t w = 0; w < words; ++w) {
    uint64_t rest = marks[static_cast<size_t>(w)];
    if (rule_.mark_class >= 0) rest &= ~before(classes_[static_cast<size_t>(rule_.mark_class)], w, last_.mark_class);
    if (rule_.lead) rest &= ~before(leads_, w, last_.lead);
    for (; rest != 0; rest &= rest - 1) {
      const int64_t at = w * kWordBits + first_bit(rest);
      const int64_t length = ending_length(block.data, at);
      if (length == 0) continue;
      set_bit(kept_.data(), at);
      clear_bit(ends_.data(), at);
      last_end = at + length;
      set_bit(ends_.data(), last_end);
    }
  }
  // The bits after the block are not kept.
  last_.ending = std::max<int64_t>(last_end + 1 - block.num_bytes, 0);
}

// Returns the length of the ending after the mark, in the same string; 0 if there is none.
int64_t ClassMasks::ending_length(const uint8_t* data, int64_t mark) const {
  int64_t room = 0;
  while (room < 2 && mark + room + 1 < num_bytes_ && !test_bit(starts_.data(), mark + room + 1)) ++room;
  for (const ClassRule::Ending& ending : rule_.endings) {
    const auto length = static_cast<int64_t>(ending.chars.size());
    bool matches = length <= room;
    for (int64_t i = 0; i < length && matches; ++i) {
      const uint8_t byte = data[mark + 1 + i];
      matches = byte < 0x80 && ending.chars[static_cast<size_t>(i)].contains(byte);
    }
    if (matches) return length;
  }
  return 0;
}

bool ClassMasks::is_short(int64_t begin, int64_t end) const {
  const int64_t bytes = end - begin + 1, min = rule_.min_codepoints;
  if (bytes < min) return true;
  if (!beyond_ascii_ || bytes >= 4 * min) return false;
  int64_t count = 0;
  for (int64_t i = begin; i <= end; ++i) count += test_bit(codepoint_ends_.data(), i);
  return count < min;
}

// A piece that continues has been long enough. One that has been dropped begins anew, and is dropped again.
void ClassMasks::drop_short() {
  BlockMask& begins = scratch_;
  for (int64_t w = 0; w < num_words_; ++w) {
    const auto i = static_cast<size_t>(w);
    begins[i] = kept_[i] & ~(before(kept_, w, last_.kept) & ~before(ends_, w, last_.end));
  }
  if (!beyond_ascii_) return drop_short_ascii(begins);
  Bits starts(begins.data(), num_words_), stops(ends_.data(), num_words_);
  int64_t begin = 0, end = 0;
  const bool continues = num_words_ > 0 && (kept_[0] & 1) != 0 && (begins[0] & 1) == 0;
  if (continues && !stops.next(&end)) return;
  while (starts.next(&begin) && stops.next(&end)) {
    if (!is_short(begin, end)) continue;
    clear_bits(kept_.data(), begin, end + 1);
    clear_bit(ends_.data(), end);
  }
}

// Drops short pieces in blocks of ASCII: an end near a begin before it, at a distance of at most `farthest`, less than
// a word, is that of a short piece.
void ClassMasks::drop_short_ascii(const BlockMask& begins) {
  const int64_t farthest = rule_.min_codepoints - 2;
  uint64_t word_before = 0;
  for (int64_t w = 0; w < num_words_; ++w) {
    uint64_t near = begins[static_cast<size_t>(w)], near_before = word_before;
    word_before = near;
    for (int64_t distance = 0; distance < farthest;) {
      const int64_t more = std::min(distance + 1, farthest - distance);
      near |= near << more | near_before >> (kWordBits - more);
      near_before |= near_before << more;
      distance += more;
    }
    const uint64_t at = near & ends_[static_cast<size_t>(w)];
    ends_[static_cast<size_t>(w)] &= ~at;
    kept_[static_cast<size_t>(w)] &= ~at;
    if (rule_.min_codepoints == 2) continue;
    for (uint64_t rest = at; rest != 0; rest &= rest - 1) {
      int64_t begin = w * kWordBits + first_bit(rest);
      for (; !test_bit(begins.data(), begin); --begin) clear_bit(kept_.data(), begin - 1);
    }
  }
}

}  // namespace stringops::kernels
