// Divides a text at the matches of a text, of a pattern, or at punctuation.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/string_span.h"
#include "regex/pattern.h"
#include "subword/spec/spec.h"

namespace stringops::subword {

// A part of a text, by its bytes.
struct SplitPart {
  int64_t begin;
  int64_t end;
};

// These set `pieces`, none of which is empty. `step` has the behavior, and whether the texts between are taken for
// matches.
void split_literal(StringView text, std::string_view literal, const Step& step, std::vector<SplitPart>& pieces);
// Each character of punctuation is a match.
void split_punctuation(StringView text, const Step& step, std::vector<SplitPart>& pieces);

// Same as above at the matches of a pattern, on one thread at a time. Matches are not empty: where the pattern prefers
// an empty one, there is none. A byte that is not part of a code point is treated as U+0001.
class PatternSplitter {
 public:
  explicit PatternSplitter(std::shared_ptr<const Pattern> pattern)
      : pattern_(std::move(pattern)), searcher_(std::make_unique<Searcher>(*pattern_)) {}

  void split(StringView text, const Step& step, std::vector<SplitPart>& pieces);

 private:
  std::shared_ptr<const Pattern> pattern_;
  std::unique_ptr<Searcher> searcher_;
  std::string text_;  // a copy that is valid UTF-8, and that nobody changes
};

}  // namespace stringops::subword
