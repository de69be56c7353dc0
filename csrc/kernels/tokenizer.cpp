#include "kernels/tokenizer.h"

#include <algorithm>
#include <memory>
#include <unordered_map>

#include "core/narrow.h"
#include "core/utf8.h"
#include "driver/check_utf8.h"
#include "split/utf8_blocks.h"

namespace stringops::kernels {
namespace {

// An occurrence of a separator that is a text.
struct Occurrence {
  int32_t begin, end, id;
};

// Cuts one string after the other with the engine.
class StringTokenizer {
 public:
  explicit StringTokenizer(const TokenRules& rules) : rules_(rules) {
    for (const auto& pattern : rules.patterns) {
      std::unique_ptr<Searcher>& searcher = searcher_of_[pattern.get()];
      if (!searcher) searcher = std::make_unique<Searcher>(*pattern);
      searchers_.push_back(searcher.get());
    }
  }

  // Finds the tokens by all occurrences of separators that are texts, without regard to their order. Returns false if
  // it matters, as two of them overlap.
  bool run_texts(std::string_view text, Occurrence* first, Occurrence* last, std::vector<PackedRange>* tokens) const {
    std::sort(first, last, [](const Occurrence& a, const Occurrence& b) { return a.begin < b.begin; });
    Occurrence reach{0, 0, -1};  // the one that ends last
    for (const Occurrence* one = first; one < last; reach = *one++) {
      if ((one->begin < reach.end && one->id != reach.id) || one->end > narrow<int32_t>(text.size())) return false;
    }
    int32_t at = 0;
    const auto emit = [&](int32_t end) {
      if (long_enough(text, at, end)) tokens->push_back({at, end});
    };
    for (; first < last; ++first) {
      if (first->begin < at) continue;
      emit(first->begin);
      at = first->end;
    }
    emit(narrow<int32_t>(text.size()));
    return true;
  }

  // The tokens of `text`, which is valid UTF-8.
  void run(std::string_view text, std::vector<PackedRange>* tokens) {
    if (rules_.mode == TokenRules::Mode::kCharacters) return take_characters(text, tokens);
    if (rules_.mode == TokenRules::Mode::kTokenExp) return take_matches(text, tokens);
    pieces_.assign(1, {0, narrow<int32_t>(text.size())});
    for (const auto& separator : searchers_) {
      next_.clear();
      for (const PackedRange& piece : pieces_) separate(*separator, text, piece);
      pieces_.swap(next_);
    }
    tokens->insert(tokens->end(), pieces_.begin(), pieces_.end());
  }

 private:
  static int64_t next_codepoint(std::string_view text, int64_t at) {
    return at < static_cast<int64_t>(text.size()) ? at + codepoint_length(bytes_of(text)[at]) : at + 1;
  }

  bool long_enough(std::string_view text, int64_t begin, int64_t end) const {
    return has_codepoints(bytes_of(text) + begin, bytes_of(text) + end, rules_.mincharnum);
  }

  static void take_characters(std::string_view text, std::vector<PackedRange>* tokens) {
    for (int64_t at = 0; at < static_cast<int64_t>(text.size());) {
      const int64_t end = next_codepoint(text, at);
      tokens->push_back({narrow<int32_t>(at), narrow<int32_t>(end)});
      at = end;
    }
  }

  void take_matches(std::string_view text, std::vector<PackedRange>* tokens) {
    Searcher& searcher = *searchers_[0];
    const auto size = static_cast<int64_t>(text.size());
    Match match{};
    for (int64_t at = 0; at <= size && searcher.find(text, at, &match);) {
      if (match.end > match.begin && long_enough(text, match.begin, match.end)) {
        tokens->push_back({narrow<int32_t>(match.begin), narrow<int32_t>(match.end)});
        at = match.end;
      } else {
        // Not match.end: a match that begins later may overlap this one and be long enough.
        searcher.reject(match);
        at = next_codepoint(text, match.begin);
      }
    }
  }

  // Anchors and \b see the piece, not the string around it.
  void separate(Searcher& separator, std::string_view text, PackedRange piece) {
    const std::string_view t =
        text.substr(static_cast<size_t>(piece.begin), static_cast<size_t>(piece.end - piece.begin));
    const auto size = static_cast<int64_t>(t.size());
    const auto emit = [&](int64_t begin, int64_t end) {
      if (!long_enough(t, begin, end)) return;
      next_.push_back({narrow<int32_t>(piece.begin + begin), narrow<int32_t>(piece.begin + end)});
    };
    Match match{};
    int64_t at = 0;
    while (separator.find(t, at, &match)) {
      emit(at, match.begin);
      // An empty match also removes the next code point, as in onnxruntime.
      at = match.end > match.begin ? match.end : next_codepoint(t, match.begin);
      if (at > size) return;
    }
    emit(at, size);
  }

  const TokenRules& rules_;
  std::unordered_map<const Pattern*, std::unique_ptr<Searcher>> searcher_of_;  // equal patterns share one
  std::vector<Searcher*> searchers_;
  std::vector<PackedRange> pieces_, next_;
};

// The separators, if each is a text.
std::shared_ptr<const PatternSet> texts_of(const std::vector<std::shared_ptr<const Pattern>>& separators) {
  std::vector<std::string> texts;
  for (const auto& separator : separators) texts.emplace_back(separator->literal());
  return std::count(texts.begin(), texts.end(), "") == 0 ? PatternSet::of(texts) : nullptr;
}

}  // namespace

std::unique_ptr<const TokenRules> make_token_rules(TokenRules::Mode mode, const std::vector<std::string>& patterns,
                                                   int64_t mincharnum) {
  auto rules = std::make_unique<TokenRules>();
  rules->mode = mode;
  rules->mincharnum = mincharnum;
  if (mode != TokenRules::Mode::kCharacters) {
    for (const std::string& text : patterns) {
      try {
        rules->patterns.push_back(Pattern::compile(text));
      } catch (PatternError& error) {
        error.index = rules->patterns.size();
        throw;
      }
    }
  }
  switch (mode) {
    case TokenRules::Mode::kCharacters:
      rules->rule = PatternRule{single_codepoints()};
      break;
    case TokenRules::Mode::kTokenExp:
      rules->rule = choose_rule_of_tokens(*rules->patterns[0], mincharnum);
      break;
    case TokenRules::Mode::kSeparators:
      rules->rule = choose_rule_between(rules->patterns, mincharnum);
      if (!rules->rule) rules->texts = texts_of(rules->patterns);
      break;
  }
  return rules;
}

TokenCutter::TokenCutter(const TokenRules& rules, bool divides_strings)
    : rules_(rules), uses_masks_(rules.rule && uses_masks()), divides_strings_(divides_strings) {}

void TokenCutter::count(const StringSpan& in, Position begin, Position end, PieceCounter& counter, Task* task) const {
  uses_masks_ ? count_by_masks(in, begin, end, counter, task) : count_by_engine(in, begin, end, counter, task);
}

void TokenCutter::count_by_masks(const StringSpan& in, Position begin, Position end, PieceCounter& counter,
                                 Task* task) const {
  const BlockRule rule = rules_.rule->saving(&task->masks, count_bytes(in, begin.index, end.index));
  cut_blocks(in, rule, begin, end, counter, [&](const Block& block) {
    task->invalid = find_invalid(in, simd::primitives(), block);
    return !task->invalid;
  });
}

void TokenCutter::count_by_engine(const StringSpan& in, Position begin, Position end, PieceCounter& counter,
                                  Task* task) const {
  task->pieces.counts.reserve(static_cast<size_t>(end.index - begin.index));
  StringTokenizer tokenizer(rules_);
  std::vector<Occurrence> found;
  std::vector<size_t> ends{0};  // of the occurrences in each string
  if (rules_.texts) {
    const auto take = [&](int64_t at, int64_t size, int32_t id) {
      found.push_back({narrow<int32_t>(at), narrow<int32_t>(at + size), id});
      const bool more = found.size() - ends.back() <= static_cast<size_t>(at + size);
      if (!more) found.push_back({0, INT32_MAX, -1});  // so many that some overlap, most likely
      return more;
    };
    PatternSearcher(*rules_.texts).find<true>(in, begin.index, end.index, take, [&](int64_t) {
      ends.push_back(found.size());
    });
  }
  for_each_copy(in, begin.index, end.index, [&](int64_t i, std::string_view text) {
    if (const auto at = find_invalid_utf8(bytes_of(text), bytes_of(text) + text.size())) {
      task->invalid = Position{i, *at};
      return false;
    }
    const auto k = static_cast<size_t>(i - begin.index);
    if (!rules_.texts ||
        !tokenizer.run_texts(text, found.data() + ends[k], found.data() + ends[k + 1], &task->pieces.ranges)) {
      tokenizer.run(text, &task->pieces.ranges);
    }
    task->pieces.end_string(counter);
    return true;
  });
}

void TokenCutter::check(const char* op, const Task& task) const {
  check_utf8(op, task.invalid);
}

OutputRange add_format(const char* op, const RowFormat& format, Cut<TokenCutter>* cut) {
  OutputRange sums;
  for (size_t t = 0; t < cut->num_tasks(); ++t) {
    OutputRange& range = cut->range(t);
    const int64_t tokens = range.pieces_end - range.pieces, bytes = range.bytes_end - range.bytes;
    const int64_t rows = cut->num_strings(t);
    const int64_t markers = format.mark ? 2 * rows : 0;
    const int64_t padding = format.width && format.adds_bytes() ? rows * *format.width - tokens - markers : 0;
    // Cannot overflow: both factors are at most 2**31.
    const int64_t padding_bytes = padding * static_cast<int64_t>(format.padding.size());
    range = {sums.bytes_end, sums.bytes_end + bytes + markers + padding_bytes, sums.pieces_end,
             sums.pieces_end + tokens + markers + padding};
    sums.bytes_end = range.bytes_end;
    sums.pieces_end = range.pieces_end;
  }
  check_result_bytes(op, sums.bytes_end);
  return sums;
}

}  // namespace stringops::kernels
