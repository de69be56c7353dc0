// Which strings have a match of a pattern whose matches all contain the same few characters, in a row: `(\w+)@[\w.]+`,
// `import\s+\w+`. These, the pivot, are found in the whole block; around each, the nodes of the automaton are followed.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "regex/position_automaton.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

class PivotMasks {
 public:
  // Returns nothing if there is no pivot.
  static std::optional<PivotMasks> make(const PositionAutomaton& program, const simd::Primitives& simd);

  // Sets a bit of each string that has a match and begins at or after `from`. Returns false if the block has many
  // pivots, or it takes many steps to follow the nodes; then bits of some strings that match may be set.
  bool split(const Block& block, int64_t from, uint64_t* kept, uint64_t* ends);

 private:
  PivotMasks(const PositionAutomaton& program, const simd::Primitives& simd) : program_(&program), simd_(&simd) {}

  bool is_passed_by_all(size_t node) const;
  bool leave_out();
  bool goes_on(const uint8_t* at, const uint8_t* end);
  bool begins(const uint8_t* at, const uint8_t* begin);

  const PositionAutomaton* program_;
  const simd::Primitives* simd_;
  std::vector<simd::ByteAt> bytes_;
  size_t first_ = 0, last_ = 0;        // nodes of the pivot
  uint32_t accepts_ = 0;               // bits of nodes
  std::array<uint32_t, 256> takes_{};  // by each byte, bits of nodes
  int64_t steps_ = 0;                  // in the block
  int64_t num_left_out_ = 0;           // blocks that are not tried
  std::array<uint64_t, kBlockWords> found_;
};

}  // namespace stringops::kernels
