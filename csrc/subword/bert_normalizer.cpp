#include "subword/bert_normalizer.h"

#include <algorithm>

#include "core/narrow.h"

namespace stringops::subword {
namespace {

// Those that Hugging Face's normalizer names: without U+2B820 to U+2B91F, which Google's code has.
bool is_chinese(uint32_t c) {
  const auto within = [&](uint32_t first, uint32_t last) { return c - first <= last - first; };
  return within(0x4E00, 0x9FFF) || within(0x3400, 0x4DBF) || within(0xF900, 0xFAFF) || within(0x20000, 0x2A6DF) ||
         within(0x2A700, 0x2B81F) || within(0x2B920, 0x2CEAF) || within(0x2F800, 0x2FA1F);
}

}  // namespace

struct BertNormalizer::Output {
  std::vector<uint8_t>& bytes;
  std::vector<PackedRange>* map;

  void add(uint32_t codepoint, PackedRange source) {
    uint8_t encoded[kMaxCodepointBytes];
    bytes.insert(bytes.end(), encoded, write_codepoint(codepoint, encoded));
    if (map) map->resize(bytes.size(), source);
  }

  void add_byte(uint8_t byte, PackedRange source) {
    bytes.push_back(byte);
    if (map) map->push_back(source);
  }
};

void BertNormalizer::normalize(StringView text, const uint8_t* origin, std::vector<uint8_t>& out,
                               std::vector<PackedRange>* map) {
  if (map) {
    map->clear();
  } else {
    out.resize(static_cast<size_t>(text.size()));
    if (write_ascii(text, out.data())) return;
  }
  out.clear();
  Output output{out, map};
  for (const uint8_t* p = text.begin; p < text.end;) {
    const Codepoint c = read_codepoint(p, text.end);
    const PackedRange source{narrow<int32_t>(p - origin), narrow<int32_t>(p + c.length - origin)};
    if (c.value == kInvalidByte) {
      add_marks(output);
      output.add_byte(*p, source);
    } else {
      add_codepoint(c.value, source, output);
    }
    p += c.length;
  }
  add_marks(output);
}

// Writes a text of ASCII characters that are not dropped; else returns false. A loop without branches, for vectors.
bool BertNormalizer::write_ascii(StringView text, uint8_t* out) const {
  const uint8_t lower = steps_.lower ? 'a' - 'A' : 0, clean = steps_.clean ? 0xFF : 0;
  uint8_t other = 0;
  const int64_t n = text.size();
  for (int64_t i = 0; i < n; ++i) {
    const uint8_t byte = text.begin[i];
    const auto mask = [](bool set) { return static_cast<uint8_t>(set ? 0xFF : 0); };
    const uint8_t is_space = mask((byte == '\t') | (byte == '\n') | (byte == '\r')) & clean;
    const uint8_t is_control = mask((byte < ' ') | (byte == 0x7F)) & clean;
    other |= (byte & 0x80) | (is_control & ~is_space);
    const uint8_t is_upper = mask(static_cast<uint8_t>(byte - 'A') < 26);
    out[i] = static_cast<uint8_t>((is_space & ' ') | (~is_space & (byte + (is_upper & lower))));
  }
  return other == 0;
}

void BertNormalizer::add_codepoint(uint32_t c, PackedRange source, Output& out) {
  if (steps_.clean) {
    const uint8_t flags = bert::kFlags[c];
    if ((flags & bert::kDropped) != 0) return;
    if ((flags & bert::kCleaned) != 0) c = ' ';
  }
  if (!steps_.split_chinese || !is_chinese(c)) return add_decomposed(c, source, out);
  add_part(' ', true, {source.begin, source.begin}, out);
  add_decomposed(c, source, out);
  add_part(' ', true, {source.end, source.end}, out);
}

void BertNormalizer::add_decomposed(uint32_t c, PackedRange source, Output& out) {
  if (!steps_.strip_accents) return add_cased(c, source, out);
  // Syllables of Hangul are composed by arithmetic (section 3.12 of the Unicode standard).
  constexpr uint32_t kSyllables = 0xAC00, kNumSyllables = 11172, kNumVowels = 21, kNumTrailing = 28;
  if (c - kSyllables < kNumSyllables) {
    const uint32_t syllable = c - kSyllables, trailing = syllable % kNumTrailing;
    add_part(0x1100 + syllable / (kNumVowels * kNumTrailing), true, source, out);
    add_part(0x1161 + syllable / kNumTrailing % kNumVowels, false, source, out);
    if (trailing != 0) add_part(0x11A7 + trailing, false, source, out);
    return;
  }
  const uint32_t* const list = bert::kLists + bert::kDecomposed[c];
  if (list[0] == 0) add_part(c, true, source, out);
  for (uint32_t i = 1; i <= list[0]; ++i) add_part(list[i], i == 1, source, out);
}

// A character that has no decomposition. Those that are dropped end a run of marks, or are in it.
void BertNormalizer::add_part(uint32_t c, bool is_first, PackedRange source, Output& out) {
  const uint8_t combining_class = bert::kClasses[c];
  if (combining_class != 0) {
    marks_.push_back({c, combining_class, is_first});
    if (is_first) mark_sources_.push_back(source);
    return;
  }
  add_marks(out);
  last_source_ = source;
  add_unaccented(c, source, out);
}

void BertNormalizer::add_marks(Output& out) {
  if (marks_.empty()) return;
  if (marks_.size() > 1) {
    std::stable_sort(marks_.begin(), marks_.end(),
                     [](const Mark& a, const Mark& b) { return a.combining_class < b.combining_class; });
  }
  // The reference moves marks, but not their sources; and what a character decomposes to, after the first part, takes
  // the source of the character before it.
  auto next = mark_sources_.begin();
  for (const Mark& mark : marks_) {
    if (mark.is_first) last_source_ = *next++;
    add_unaccented(mark.codepoint, last_source_, out);
  }
  marks_.clear();
  mark_sources_.clear();
}

void BertNormalizer::add_unaccented(uint32_t c, PackedRange source, Output& out) const {
  if (steps_.strip_accents && (bert::kFlags[c] & bert::kAccent) != 0) return;
  add_cased(c, source, out);
}

void BertNormalizer::add_cased(uint32_t c, PackedRange source, Output& out) const {
  const uint32_t* const list = bert::kLists + (steps_.lower ? bert::kLower[c] : 0);
  if (list[0] == 0) out.add(c, source);
  for (uint32_t i = 1; i <= list[0]; ++i) out.add(list[i], source);
}

}  // namespace stringops::subword
