#include "subword/models/piece_trie.h"

#include <algorithm>

#include "core/fail.h"

namespace stringops::subword {
namespace {

using Unit = PieceTrie::Unit;

// Places nodes one after the other. A node with one child takes the first unit that is free; the children of another
// one are in a block of kBlock units, one of the last few, so that the time is linear.
class PieceTrieBuilder {
 public:
  PieceTrieBuilder(const char* op, const std::vector<std::string>& pieces) : op_(op), pieces_(pieces) {
    STRINGOPS_CHECK(pieces.size() <= PieceTrie::kMaxPieces, op, ": expected at most ", PieceTrie::kMaxPieces,
                    " pieces, got ", pieces.size());
    for (size_t id = 0; id < pieces.size(); ++id) {
      if (!pieces[id].empty()) order_.push_back(static_cast<uint32_t>(id));
    }
    std::sort(order_.begin(), order_.end(), [&](uint32_t a, uint32_t b) { return pieces[a] < pieces[b]; });
    add_block();
    use(0, PieceTrie::kNoByte);
    base_used_[0] = true;
  }

  std::vector<Unit> build() {
    std::vector<Range> rest{{0, order_.size(), 0, 0}};
    while (!rest.empty()) {
      Range range = rest.back();
      rest.pop_back();
      if (range.begin < range.end && pieces_[order_[range.begin]].size() == range.depth) {
        units_[range.node] |= (Unit{order_[range.begin]} + 1) << 41;
        ++range.begin;
      }
      if (range.begin == range.end) continue;
      find_children(range);
      const uint32_t base = find_base();
      base_used_[base] = true;
      units_[range.node] |= base;
      for (size_t k = 0; k < bytes_.size(); ++k) {
        const uint32_t node = base ^ bytes_[k];
        use(node, bytes_[k]);
        rest.push_back({begins_[k], begins_[k + 1], range.depth + 1, node});
      }
    }
    return std::move(units_);
  }

 private:
  static constexpr uint32_t kBlock = 256, kOpenBlocks = 16;

  // The pieces that have the beginning of a node, in order.
  struct Range {
    size_t begin, end, depth;
    uint32_t node;
  };

  uint8_t byte_at(size_t i, size_t depth) const { return static_cast<uint8_t>(pieces_[order_[i]][depth]); }

  // Sets bytes_ to those of the children, and begins_ to where their pieces begin, and the end.
  void find_children(const Range& range) {
    bytes_.clear();
    begins_.clear();
    for (size_t i = range.begin; i < range.end; ++i) {
      const uint8_t byte = byte_at(i, range.depth);
      if (!bytes_.empty() && bytes_.back() == byte) continue;
      bytes_.push_back(byte);
      begins_.push_back(i);
    }
    begins_.push_back(range.end);
  }

  uint32_t find_base() {
    const auto size = static_cast<uint32_t>(units_.size());
    if (bytes_.size() == 1) {
      while (first_free_ < size && used_[first_free_]) ++first_free_;
      for (uint32_t node = first_free_; node < size && node < first_free_ + kBlock; ++node) {
        if (serves(node ^ bytes_[0])) return node ^ bytes_[0];
      }
    }
    const uint32_t blocks = size / kBlock;
    for (uint32_t block = blocks - std::min(blocks, kOpenBlocks); block < blocks; ++block) {
      if (free_[block] < bytes_.size()) continue;
      for (uint32_t node = block * kBlock; node < (block + 1) * kBlock; ++node) {
        if (!used_[node] && serves(node ^ bytes_[0])) return node ^ bytes_[0];
      }
    }
    add_block();
    return size ^ bytes_[0];
  }

  bool serves(uint32_t base) const {
    return !base_used_[base] &&
           std::all_of(bytes_.begin(), bytes_.end(), [&](uint8_t byte) { return !used_[base ^ byte]; });
  }

  void add_block() {
    const size_t size = units_.size() + kBlock;
    STRINGOPS_CHECK(size <= PieceTrie::kMaxUnits, op_, ": expected pieces of fewer than ", PieceTrie::kMaxUnits,
                    " different beginnings");
    units_.resize(size, PieceTrie::kNoByte << 32);
    used_.resize(size);
    base_used_.resize(size);
    free_.push_back(kBlock);
  }

  void use(uint32_t node, Unit byte) {
    units_[node] = byte << 32;
    used_[node] = true;
    --free_[node / kBlock];
  }

  const char* const op_;
  const std::vector<std::string>& pieces_;
  std::vector<uint32_t> order_;  // ids of the pieces, sorted
  std::vector<Unit> units_;
  std::vector<bool> used_, base_used_;
  std::vector<uint32_t> free_;  // units of each block
  uint32_t first_free_ = 0;
  std::vector<uint8_t> bytes_;
  std::vector<size_t> begins_;
};

}  // namespace

std::vector<Unit> build_piece_trie(const char* op, const std::vector<std::string>& pieces) {
  return PieceTrieBuilder(op, pieces).build();
}

uint32_t find_node(const std::vector<Unit>& units, std::string_view prefix) {
  const PieceTrie trie(reinterpret_cast<const uint8_t*>(units.data()), units.size());
  uint32_t node = PieceTrie::kRoot;
  for (const char c : prefix) {
    node = trie.child(node, static_cast<uint8_t>(c));
    if (node == PieceTrie::kRoot) return PieceTrie::kNoNode;
  }
  return node;
}

}  // namespace stringops::subword
