#include "split/block_rule.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/find_text.h"
#include "core/utf8.h"
#include "core/whitespace.h"
#include "split/class_masks.h"
#include "split/literal_masks.h"
#include "split/position_masks.h"
#include "split/run_masks.h"
#include "split/search_masks.h"
#include "split/separator_masks.h"

namespace stringops::kernels {
namespace {

// The first position in [from, end) after a match of the delimiter that overlaps no other in the string, which begins
// at `begin`: which of several overlapping matches count depends on the first of them. `end` if there is none.
const uint8_t* after_delimiter(std::string_view delimiter, const uint8_t* begin, const uint8_t* from,
                               const uint8_t* end) {
  const auto length = static_cast<int64_t>(delimiter.size());
  const auto matches_at = [&](const uint8_t* p) {
    return end - p >= length && std::memcmp(p, delimiter.data(), delimiter.size()) == 0;
  };
  for (int64_t tries = 0; tries < kMaxBoundaryTries && end - from >= length; ++tries) {
    const uint8_t* const at = find_text({from, end}, delimiter);
    if (at == end) return end;
    bool overlaps = false;
    for (const uint8_t* p = std::max(begin, at - length + 1); p < at + length && !overlaps; ++p) {
      overlaps = p != at && matches_at(p);
    }
    if (!overlaps) return at + length;
    from = at + 1;
  }
  return end;
}

// Whether the two bytes tell that a piece ends between them, if the first one belongs to a piece.
bool divides(const ClassRule& rule, uint8_t last, uint8_t next) {
  if (last >= 0x80 || next >= 0x80) return false;
  if (rule.words) return next == ' ' && is_ascii_letter(last);
  if ((rule.lead && rule.lead->contains(last)) || (!rule.endings.empty() && last == rule.mark)) return false;
  for (const ClassRule::Class& c : rule.classes) {
    if (c.joints.contains(last) || c.joints.contains(next)) return false;
  }
  for (size_t k = 0; k < rule.classes.size(); ++k) {
    const ClassRule::Class& c = rule.classes[k];
    if (!c.chars.contains(last)) continue;
    if (c.kind == ClassRule::Kind::kSingle) return true;
    return c.kind == ClassRule::Kind::kRun && static_cast<int>(k) != rule.gives_back && !c.chars.contains(next);
  }
  return true;
}

std::array<bool, 256> bytes_of(const LiteralSet& literals) {
  std::array<bool, 256> bytes{};
  for (const std::string& text : literals.texts()) {
    for (const char c : text) bytes[static_cast<uint8_t>(c)] = true;
  }
  return bytes;
}

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

struct CodepointMasks {
  void split(const Block& block, uint64_t* kept, uint64_t* ends) const {
    // No block ends inside a code point.
    std::fill_n(kept, words_for(block.num_bytes), ~uint64_t{0});
    trim_last_word(block, kept);
    simd.find_codepoint_ends(block.data, block.num_bytes, ends);
  }

  const simd::Primitives& simd;
};

std::unique_ptr<MaskMaker> maker_of_kind(const BlockRule& rule, const simd::Primitives& simd, int64_t cuts,
                                         const SavedDelimiters& saved) {
  switch (rule.kind) {
    case BlockRule::Kind::kWhitespaceWords:
    case BlockRule::Kind::kSetWords:
      return make_words(rule, simd, cuts);
    case BlockRule::Kind::kSeparatedWords:
      return make_separated_words(rule, simd);
    case BlockRule::Kind::kDelimiterWords:
    case BlockRule::Kind::kFields:
      return make_delimited(rule, simd, cuts, saved);
    case BlockRule::Kind::kCodepoints:
      return std::make_unique<MakerOf<CodepointMasks>>(simd);
    case BlockRule::Kind::kClasses:
      return std::make_unique<MakerOf<ClassMasks>>(*rule.classes, simd);
    case BlockRule::Kind::kLiterals:
      return std::make_unique<MakerOf<LiteralMasks>>(*rule.literals, simd);
    case BlockRule::Kind::kMatches:
      if (!rule.pattern->position_automaton()) {
        return std::make_unique<MakerOf<SearchMasks>>(*rule.pattern, rule.only_begins, simd);
      }
      return std::make_unique<MakerOf<PositionMasks>>(*rule.pattern, rule.only_begins, simd);
  }
  __builtin_unreachable();
}

}  // namespace

std::unique_ptr<MaskMaker> make_maker(const BlockRule& rule, const simd::Primitives& simd, int64_t cuts,
                                      const SavedDelimiters& saved) {
  const bool keeps = rule.saves_masks() && rule.masks.save_in, takes = rule.saves_masks() && rule.masks.take_from;
  std::unique_ptr<MaskMaker> maker = takes ? nullptr : maker_of_kind(rule, simd, cuts, saved);
  if (keeps || takes) maker = save_or_take(std::move(maker), rule.masks);
  return rule.between ? make_between(std::move(maker)) : std::move(maker);
}

const uint8_t* find_boundary(const BlockRule& rule, const uint8_t* begin, const uint8_t* from, const uint8_t* end) {
  const auto advance_to = [&](auto is_boundary) {
    while (from < end && !is_boundary()) ++from;
    return from;
  };
  switch (rule.kind) {
    case BlockRule::Kind::kWhitespaceWords:
      return advance_to([&] { return is_ascii_whitespace(from[-1]); });
    case BlockRule::Kind::kSetWords:
      return advance_to([&] { return rule.set.contains(from[-1]) && !is_continuation(*from); });
    case BlockRule::Kind::kSeparatedWords: {
      const CharSet last = rule.separators->last();
      return advance_to([&] { return last.contains(from[-1]); });
    }
    case BlockRule::Kind::kDelimiterWords:
    case BlockRule::Kind::kFields:
      return after_delimiter(rule.delimiter, begin, from, end);
    case BlockRule::Kind::kCodepoints:
      return advance_to([&] { return !is_continuation(*from); });
    case BlockRule::Kind::kClasses:
      return advance_to([&] { return divides(*rule.classes, from[-1], *from); });
    case BlockRule::Kind::kLiterals: {
      const std::array<bool, 256> bytes = bytes_of(*rule.literals);
      return advance_to([&] { return !bytes[from[-1]] && !is_continuation(*from); });
    }
    case BlockRule::Kind::kMatches:
      if (!rule.pattern->run_before()) return end;  // a match can go on anywhere
      return advance_to([&] { return !rule.pattern->run_before()->run.contains(from[-1]) && !is_continuation(*from); });
  }
  __builtin_unreachable();
}

}  // namespace stringops::kernels
