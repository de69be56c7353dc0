// Finding a delimiter in all strings of a block at once, as masks of one bit per byte.
//
// Vectors compare all bytes of a short delimiter at each position, and a few bytes of a longer one, whose matches are
// then compared one by one.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

// Longer delimiters, in bytes, are searched for one string at a time.
constexpr int64_t kMaxBlockDelimiter = kBlockBytes / 2;

// The results of the first pass in the blocks of a task, for the second: the number of delimiters of each block, then
// their positions. If a block of the second pass differs from that of the first (race), positions that cannot be
// delimiters are ignored.
struct SavedDelimiters {
  // Positions of shorter ones are not saved. Two bytes for each of these are at most a sixteenth of the input.
  static constexpr int64_t kMinLength = 32;

  // Stands for the number of a block's delimiters if their positions were not saved.
  static constexpr uint16_t kNotSaved = 0xFFFF;

  std::vector<uint16_t>* save_in = nullptr;
  const std::vector<uint16_t>* take_from = nullptr;
  size_t at = 0;  // of the next block
};

struct SavedPositions {
  const uint16_t* begin = nullptr;
  const uint16_t* end = nullptr;
};

class DelimiterFinder {
 public:
  // `delimiter` has 1 to kMaxBlockDelimiter bytes.
  DelimiterFinder(std::string_view delimiter, const simd::Primitives& simd, const SavedDelimiters& saved);

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

  // Whether the first pass has saved the positions of delimiters, and those of the next block, instead of `find`.
  bool has_positions() const { return saved_.take_from != nullptr && saves_positions(); }
  SavedPositions take_positions();

  // Sets the bits of all bytes of the delimiters, including one that began in the previous block.
  void cover(const Block& block, const uint64_t* delimiters, uint64_t* covered) const;

  // Call last for each block, with the delimiters that count.
  void end_block(const Block& block, const uint64_t* delimiters);

 private:
  static constexpr int64_t kMaxExact = simd::kMaxBytesAt;  // bytes of a delimiter that vectors compare completely
  static constexpr int64_t kProbes = 4;                    // bytes of a longer one that they compare
  static constexpr int64_t kRunProbes = 3;                 // of one of equal bytes, whose runs are then measured

  void drop_crossing(const uint64_t* string_starts, int64_t num_words, uint64_t* matches) const;
  void drop_overlapping(int64_t num_words, uint64_t* matches) const;
  void drop_overlapping_at_shift(int64_t num_words, uint64_t* matches) const;
  void take_from_runs(int64_t num_words, uint64_t* matches) const;
  void divide_runs(const Block& block, const uint64_t* string_starts, uint64_t* matches) const;
  void check_matches(const Block& block, const uint64_t* string_starts, uint64_t* matches) const;
  bool saves_positions() const { return length_ >= SavedDelimiters::kMinLength; }
  bool take_next();
  void mark_taken(const Block& block, const uint64_t* string_starts, uint64_t* delimiters);
  void cover_long(int64_t num_words, const uint64_t* delimiters, uint64_t* covered) const;
  bool is_delimiter(const uint8_t* at) const;
  int64_t search(const Block& block, int64_t at) const;
  static bool has_start(const uint64_t* string_starts, int64_t num_words, int64_t begin, int64_t end);

  const std::string_view delimiter_;
  const int64_t length_;
  const simd::Primitives& simd_;
  SavedDelimiters saved_;
  const bool is_run_;      // all of its bytes are equal
  bool overlaps_ = false;  // two matches of a short delimiter can share bytes
  int64_t shift_ = 0;      // if so at a single distance: that; else 0
  std::array<simd::ByteAt, kMaxExact> probes_;
  int64_t num_probes_ = 0;
  bool is_taken_ = false;  // the delimiters of the block are known from the first pass:
  SavedPositions taken_;
  bool any_ = false;      // bytes of the block resemble a delimiter
  int64_t consumed_ = 0;  // if the string continues: the bytes of the next block that belong to a delimiter in this one
};

}  // namespace stringops::kernels
