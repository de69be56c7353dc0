// Byte pair encoding as SentencePiece does it: two neighbours merge if their concatenation is a piece, that of the
// greatest score first, and of equal ones the leftmost.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/piece_trie.h"
#include "core/string_span.h"
#include "subword/array.h"
#include "subword/models/unknown_runs.h"

namespace stringops::subword {

// The kind of a piece, which tables store by id.
enum PieceFlag : uint8_t {
  kUnused = 1,  // is taken apart again after merging
};

// The character that SentencePiece writes for spaces: U+2581.
constexpr std::string_view kWordBegin = "\xE2\x96\x81";

// It is part of a table, which comes from strangers: an id without a rank has rank 0.
class ConcatenationBpe {
 public:
  static constexpr int kRankBits = 21;  // there are no more ids

  // Arrays by id: ranks, which are equal for equal scores, and flags, uint8. `frozen` has the pieces that are symbols
  // and never merge.
  struct Parts {
    Array<uint32_t> ranks;
    const uint8_t* flags;
    uint64_t num_flags;
    const uint8_t* byte_ids;  // as in UnknownRule
    uint32_t unknown_id;
  };
  ConcatenationBpe(const PieceTrie& trie, const std::optional<PieceTrie>& frozen, const Parts& parts)
      : trie_(trie), frozen_(frozen), parts_(parts) {}

  // Appends the ids of a text, and to `parts`, if it is not null, the part of the text that each stands for.
  void encode(StringView text, std::vector<uint32_t>& ids, std::vector<StringView>* parts) const;

 private:
  class Merging;

  uint32_t rank(uint32_t id) const { return parts_.ranks[id] & ((1u << kRankBits) - 1); }
  bool is_unused(uint32_t id) const { return id < parts_.num_flags && (parts_.flags[id] & kUnused) != 0; }
  PieceTrie::Unit walk(PieceTrie::Unit unit, StringView text) const;

  const PieceTrie trie_;
  const std::optional<PieceTrie> frozen_;
  const Parts parts_;
};

}  // namespace stringops::subword
