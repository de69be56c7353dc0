// Tables of the steps of a normalizer, in addition to their settings and texts.
#pragma once

#include <optional>

#include "core/piece_trie.h"
#include "subword/normalize/charsmap.h"

namespace stringops::subword {

struct NormalizerTables {
  Charsmap charsmap;
  std::optional<PieceTrie> frozen;  // pieces of SentencePiece that stay as they are
};

}  // namespace stringops::subword
