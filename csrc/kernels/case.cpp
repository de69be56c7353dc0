// Changes the case of strings. A walk code point by code point is the definition. Runs of strings are handled faster if
// the results have the sizes of their strings: ASCII by vectors; valid UTF-8 by vectors too, except for code points
// whose lead bytes may belong to characters that change.
#include "kernels/case.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <vector>

#include "core/bits.h"
#include "core/bounded_writer.h"
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

// Chooses the table of a code point by the ones before it. Null tells that the code point does not change.
template <ToCase kCase>
struct Rule {
  const CaseTable* operator()(uint32_t codepoint) {
    if constexpr (kCase == ToCase::kLower) return &kToLower;
    if constexpr (kCase == ToCase::kUpper) return &kToUpper;
    if constexpr (kCase == ToCase::kFold) return &kToFolded;
    if constexpr (kCase == ToCase::kSimpleFold) return &simple_folds();
    if constexpr (kCase == ToCase::kSwap) {
      const uint8_t flags = kFlags[codepoint];
      return flags & kUpper ? &kToLower : flags & kLower ? &kToUpper : nullptr;
    }
    const CaseTable* const table = inside ? &kToLower : &kToTitle;
    inside = kCase == ToCase::kCapitalize || (kFlags[codepoint] & kCased);
    return table;
  }

  bool inside = false;  // a word, or of kCapitalize the string
};

// Calls put(bytes, count) for each part of the result.
template <ToCase kCase, class Put>
void walk(StringView in, const Put& put) {
  Rule<kCase> rule;
  for (const uint8_t* p = in.begin; p < in.end;) {
    const Codepoint c = read_codepoint(p, in.end);
    const CaseTable* const table = rule(c.value);
    const uint32_t id = table ? table->ids[c.value] : 0;
    if (id == 0) {
      put(p, c.length);
    } else if (id >= table->first_text) {
      const ShortText& text = table->texts[id - table->first_text];
      put(text.bytes, text.size);
    } else {
      uint32_t changed = c.value + static_cast<uint32_t>(table->deltas[id]);
      if (c.value == kSigma && changed == kSmallSigma && table == &kToLower && is_final_sigma(in, p)) {
        changed = kFinalSigma;
      }
      uint8_t bytes[kMaxCodepointBytes];
      put(bytes, write_codepoint(changed, bytes) - bytes);
    }
    p += c.length;
  }
}

// Writes the bytes of a result, as many as fit.
template <ToCase kCase>
BoundedWriter write_one(StringView in, uint8_t* out, const uint8_t* out_end) {
  BoundedWriter writer(out, out_end);
  const auto put = [&](const uint8_t* bytes, int64_t count) { writer.append(bytes, count); };
  walk<kCase>(in, put);
  return writer;
}

// Changes each string by itself. Returns whether all results have the sizes of their strings.
template <ToCase kCase>
bool write_each(const AdjacentStrings& in, uint8_t* out) {
  for (int64_t i = 0; i < in.count; ++i) {
    const StringView string = in[i];
    uint8_t* const to = out + (string.begin - in.data);
    if (!write_one<kCase>(string, to, to + string.size()).complete()) return false;
  }
  return true;
}

constexpr simd::AsciiCase ascii_case(ToCase c) {
  return c == ToCase::kUpper   ? simd::AsciiCase::kUpper
         : c == ToCase::kSwap  ? simd::AsciiCase::kSwap
         : c == ToCase::kTitle ? simd::AsciiCase::kTitle
                               : simd::AsciiCase::kLower;
}

// Adds the lead bytes of all code points that a table changes.
void add_leads(const CaseTable& table, simd::LeadSet& leads) {
  for (uint32_t c = 0x80; c < table.ids.limit; c += 64) {
    uint8_t bytes[kMaxCodepointBytes];
    write_codepoint(c, bytes);
    if (table.ids.blocks[c / 64] != 0) leads.add(bytes[0]);
  }
}

template <ToCase kCase>
const simd::LeadSet& changing_leads() {
  return lazy([] {
    simd::LeadSet set;
    constexpr bool folds = kCase == ToCase::kFold || kCase == ToCase::kSimpleFold;
    if (kCase != ToCase::kUpper && !folds) add_leads(kToLower, set);
    if (kCase == ToCase::kUpper || kCase == ToCase::kSwap) add_leads(kToUpper, set);
    if (folds) add_leads(kToFolded, set);
    return set;
  });
}

// Whether each string is valid UTF-8.
bool are_utf8(const simd::Primitives& simd, const AdjacentStrings& in) {
  if (!simd.is_utf8(in.data, in.num_bytes)) return false;
  for (int64_t i = 0; i < in.count; ++i) {
    if (in.ends[i] < in.num_bytes && is_continuation(in.data[in.ends[i]])) return false;
  }
  return true;
}

// Writes the result for the code point of `length` bytes at p, unless it does not change. Returns false if the size
// changes.
inline bool write_changed(const uint8_t* p, int64_t length, const CaseTable* table, uint8_t* out) {
  const uint32_t c = decode_codepoint(p, length);
  const uint32_t id = table ? table->ids[c] : 0;
  if (id == 0) return true;
  if (id >= table->first_text) {
    const ShortText& text = table->texts[id - table->first_text];
    if (text.size != length) return false;
    std::memcpy(out, text.bytes, text.size);
    return true;
  }
  const uint32_t changed = c + static_cast<uint32_t>(table->deltas[id]);
  if (length == 2 && changed >= 0x80 && changed < 0x800) {
    out[0] = static_cast<uint8_t>(0xC0 | changed >> 6);
    out[1] = static_cast<uint8_t>(0x80 | (changed & 0x3F));
    return true;
  }
  uint8_t bytes[kMaxCodepointBytes];
  if (write_codepoint(changed, bytes) - bytes != length) return false;
  std::memcpy(out, bytes, static_cast<size_t>(length));
  return true;
}

// The results for code points of two bytes, as two bytes; 0 if the size changes, and for a sigma.
using ShortResults = std::array<uint16_t, 0x800>;

template <class RuleOf>
ShortResults make_short_results(RuleOf&& rule) {
  ShortResults results{};
  for (uint32_t c = 0x80; c < 0x800; ++c) {
    uint8_t bytes[kMaxCodepointBytes], changed[2];
    write_codepoint(c, bytes);
    std::memcpy(changed, bytes, 2);
    if (c != kSigma && write_changed(bytes, 2, rule(c), changed)) std::memcpy(&results[c], changed, 2);
  }
  return results;
}

// Returns the results for characters that are not the first of a word or a string.
template <ToCase kCase>
const ShortResults& short_results() {
  return lazy([] {
    return make_short_results([](uint32_t c) {
      Rule<kCase> rule;
      rule.inside = true;
      return rule(c);
    });
  });
}

inline uint32_t short_codepoint(const uint8_t* p) {
  return uint32_t{p[0] & 0x1Fu} << 6 | (p[1] & 0x3F);
}

// Replaces small sigmas by final ones where they belong.
template <ToCase kCase>
void write_final_sigmas(const AdjacentStrings& in, uint8_t* out) {
  for (int64_t i = 0; i < in.count; ++i) {
    const StringView string = in[i];
    // The first character of a capitalized string is skipped.
    for (const uint8_t* p = string.begin + (kCase == ToCase::kCapitalize); p + 1 < string.end; ++p) {
      if (p[0] == 0xCE && p[1] == 0xA3 && is_final_sigma(string, p)) write_codepoint(kFinalSigma, out + (p - in.data));
    }
  }
}

// Completes strings of valid UTF-8: `out` has their bytes already, with the ASCII ones changed. Only the string's first
// character and sigmas depend on the context; these are written last.
template <ToCase kCase>
bool write_utf8(const simd::Primitives& simd, const AdjacentStrings& in, uint8_t* out) {
  const simd::LeadSet& leads = changing_leads<kCase>();
  const ShortResults& shorts = short_results<kCase>();
  Rule<kCase> rule;
  rule.inside = true;
  bool has_sigma = false;
  std::array<uint64_t, kBlockBytes / kWordBits> words;
  for (int64_t begin = 0; begin < in.num_bytes; begin += kBlockBytes) {
    const int64_t n = std::min(in.num_bytes - begin, kBlockBytes);
    simd.find_leads(in.data + begin, n, leads, words.data());
    for (int64_t w = 0; w < words_for(n); ++w) {
      for (uint64_t rest = words[static_cast<size_t>(w)]; rest; rest &= rest - 1) {
        const int64_t at = begin + w * kWordBits + first_bit(rest);
        const uint8_t* const p = in.data + at;
        const int64_t length = codepoint_length(*p);
        if (length > in.num_bytes - at) return false;  // only after a concurrent write
        if (length == 2 && shorts[short_codepoint(p)] != 0) {
          std::memcpy(out + at, &shorts[short_codepoint(p)], 2);
          continue;
        }
        has_sigma |= p[0] == 0xCE && p[1] == 0xA3;
        if (!write_changed(p, length, rule(decode_codepoint(p, length)), out + at)) return false;
      }
    }
  }
  if (kCase == ToCase::kCapitalize) {
    for (int64_t i = 0; i < in.count; ++i) {
      const StringView string = in[i];
      if (string.size() == 0) continue;
      const int64_t length = codepoint_length(*string.begin);
      uint8_t* const first = out + (string.begin - in.data);
      if (length > string.size()) return false;
      std::memcpy(first, string.begin, static_cast<size_t>(length));
      if (!write_changed(string.begin, length, &kToTitle, first)) return false;
    }
  }
  if (has_sigma && (kCase == ToCase::kLower || kCase == ToCase::kSwap || kCase == ToCase::kCapitalize)) {
    write_final_sigmas<kCase>(in, out);
  }
  return true;
}

// The results for a character by the one before it, for characters of one and of two bytes, and whether it has case.
struct TitleResults {
  uint8_t ascii[2][0x80];
  ShortResults shorts[2];
  bool is_cased[0x800];
  simd::LeadSet cased_leads;  // of longer characters
};

const TitleResults& title_results() {
  return lazy([] {
    TitleResults made;
    made.shorts[0] = make_short_results([](uint32_t) { return &kToTitle; });
    made.shorts[1] = short_results<ToCase::kTitle>();
    for (uint32_t c = 0; c < 0x800; ++c) made.is_cased[c] = kFlags[c] & kCased;
    for (uint32_t c = 0x800; c < kFlags.limit; ++c) {
      uint8_t bytes[kMaxCodepointBytes];
      if (!(kFlags[c] & kCased)) continue;
      write_codepoint(c, bytes);
      made.cased_leads.add(bytes[0]);
    }
    for (uint8_t c = 0; c < 0x80; ++c) {
      made.ascii[0][c] = static_cast<uint8_t>(made.is_cased[c] ? c & ~0x20 : c);
      made.ascii[1][c] = static_cast<uint8_t>(made.is_cased[c] ? c | 0x20 : c);
    }
    return made;
  });
}

// Changes a string of valid UTF-8 to as many bytes. Returns false if a result has another size.
bool write_title(const TitleResults& results, StringView in, uint8_t* out) {
  bool inside = false;
  for (const uint8_t* p = in.begin; p < in.end;) {
    const int64_t length = codepoint_length(*p);
    if (length > in.end - p) return false;  // only after a concurrent write
    if (length == 1) {
      const uint8_t c = *p & 0x7F;
      *out = results.ascii[inside][c];
      inside = results.is_cased[c];
    } else if (length == 2 && results.shorts[inside][short_codepoint(p)] != 0) {
      const uint32_t c = short_codepoint(p);
      std::memcpy(out, &results.shorts[inside][c], 2);
      inside = results.is_cased[c];
    } else if (length == 3 && !results.cased_leads.contains(*p)) {
      std::memcpy(out, p, 3);
      inside = false;
    } else {
      std::memcpy(out, p, static_cast<size_t>(length));
      const uint32_t c = decode_codepoint(p, length);
      if (!write_changed(p, length, inside ? &kToLower : &kToTitle, out)) return false;
      if (c == kSigma && inside && is_final_sigma(in, p)) write_codepoint(kFinalSigma, out);
      inside = kFlags[c] & kCased;
    }
    p += length;
    out += length;
  }
  return true;
}

bool write_titles(const AdjacentStrings& in, uint8_t* out) {
  const TitleResults& results = title_results();
  for (int64_t i = 0; i < in.count; ++i) {
    if (!write_title(results, in[i], out + (in[i].begin - in.data))) return false;
  }
  return true;
}

// Writes the first letter of each string of ASCII, which vectors treat like a letter after the last string.
void write_first_letters(const AdjacentStrings& in, uint8_t* out) {
  for (int64_t i = 0; i < in.count; ++i) {
    const StringView string = in[i];
    if (string.size() == 0) continue;
    const uint8_t first = *string.begin;
    out[string.begin - in.data] = first >= 'a' && first <= 'z' ? static_cast<uint8_t>(first - 0x20) : first;
  }
}

}  // namespace

template <ToCase kCase>
int64_t ChangeCase<kCase>::size(StringView in) const {
  int64_t bytes = 0;
  walk<kCase>(in, [&](const uint8_t*, int64_t count) { bytes += count; });
  return bytes;
}

template <ToCase kCase>
uint8_t* ChangeCase<kCase>::write(StringView in, uint8_t* out, uint8_t* out_end) const {
  return write_one<kCase>(in, out, out_end).at();
}

template <ToCase kCase>
bool ChangeCase<kCase>::write_run(const AdjacentStrings& in, uint8_t* out) const {
  const simd::Primitives& simd = simd::primitives();
  if (simd.map_ascii(in.data, in.num_bytes, ascii_case(kCase), out)) {
    if (kCase == ToCase::kTitle || kCase == ToCase::kCapitalize) write_first_letters(in, out);
    return true;
  }
  if (!are_utf8(simd, in)) return write_each<kCase>(in, out);
  if constexpr (kCase == ToCase::kTitle) return write_titles(in, out);
  return write_utf8<kCase>(simd, in, out);
}

template struct ChangeCase<ToCase::kLower>;
template struct ChangeCase<ToCase::kUpper>;
template struct ChangeCase<ToCase::kFold>;
template struct ChangeCase<ToCase::kSimpleFold>;
template struct ChangeCase<ToCase::kSwap>;
template struct ChangeCase<ToCase::kTitle>;
template struct ChangeCase<ToCase::kCapitalize>;

}  // namespace stringops::kernels
