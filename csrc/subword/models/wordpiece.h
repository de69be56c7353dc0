// WordPiece: a word is the longest piece at its beginning, then the longest ones that continue it; a word that these do
// not cover is unknown as a whole.
#pragma once

#include <cstdint>
#include <vector>

#include "core/piece_trie.h"
#include "core/string_span.h"
#include "core/utf8.h"

namespace stringops::subword {

// The settings of a model in addition to its pieces, as tables store them.
struct WordPieceRecord {
  uint32_t prefix_node;  // the node of the prefix of pieces that continue a word; kNoNode if there are none
  uint32_t unknown_id;
  int64_t max_codepoints;  // a longer word is unknown
};

class WordPiece {
 public:
  WordPiece(const PieceTrie& trie, const WordPieceRecord& record) : trie_(trie), record_(record) {}

  int64_t max_codepoints() const { return record_.max_codepoints; }
  bool is_too_long(StringView word) const {
    return word.size() > record_.max_codepoints && count_codepoints(word.begin, word.end) > record_.max_codepoints;
  }

  // Appends the ids of a word, and to `ends`, if it is not null, where the pieces end.
  void encode(StringView word, std::vector<uint32_t>& ids, std::vector<const uint8_t*>* ends) const {
    const size_t first = ids.size();
    bool known = !is_too_long(word);
    uint32_t node = PieceTrie::kRoot;
    for (const uint8_t* p = word.begin; known && p < word.end; node = record_.prefix_node) {
      const PieceTrie::FoundPiece match = trie_.find_longest(node, {p, word.end});
      known = match.id >= 0;
      if (!known) break;
      ids.push_back(static_cast<uint32_t>(match.id));
      if (ends) ends->push_back(match.end);
      p = match.end;
    }
    if (known) return;
    ids.resize(first);
    ids.push_back(record_.unknown_id);
    if (ends) ends->assign(1, word.end);
  }

 private:
  const PieceTrie trie_;
  const WordPieceRecord record_;
};

}  // namespace stringops::subword
