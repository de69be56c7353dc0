// Finds the pieces of blocks of strings, and defines the forms in which it returns them.
//
// Most often these are masks of one bit per byte:
//
//   bytes   l e t ␣ i t ␣ ␣ | b e ␣        two strings, "let it  " and "be "
//   kept    1 1 1 0 1 1 0 0   1 1 0        bytes that are part of a piece
//   ends    0 0 1 0 0 1 0 0   0 1 0        a piece ends after the kept bytes up to here
//
// A word ends on its last byte, a field on the first byte of the delimiter after it, or on its string's last byte. Two
// kinds of fields have no bit of their own: one that ends on the same byte as another (after two adjacent delimiters of
// one byte at the end of a string), and the field of an empty string. These repeats are listed separately; each has the
// same end as the piece before it.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <variant>

#include "core/bits.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

// The masks of a block, which other forms do without, and the pieces of its strings.
struct PieceMasks {
  explicit PieceMasks(const simd::Primitives& primitives) : simd(primitives) {}

  // Sets counts[k] to the number of bits of strings 0..k.
  void count_in_strings(const Block& block, const uint64_t* words, int32_t* counts) {
    simd.count_before(words, words_for(block.num_bytes), block.string_ends.data(), block.num_strings, prefix.data(),
                      counts);
  }

  const simd::Primitives& simd;
  int64_t num_repeats = 0;
  alignas(64) std::array<uint64_t, kBlockWords> kept;  // aligned for 64-byte vectors
  alignas(64) std::array<uint64_t, kBlockWords + 1> ends;
  // For makers: the starts of strings, the first bytes of separators, and all bytes of them.
  alignas(64) std::array<uint64_t, kBlockWords + 2> string_starts;
  alignas(64) std::array<uint64_t, kBlockWords + 1> delimiters, separators;
  std::array<uint8_t, kBlockStrings> ends_in_repeat;  // if there are repeats: 1 if the string's last piece is one
  std::array<int32_t, kBlockStrings> string_pieces;   // of strings 0..k, once they have been counted
  std::array<int32_t, kBlockWords + 1> prefix;
};

struct NoPieces {};  // the masks, if they are read, are zeros
struct MaskedPieces {};

// Each string is a piece. A string that goes on after the block is part of one.
struct WholeStrings {};

// Strings of few cuts, which are made string by string when they are counted or written (simd::LimitedCuts).
struct CutStrings {
  int64_t max_cuts;
  bool at_whitespace;
  uint8_t delimiter;
};

using Pieces = std::variant<NoPieces, MaskedPieces, WholeStrings, CutStrings>;

class MaskMaker {
 public:
  virtual ~MaskMaker() = default;

  // Returns the pieces of the block. The blocks of a long string must come in order.
  virtual Pieces find(const Block& block, PieceMasks& masks) = 0;

  // Returns, if cuts are limited, those so far of the string that continues after the block.
  virtual int64_t cuts() const { return 0; }
};

// Sets the masks of the words between separators, of which the bit after the block is read.
Pieces words_between(const Block& block, uint64_t* separators, PieceMasks& masks);

// Marks the first bytes of pieces. A piece of a long string may go on in the next block.
class PieceBegins {
 public:
  void mark(const Block& block, const PieceMasks& masks, uint64_t* begins);

 private:
  uint64_t inside_ = 0;  // whether a piece goes on in the next block
};

}  // namespace stringops::kernels
