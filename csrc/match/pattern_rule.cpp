#include "match/pattern_rule.h"

#include <utility>

#include "match/class_masks.h"
#include "match/position_masks.h"
#include "match/saved_masks.h"
#include "match/search_masks.h"

namespace stringops::kernels {
namespace {

// Makes a MaskMaker of a class that has only split(block, kept, ends), which sets the masks.
template <class Masks>
class MakerOf final : public MaskMaker {
 public:
  template <class... Args>
  explicit MakerOf(const Args&... args) : masks_{args...} {}

  Pieces find(const Block& block, PieceMasks& masks) override {
    masks_.split(block, masks.kept.data(), masks.ends.data());
    return MaskedPieces();
  }

 private:
  Masks masks_;
};

// Whether the two bytes tell that a piece ends between them, if the first one belongs to a piece.
bool divides(const ClassRule& rule, uint8_t last, uint8_t next) {
  if (last >= 0x80 || next >= 0x80) return false;
  if (rule.words) return next == ' ' && is_ascii_letter(last);
  for (const ClassRule::Class& c : rule.classes) {
    if (c.chars.contains(last)) return !c.is_run || !c.chars.contains(next);
  }
  return true;
}

PatternRule with_saved_masks(BlockRule cut) {
  PatternRule rule{std::move(cut)};
  rule.saves_masks = true;
  return rule;
}

}  // namespace

BlockRule PatternRule::pieces() const {
  return is_between ? fields_between(cut) : cut;
}

BlockRule PatternRule::saving(std::vector<uint64_t>* words, int64_t num_bytes) const {
  if (!saves_masks) return pieces();
  words->reserve(saved_words(num_bytes));
  BlockRule rule = cut;
  rule.make_maker = [make = std::move(rule.make_maker), words](int64_t cuts) { return save_masks(make(cuts), words); };
  return is_between ? fields_between(std::move(rule)) : rule;
}

BlockRule PatternRule::taking(const std::vector<uint64_t>& words) const {
  if (!saves_masks) return pieces();
  BlockRule rule{[&words](int64_t) { return take_masks(words); }};
  return is_between ? fields_between(std::move(rule)) : rule;
}

PatternRule rule_of_classes(const ClassRule& classes) {
  const auto make = [&classes](int64_t) { return std::make_unique<MakerOf<ClassMasks>>(classes, simd::primitives()); };
  return with_saved_masks({make, boundaries([&classes](const uint8_t* p) { return divides(classes, p[-1], *p); })});
}

PatternRule rule_of_matches(const Pattern& pattern, MatchUse use) {
  BlockRule rule;
  rule.make_maker = [&pattern, use](int64_t) -> std::unique_ptr<MaskMaker> {
    if (!pattern.position_automaton()) return std::make_unique<MakerOf<SearchMasks>>(pattern, use >= MatchUse::kFirst);
    return std::make_unique<MakerOf<PositionMasks>>(pattern, use, simd::primitives());
  };
  return with_saved_masks(std::move(rule));
}

}  // namespace stringops::kernels
