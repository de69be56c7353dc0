// A trie of pieces, to find the longest one at the beginning of a text. It is part of a table, which comes from
// strangers: each value read from it is checked before use, so a malformed one gives wrong ids, never a read out of
// bounds.
//
// It is a double array: uint64 [num_units], a unit for each node.
//
//   bits 0 to 31    the node's base: its child by a byte is the unit at base ^ byte, if that unit has this byte
//   bits 32 to 40   the byte that leads to the node; kNoByte of the root, and of units that are not nodes
//   bits 41 to 63   1 + the id of the piece that ends in the node, or 0
//
// Unit 0 is the root. No two nodes have one base; that of nodes without children is 0.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "core/string_span.h"

namespace stringops {

class PieceTrie {
 public:
  using Unit = uint64_t;
  static constexpr uint64_t kMaxUnits = 1 << 28;
  static constexpr uint64_t kMaxPieces = (1 << 23) - 1;
  static constexpr Unit kNoByte = 0x100;
  static constexpr uint32_t kRoot = 0, kNoNode = ~uint32_t{0};

  // num_units is at least 1.
  PieceTrie(const uint8_t* units, uint64_t num_units) : units_(units), num_units_(num_units) {}

  // The unit of a node; that of kNoNode has neither an id nor children.
  Unit unit(uint32_t node) const { return node < num_units_ ? load(node) : 0; }
  // The unit of a child, or 0.
  Unit child_unit(Unit unit, uint8_t byte) const {
    const uint64_t node = static_cast<uint32_t>(unit) ^ uint64_t { byte };
    if (__builtin_expect(node >= num_units_, 0)) return 0;
    const Unit child = load(node);
    return (child >> 32 & 0x1FF) == byte ? child : 0;
  }
  // The id of the piece that ends in the unit's node, or -1.
  static int32_t id_of(Unit unit) { return static_cast<int32_t>(unit >> 41) - 1; }

  // The child of a node by a byte, or 0.
  uint32_t child(uint32_t node, uint8_t byte) const {
    const Unit parent = unit(node);
    return child_unit(parent, byte) == 0 ? 0 : static_cast<uint32_t>(parent) ^ byte;
  }

  // The id of the piece that ends in a node, or -1.
  int32_t id(uint32_t node) const { return id_of(unit(node)); }

  // The id of a piece, or -1.
  int32_t find(StringView piece) const {
    Unit at = unit(kRoot);
    for (const uint8_t* p = piece.begin; p < piece.end; ++p) {
      at = child_unit(at, *p);
      if (at == 0) return -1;
    }
    return id_of(at);
  }

  struct FoundPiece {
    int32_t id;  // -1 if there is none
    const uint8_t* end;
  };

  // The longest piece that is a prefix of `node` and the text, and longer than that of the node.
  FoundPiece find_longest(uint32_t node, StringView text) const {
    FoundPiece best{-1, text.begin};
    Unit at = unit(node);
    for (const uint8_t* p = text.begin; p < text.end;) {
      at = child_unit(at, *p++);
      if (at == 0) break;
      if (const int32_t id = id_of(at); id >= 0) best = {id, p};
    }
    return best;
  }

 private:
  Unit load(uint64_t node) const {
    Unit unit;
    std::memcpy(&unit, units_ + node * sizeof(unit), sizeof(unit));
    return unit;
  }

  const uint8_t* units_;
  uint64_t num_units_;
};

// The units of a trie of pieces, by id; empty ones are left out. Of equal ones, the trie has the first.
std::vector<PieceTrie::Unit> build_piece_trie(const char* op, const std::vector<std::string_view>& pieces);

// The node of a prefix, or kNoNode if no piece begins with it.
uint32_t find_node(const std::vector<PieceTrie::Unit>& units, std::string_view prefix);

}  // namespace stringops
