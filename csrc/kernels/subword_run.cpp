#include "kernels/subword_run.h"

#include "kernels/subword_bert_run.h"
#include "kernels/subword_blank_run.h"
#include "kernels/subword_mask_run.h"
#include "kernels/subword_piece_run.h"
#include "kernels/subword_spaced_run.h"

namespace stringops::kernels {

std::unique_ptr<SubwordRun> SubwordRun::create(const subword::Table& table, int64_t num_bytes) {
  if (SubwordBertRun::serves(table)) return std::make_unique<SubwordBertRun>(table, num_bytes);
  if (SubwordBlankRun::serves(table)) return std::make_unique<SubwordBlankRun>(table, num_bytes);
  if (SubwordSpacedRun::serves(table)) return std::make_unique<SubwordSpacedRun>(table, num_bytes);
  if (SubwordPieceRun::serves(table)) return std::make_unique<SubwordPieceRun>(table, num_bytes);
  if (SubwordMaskRun::serves(table)) return std::make_unique<SubwordMaskRun>(table, num_bytes);
  return nullptr;
}

}  // namespace stringops::kernels
