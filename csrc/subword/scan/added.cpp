#include "subword/scan/added.h"

namespace stringops::subword {

AddedTokens::AddedTokens(const Table& table, const std::optional<PieceTrie>& trie)
    : trie_(trie), added_(table.added), first_counts_(table.header.first_match != 0) {
  int count = 0;
  for (int byte = 0; trie && byte < 256; ++byte) {
    if (trie->child(PieceTrie::kRoot, static_cast<uint8_t>(byte)) == 0) continue;
    begins_[static_cast<size_t>(byte)] = true;
    only_first_ = ++count == 1 ? byte : -1;
  }
  none_ = count == 0;
}

// The longest token at p, or the one that the settings list first.
AddedTokens::FoundToken AddedTokens::match_at(const uint8_t* p, const uint8_t* end) const {
  FoundToken best{kNone, 0};
  PieceTrie::Unit unit = trie_ ? trie_->unit(PieceTrie::kRoot) : 0;
  for (const uint8_t* q = p; unit != 0 && q < end;) {
    unit = trie_->child_unit(unit, *q++);
    const int32_t token = PieceTrie::id_of(unit);
    if (token < 0) continue;
    if (!first_counts_ || static_cast<uint32_t>(token) < best.token) best = {static_cast<uint32_t>(token), q - p};
  }
  return best;
}

bool AddedTokens::is_single_word(StringView text, const uint8_t* begin, const uint8_t* end) {
  if (begin > text.begin && read_character_before(text.begin, begin).is(kWord)) return false;
  return end == text.end || !read_character(end, text.end).is(kWord);
}

const uint8_t* AddedTokens::strip_left(const uint8_t* begin, const uint8_t* p) {
  while (p > begin) {
    const Character c = read_character_before(begin, p);
    if (!c.is(kSpace)) break;
    p -= c.length;
  }
  return p;
}

const uint8_t* AddedTokens::strip_right(const uint8_t* p, const uint8_t* end) {
  while (p < end) {
    const Character c = read_character(p, end);
    if (!c.is(kSpace)) break;
    p += c.length;
  }
  return p;
}

}  // namespace stringops::subword
