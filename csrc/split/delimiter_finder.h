// Finding a delimiter in all strings of a block at once, as masks of one bit per byte.
//
// Vectors compare up to eight bytes of the delimiter at each position. The matches of a longer one are then compared
// one by one.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

class DelimiterFinder {
 public:
  // `delimiter` has 1 to kMaxBlockDelimiter bytes.
  DelimiterFinder(std::string_view delimiter, const simd::Primitives& simd);

  int64_t length() const { return length_; }

  // After find: false only if the block has no delimiter.
  bool has_found() const { return any_; }

  // Returns, if the string continues, the bytes of the next block that belong to a delimiter before it.
  int64_t consumed() const { return consumed_; }

  // The blocks of a long string must come in order; this tells that a block does not continue one.
  void begin_string() { consumed_ = 0; }

  // Sets the bit of the first byte of each delimiter: non-overlapping matches in each string, from left to right.
  // `string_starts` is that of mark_string_starts. Reads two words beyond the block.
  void find(const Block& block, const uint64_t* string_starts, uint64_t* delimiters) {
    find_candidates(block, delimiters);
    confirm(block, string_starts, delimiters);
  }

  // The two parts of `find`. The first returns false if the block has no delimiter; the second need not be called then,
  // and `delimiters` may be unset.
  bool find_candidates(const Block& block, uint64_t* delimiters);
  void confirm(const Block& block, const uint64_t* string_starts, uint64_t* delimiters);

  // Sets the bits of all bytes of the delimiters, including one that began in the previous block.
  void cover(const Block& block, const uint64_t* delimiters, uint64_t* covered) const;

  // Call last for each block, with the delimiters that count.
  void end_block(const Block& block, const uint64_t* delimiters);

 private:
  static constexpr int64_t kMaxExact = simd::kMaxBytesAt;  // bytes of a delimiter that vectors compare

  void drop_crossing(const uint64_t* string_starts, int64_t num_words, uint64_t* matches) const;
  void drop_overlapping(int64_t num_words, uint64_t* matches) const;
  void check_matches(const Block& block, uint64_t* matches) const;
  void cover_long(int64_t num_words, const uint64_t* delimiters, uint64_t* covered) const;

  const std::string_view delimiter_;
  const int64_t length_;
  const simd::Primitives& simd_;
  bool overlaps_ = false;  // two matches of a short delimiter can share bytes
  std::array<simd::ByteAt, kMaxExact> probes_;
  int64_t num_probes_ = 0;
  bool any_ = false;      // bytes of the block resemble a delimiter
  int64_t consumed_ = 0;  // if the string continues: the bytes of the next block that belong to a delimiter in this one
};

}  // namespace stringops::kernels
