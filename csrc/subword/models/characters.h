// The first symbols of words, where they are not simply those of bytes: the token of each character, else the tokens of
// its bytes, else the unknown token. Tokens may depend on whether the character is the first or the last of its word.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "core/string_span.h"
#include "subword/array.h"

namespace stringops::subword {

struct CharacterRecord {
  // kSentencePiece: of the tokens of the bytes of a character, the last stands for it, the others for nothing.
  enum Flag : uint32_t { kFallback = 1, kFuses = 2, kBytes = 4, kHasPrefix = 8, kHasSuffix = 16, kSentencePiece = 32 };
  uint32_t unknown_id;  // or kNone
  uint32_t flags;
};

// A hash table of symbols: their key in the upper half, the token in the lower one; kEmptySymbol in a free slot.
constexpr uint64_t kEmptySymbol = ~uint64_t{0};
constexpr uint64_t kMaxSymbolProbes = 64;
inline uint64_t symbol_hash(uint32_t key) {
  return key * uint64_t{0x9e3779b97f4a7c15} >> 32;
}

// A code point, or a byte, and where it is in its word, if the model has tokens for that.
enum Place : uint32_t { kContinues = 1, kEndsWord = 2 };
inline uint32_t symbol_key(uint32_t unit, uint32_t place) {
  return unit << 2 | place;
}

class Characters {
 public:
  // `symbols` has a power of two of slots, `fallback_ids` 256 elements.
  Characters(const CharacterRecord& record, Array<uint64_t> symbols, Array<uint32_t> fallback_ids)
      : record_(record), symbols_(symbols), fallback_ids_(fallback_ids) {}

  // Writes the symbols of a word to `out`, which has room for one a byte; returns how many. Sets `ends`, if it is not
  // null, to where each of them ends.
  int64_t split(StringView word, uint32_t* out, std::vector<uint32_t>* ends) const;

  // The tokens of bytes, if kSentencePiece.
  std::unordered_set<uint32_t> byte_tokens() const;

 private:
  uint32_t find(uint32_t key) const;

  const CharacterRecord record_;
  const Array<uint64_t> symbols_;
  const Array<uint32_t> fallback_ids_;
};

}  // namespace stringops::subword
