#include "subword/build/parts.h"

#include <utility>

#include "core/codepoint.h"
#include "core/fail.h"
#include "subword/scan/class_patterns.h"

namespace stringops::kernels {

using namespace subword;

void add_steps(Sections& sections, const Spec& spec) {
  std::vector<Step> steps = spec.steps;
  std::vector<std::string> patterns = spec.patterns;
  for (Step& step : steps) {
    if (step.kind != Step::kLiteral) continue;
    step.kind = Step::kPattern;
    patterns.push_back(text_pattern(spec.step_texts[std::exchange(step.from, patterns.size() & 0xFFFF)]));
  }
  sections.add(kSteps, steps);
  Texts(spec.step_texts).place(sections, kStepEnds, kStepTexts);
  Texts(patterns).place(sections, kPatternEnds, kPatternTexts);
}

namespace {

// The tokens of one character, or byte, with the prefix and suffix of its place in a word.
std::vector<uint64_t> find_symbols(const char* op, const TokenIds& tokens, const Spec& spec) {
  std::vector<uint64_t> found;
  const auto add = [&](std::string_view text, uint32_t place, size_t id) {
    if (place & kContinues) {
      if (text.substr(0, spec.continuing_prefix.size()) != spec.continuing_prefix) return;
      text.remove_prefix(spec.continuing_prefix.size());
    }
    if (place & kEndsWord) {
      const size_t size = spec.word_suffix.size();
      if (text.size() < size || text.substr(text.size() - size) != spec.word_suffix) return;
      text.remove_suffix(size);
    }
    if (text.empty()) return;
    const auto* const begin = reinterpret_cast<const uint8_t*>(text.data());
    const Codepoint c = spec.characters ? read_codepoint(begin, begin + text.size()) : Codepoint{*begin, 1};
    if (c.value == kInvalidByte || c.length != static_cast<int64_t>(text.size())) return;
    found.push_back(uint64_t{symbol_key(c.value, place)} << 32 | id);
  };
  for (size_t id = 0; id < tokens.texts.size(); ++id) {
    for (uint32_t place = 0; place < 4; ++place) {
      const bool has_place = ((place & kContinues) == 0 || !spec.continuing_prefix.empty()) &&
                             ((place & kEndsWord) == 0 || !spec.word_suffix.empty());
      if (has_place) add(tokens.texts[id], place, id);
    }
  }
  size_t size = 16;
  while (size < 2 * found.size()) size *= 2;
  std::vector<uint64_t> slots(size, kEmptySymbol);
  for (const uint64_t symbol : found) {
    uint64_t slot = symbol_hash(static_cast<uint32_t>(symbol >> 32)) & (size - 1), probe = 0;
    for (; probe < kMaxSymbolProbes && slots[slot] != kEmptySymbol; ++probe) slot = (slot + 1) & (size - 1);
    STRINGOPS_CHECK(probe < kMaxSymbolProbes, op, ": the hashes of ", found.size(), " characters collide");
    slots[slot] = symbol;
  }
  return slots;
}

}  // namespace

void add_characters(const char* op, Sections& sections, const TokenIds& tokens, const Spec& spec) {
  CharacterRecord record{kNone, 0};
  if (spec.unknown_id >= 0) record.unknown_id = static_cast<uint32_t>(spec.unknown_id);
  if (spec.byte_fallback) record.flags |= CharacterRecord::kFallback;
  if (spec.fuses_unknown) record.flags |= CharacterRecord::kFuses;
  if (!spec.byte_ids.empty()) record.flags |= CharacterRecord::kSentencePiece;
  if (!spec.characters) record.flags |= CharacterRecord::kBytes;
  if (!spec.continuing_prefix.empty()) record.flags |= CharacterRecord::kHasPrefix;
  if (!spec.word_suffix.empty()) record.flags |= CharacterRecord::kHasSuffix;
  const bool has_affix = !spec.continuing_prefix.empty() || !spec.word_suffix.empty();
  std::vector<uint32_t> fallback_ids(256, kNone), byte_ids(256, kNone);
  for (uint32_t byte = 0; byte < 256; ++byte) {
    fallback_ids[byte] = spec.byte_ids.empty() ? tokens.find(byte_token(byte)) : spec.byte_ids[byte];
    if (byte >= 0x80 || has_affix) continue;
    // If a byte is a character, its symbol is known, unless it is unknown and joins others.
    const char character = static_cast<char>(byte);
    uint32_t& id = byte_ids[byte] = tokens.find({&character, 1});
    if (id == kNone && spec.byte_fallback) id = fallback_ids[byte];
  }
  sections.add(kCharacters, std::vector<CharacterRecord>{record});
  sections.add(kSymbols, find_symbols(op, tokens, spec));
  sections.add(kFallbackIds, fallback_ids);
  sections.add(kByteIds, byte_ids);
}

}  // namespace stringops::kernels
