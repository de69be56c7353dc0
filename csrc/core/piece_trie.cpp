#include "core/piece_trie.h"

#include <algorithm>
#include <array>
#include <optional>

#include "core/bits.h"
#include "core/byte_order.h"
#include "core/fail.h"

namespace stringops {
namespace {

using Unit = PieceTrie::Unit;

// Places nodes one after the other. The children of a node are in a block of kBlock units, and blocks in which few
// nodes find room are closed, so that the time is linear.
class PieceTrieBuilder {
 public:
  PieceTrieBuilder(const char* op, const std::vector<std::string_view>& pieces) : op_(op), pieces_(pieces) {
    STRINGOPS_CHECK(pieces.size() <= PieceTrie::kMaxPieces, op, ": expected at most ", PieceTrie::kMaxPieces,
                    " pieces, got ", pieces.size());
    sort();
    add_block();
    use(0, PieceTrie::kNoByte);
    set_bit(base_used_.data(), 0);
  }

  std::vector<Unit> build() {
    std::vector<Range> rest{{0, order_.size(), 0, 0}};
    while (!rest.empty()) {
      Range range = rest.back();
      rest.pop_back();
      if (range.begin < range.end && ends_at(range.begin, range.depth)) {
        units_[range.node] |= (Unit{order_[range.begin]} + 1) << 41;
        while (range.begin < range.end && ends_at(range.begin, range.depth)) ++range.begin;
      }
      if (range.begin == range.end) continue;
      find_children(range);
      const uint32_t base = find_base();
      set_bit(base_used_.data(), base);
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
  // Sets order_ to the ids in the order of their pieces.
  void sort() {
    struct Key {
      StringView piece;
      uint64_t prefix;
      uint32_t id;
    };
    std::vector<Key> keys;
    keys.reserve(pieces_.size());
    for (size_t id = 0; id < pieces_.size(); ++id) {
      const auto* const begin = reinterpret_cast<const uint8_t*>(pieces_[id].data());
      const StringView piece{begin, begin + pieces_[id].size()};
      if (piece.size() > 0) keys.push_back({piece, load_prefix(piece, piece.end), static_cast<uint32_t>(id)});
    }
    std::sort(keys.begin(), keys.end(), [](const Key& a, const Key& b) {
      const int64_t order = compare_bytes(a.piece, a.prefix, b.piece, b.prefix);
      return order < 0 || (order == 0 && a.id < b.id);
    });
    order_.reserve(keys.size());
    for (const Key& key : keys) order_.push_back(key.id);
  }

  static constexpr uint32_t kBlock = 256, kBlockWords = kBlock / 64;
  // With 16 times as many, tries have 5 % fewer units, and take twice as long.
  static constexpr uint32_t kMostFailures = 16;
  using BlockBits = std::array<uint64_t, kBlockWords>;

  // The pieces that have the beginning of a node, in order.
  struct Range {
    size_t begin, end, depth;
    uint32_t node;
  };

  // A block with free units, and how many nodes had no room in it.
  struct OpenBlock {
    uint32_t block, failures;
  };

  bool ends_at(size_t i, size_t depth) const { return pieces_[order_[i]].size() == depth; }
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
    for (size_t i = 0; i < open_.size();) {
      const uint32_t block = open_[i].block;
      const auto node = free_[block] < bytes_.size() ? std::nullopt : find_in_block(block);
      if (node) return *node ^ bytes_[0];
      if (++open_[i].failures == kMostFailures) {
        open_.erase(open_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    const auto size = static_cast<uint32_t>(units_.size());
    add_block();
    return size ^ bytes_[0];
  }

  // The first unit of a block that can be the first child, so that all children are in free units and no other node has
  // their base. All units are tested at once: child k is in the unit whose number differs in the bits that its byte and
  // that of the first child differ in.
  std::optional<uint32_t> find_in_block(uint32_t block) const {
    const uint64_t* const used = used_.data() + block * kBlockWords;
    BlockBits bad = moved(base_used_.data() + block * kBlockWords, bytes_[0]);
    for (const uint8_t byte : bytes_) {
      const BlockBits more = moved(used, byte ^ bytes_[0]);
      uint64_t all = ~uint64_t{0};
      for (uint32_t word = 0; word < kBlockWords; ++word) all &= bad[word] |= more[word];
      if (all == ~uint64_t{0}) return std::nullopt;
    }
    for (uint32_t word = 0; word < kBlockWords; ++word) {
      if (~bad[word] == 0) continue;
      return block * kBlock + word * 64 + static_cast<uint32_t>(__builtin_ctzll(~bad[word]));
    }
    return std::nullopt;
  }

  // The bits of a block, each of which moves from i to i ^ by.
  static BlockBits moved(const uint64_t* words, uint32_t by) {
    constexpr uint64_t kLower[] = {0x5555555555555555, 0x3333333333333333, 0x0F0F0F0F0F0F0F0F,
                                   0x00FF00FF00FF00FF, 0x0000FFFF0000FFFF, 0x00000000FFFFFFFF};
    BlockBits bits;
    for (uint32_t word = 0; word < kBlockWords; ++word) {
      uint64_t x = words[word ^ by / 64];
      for (uint32_t i = 0; i < 6; ++i) {
        if (by >> i & 1) x = (x & kLower[i]) << (1 << i) | (x >> (1 << i) & kLower[i]);
      }
      bits[word] = x;
    }
    return bits;
  }

  void add_block() {
    const size_t size = units_.size() + kBlock;
    STRINGOPS_CHECK(size <= PieceTrie::kMaxUnits, op_, ": expected pieces of fewer than ", PieceTrie::kMaxUnits,
                    " different beginnings");
    units_.resize(size, PieceTrie::kNoByte << 32);
    used_.resize(size / 64);
    base_used_.resize(size / 64);
    open_.push_back({static_cast<uint32_t>(free_.size()), 0});
    free_.push_back(kBlock);
  }

  void use(uint32_t node, Unit byte) {
    units_[node] = byte << 32;
    set_bit(used_.data(), node);
    --free_[node / kBlock];
  }

  const char* const op_;
  const std::vector<std::string_view>& pieces_;
  std::vector<uint32_t> order_;  // ids of the pieces, sorted
  std::vector<Unit> units_;
  std::vector<uint64_t> used_, base_used_;  // a bit for each unit
  std::vector<uint32_t> free_;              // units of each block
  std::vector<OpenBlock> open_;
  std::vector<uint8_t> bytes_;
  std::vector<size_t> begins_;
};

}  // namespace

std::vector<Unit> build_piece_trie(const char* op, const std::vector<std::string_view>& pieces) {
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

}  // namespace stringops
