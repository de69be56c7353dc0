// How blocks of strings are cut into pieces. Here are the rules that need no pattern; those of patterns are in match/.
//
// Pieces are fields, which lie between delimiters and may be empty, or words, which lie between runs of separators and
// are not empty. A cut is a place where a string is divided, so that n cuts give at most n + 1 pieces; `max_cuts` is
// the argument `maxsplit` of operators.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>

#include "core/char_class.h"
#include "split/mask_maker.h"

namespace stringops::kernels {

struct BlockRule {
  // Returns the object that finds the pieces of blocks; the rule must outlive it. If the first block begins inside a
  // string, it begins at a boundary, and after `cuts` cuts if they are limited.
  std::function<std::unique_ptr<MaskMaker>(int64_t cuts)> make_maker;

  // Returns a boundary, at which a string may be divided among tasks: the first position in [from, end) that is inside
  // of no piece of the string, which begins at `begin`, before `from`; or `end` if none is found. What is before it
  // does not matter for the pieces after it, unless cuts are limited. If it is not set, strings are not divided.
  std::function<const uint8_t*(const uint8_t* begin, const uint8_t* from, const uint8_t* end)> find_boundary{};

  // The maximum number of cuts per string; negative: no limit.
  int64_t max_cuts = -1;
};

// Returns a find_boundary by which a string may be divided before each byte p for which is_boundary(p) is true.
template <class F>
auto boundaries(F is_boundary) {
  return [is_boundary](const uint8_t*, const uint8_t* from, const uint8_t* end) {
    while (from < end && !is_boundary(from)) ++from;
    return from;
  };
}

// Words between whitespace of Unicode (core/whitespace.h), and between characters of a set, none of which is empty
// (words.cpp). If `trims_rest`, the rest of a string after the last cut has no trailing separators.
BlockRule whitespace_words(int64_t max_cuts = -1);
BlockRule set_words(const CharSet& set, int64_t max_cuts = -1, bool trims_rest = false);

// Each code point of valid UTF-8 (words.cpp).
BlockRule single_codepoints();

// Longer delimiters, in bytes, are searched for one string at a time.
constexpr int64_t kMaxBlockDelimiter = kBlockBytes / 2;

// The number of delimiters that are tried as the place to divide a string: each is compared with those that may overlap
// it. Strings are not divided for delimiters of more bytes.
constexpr int64_t kMaxBoundaryTries = 64, kMaxBoundaryDelimiter = 64;

// Words and fields between delimiters of 1 to kMaxBlockDelimiter bytes, which must outlive the rule (fields.cpp).
// Fields may be empty.
BlockRule delimiter_words(std::string_view delimiter, int64_t max_cuts = -1);
BlockRule delimited_fields(std::string_view delimiter, bool empty_strings_have_a_field = true, int64_t max_cuts = -1);

// The fields between the pieces of a rule without a limit, which makes only masks (fields.cpp).
BlockRule fields_between(BlockRule rule);

}  // namespace stringops::kernels
