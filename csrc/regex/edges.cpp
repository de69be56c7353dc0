#include "regex/edges.h"

#include "regex/closure.h"

namespace stringops {
namespace {

constexpr size_t kMaxEdges = 1 << 20;        // of all contexts
constexpr int64_t kMaxEdgeVisits = 1 << 23;  // instructions: 25 ms

}  // namespace

std::vector<Edges> find_edges(const Program& program) {
  std::vector<Edges> all;
  Closure closure(program, Direction::kForward);
  size_t num_edges = 0;
  int64_t left = kMaxEdgeVisits;
  for (uint32_t context = 0; context < program.num_contexts(); ++context) {
    Edges edges;
    for (uint32_t node = 0; node < program.num_nodes(); ++node) {
      edges.begins.push_back(static_cast<uint32_t>(edges.targets.size()));
      closure.begin(program.truth(context), left);
      const bool is_complete = closure.follow(node, [&](uint32_t target) {
        edges.targets.push_back(target);
        return ++num_edges <= kMaxEdges;
      });
      if (!is_complete) return {};
      left -= closure.num_visited();
    }
    edges.begins.push_back(static_cast<uint32_t>(edges.targets.size()));
    all.push_back(std::move(edges));
  }
  return all;
}

}  // namespace stringops
