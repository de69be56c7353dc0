// Changes the case of strings: ASCII by vectors; then the code points whose lead bytes belong to characters that
// change. Those whose results have other sizes are added to the changes of the run.
#include "kernels/case.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "core/bits.h"
#include "core/codepoint.h"
#include "core/lazy.h"
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

// The lead bytes of the code points that change, and for titles of those that have case.
template <ToCase kCase>
const simd::LeadSet& leads_of() {
  return lazy([] {
    simd::LeadSet set;
    for (uint32_t c = 0x80; c < std::max(kFlags.limit, kToFolded.ids.limit); ++c) {
      bool is_found = kCase == ToCase::kTitle && (kFlags[c] & kCased);
      for (const bool inside : {false, true}) {
        const CaseTable* const table = table_of<kCase>(c, inside);
        is_found |= table && table->ids[c] != 0;
      }
      uint8_t bytes[kMaxCodepointBytes];
      write_codepoint(c, bytes);
      if (is_found) set.add(bytes[0]);
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

// The results for code points of two bytes, as two bytes, by `inside`; 0 if the size changes, and for a sigma.
using ShortResults = std::array<std::array<uint16_t, 0x800>, 2>;

template <ToCase kCase>
const ShortResults& short_results() {
  return lazy([] {
    ShortResults results{};
    RunChanges changes;
    for (const bool inside : {false, true}) {
      for (uint32_t c = 0x80; c < 0x800; ++c) {
        uint8_t bytes[kMaxCodepointBytes], changed[2];
        write_codepoint(c, bytes);
        std::memcpy(changed, bytes, 2);
        changes.clear();
        write_changed(bytes, {c, 2}, table_of<kCase>(c, inside), bytes, changed, changes);
        if (c != kSigma && changes.empty()) std::memcpy(&results[inside][c], changed, 2);
      }
    }
    return results;
  });
}

// Returns the code point of two bytes at p, or 0 if there is none.
inline uint32_t short_codepoint(const uint8_t* p, const uint8_t* end) {
  if (end - p < 2) return 0;
  uint16_t pair;
  std::memcpy(&pair, p, 2);
  return (pair & 0xC0E0) == 0x80C0 ? (pair & 0x1Fu) << 6 | (pair >> 8 & 0x3F) : 0;
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
void change_letters(const simd::Primitives& simd, const Run& run, uint8_t* out, RunChanges& changes) {
  constexpr bool has_final_sigma = kCase == ToCase::kLower || kCase == ToCase::kSwap || kHasFirst<kCase>;
  const ShortResults& shorts = short_results<kCase>();
  std::array<uint64_t, kBlockBytes / kWordBits> words;
  simd.find_prefixes(run.data, run.num_bytes, run.num_bytes, leads_of<kCase>(), words.data());
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
      Codepoint c{short_codepoint(p, part.end), 2};
      if (const uint16_t result = shorts[inside][c.value]; result != 0) {
        std::memcpy(out + at, &result, 2);
      } else {
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
  const simd::Primitives& simd = simd::primitives();
  const bool is_ascii = simd.map_ascii(run.data, run.num_bytes, ascii_case(kCase), out);
  if constexpr (kHasFirst<kCase>) write_first_letters<kCase>(run, out);
  if (!is_ascii) change_letters<kCase>(simd, run, out, changes);
}

template struct ChangeCase<ToCase::kLower>;
template struct ChangeCase<ToCase::kUpper>;
template struct ChangeCase<ToCase::kFold>;
template struct ChangeCase<ToCase::kSimpleFold>;
template struct ChangeCase<ToCase::kSwap>;
template struct ChangeCase<ToCase::kTitle>;
template struct ChangeCase<ToCase::kCapitalize>;

}  // namespace stringops::kernels
