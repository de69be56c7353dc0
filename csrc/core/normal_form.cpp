#include "core/normal_form.h"

#include <algorithm>

#include "core/codepoint.h"
#include "core/copy_bytes.h"
#include "core/poll.h"
#include "core/utf8.h"

namespace stringops {
namespace {

using namespace normalization;

// Syllables of Hangul are composed of a leading consonant, a vowel, and an optional trailing consonant, by arithmetic
// (section 3.12 of the Unicode standard).
constexpr uint32_t kSyllables = 0xAC00, kLeading = 0x1100, kVowels = 0x1161, kTrailing = 0x11A7;
constexpr uint32_t kNumLeading = 19, kNumVowels = 21, kNumTrailing = 28;
constexpr uint32_t kNumSyllables = kNumLeading * kNumVowels * kNumTrailing;

// Calls f(item) for each code point of the decomposition of c, which may be c alone.
template <class F>
void for_each_part(uint32_t c, const ListTable& decompositions, F&& f) {
  if (c - kSyllables < kNumSyllables) {
    const uint32_t syllable = c - kSyllables, trailing = syllable % kNumTrailing;
    f(kLeading + syllable / (kNumVowels * kNumTrailing));
    f(kVowels + syllable / kNumTrailing % kNumVowels);
    if (trailing != 0) f(kTrailing + trailing);
    return;
  }
  const uint32_t* const list = kLists + decompositions[c];
  if (list[0] == 0) f(c);
  for (uint32_t i = 1; i <= list[0]; ++i) f(list[i]);
}

// Code points below are of class 0, and none is a nonspacing mark.
constexpr uint32_t kFirstMark = 0x300;

// A maximal run of code points whose results depend on each other: no other text changes with them.
struct Segment {
  // A code point, its canonical combining class, and whether it is a nonspacing mark.
  struct Item {
    uint32_t codepoint;
    uint16_t flags;

    int combining_class() const { return flags & kClass; }
  };

  std::vector<Item> items;

  void add(uint32_t c) { items.push_back({c, c < kFirstMark ? uint16_t{0} : kNormalizationFlags[c]}); }

  void add_decomposed(uint32_t c, const ListTable& decompositions) {
    for_each_part(c, decompositions, [&](uint32_t part) { add(part); });
  }

  // Orders each run of code points whose class is not 0 by class; equal ones keep their order.
  void reorder() {
    const auto by_class = [](const Item& a, const Item& b) { return a.combining_class() < b.combining_class(); };
    const auto is_starter = [](const Item& item) { return item.combining_class() == 0; };
    for (auto at = items.begin(); at != items.end();) {
      const auto begin = std::find_if_not(at, items.end(), is_starter);
      at = std::find_if(begin, items.end(), is_starter);
      if (!std::is_sorted(begin, at, by_class)) std::stable_sort(begin, at, by_class);
    }
  }
};

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

constexpr int64_t kStepsOfSegment = 64;

// A starter begins a new segment after this many code points, unless it may compose with the one before it.
constexpr size_t kMostItems = 64;

}  // namespace

NormalForm::NormalForm(Form form)
    : decompositions_(form == Form::kNfkc || form == Form::kNfkd ? kCompatibility : kCanonical),
      composes_(form == Form::kNfc || form == Form::kNfkc),
      dropped_(form == Form::kUnaccented ? kNonspacing : 0),
      not_in_form_(form == Form::kNfc          ? kNotNfc
                   : form == Form::kNfkc       ? kNotNfkc
                   : form == Form::kNfkd       ? kNotNfkd
                   : form == Form::kUnaccented ? kNotNfd | kNonspacing
                                               : kNotNfd),
      // The first code points that change: U+0300 composes, U+00C0 has a canonical decomposition, and U+00A0 has
      // another one.
      first_byte_(form == Form::kNfc                    ? 0xCC
                  : &decompositions_ == &kCompatibility ? 0xC2
                                                        : 0xC3) {}

bool NormalForm::keeps(StringView bytes) const {
  uint8_t greatest = 0;  // the loop has no exit, so that it is vectorized
  for (const uint8_t* p = bytes.begin; p < bytes.end; ++p) greatest = std::max(greatest, *p);
  return greatest < first_byte_;
}

// Returns the first code point at or after p that is of a class other than 0 or may change, and its flags; or the end.
const uint8_t* NormalForm::skip_plain(const uint8_t* p, const uint8_t* end, uint16_t* flags) const {
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
bool NormalForm::stays(const uint8_t* begin, const uint8_t* p, const uint8_t* end) const {
  const uint32_t c = read_codepoint(p, end).value, before = read_codepoint_before(begin, p).value;
  if ((kNormalizationFlags[c] & kClass) != 0 || decompositions_[c] != 0) return false;
  return before == kInvalidByte || (kNormalizationFlags[before] & kClass) != 0 || compose(before, c) == 0;
}

// Returns the first code point that may change, or the end. Marks in canonical order do not change.
const uint8_t* NormalForm::find_change(const uint8_t* begin, const uint8_t* end) const {
  uint16_t flags = 0;
  const uint8_t* p = begin;
  while ((p = skip_plain(p, end, &flags)) < end) {
    const uint8_t* const first = p;
    int last_class = 0;
    while (true) {
      const int combining_class = flags & kClass;
      if (composes_ && (flags & not_in_form_) != 0 && p > begin && p == first && stays(begin, p, end)) {
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

bool NormalForm::edit(StringView in, std::vector<uint8_t>& out) const {
  const uint8_t* p = find_change(in.begin, in.end);
  if (p == in.end) return false;
  size_t size = 0;
  const auto make_room = [&](size_t more) {
    if (out.size() < size + more) out.resize(2 * (size + more));
    return out.data() + size;
  };
  const auto append = [&](const uint8_t* begin, const uint8_t* end) {
    const auto count = static_cast<size_t>(end - begin);
    copy_bytes(make_room(count), begin, end - begin);
    size += count;
  };
  out.resize(2 * static_cast<size_t>(in.size()));
  Segment segment;
  const uint8_t* copied = in.begin;
  Pace pace;
  for (; p < in.end; p = find_change(copied, in.end)) {
    pace.spend(p - copied + kStepsOfSegment);
    // The segment begins with the code point before the first one that may change, because the two may compose.
    const uint8_t* begin = p;
    if (composes_ && begin > copied) {
      while (--begin > copied && is_continuation(*begin)) {
      }
      if (*begin < 0x80 ? begin + 1 != p : long_codepoint(begin, in.end) != p - begin) begin = p;
    }
    append(copied, begin);
    segment.items.clear();
    uint16_t flags = 0;
    bool is_first = true;
    for (p = begin; p < in.end; is_first = false) {
      const int64_t length = *p < 0x80 ? 1 : long_codepoint(p, in.end);
      if (length == 0) {
        if (is_first) {
          append(p, p + 1);
          ++p;
        }
        break;
      }
      const uint32_t c = decode_codepoint(p, length);
      flags = kNormalizationFlags[c];
      if (!is_first && (flags & (kClass | not_in_form_)) == 0) break;
      const size_t num_items = segment.items.size();
      segment.add_decomposed(c, decompositions_);
      if (!composes_ && num_items >= kMostItems && segment.items[num_items].combining_class() == 0) {
        segment.items.resize(num_items);
        break;
      }
      p += length;
    }
    copied = p;
    segment.reorder();
    if (composes_) compose_all(segment.items);
    uint8_t* at = make_room(segment.items.size() * kMaxCodepointBytes);
    for (const Segment::Item& item : segment.items) {
      if ((item.flags & dropped_) == 0) at = write_codepoint(item.codepoint, at);
    }
    size = static_cast<size_t>(at - out.data());
  }
  append(copied, in.end);
  out.resize(size);
  return true;
}

}  // namespace stringops
