// Paths of JSON: `$`, then keys and indices, as a tree in which paths that begin alike share their first nodes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace stringops::kernels {

class JsonPaths {
 public:
  static constexpr int32_t kNone = -1;  // no node

  // Throws std::invalid_argument, with an error that begins with `op`, if a path is malformed.
  JsonPaths(const char* op, const std::vector<std::string>& paths);

  int64_t size() const { return static_cast<int64_t>(order_.size()); }

  // The paths that end in a node, and those that lead through it: ranges of numbers of paths.
  struct Range {
    const int32_t* first;
    const int32_t* last;
    const int32_t* begin() const { return first; }
    const int32_t* end() const { return last; }
  };
  Range ending(int32_t node) const { return range(node, nodes_[static_cast<size_t>(node)].own_end); }
  Range through(int32_t node) const { return range(node, nodes_[static_cast<size_t>(node)].end); }

  static constexpr int32_t root() { return 0; }

  // The node of a member of the object at this node, or of an item of the array, or kNone.
  int32_t member(int32_t node, std::string_view key) const;
  int32_t item(int32_t node, int64_t index) const;
  bool has_members(int32_t node) const { return node != kNone && !nodes_[static_cast<size_t>(node)].members.empty(); }

 private:
  struct Node {
    std::vector<std::pair<std::string, int32_t>> members;
    std::vector<std::pair<int64_t, int32_t>> items;
    std::vector<int32_t> paths;  // that end here
    // In `order_`: those that end here, and then those of the nodes below.
    int32_t begin = 0, own_end = 0, end = 0;
  };

  Range range(int32_t node, int32_t end) const {
    return {order_.data() + nodes_[static_cast<size_t>(node)].begin, order_.data() + end};
  }
  int32_t add_member(int32_t node, std::string key);
  int32_t add_item(int32_t node, int64_t index);
  int32_t new_node();
  int32_t add_path(const char* op, std::string_view path);
  void number(int32_t node);

  std::vector<Node> nodes_;
  std::vector<int32_t> order_;
};

}  // namespace stringops::kernels
