#include "core/compose.h"

#include <algorithm>

#include "core/canonical_order.h"
#include "core/codepoint.h"
#include "core/poll.h"
#include "core/utf8.h"

namespace stringops {
namespace {

using namespace normalization;

void append_codepoint(uint32_t c, std::vector<uint8_t>& out) {
  uint8_t bytes[kMaxCodepointBytes];
  out.insert(out.end(), bytes, write_codepoint(c, bytes));
}

// Returns the composition of two code points, or 0.
uint32_t compose(uint32_t first, uint32_t second) {
  if (first - kLeading < kNumLeading && second - kVowels < kNumVowels) {
    return kSyllables + ((first - kLeading) * kNumVowels + (second - kVowels)) * kNumTrailing;
  }
  if (first - kSyllables < kNumSyllables && (first - kSyllables) % kNumTrailing == 0 &&
      second - kTrailing - 1 < kNumTrailing - 1) {
    return first + (second - kTrailing);
  }
  const uint32_t* const pairs = kLists + kCompositions[first];
  for (uint32_t i = 1; i < pairs[0]; i += 2) {
    if (pairs[i] == second) return pairs[i + 1];
  }
  return 0;
}

// Composes code points with the last starter before them, unless one between them blocks it.
void compose_all(std::vector<Segment::Item>& items) {
  size_t kept = 0, starter = 0;
  bool has_starter = false;
  for (const Segment::Item& item : items) {
    const bool is_adjacent = has_starter && kept == starter + 1;
    const bool is_blocked =
        !is_adjacent && (!has_starter || kept == 0 || items[kept - 1].combining_class() >= item.combining_class());
    if (const uint32_t both = is_blocked ? 0 : compose(items[starter].codepoint, item.codepoint)) {
      items[starter] = {both, kNormalizationFlags[both]};
      continue;
    }
    if (item.combining_class() == 0) {
      starter = kept;
      has_starter = true;
    }
    items[kept++] = item;
  }
  items.resize(kept);
}

}  // namespace

Composition::Composition(Form form)
    : decompositions_(form == Form::kNfc ? kCanonical : kCompatibility),
      not_in_form_(form == Form::kNfc ? kNotNfc : kNotNfkc),
      // The first code points that change: U+0300 composes, U+00A0 has a compatibility decomposition.
      first_byte_(form == Form::kNfc ? 0xCC : 0xC2) {}

bool Composition::keeps(StringView bytes) const {
  uint8_t greatest = 0;  // the loop has no exit, so that it is vectorized
  for (const uint8_t* p = bytes.begin; p < bytes.end; ++p) greatest = std::max(greatest, *p);
  return greatest < first_byte_;
}

// Returns the first code point at or after p that is of a class other than 0 or may change, and its flags; or the end.
const uint8_t* Composition::skip_plain(const uint8_t* p, const uint8_t* end, uint16_t* flags) const {
  const auto mask = static_cast<uint16_t>(kClass | not_in_form_);
  while (p < end) {
    if (*p < first_byte_) {
      ++p;
      continue;
    }
    const int64_t length = long_codepoint(p, end);
    if (length == 0) {
      ++p;
      continue;
    }
    *flags = kNormalizationFlags[decode_codepoint(p, length)];
    if ((*flags & mask) != 0) return p;
    p += length;
  }
  return end;
}

// Whether the code point at p > begin, whose flags say that it may change, stays: it is a starter without a
// decomposition, such as a vowel sign of a Brahmic script, and does not compose with the code point before it, which
// stays.
bool Composition::stays(const uint8_t* begin, const uint8_t* p, const uint8_t* end) const {
  const uint32_t c = read_codepoint(p, end).value, before = read_codepoint_before(begin, p).value;
  if ((kNormalizationFlags[c] & kClass) != 0 || decompositions_[c] != 0) return false;
  return before == kInvalidByte || (kNormalizationFlags[before] & kClass) != 0 || compose(before, c) == 0;
}

// Returns the first code point that may change, or the end. Marks in canonical order do not change.
const uint8_t* Composition::find_change(const uint8_t* begin, const uint8_t* end) const {
  uint16_t flags = 0;
  const uint8_t* p = begin;
  while ((p = skip_plain(p, end, &flags)) < end) {
    const uint8_t* const first = p;
    int last_class = 0;
    while (true) {
      const int combining_class = flags & kClass;
      if ((flags & not_in_form_) != 0 && p > begin && p == first && stays(begin, p, end)) {
        p += codepoint_length(*p);
        break;
      }
      if ((flags & not_in_form_) != 0 || combining_class < last_class) return first;
      last_class = combining_class;
      p += codepoint_length(*p);
      const int64_t length = p < end && *p >= 0x80 ? long_codepoint(p, end) : 0;
      if (length == 0) break;
      flags = kNormalizationFlags[decode_codepoint(p, length)];
      if ((flags & (kClass | not_in_form_)) == 0) break;
    }
  }
  return end;
}

constexpr int64_t kStepsOfSegment = 64;

bool Composition::edit(StringView in, std::vector<uint8_t>& out) const {
  const uint8_t* p = find_change(in.begin, in.end);
  if (p == in.end) return false;
  out.clear();
  Segment segment;
  const uint8_t* copied = in.begin;
  Pace pace;
  for (; p < in.end; p = find_change(copied, in.end)) {
    pace.spend(p - copied + kStepsOfSegment);
    // The segment begins with the code point before the first one that may change, because the two may compose.
    const uint8_t* begin = p;
    if (begin > copied) {
      while (--begin > copied && is_continuation(*begin)) {
      }
      if (*begin < 0x80 ? begin + 1 != p : long_codepoint(begin, in.end) != p - begin) begin = p;
    }
    out.insert(out.end(), copied, begin);
    segment.items.clear();
    uint16_t flags = 0;
    bool is_first = true;
    for (p = begin; p < in.end; is_first = false) {
      const int64_t length = *p < 0x80 ? 1 : long_codepoint(p, in.end);
      if (length == 0) {
        if (is_first) out.push_back(*p++);
        break;
      }
      const uint32_t c = decode_codepoint(p, length);
      flags = kNormalizationFlags[c];
      if (!is_first && (flags & (kClass | not_in_form_)) == 0) break;
      segment.add_decomposed(c, decompositions_);
      p += length;
    }
    copied = p;
    segment.reorder();
    compose_all(segment.items);
    for (const Segment::Item& item : segment.items) append_codepoint(item.codepoint, out);
  }
  out.insert(out.end(), copied, in.end);
  return true;
}

}  // namespace stringops
