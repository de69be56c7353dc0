// The normalizer of SentencePiece: rules of a charsmap, and what becomes of spaces.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/piece_trie.h"
#include "core/string_span.h"
#include "subword/normalize/charsmap.h"

namespace stringops::kernels {

struct SentencePieceRules {
  enum Flag : uint8_t {
    kDummyPrefix = 1,   // a space before a text
    kRemoveSpaces = 2,  // spaces at the ends of a text, and all but one between words, are left out
    kEscape = 4,        // spaces become U+2581
    kSuffix = 8,        // the space of kDummyPrefix stands after the text
    kBlanks = 16,       // instead of kEscape: U+2581 becomes a space
  };
};

class SubwordSentencePiece {
 public:
  // `frozen` has the pieces that the user defined, which stay as they are; null if there are none.
  SubwordSentencePiece(const subword::Charsmap& charsmap, const std::optional<PieceTrie>& frozen, uint8_t flags);

  // Sets `out` to the normalized text, and map[k], if `map` is not null, to the bytes of the text from the one that
  // byte k comes from to the one that the next byte comes from.
  void normalize(StringView text, std::vector<uint8_t>& out, std::vector<PackedRange>* map);

 private:
  struct Prefix {
    StringView by;  // what a prefix of the text becomes
    int64_t size;   // of the prefix
  };
  Prefix next(const uint8_t* p, const uint8_t* end) const;
  bool is_kept(uint8_t byte);
  const uint8_t* end_of_kept(const uint8_t* p, const uint8_t* end, bool after_space);
  bool has(uint8_t flag) const { return (flags_ & flag) != 0; }
  void add_space(int32_t source, std::vector<uint8_t>& out);
  void write_blank(std::vector<uint8_t>& out);
  void remove_trailing_spaces(std::vector<uint8_t>& out, int32_t* end);

  const subword::Charsmap charsmap_;
  const std::optional<PieceTrie> frozen_;
  const uint8_t flags_;
  // Whether each ASCII character may change if another one, or the end of the text, follows it; filled when asked.
  enum Change : uint8_t { kUnknown, kKept, kMayChange };
  std::array<Change, 0x80> changes_{};
  bool has_sources_ = false;      // whether they are needed
  std::vector<int32_t> sources_;  // of each byte of the result
};

}  // namespace stringops::kernels
