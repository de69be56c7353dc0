// Changes the case of strings: ASCII by vectors; then the code points whose first two bytes belong to characters that
// change. Those whose results have other sizes are added to the changes of the run.
#include "kernels/case.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "core/bits.h"
#include "core/codepoint.h"
#include "core/lazy.h"
#include "core/narrow.h"
#include "core/unicode_case.h"
#include "simd/primitives.h"

namespace stringops::kernels {
namespace {

constexpr uint32_t kSigma = 0x3A3, kSmallSigma = 0x3C3, kFinalSigma = 0x3C2;

// A capital sigma becomes a final one after a cased character, if no cased character follows; both looked for beyond
// those that are ignored.
bool is_final_sigma(StringView in, const uint8_t* sigma) {
  const auto flags_of = [](const Codepoint& c) { return kFlags[c.value]; };
  const uint8_t* p = sigma;
  uint8_t flags = kCaseIgnorable;
  while (p > in.begin && (flags & kCaseIgnorable)) {
    const Codepoint before = read_codepoint_before(in.begin, p);
    flags = flags_of(before);
    p -= before.length;
  }
  if ((flags & kCaseIgnorable) || !(flags & kCased)) return false;
  flags = kCaseIgnorable;
  p = sigma + 2;
  while (p < in.end && (flags & kCaseIgnorable)) {
    const Codepoint after = read_codepoint(p, in.end);
    flags = flags_of(after);
    p += after.length;
  }
  return (flags & kCaseIgnorable) || !(flags & kCased);
}

// The simple folding, as far as it tells which code points are equal: kToFolded, in which the first code point with a
// text stands for the text. Since Unicode 15.1, simple foldings are equal if and only if full ones are.
const CaseTable& simple_folds() {
  struct Folds {
    std::vector<ShortText> texts;
    CaseTable table;
  };
  const Folds& folds = lazy([] {
    Folds made{{}, kToFolded};
    for (uint32_t c = 0; c < kToFolded.ids.limit; ++c) {
      const uint32_t id = kToFolded.ids[c];
      if (id < kToFolded.first_text) continue;
      made.texts.resize(std::max<size_t>(made.texts.size(), id - kToFolded.first_text + 1), ShortText{});
      ShortText& text = made.texts[id - kToFolded.first_text];
      if (text.size == 0) text.size = static_cast<uint8_t>(write_codepoint(c, text.bytes) - text.bytes);
    }
    made.table.texts = made.texts.data();
    return made;
  });
  return folds.table;
}

// Whether the result for a character depends on the one before it: of a title, whether that has case; of a capitalized
// string, whether there is one. It is `inside` a word, or the string, then.
template <ToCase kCase>
constexpr bool kHasFirst = kCase == ToCase::kTitle || kCase == ToCase::kCapitalize;

// Returns the table of a code point. Null tells that the code point does not change.
template <ToCase kCase>
const CaseTable* table_of(uint32_t codepoint, bool inside) {
  if constexpr (kCase == ToCase::kLower) return &kToLower;
  if constexpr (kCase == ToCase::kUpper) return &kToUpper;
  if constexpr (kCase == ToCase::kFold) return &kToFolded;
  if constexpr (kCase == ToCase::kSimpleFold) return &simple_folds();
  if constexpr (kCase == ToCase::kSwap) {
    const uint8_t flags = kFlags[codepoint];
    return flags & kUpper ? &kToLower : flags & kLower ? &kToUpper : nullptr;
  }
  return inside ? &kToLower : &kToTitle;
}

constexpr simd::AsciiCase ascii_case(ToCase c) {
  return c == ToCase::kUpper   ? simd::AsciiCase::kUpper
         : c == ToCase::kSwap  ? simd::AsciiCase::kSwap
         : c == ToCase::kTitle ? simd::AsciiCase::kTitle
                               : simd::AsciiCase::kLower;
}

// No code point after the first two planes has case.
constexpr uint32_t kCaseLimit = 0x20000;

// Calls take(c, table) for the code points beyond ASCII that change, inside a word or string or else at its begin.
template <ToCase kCase, class Take>
void for_each_changed(bool inside, Take&& take) {
  for (uint32_t c = 0x80; c < kCaseLimit; ++c) {
    const CaseTable* const table = table_of<kCase>(c, inside);
    if (table && table->ids[c] != 0) take(c, table);
  }
}

// Adds the first two bytes of a code point. The set has eight bits. Lead bytes share one if the combinations of their
// bytes include few code points without case.
void add_prefix(uint32_t codepoint, simd::PrefixSet& set) {
  uint8_t bytes[kMaxCodepointBytes] = {};
  write_codepoint(codepoint, bytes);
  const int lead = bytes[0], late = bytes[1] >= 0x90;
  set.num_bytes = 2;
  set.add(bytes, lead < 0xD0    ? 0
                 : lead < 0xE0  ? 1
                 : lead == 0xE1 ? 2 + late
                 : lead == 0xE2 ? 4 + late
                                : 6 + (lead >= 0xF0));
}

// Returns the first two bytes of the code points that change, and for titles also of those that have case.
template <ToCase kCase>
const simd::PrefixSet& prefixes_of() {
  return lazy([] {
    simd::PrefixSet set;
    const auto add = [&](uint32_t c, const CaseTable*) { add_prefix(c, set); };
    for_each_changed<kCase>(false, add);
    for_each_changed<kCase>(true, add);
    for (uint32_t c = 0x80; kCase == ToCase::kTitle && c < kCaseLimit; ++c) {
      if (kFlags[c] & kCased) add_prefix(c, set);
    }
    return set;
  });
}

// Writes the result for the code point at p, in a run at `data`, to the same place of `out`, unless it does not change.
inline void write_changed(const uint8_t* p, const Codepoint& c, const CaseTable* table, const uint8_t* data,
                          uint8_t* out, RunChanges& changes) {
  const uint32_t id = table ? table->ids[c.value] : 0;
  if (id == 0) return;
  uint8_t bytes[kMaxCodepointBytes];
  const uint8_t* text = bytes;
  int64_t size;
  if (id >= table->first_text) {
    const ShortText& several = table->texts[id - table->first_text];
    text = several.bytes;
    size = several.size;
  } else {
    size = write_codepoint(c.value + static_cast<uint32_t>(table->deltas[id]), bytes) - bytes;
  }
  const int64_t at = p - data;
  if (size == c.length) {
    std::memcpy(out + at, text, static_cast<size_t>(size));
  } else {
    changes.add(at, at + c.length, text, size);
  }
}

// Maps a code point of two or three bytes to the exclusive or of its bytes and those of its result, the first byte
// lowest. kOther stands for results of another size, and for sigma, whose result depends on its neighbours. Entries of
// two bytes come first, and are kOther for bytes that are not a code point. Then come blocks of 64 entries of three
// bytes, of which those without changes share one.
struct ByteChanges {
  static constexpr uint32_t kOther = 0xFFFFFFFF, kBlock = 64, kTwo = 0x800, kEnd = 0x10000;

  std::vector<uint32_t> entries = std::vector<uint32_t>(kTwo + kBlock);
  std::array<uint16_t, kEnd / kBlock> blocks{};

  uint32_t of_three(uint32_t codepoint) const { return entries[blocks[codepoint / kBlock] + codepoint % kBlock]; }
};

template <ToCase kCase>
ByteChanges byte_changes(bool inside) {
  ByteChanges made;
  std::fill_n(made.entries.begin(), 0x80, ByteChanges::kOther);
  std::fill(made.blocks.begin() + ByteChanges::kTwo / ByteChanges::kBlock, made.blocks.end(), ByteChanges::kTwo);
  RunChanges changes;
  for_each_changed<kCase>(inside, [&](uint32_t c, const CaseTable* table) {
    if (c >= ByteChanges::kEnd) return;
    uint32_t entry = c;
    if (c >= ByteChanges::kTwo) {
      uint16_t& block = made.blocks[c / ByteChanges::kBlock];
      if (block == ByteChanges::kTwo) {
        block = narrow<uint16_t>(made.entries.size());
        made.entries.resize(made.entries.size() + ByteChanges::kBlock);
      }
      entry = block + c % ByteChanges::kBlock;
    }
    uint8_t bytes[kMaxCodepointBytes], changed[kMaxCodepointBytes] = {};
    const int64_t size = write_codepoint(c, bytes) - bytes;
    changes.clear();
    write_changed(bytes, {c, size}, table, bytes, changed, changes);
    uint32_t change = 0;
    for (int64_t i = 0; i < size; ++i) change |= static_cast<uint32_t>(bytes[i] ^ changed[i]) << 8 * i;
    made.entries[entry] = c == kSigma || !changes.empty() ? ByteChanges::kOther : change;
  });
  return made;
}

// Writes the result for the code point at p, of two or three bytes, and returns it. Length 0 tells that there is none,
// or that its result is not in the table. Four bytes can be read at p.
inline Codepoint write_short(const uint8_t* p, const uint8_t* end, const ByteChanges& changes, uint8_t* out) {
  constexpr uint32_t kOther = ByteChanges::kOther;
  uint32_t bytes;
  std::memcpy(&bytes, p, sizeof bytes);
  const auto write_two = [&](uint32_t changed, int64_t at) {
    const auto two = static_cast<uint16_t>(changed >> 8 * at);
    std::memcpy(out + at, &two, sizeof two);
  };
  if ((bytes & 0xC0E0) == 0x80C0) {
    const uint32_t value = (bytes & 0x1F) << 6 | (bytes >> 8 & 0x3F), change = changes.entries[value];
    if (change == kOther || end - p < 2) return {0, 0};
    write_two(bytes ^ change, 0);
    return {value, 2};
  }
  if ((bytes & 0xC0C0F0) != 0x8080E0 || end - p < 3) return {0, 0};
  const uint32_t value = (bytes & 0xF) << 12 | (bytes >> 2 & 0xFC0) | (bytes >> 16 & 0x3F);
  const uint32_t change = changes.of_three(value);
  if (change == kOther) return {0, 0};
  write_two(bytes ^ change, 0);
  write_two(bytes ^ change, 1);
  return {value, 3};
}

// Whether the first character of part k of a run is inside: for a title, of a word; else of the string.
template <ToCase kCase>
bool starts_inside(const Run& run, int64_t k) {
  if (run.starts(k)) return false;
  const uint8_t* const p = run.part(k).begin;
  if (kCase != ToCase::kTitle || p <= run.first.begin) return true;
  return kFlags[read_codepoint_before(run.first.begin, p).value] & kCased;
}

inline bool is_ascii_letter(uint8_t byte) {
  return static_cast<uint8_t>((byte | 0x20) - 'a') < 26;
}

// Completes a run: `out` has its bytes already, with the ASCII ones changed as if others were not letters.
template <ToCase kCase>
void change_letters(const Run& run, uint8_t* out, RunChanges& changes) {
  constexpr bool has_final_sigma = kCase == ToCase::kLower || kCase == ToCase::kSwap || kHasFirst<kCase>;
  const std::array<ByteChanges, 2>& tables =
      lazy([] { return std::array{byte_changes<kCase>(false), byte_changes<kCase>(true)}; });
  std::array<uint64_t, kBlockBytes / kWordBits> words;
  simd::primitives().find_prefixes(run.data, run.num_bytes, run.num_bytes, prefixes_of<kCase>(), words.data());
  int64_t k = 0;
  StringView part = run.part(0);
  const uint8_t* last_end = nullptr;  // of the last character that was found, and whether it has case
  bool last_has_case = false;
  for (int64_t w = 0; w < words_for(run.num_bytes); ++w) {
    for (uint64_t rest = words[static_cast<size_t>(w)]; rest; rest &= rest - 1) {
      const int64_t at = w * kWordBits + first_bit(rest);
      const uint8_t* const p = run.data + at;
      while (p >= part.end) part = run.part(++k);
      bool inside = true;
      if constexpr (kHasFirst<kCase>) {
        if (p == part.begin) {
          inside = starts_inside<kCase>(run, k);
        } else if (kCase == ToCase::kTitle) {
          inside = ((p == last_end) & last_has_case) | is_ascii_letter(p[-1]);  // unpredictable, so without a branch
        }
      }
      Codepoint c{0, 0};
      if (run.num_bytes - at >= 4) c = write_short(p, part.end, tables[inside], out + at);
      if (c.length == 0) {
        c = read_codepoint(p, part.end);
        if (has_final_sigma && inside && c.value == kSigma && is_final_sigma(run.whole(k), p)) {
          write_codepoint(kFinalSigma, out + at);
        } else {
          write_changed(p, c, table_of<kCase>(c.value, inside), run.data, out, changes);
        }
      }
      if constexpr (kCase == ToCase::kTitle) {
        last_end = p + c.length;
        last_has_case = kFlags[c.value] & kCased;
        if (last_has_case && last_end < part.end && is_ascii_letter(*last_end)) {
          out[last_end - run.data] = static_cast<uint8_t>(*last_end | 0x20);
        }
      }
    }
  }
}

// Writes the first letters of ASCII of strings, which vectors treat like letters after the last string.
template <ToCase kCase>
void write_first_letters(const Run& run, uint8_t* out) {
  for (int64_t k = 0; k < run.num_parts(); ++k) {
    const StringView part = run.part(k);
    if (part.size() == 0 || !is_ascii_letter(*part.begin)) continue;
    const int letter = starts_inside<kCase>(run, k) ? *part.begin | 0x20 : *part.begin & ~0x20;
    out[part.begin - run.data] = static_cast<uint8_t>(letter);
  }
}

}  // namespace

template <ToCase kCase>
void ChangeCase<kCase>::write_run(const Run& run, uint8_t* out, RunChanges& changes) const {
  const bool is_ascii = simd::primitives().map_ascii(run.data, run.num_bytes, ascii_case(kCase), out);
  if constexpr (kHasFirst<kCase>) write_first_letters<kCase>(run, out);
  if (!is_ascii) change_letters<kCase>(run, out, changes);
}

template struct ChangeCase<ToCase::kLower>;
template struct ChangeCase<ToCase::kUpper>;
template struct ChangeCase<ToCase::kFold>;
template struct ChangeCase<ToCase::kSimpleFold>;
template struct ChangeCase<ToCase::kSwap>;
template struct ChangeCase<ToCase::kTitle>;
template struct ChangeCase<ToCase::kCapitalize>;

}  // namespace stringops::kernels
