#include "subword/split_literal.h"

#include "subword/find_text.h"

namespace stringops::subword {
namespace {

// Joins parts, which come in order, by a behavior. With kMergedWithNext, a match waits for the part after it.
class Joiner {
 public:
  Joiner(uint8_t behavior, std::vector<PieceRange>& pieces) : behavior_(behavior), pieces_(pieces) {}

  void add(PieceRange part, bool is_match) {
    if (part.begin == part.end) return;
    const bool joins = !pieces_.empty() && ((behavior_ == Step::kContiguous && is_match == last_is_match_) ||
                                            (behavior_ == Step::kMergedWithPrevious && is_match && !last_is_match_) ||
                                            (behavior_ == Step::kMergedWithNext && !is_match && last_is_match_));
    last_is_match_ = is_match;
    if (joins) {
      pieces_.back().end = part.end;
    } else if (!is_match || behavior_ != Step::kRemoved) {
      pieces_.push_back(part);
    }
  }

 private:
  const uint8_t behavior_;
  std::vector<PieceRange>& pieces_;
  bool last_is_match_ = false;
};

}  // namespace

void split_literal(StringView text, std::string_view literal, const Step& step, std::vector<PieceRange>& pieces) {
  pieces.clear();
  Joiner joiner(step.option, pieces);
  const bool invert = step.invert != 0;
  const auto size = static_cast<int64_t>(literal.size());
  int64_t at = 0;
  while (at < text.size()) {
    const uint8_t* const found = size > 0 ? find_text({text.begin + at, text.end}, literal) : text.end;
    const int64_t begin = found - text.begin;
    joiner.add({at, begin}, invert);
    if (found == text.end) break;
    joiner.add({begin, begin + size}, !invert);
    at = begin + size;
  }
}

}  // namespace stringops::subword
