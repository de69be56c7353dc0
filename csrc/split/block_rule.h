// The rules by which masks over whole blocks can cut strings into pieces.
//
// A kind of rule is a value of BlockRule::Kind, and a case in each of the two functions below.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "core/char_class.h"
#include "simd/primitives.h"
#include "split/delimiter_finder.h"
#include "split/mask_maker.h"
#include "split/saved_masks.h"

namespace stringops {
struct ClassRule;
class LiteralSet;
class Pattern;
}  // namespace stringops

namespace stringops::kernels {

struct Separators;

struct BlockRule {
  enum class Kind {
    kWhitespaceWords,  // between whitespace, not empty
    kSetWords,         // between characters of `set`, not empty
    kDelimiterWords,   // between delimiters, not empty
    kSeparatedWords,   // between `separators`, not empty
    kFields,           // between delimiters, empty pieces included
    kCodepoints,       // each code point, of valid UTF-8
    kClasses,          // runs of classes, by `classes`
    kLiterals,         // texts of `literals`
    kMatches,          // matches of `pattern`, which are searched for if it has no PositionAutomaton
  };
  Kind kind;
  CharSet set{};
  const ClassRule* classes = nullptr;  // these must outlive the makers of the rule
  const LiteralSet* literals = nullptr;
  const Separators* separators = nullptr;
  const Pattern* pattern = nullptr;
  SavedMasks masks{};                      // of rules that keep them
  bool only_begins = false;                // kMatches: whether it only matters which strings have a piece
  bool between = false;                    // whether the pieces are what is between those of the rule, maybe nothing
  std::string_view delimiter{};            // 1 to kMaxBlockDelimiter bytes
  bool empty_strings_have_a_field = true;  // kFields: whether "" has one piece or none
  // The maximum number of cuts per string, negative: no limit; and whether the rest of a string after that many cuts is
  // trimmed of trailing separators. It holds for kWhitespaceWords, kSetWords, kDelimiterWords and kFields without
  // `between`; only kSetWords are trimmed.
  int64_t max_cuts = -1;
  bool trims_rest = false;

  // Whether making its masks again takes longer than keeping them.
  bool saves_masks() const {
    return kind == Kind::kClasses || kind == Kind::kLiterals || kind == Kind::kMatches || kind == Kind::kSeparatedWords;
  }
};

// Returns the object that finds the pieces. If the first block begins inside a string, it begins after a separator, and
// after `cuts` cuts if they are limited.
std::unique_ptr<MaskMaker> make_maker(const BlockRule& rule, const simd::Primitives& simd, int64_t cuts = 0,
                                      const SavedDelimiters& saved = {});

// The number of delimiters that are tried as the place to divide a string: each is compared with those that may overlap
// it. Strings are not divided for delimiters of more bytes.
constexpr int64_t kMaxBoundaryTries = 64, kMaxBoundaryDelimiter = 64;

// Returns the first position in [from, end) that is inside of no piece of the string, which begins at `begin`, before
// `from`; `end` if none is found. What is before the position does not matter for the pieces after it, unless cuts are
// limited.
const uint8_t* find_boundary(const BlockRule& rule, const uint8_t* begin, const uint8_t* from, const uint8_t* end);

}  // namespace stringops::kernels
