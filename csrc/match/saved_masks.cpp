#include "match/saved_masks.h"

#include <algorithm>
#include <utility>

namespace stringops::kernels {
namespace {

class MaskSaver final : public MaskMaker {
 public:
  MaskSaver(std::unique_ptr<MaskMaker> maker, std::vector<uint64_t>* words)
      : maker_(std::move(maker)), words_(*words) {}

  Pieces find(const Block& block, PieceMasks& masks) override {
    maker_->find(block, masks);
    const auto kept = masks.kept.begin(), kept_end = kept + words_for(block.num_bytes);
    const bool has_piece = std::any_of(kept, kept_end, [](uint64_t word) { return word != 0; });
    words_.push_back(static_cast<uint64_t>(has_piece));
    if (!has_piece) return NoPieces();
    words_.insert(words_.end(), kept, kept_end);
    words_.insert(words_.end(), masks.ends.begin(), masks.ends.begin() + words_for(block.num_bytes));
    return MaskedPieces();
  }

 private:
  const std::unique_ptr<MaskMaker> maker_;
  std::vector<uint64_t>& words_;
};

class MaskTaker final : public MaskMaker {
 public:
  explicit MaskTaker(const std::vector<uint64_t>& words) : words_(words) {}

  Pieces find(const Block& block, PieceMasks& masks) override {
    uint64_t has_piece = 0;
    take(1, 1, &has_piece);
    const int64_t kept_bytes = has_piece != 0 ? block.num_bytes : 0;
    take(kept_bytes, block.num_bytes, masks.kept.data());
    take(kept_bytes, block.num_bytes, masks.ends.data());
    return has_piece != 0 ? Pieces(MaskedPieces()) : NoPieces();
  }

 private:
  // Takes the words of the first `kept_bytes`. The others are zeros, and so are those that were not saved.
  void take(int64_t kept_bytes, int64_t num_bytes, uint64_t* out) {
    const auto count = std::min(static_cast<size_t>(words_for(kept_bytes)), words_.size() - at_);
    std::copy_n(words_.begin() + static_cast<int64_t>(at_), count, out);
    std::fill(out + count, out + words_for(num_bytes), 0);
    at_ += count;
    if (num_bytes > 0) out[(num_bytes - 1) / kWordBits] &= low_bits((num_bytes - 1) % kWordBits + 1);
  }

  const std::vector<uint64_t>& words_;
  size_t at_ = 0;  // words taken so far
};

}  // namespace

std::unique_ptr<MaskMaker> save_masks(std::unique_ptr<MaskMaker> maker, std::vector<uint64_t>* words) {
  return std::make_unique<MaskSaver>(std::move(maker), words);
}

std::unique_ptr<MaskMaker> take_masks(const std::vector<uint64_t>& words) {
  return std::make_unique<MaskTaker>(words);
}

}  // namespace stringops::kernels
