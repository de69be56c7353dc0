#include "subword/piece_trie.h"

#include <algorithm>

#include "core/fail.h"

namespace stringops::subword {
namespace {

class PieceTrieBuilder {
 public:
  explicit PieceTrieBuilder(const char* op) : op_(op), parts_{std::vector<uint64_t>(256, PieceTrie::kNoEdge), {-1}} {}

  void add(std::string_view piece, int32_t id) {
    uint32_t node = 0;
    for (const char c : piece) node = find_or_add(node, static_cast<uint8_t>(c));
    parts_.ids[node] = id;
  }

  PieceTrieParts take() { return std::move(parts_); }

 private:
  uint32_t find_or_add(uint32_t node, uint8_t byte) {
    const uint32_t key = node << 8 | byte;
    for (;;) {
      if (uint64_t* const edge = find(parts_.edges, key)) {
        if (*edge != PieceTrie::kNoEdge) return static_cast<uint32_t>(*edge);
        if (2 * num_edges_ < parts_.edges.size()) {
          STRINGOPS_CHECK(parts_.ids.size() < PieceTrie::kMaxNodes, op_, ": expected pieces of fewer than ",
                          PieceTrie::kMaxNodes, " different beginnings");
          const auto child = static_cast<uint32_t>(parts_.ids.size());
          parts_.ids.push_back(-1);
          *edge = uint64_t{key} << 32 | child;
          ++num_edges_;
          return child;
        }
      }
      grow();
    }
  }

  // The slot of the edge with this key, or the free one in which it belongs; null if there is none within kMaxProbes.
  static uint64_t* find(std::vector<uint64_t>& edges, uint32_t key) {
    const size_t last = edges.size() - 1;
    size_t slot = PieceTrie::home(key) & last;
    for (int probe = 0; probe < PieceTrie::kMaxProbes; ++probe, slot = (slot + 1) & last) {
      if (edges[slot] == PieceTrie::kNoEdge || edges[slot] >> 32 == key) return &edges[slot];
    }
    return nullptr;
  }

  void grow() {
    for (size_t size = 2 * parts_.edges.size();; size *= 2) {
      std::vector<uint64_t> grown(size, PieceTrie::kNoEdge);
      const bool fits = std::all_of(parts_.edges.begin(), parts_.edges.end(), [&](uint64_t edge) {
        if (edge == PieceTrie::kNoEdge) return true;
        uint64_t* const slot = find(grown, static_cast<uint32_t>(edge >> 32));
        if (slot) *slot = edge;
        return slot != nullptr;
      });
      if (!fits) continue;
      parts_.edges = std::move(grown);
      return;
    }
  }

  const char* const op_;
  PieceTrieParts parts_;
  size_t num_edges_ = 0;
};

}  // namespace

PieceTrieParts build_piece_trie(const char* op, const std::vector<std::string>& pieces) {
  PieceTrieBuilder builder(op);
  for (size_t i = 0; i < pieces.size(); ++i) {
    if (!pieces[i].empty()) builder.add(pieces[i], static_cast<int32_t>(i));
  }
  return builder.take();
}

uint32_t find_node(const PieceTrieParts& parts, std::string_view prefix) {
  const PieceTrie trie(reinterpret_cast<const uint8_t*>(parts.edges.data()), static_cast<uint32_t>(parts.edges.size()),
                       reinterpret_cast<const uint8_t*>(parts.ids.data()), static_cast<uint32_t>(parts.ids.size()));
  uint32_t node = PieceTrie::kRoot;
  for (const char c : prefix) {
    node = trie.child(node, static_cast<uint8_t>(c));
    if (node == PieceTrie::kRoot) return PieceTrie::kNoNode;
  }
  return node;
}

}  // namespace stringops::subword
