#include "subword/scan/split_matches.h"

#include "core/codepoint.h"
#include "core/find_text.h"
#include "subword/normalize/bert_tables.h"
#include "subword/scan/valid_text.h"

namespace stringops::subword {
namespace {

// Joins parts, which come in order, by a behavior. With kMergedWithNext, a match waits for the part after it.
class Joiner {
 public:
  Joiner(uint8_t behavior, std::vector<SplitPart>& pieces) : behavior_(behavior), pieces_(pieces) {}

  void add(SplitPart part, bool is_match) {
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
  std::vector<SplitPart>& pieces_;
  bool last_is_match_ = false;
};

// `find(from)` is the first match at or after byte `from`, or begins at the end of the text.
template <class Find>
void split_at_matches(StringView text, const Step& step, std::vector<SplitPart>& pieces, Find&& find) {
  pieces.clear();
  Joiner joiner(step.option, pieces);
  const bool invert = step.invert != 0;
  for (int64_t at = 0; at < text.size();) {
    const SplitPart match = find(at);
    joiner.add({at, match.begin}, invert);
    joiner.add(match, !invert);
    at = match.end;
  }
}

bool is_punctuation(uint32_t codepoint) {
  return codepoint != kInvalidByte && (bert::kFlags[codepoint] & bert::kPunctuation) != 0;
}

}  // namespace

void split_literal(StringView text, std::string_view literal, const Step& step, std::vector<SplitPart>& pieces) {
  split_at_matches(text, step, pieces, [&](int64_t from) -> SplitPart {
    const uint8_t* const found = literal.empty() ? text.end : find_short_text({text.begin + from, text.end}, literal);
    const int64_t begin = found - text.begin;
    return {begin, found == text.end ? begin : begin + static_cast<int64_t>(literal.size())};
  });
}

void split_punctuation(StringView text, const Step& step, std::vector<SplitPart>& pieces) {
  split_at_matches(text, step, pieces, [&](int64_t from) -> SplitPart {
    for (const uint8_t* p = text.begin + from; p < text.end;) {
      const Codepoint c = read_codepoint(p, text.end);
      const int64_t begin = p - text.begin;
      p += c.length;
      if (is_punctuation(c.value)) return {begin, p - text.begin};
    }
    return {text.size(), text.size()};
  });
}

void PatternSplitter::split(StringView text, const Step& step, std::vector<SplitPart>& pieces) {
  text_.assign(text.begin, text.end);
  auto* const begin = reinterpret_cast<uint8_t*>(text_.data());
  const uint8_t* const end = begin + text_.size();
  if (!is_ascii(begin, text.size())) replace_invalid(begin, end);
  split_at_matches(text, step, pieces, [&](int64_t from) -> SplitPart {
    Match match;
    while (from < text.size() && searcher_->find(text_, from, &match)) {
      if (match.begin < match.end) return {match.begin, match.end};
      if (match.end == text.size()) break;
      from = match.end + read_codepoint(begin + match.end, end).length;
    }
    return {text.size(), text.size()};
  });
}

}  // namespace stringops::subword
