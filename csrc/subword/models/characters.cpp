#include "subword/models/characters.h"

#include "core/codepoint.h"

namespace stringops::subword {

uint32_t Characters::find(uint32_t key) const {
  const uint64_t mask = symbols_.size - 1;
  uint64_t slot = symbol_hash(key) & mask;
  for (uint64_t probe = 0; probe < kMaxSymbolProbes; ++probe, slot = (slot + 1) & mask) {
    const uint64_t symbol = symbols_.unchecked(slot);
    if (symbol >> 32 == key) return static_cast<uint32_t>(symbol) & kMaxSymbol;
    if (symbol == kEmptySymbol) break;
  }
  return kNone;
}

std::unordered_set<uint32_t> Characters::byte_tokens() const {
  std::unordered_set<uint32_t> found;
  if ((record_.flags & CharacterRecord::kSentencePiece) == 0) return found;
  for (uint64_t byte = 0; byte < 256; ++byte) found.insert(fallback_ids_.unchecked(byte) & kMaxSymbol);
  return found;
}

int64_t Characters::split(StringView word, uint32_t* out, std::vector<uint32_t>* ends) const {
  int64_t count = 0, covered = 0;
  if (ends) ends->clear();
  const auto add = [&](uint32_t id, int64_t size) {
    out[count++] = id;
    covered += size;
    if (ends) ends->push_back(static_cast<uint32_t>(covered));
  };
  const auto has = [&](CharacterRecord::Flag flag) { return (record_.flags & flag) != 0; };
  const bool falls_back = has(CharacterRecord::kFallback), fuses = has(CharacterRecord::kFuses);
  const bool of_bytes = has(CharacterRecord::kBytes);
  const bool has_prefix = has(CharacterRecord::kHasPrefix), has_suffix = has(CharacterRecord::kHasSuffix);
  int64_t unknown = 0;  // bytes of an unknown token that is not added yet
  for (const uint8_t* p = word.begin; p < word.end;) {
    const Codepoint c = of_bytes ? Codepoint{*p, 1} : read_codepoint(p, word.end);
    const uint8_t* const end = p + c.length;
    const uint32_t place = (has_prefix && p > word.begin ? uint32_t{kContinues} : 0) |
                           (has_suffix && end == word.end ? uint32_t{kEndsWord} : 0);
    const uint32_t id = c.value == kInvalidByte ? kNone : find(symbol_key(c.value, place));
    bool has_bytes = id == kNone && falls_back;
    for (const uint8_t* q = p; has_bytes && q < end; ++q) has_bytes = fallback_ids_.unchecked(*q) != kNone;
    if (id != kNone) {
      if (unknown > 0) add(record_.unknown_id, unknown);
      unknown = 0;
      add(id, c.length);
    } else if (has_bytes) {  // before an unknown token that waits, as tokenizers does
      for (const uint8_t* q = p; q < end; ++q) add(fallback_ids_.unchecked(*q) & kMaxSymbol, 1);
    } else if (record_.unknown_id != kNone) {
      if (unknown > 0 && !fuses) add(record_.unknown_id, unknown);
      unknown = fuses ? unknown + c.length : c.length;
    } else {
      covered += c.length;
    }
    p = end;
  }
  if (unknown > 0) add(record_.unknown_id, unknown);
  return count;
}

}  // namespace stringops::subword
