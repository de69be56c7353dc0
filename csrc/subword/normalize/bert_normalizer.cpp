#include "subword/normalize/bert_normalizer.h"

#include "core/narrow.h"

namespace stringops::subword {
namespace {

// Returns whether Hugging Face's normalizer names a code point as Chinese: without U+2B820 to U+2B91F, which Google's
// code has.
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

BertNormalizer::BertNormalizer(const BertSteps& steps) : steps_(steps) {
  for (uint32_t c = 0; c < 0x80; ++c) {
    const uint8_t flags = steps.clean ? bert::kFlags[c] : 0;
    const bool is_upper = steps.lower && 'A' <= c && c <= 'Z';
    ascii_[c] = {static_cast<uint8_t>((flags & bert::kCleaned) != 0 ? ' '
                                      : is_upper                    ? c - 'A' + 'a'
                                                                    : c),
                 (flags & bert::kDropped) == 0};
  }
}

void BertNormalizer::normalize(StringView text, const uint8_t* origin, std::vector<uint8_t>& out,
                               std::vector<PackedRange>* map) {
  out.clear();
  if (map) map->clear();
  Output output{out, map};
  for (const uint8_t* p = text.begin; p < text.end;) {
    if (!decomposition_.is_waiting() && *p < 0x80) {
      p = add_ascii(p, text.end, origin, output);
      continue;
    }
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

// Adds the ASCII characters up to one that is not, and returns its position.
const uint8_t* BertNormalizer::add_ascii(const uint8_t* p, const uint8_t* end, const uint8_t* origin, Output& out) {
  const uint8_t* const run = p;
  while (p < end && *p < 0x80) ++p;
  const size_t before = out.bytes.size();
  out.bytes.resize(before + static_cast<size_t>(p - run));
  uint8_t* to = out.bytes.data() + before;
  for (const uint8_t* from = run; from < p; ++from) {
    const Ascii c = ascii_[*from];
    *to = c.to;
    to += c.is_kept;
    if (out.map && c.is_kept) {
      const auto at = narrow<int32_t>(from - origin);
      out.map->push_back({at, at + 1});
    }
  }
  out.bytes.resize(static_cast<size_t>(to - out.bytes.data()));
  return p;
}

void BertNormalizer::add_codepoint(uint32_t c, PackedRange source, Output& out) {
  if (steps_.clean) {
    const uint8_t flags = bert::kFlags[c];
    if ((flags & bert::kDropped) != 0) return;
    if ((flags & bert::kCleaned) != 0) c = ' ';
  }
  if (!steps_.split_chinese || !is_chinese(c)) return add_decomposed(c, source, out);
  add_decomposed(' ', source, out);
  add_decomposed(c, source, out);
  add_decomposed(' ', source, out);
}

void BertNormalizer::add_decomposed(uint32_t c, PackedRange source, Output& out) {
  if (!steps_.strip_accents) return add_cased(c, source, out);
  decomposition_.decompose(c, source, [&](uint32_t part, PackedRange from) { add_unaccented(part, from, out); });
}

void BertNormalizer::add_marks(Output& out) {
  decomposition_.flush([&](uint32_t part, PackedRange from) { add_unaccented(part, from, out); });
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
