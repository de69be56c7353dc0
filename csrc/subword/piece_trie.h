// A trie of pieces, to find the longest one at the beginning of a text. It is part of a table, which comes from
// strangers: each value read from it is checked before use, so a malformed one gives wrong ids, never a read out of
// bounds.
//
//   edges   uint64 [num_slots]   edges from a node to its child by a byte, by hash: node << 8 | byte in the upper half,
//                                the child in the lower half; kNoEdge in a free slot
//   ids     int32 [num_nodes]    the id of the piece that ends in the node, or -1
//
// Node 0 is the root, and no child. num_slots is a power of two, at least twice the number of edges.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/string_span.h"

namespace stringops::subword {

class PieceTrie {
 public:
  static constexpr uint32_t kMaxNodes = 1 << 24;  // so that a node and a byte have 32 bits
  static constexpr uint64_t kNoEdge = ~uint64_t{0};
  static constexpr uint32_t kRoot = 0, kNoNode = ~uint32_t{0};

  // Slots and nodes as described above; num_slots is a power of two, num_nodes at least 1.
  PieceTrie(const uint8_t* edges, uint32_t num_slots, const uint8_t* ids, uint32_t num_nodes)
      : edges_(edges), last_slot_(num_slots - 1), ids_(ids), num_nodes_(num_nodes) {}

  // The child of a node by a byte, or 0.
  uint32_t child(uint32_t node, uint8_t byte) const {
    const uint32_t key = node << 8 | byte;
    uint32_t slot = home(key) & last_slot_;
    for (int probe = 0; probe < kMaxProbes; ++probe, slot = (slot + 1) & last_slot_) {
      uint64_t edge;
      std::memcpy(&edge, edges_ + size_t{slot} * sizeof(edge), sizeof(edge));
      if (static_cast<uint32_t>(edge >> 32) == key) {
        const auto to = static_cast<uint32_t>(edge);
        return to < num_nodes_ ? to : 0;
      }
      if (edge == kNoEdge) break;
    }
    return 0;
  }

  // The id of the piece that ends in a node, or -1.
  int32_t id(uint32_t node) const {
    int32_t id;
    std::memcpy(&id, ids_ + size_t{node} * sizeof(id), sizeof(id));
    return id;
  }

  // The id of a piece, or -1.
  int32_t find(StringView piece) const {
    uint32_t node = kRoot;
    for (const uint8_t* p = piece.begin; p < piece.end; ++p) {
      node = child(node, *p);
      if (node == kRoot) return -1;
    }
    return id(node);
  }

  struct Match {
    int32_t id;  // -1 if there is none
    const uint8_t* end;
  };

  // The longest piece that is a prefix of `node` and the text, and longer than that of the node.
  Match find_longest(uint32_t node, StringView text) const {
    Match best{-1, text.begin};
    for (const uint8_t* p = text.begin; p < text.end;) {
      node = child(node, *p++);
      if (node == kRoot) break;
      if (const int32_t id = this->id(node); id >= 0) best = {id, p};
    }
    return best;
  }

  static constexpr int kMaxProbes = 64;

  static uint32_t home(uint32_t key) { return static_cast<uint32_t>(key * uint64_t{0x9e3779b97f4a7c15} >> 32); }

 private:
  const uint8_t* edges_;
  uint32_t last_slot_;
  const uint8_t* ids_;
  uint32_t num_nodes_;
};

// The two parts of a trie.
struct PieceTrieParts {
  std::vector<uint64_t> edges;
  std::vector<int32_t> ids;
};

// A trie of distinct pieces, by id; empty ones are left out. Throws if they need more than PieceTrie::kMaxNodes nodes.
PieceTrieParts build_piece_trie(const char* op, const std::vector<std::string>& pieces);

// The node of a prefix, or kNoNode if no piece begins with it.
uint32_t find_node(const PieceTrieParts& parts, std::string_view prefix);

}  // namespace stringops::subword
