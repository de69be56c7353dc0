// The table of a subword tokenizer: one buffer, made by subword_build, read by the operators that encode and decode.
//
//   TableHeader
//   sections     arrays of the types in SectionId, each at a multiple of 64 bytes
//
// Operators get the table as a tensor, so it may be malformed. open_table checks in constant time that each section is
// inside the buffer, and compiles patterns, unless they are among those that were used last. Everything that is read
// from a section afterwards is bounded where it is used (Array), so that a malformed table gives wrong ids, never an
// access out of bounds.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "core/hash.h"
#include "core/pair_table.h"
#include "core/piece_trie.h"
#include "core/string_span.h"
#include "regex/pattern.h"
#include "subword/array.h"
#include "subword/models/blank_runs.h"
#include "subword/models/characters.h"
#include "subword/models/concatenation_bpe.h"
#include "subword/models/unigram.h"
#include "subword/models/wordpiece.h"
#include "subword/normalize/normalizer_tables.h"
#include "subword/spec/spec.h"

namespace stringops::subword {

// A word whose ids are known. Up to kShortBytes, `low` and `high` are its bytes, with its length in the upper byte of
// `high`; 0 in an empty slot. Of a longer word, `low` is its hash, with bit 0 set, and the halves of `high` are its
// position in the texts, and its length.
struct WordIds {
  uint64_t low;
  uint64_t high;
  uint32_t ids[4];  // their number in the upper byte of the first
};
static_assert(sizeof(WordIds) == 32);
constexpr int64_t kShortBytes = 15;
constexpr int64_t kMaxWordIds = 4;
constexpr size_t kLimit = 3;  // if Unigram::has_words, the ids are fewer, and the limit of the word is there
constexpr uint32_t kIdBits = 24;
constexpr uint64_t kMaxProbes = 256;  // slots that a search reads

struct AddedRecord {
  uint32_t id;
  uint32_t flags;
};

enum SectionId : int {
  kSteps,       // Step
  kTemplate,    // uint32_t, ids; `before` of them stand before those of the string
  kByteIds,     // uint32_t [256]; of Unigram: the ids of the bytes of unknown characters
  kPairs,       // uint64_t: the slots of a PairTable
  kMade,        // uint32_t: by priority, the id that the pair becomes
  kShortWords,  // WordIds, a power of two; searches begin at an even slot
  kLongWords,   // WordIds, a power of two
  kWordTexts,   // bytes of the long words
  kRawTrie,     // PieceTrie::Unit: the places in kAdded of tokens that are cut out of the text
  kNormalTrie,  // the same of those that are cut out of normalized text
  kAdded,       // AddedRecord
  kTokenEnds,   // uint32_t: by id, where the token's bytes end in the texts; they begin at the end of the one before
  kTokenTexts,  // bytes
  kIdFlags,     // uint8_t: by id, sum of IdFlag
  kFirstEnds,   // as kTokenEnds and kTokenTexts, of tokens that are the first of a row, if their texts differ
  kFirstTexts,
  kWordPiece,  // WordPieceRecord, of a WordPiece model, which has no pairs
  kPieceTrie,  // PieceTrie::Unit: of its pieces, or of those of a Unigram model
  kStepEnds,   // as kTokenEnds and kTokenTexts: the texts of steps
  kStepTexts,
  kLastEnds,  // as kFirstEnds, of tokens that are the last of a row
  kLastTexts,
  kDecode,        // DecodeRecord, if rows of tokens are changed as a whole
  kCharacters,    // CharacterRecord, of a model whose first symbols are characters
  kSymbols,       // uint64_t: Symbols
  kFallbackIds,   // uint32_t [256]: the tokens that a byte becomes if its character is not a token
  kPairTemplate,  // PairItem
  kUnigram,       // UnigramRecord, of a Unigram model, which has no pairs
  kScores,        // double, by id, of a Unigram model
  kPieceFlags,    // uint8_t, by id: sum of PieceFlag, of a ConcatenationBpe, which has a UnigramRecord too
  kFrozenTrie,    // PieceTrie::Unit: of the pieces of SentencePiece that the user defined
  kCharsmap,      // bytes
  kPatternEnds,   // as kTokenEnds and kTokenTexts: the patterns of steps
  kPatternTexts,
  kRanks,       // uint32_t, by id: the order in which pieces of a ConcatenationBpe are made
  kPairPilots,  // uint16_t: of a PairTable
  kBlankRuns,   // uint32_t: BlankRuns, of a BPE that has such pieces
  kNumSections,
};

enum IdFlag : uint8_t { kIsSpecial = 1, kIsByte = 2 };  // its text is one byte

// The changes of the texts of a row after they are joined.
struct DecodeRecord {
  uint32_t strip_byte;  // at most `strip_most` of them at its beginning are left out
  uint32_t strip_most;
  uint32_t sentencepiece;  // 1 + the number of the directive: its rules for bytes, and which tokens are first
  // The UTF-8 of a character that tokens which are bytes may form, zeros if there is none, and what replaces it.
  std::array<uint8_t, kMaxReplaced> replaced, replaced_by;
  uint32_t replaced_by_size;
};

struct Section {
  uint64_t begin;
  uint64_t num_bytes;
};

struct TableHeader {
  static constexpr uint64_t kMagic = 0x3930627573654f53;  // "SOesub09"; also rejects the other byte order
  uint64_t magic;
  uint64_t num_bytes;
  HashSeed seed;
  uint32_t before;  // of the template
  uint32_t whole;   // Spec::whole
  uint32_t first_match;
  uint32_t max_word;  // bytes of the longest word among the long ones
  uint32_t unused[2];
  std::array<Section, kNumSections> sections;
};
constexpr uint64_t kTableAlignment = 64;

// The texts of ids.
struct TokenTexts {
  Array<uint32_t> ends;
  Array<uint8_t> bytes;

  // None of an id outside.
  StringView operator[](int64_t id) const {
    const auto i = static_cast<uint64_t>(id);
    const uint64_t begin = i == 0 ? 0 : ends[i - 1], end = ends[i];
    if (i >= ends.size || begin > end || end > bytes.size) return {bytes.at, bytes.at};
    return {bytes.at + begin, bytes.at + end};
  }
};

static_assert(kMaxSymbol == (1 << kPairBits) - 1);

inline uint64_t word_hash(uint64_t low, uint64_t high, const HashSeed& seed) {
  return mix(low ^ seed.low, high ^ seed.high);
}

// An opened table: views into it, and copies of what decides the work.
struct Table {
  TableHeader header;
  std::vector<Step> steps;
  std::vector<uint32_t> template_ids;
  std::vector<PairItem> pair;  // with one kFirst and one kSecond
  Array<uint32_t> byte_ids, made;
  PairTable pairs{};
  BlankRuns blank_runs;
  Array<WordIds> short_words, long_words;
  Array<uint8_t> word_texts;
  std::optional<PieceTrie> raw, normal;  // of added tokens
  Array<AddedRecord> added;
  std::vector<std::string> step_texts;
  std::vector<std::shared_ptr<const Pattern>> patterns;  // of steps
  TokenTexts texts, first_texts, last_texts;  // the others have no ids if those at the ends have no other texts
  Array<uint8_t> id_flags;
  DecodeRecord decode{};
  std::optional<WordPiece> wordpiece;
  std::optional<Characters> characters;
  std::optional<Unigram> unigram;
  std::optional<ConcatenationBpe> concatenation;
  NormalizerTables normalizer;

  // The slot of a word of at most kShortBytes, or one with `high` 0.
  WordIds find_short(uint64_t low, uint64_t high) const;
  // Same as above for a longer word.
  WordIds find_long(const uint8_t* word, int64_t n) const;

  int64_t num_ids() const { return static_cast<int64_t>(texts.ends.size); }
  const TokenTexts& texts_at(bool begins_row, bool ends_row) const {
    if (ends_row && last_texts.ends.size > 0) return last_texts;
    return begins_row && first_texts.ends.size > 0 ? first_texts : texts;
  }
  bool has_flag(int64_t id, IdFlag flag) const { return id >= 0 && (id_flags[static_cast<uint64_t>(id)] & flag) != 0; }
};

// A word of at most kShortBytes: its bytes, zeros after them, and its length in the last byte.
struct ShortKey {
  uint64_t low;
  uint64_t high;
  bool operator==(const ShortKey& other) const { return ((low ^ other.low) | (high ^ other.high)) == 0; }
};

// Masks for the 16 bytes at a word of at most kShortBytes, and what is added to them: its length.
struct ShortKeyMasks {
  uint64_t low[16] = {}, high[16] = {}, length[16] = {};

  constexpr ShortKeyMasks() {
    for (int n = 0; n < 16; ++n) {
      low[n] = n >= 8 ? ~uint64_t{0} : (uint64_t{1} << 8 * n) - 1;
      high[n] = n <= 8 ? 0 : (uint64_t{1} << 8 * (n - 8)) - 1;
      length[n] = static_cast<uint64_t>(n) << 56;
    }
  }
};
inline constexpr ShortKeyMasks kShortKeyMasks;

// The key of a word of n <= kShortBytes, at 16 readable bytes.
inline ShortKey short_key_at(const uint8_t* word, size_t n) {
  ShortKey key;
  std::memcpy(&key, word, sizeof(key));
  key.low &= kShortKeyMasks.low[n];
  key.high = (key.high & kShortKeyMasks.high[n]) | kShortKeyMasks.length[n];
  return key;
}
// Same as above, reading no other bytes.
inline ShortKey short_key(const uint8_t* word, size_t n) {
  uint8_t bytes[sizeof(ShortKey)] = {};
  if (n > 0) std::memcpy(bytes, word, n);  // an empty word may be at no address
  return short_key_at(bytes, n);
}

// Nothing if the bytes are not a table.
std::optional<Table> open_table(const uint8_t* bytes, int64_t num_bytes);

}  // namespace stringops::subword
