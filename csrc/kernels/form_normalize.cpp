#include "kernels/form_normalize.h"

#include <algorithm>

#include "core/codepoint.h"
#include "core/utf8.h"

namespace stringops::kernels {
namespace {

using namespace normalization;

// Syllables of Hangul are composed of a leading consonant, a vowel, and an optional trailing consonant, by arithmetic
// (section 3.12 of the Unicode standard).
constexpr uint32_t kSyllables = 0xAC00, kLeading = 0x1100, kVowels = 0x1161, kTrailing = 0x11A7;
constexpr uint32_t kNumLeading = 19, kNumVowels = 21, kNumTrailing = 28;
constexpr uint32_t kNumSyllables = kNumLeading * kNumVowels * kNumTrailing;

// Runs of code points to be ordered are mostly short; longer ones are sorted in n log n.
constexpr int64_t kShortRun = 16;

// A code point and its canonical combining class.
struct Item {
  uint32_t codepoint;
  uint16_t flags;

  int combining_class() const { return flags & kClass; }
};

void append_codepoint(uint32_t c, std::vector<uint8_t>& out) {
  uint8_t bytes[kMaxCodepointBytes];
  out.insert(out.end(), bytes, write_codepoint(c, bytes));
}

// What two code points compose to, or 0.
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

}  // namespace

// Code points between two at which no other begins to change: all that depends on each other.
struct Normalize::Segment {
  std::vector<Item> items;

  void add(uint32_t c) { items.push_back({c, kNormalizationFlags[c]}); }

  void add_decomposed(uint32_t c, const ListTable& decompositions) {
    if (c - kSyllables < kNumSyllables) {
      const uint32_t syllable = c - kSyllables, trailing = syllable % kNumTrailing;
      add(kLeading + syllable / (kNumVowels * kNumTrailing));
      add(kVowels + syllable / kNumTrailing % kNumVowels);
      if (trailing != 0) add(kTrailing + trailing);
      return;
    }
    const uint32_t* const list = kLists + decompositions[c];
    if (list[0] == 0) add(c);
    for (uint32_t i = 1; i <= list[0]; ++i) add(list[i]);
  }

  // Orders each run of code points whose class is not 0 by class; equal ones keep their order.
  void reorder() {
    const auto by_class = [](const Item& a, const Item& b) { return a.combining_class() < b.combining_class(); };
    for (auto at = items.begin(); at != items.end();) {
      const auto is_starter = [](const Item& item) { return item.combining_class() == 0; };
      const auto begin = std::find_if_not(at, items.end(), is_starter);
      at = std::find_if(begin, items.end(), is_starter);
      if (at - begin > kShortRun) {
        std::stable_sort(begin, at, by_class);
        continue;
      }
      for (auto last = begin; last != at; ++last) {
        std::rotate(std::upper_bound(begin, last, *last, by_class), last, last + 1);
      }
    }
  }

  // Composes code points with the last starter before them, unless one between them blocks it.
  void compose_all() {
    size_t kept = 0, starter = 0;
    bool has_starter = false;
    for (const Item& item : items) {
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
};

Normalize::Normalize(Form form, bool drop_nonspacing)
    : decompositions_(form == Form::kNfc || form == Form::kNfd ? kCanonical : kCompatibility),
      composes_(form == Form::kNfc || form == Form::kNfkc),
      not_in_form_(form == Form::kNfc    ? kNotNfc
                   : form == Form::kNfd  ? kNotNfd
                   : form == Form::kNfkc ? kNotNfkc
                                         : kNotNfkd),
      dropped_(drop_nonspacing ? kNonspacing : 0),
      // The first code points that change: U+0300 composes, U+00C0 has a canonical decomposition, U+00A0 another one.
      first_byte_(form == Form::kNfc   ? 0xCC
                  : form == Form::kNfd ? 0xC3
                                       : 0xC2) {}

bool Normalize::keeps(StringView bytes) const {
  uint8_t greatest = 0;  // the loop has no exit, so that it is vectorized
  for (const uint8_t* p = bytes.begin; p < bytes.end; ++p) greatest = std::max(greatest, *p);
  return greatest < first_byte_;
}

// The first code point at or after p that is of a class other than 0, may change or is dropped, and its flags; or the
// end.
const uint8_t* Normalize::skip_plain(const uint8_t* p, const uint8_t* end, uint16_t* flags) const {
  const auto mask = static_cast<uint16_t>(kClass | not_in_form_ | dropped_);
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

// The first code point that may change, or the end. Marks in order do not change.
const uint8_t* Normalize::find_change(const uint8_t* begin, const uint8_t* end) const {
  uint16_t flags = 0;
  const uint8_t* p = begin;
  while ((p = skip_plain(p, end, &flags)) < end) {
    const uint8_t* const first = p;
    int last_class = 0;
    while (true) {
      const int combining_class = flags & kClass;
      if ((flags & (not_in_form_ | dropped_)) != 0 || combining_class < last_class) return first;
      last_class = combining_class;
      p += codepoint_length(*p);
      const int64_t length = p < end && *p >= 0x80 ? long_codepoint(p, end) : 0;
      if (length == 0) break;
      flags = kNormalizationFlags[decode_codepoint(p, length)];
      if ((flags & (kClass | not_in_form_ | dropped_)) == 0) break;
    }
  }
  return end;
}

// Whether a code point that neither changes nor moves begins at p, or none.
bool Normalize::is_plain(const uint8_t* p, const uint8_t* end) const {
  if (p >= end || *p < first_byte_) return true;
  const int64_t length = long_codepoint(p, end);
  return length == 0 || (kNormalizationFlags[decode_codepoint(p, length)] & (kClass | not_in_form_ | dropped_)) == 0;
}

void Normalize::append_kept(const Segment& segment, std::vector<uint8_t>& out) const {
  for (const Item& item : segment.items) {
    if ((item.flags & dropped_) == 0) append_codepoint(item.codepoint, out);
  }
}

bool Normalize::edit(StringView in, std::vector<uint8_t>& out) const {
  const uint8_t* p = find_change(in.begin, in.end);
  if (p == in.end) return false;
  out.clear();
  Segment segment;
  const uint8_t* copied = in.begin;
  for (; p < in.end; p = find_change(copied, in.end)) {
    if (!composes_) {
      // Most code points that change in these forms stand between others that do not: no order is to be restored.
      const int64_t length = *p < 0x80 ? 0 : long_codepoint(p, in.end);
      if (length > 0 && is_plain(p + length, in.end)) {
        out.insert(out.end(), copied, p);
        segment.items.clear();
        segment.add_decomposed(decode_codepoint(p, length), decompositions_);
        append_kept(segment, out);
        copied = p + length;
        continue;
      }
    }
    // The segment begins with the code point before the first that may change, which may be composed with it.
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
        if (is_first) out.push_back(*p++);  // only after a concurrent write
        break;
      }
      const uint32_t c = decode_codepoint(p, length);
      flags = kNormalizationFlags[c];
      if (!is_first && (flags & (kClass | not_in_form_ | dropped_)) == 0) break;
      segment.add_decomposed(c, decompositions_);
      p += length;
    }
    copied = p;
    segment.reorder();
    if (composes_) segment.compose_all();
    append_kept(segment, out);
  }
  out.insert(out.end(), copied, in.end);
  return true;
}

}  // namespace stringops::kernels
