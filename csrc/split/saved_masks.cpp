#include "split/saved_masks.h"

#include <algorithm>

#include "split/mask_maker.h"

namespace stringops::kernels {
namespace {

class MaskSaver final : public MaskMaker {
 public:
  MaskSaver(std::unique_ptr<MaskMaker> maker, const SavedMasks& saved) : maker_(std::move(maker)), saved_(saved) {}

  Pieces find(const Block& block, PieceMasks& masks) override {
    const bool has_piece = maker_ ? keep(block, masks) : take(block, masks);
    return has_piece ? Pieces(MaskedPieces()) : NoPieces();
  }

 private:
  bool keep(const Block& block, PieceMasks& masks) {
    maker_->find(block, masks);
    std::vector<uint64_t>& words = *saved_.save_in;
    const auto kept = masks.kept.begin(), kept_end = kept + words_for(block.num_bytes);
    const bool has_piece = std::any_of(kept, kept_end, [](uint64_t word) { return word != 0; });
    words.push_back(static_cast<uint64_t>(has_piece));
    if (has_piece) words.insert(words.end(), kept, kept_end);
    if (has_piece) words.insert(words.end(), masks.ends.begin(), masks.ends.begin() + words_for(block.num_bytes));
    return has_piece;
  }

  bool take(const Block& block, PieceMasks& masks) {
    uint64_t has_piece = 0;
    take_words(1, 1, &has_piece);
    const int64_t kept_bytes = has_piece != 0 ? block.num_bytes : 0;
    take_words(kept_bytes, block.num_bytes, masks.kept.data());
    take_words(kept_bytes, block.num_bytes, masks.ends.data());
    return has_piece != 0;
  }

  // Takes the words of the first `kept_bytes`. The others are zeros, and those that have not been saved (race).
  void take_words(int64_t kept_bytes, int64_t num_bytes, uint64_t* out) {
    const std::vector<uint64_t>& words = *saved_.take_from;
    const auto count = std::min(static_cast<size_t>(words_for(kept_bytes)), words.size() - at_);
    std::copy_n(words.begin() + static_cast<int64_t>(at_), count, out);
    std::fill(out + count, out + words_for(num_bytes), 0);
    at_ += count;
    if (num_bytes > 0) out[(num_bytes - 1) / kWordBits] &= low_bits((num_bytes - 1) % kWordBits + 1);
  }

  const std::unique_ptr<MaskMaker> maker_;
  const SavedMasks saved_;
  size_t at_ = 0;  // words taken so far
};

}  // namespace

std::unique_ptr<MaskMaker> save_or_take(std::unique_ptr<MaskMaker> maker, const SavedMasks& saved) {
  return std::make_unique<MaskSaver>(std::move(maker), saved);
}

}  // namespace stringops::kernels
