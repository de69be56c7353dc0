#include "split/match_blocks.h"

namespace stringops::kernels {

bool MatchBlocks::next() {
  if (!reader_.next(block_)) return false;
  masks_.split(block_);
  begins_ = masks_.mark_begins(block_);
  num_words_ = words_for(block_.num_bytes);
  begins_inside_ = num_words_ > 0 && (masks_.kept()[0] & ~begins_[0] & 1) != 0;
  return true;
}

}  // namespace stringops::kernels
