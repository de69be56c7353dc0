// The cutter of tokenizer and tokenizer_ragged. Spec: com.microsoft Tokenizer-1.
//
// Patterns that are sets of characters, runs of classes, literals or single code points are cut by masks over whole
// blocks (split/block_splitter.h). All others use the regular expression engine, string by string; as that takes most
// of the time, counting then keeps the positions of the tokens for writing. Both ways give the same results.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/string_span.h"
#include "driver/cut.h"
#include "driver/piece_ranges.h"
#include "kernels/row_format.h"
#include "kernels/search_patterns.h"
#include "match/choose_rule.h"
#include "regex/pattern.h"
#include "split/divide.h"

namespace stringops::kernels {

struct TokenRules {
  enum class Mode { kCharacters, kSeparators, kTokenExp };
  Mode mode;
  std::vector<std::shared_ptr<const Pattern>> patterns;  // kTokenExp: one
  int64_t mincharnum;
  std::optional<PatternRule> rule;          // nothing if masks cannot find the tokens
  std::shared_ptr<const PatternSet> texts;  // that are searched at once: the separators, if they are no other patterns
};

// Throws PatternError if one of `patterns` does not compile.
std::unique_ptr<const TokenRules> make_token_rules(TokenRules::Mode mode, const std::vector<std::string>& patterns,
                                                   int64_t mincharnum);

class TokenCutter {
 public:
  // With masks, long strings are divided among tasks if `divides_strings`, which not every sink can write.
  TokenCutter(const TokenRules& rules, bool divides_strings);

  struct Task {
    std::optional<Position> invalid;  // the first byte that is not valid UTF-8
    PieceRanges pieces;               // without masks
    std::vector<uint64_t> masks;      // that the rule saves
  };

  Cost cost() const { return uses_masks_ ? Cost{4, 0.25} : Cost{20, 15}; }
  Partition divide(const StringSpan& in, int64_t tasks) const {
    return uses_masks_ && divides_strings_ ? divide_inside_strings(in, tasks, rules_.rule->cut)
                                           : divide_evenly(in, tasks, false);
  }
  void count(const StringSpan& in, Position begin, Position end, PieceCounter& counter, Task* task) const;
  void check(const char* op, const Task& task) const;

  template <class Sink>
  bool write(const StringSpan& in, Position begin, Position end, const Task& task, Sink& sink) const {
    if (uses_masks_) {
      cut_blocks(in, rules_.rule->taking(task.masks), begin, end, sink);
      return true;
    }
    return task.pieces.write(in, begin, end, sink);
  }

 private:
  void count_by_masks(const StringSpan& in, Position begin, Position end, PieceCounter& counter, Task* task) const;
  void count_by_engine(const StringSpan& in, Position begin, Position end, PieceCounter& counter, Task* task) const;

  const TokenRules& rules_;
  const bool uses_masks_;
  const bool divides_strings_;
};

// Enlarges the output ranges by what the format adds to the tokens, and checks the limits. Returns the totals.
OutputRange add_format(const char* op, const RowFormat& format, Cut<TokenCutter>* cut);

// allocate(num_bytes, num_pieces) -> RaggedOutput.
template <class Allocate>
void tokenize_ragged(const char* op, const Runner& runner, const StringSpan& in, const TokenRules& rules, bool mark,
                     Allocate&& allocate) {
  const TokenCutter cutter(rules, !mark);
  Cut<TokenCutter> cut(op, runner, in, cutter, cutter.cost(), kCutStrings, nullptr);
  const RowFormat format{mark && cut.num_pieces() > 0, std::nullopt, {}};
  const OutputRange sums = add_format(op, format, &cut);
  check_result_offsets(op, sums.pieces_end + 1);
  const RaggedOutput out = allocate(sums.bytes_end, sums.pieces_end);
  out.offsets[0] = 0;
  out.row_splits[0] = 0;
  const auto write = [&](auto&& make_sink) {
    cut.write(
        [&](Position begin, Position, const OutputRange& range, OpenPieces) { return make_sink(range, begin.index); });
  };
  if (format.mark) {
    write([&](const OutputRange& range, int64_t first) {
      return FormattedSink(format, range, out.data, out.offsets, out.row_splits, first);
    });
  } else {
    write([&](const OutputRange& range, int64_t first) { return RaggedSink(out, range, first); });
  }
}

// allocate(num_bytes, width) -> PaddedOutput.
template <class Allocate>
void tokenize_padded(const char* op, const char* ragged_op, const Runner& runner, const StringSpan& in,
                     const TokenRules& rules, bool mark, std::string_view padding, Allocate&& allocate) {
  const TokenCutter cutter(rules, !mark && padding.empty());
  const std::unique_ptr<int64_t[]> counts(new int64_t[static_cast<size_t>(in.size())]);
  Cut<TokenCutter> cut(op, runner, in, cutter, cutter.cost(), kCutStrings, counts.get());
  const int64_t longest = cut.finish_string_pieces();
  const bool marks = mark && longest > 0;  // no markers if there is no token at all
  const RowFormat format{marks, longest + (marks ? 2 : 0), padding};
  check_padded_offsets(op, in.size(), *format.width, "tokens", ragged_op);
  const PaddedOutput out = allocate(add_format(op, format, &cut).bytes_end, *format.width);
  if (format.adds_bytes()) {
    cut.write([&](Position begin, Position, const OutputRange& range, OpenPieces) {
      return FormattedSink(format, range, out.data, out.offsets, nullptr, begin.index);
    });
  } else {
    cut.write([&](Position begin, Position end, const OutputRange& range, OpenPieces open) {
      return PaddedSink(out, range, begin.index, end.index, open);
    });
  }
}

}  // namespace stringops::kernels
