#include "subword/scan/added.h"

namespace stringops::subword {
namespace {
constexpr uint32_t kMaxEdges = 256;  // a malformed node may have more
}  // namespace

AddedTokens::AddedTokens(const Table& table, const Trie& trie)
    : trie_(trie), added_(table.added), first_counts_(table.header.first_match != 0) {
  const TrieNode root = trie.nodes[0];
  const uint64_t count = std::min(root.num_edges, kMaxEdges);
  for (uint64_t i = 0; i < count; ++i) {
    const uint32_t byte = trie.edges[root.first_edge + i].byte & 0xFF;
    begins_[byte] = true;
    if (count == 1) only_first_ = static_cast<int>(byte);
  }
  none_ = count == 0;
}

// The node that the edge leads to, or 0.
uint32_t AddedTokens::child(const TrieNode& node, uint8_t byte) const {
  uint64_t low = node.first_edge, high = low + std::min(node.num_edges, kMaxEdges);
  while (low < high) {
    const uint64_t middle = (low + high) / 2;
    const TrieEdge edge = trie_.edges[middle];
    if (edge.byte == byte) return edge.node;
    (edge.byte < byte ? low : high) = edge.byte < byte ? middle + 1 : middle;
  }
  return 0;
}

// The longest token at p, or the one that the settings list first.
AddedTokens::FoundToken AddedTokens::match_at(const uint8_t* p, const uint8_t* end) const {
  FoundToken best{kNone, 0};
  TrieNode node = trie_.nodes[0];
  for (const uint8_t* q = p; q < end;) {
    const uint32_t next = child(node, *q++);
    if (next == 0) break;
    node = trie_.nodes[next];
    if (node.token == kNone) continue;
    if (!first_counts_ || node.token < best.token) best = {node.token, q - p};
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
