// The cutter of tokenizer and tokenizer_ragged. Spec: com.microsoft Tokenizer-1.
//
// Patterns that are sets of characters, runs of classes, literals or single code points are cut by masks over whole
// blocks (split/block_splitter.h). All others use the regular expression engine, string by string; as that takes most
// of the time, counting then keeps the positions of the tokens for writing. Both ways give the same results.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "core/string_span.h"
#include "driver/cut.h"
#include "driver/output_range.h"
#include "driver/piece_ranges.h"
#include "kernels/search_patterns.h"
#include "match/choose_rule.h"
#include "regex/pattern.h"
#include "split/block_splitter.h"
#include "split/divide.h"

namespace stringops::kernels {

struct RowFormat {
  bool mark;                     // "\x02" before and "\x03" after the tokens
  std::optional<int64_t> width;  // tokens and markers per row, filled up with `padding`; none: ragged
  std::string_view padding;

  // If false, RaggedSink or PaddedSink is used; the latter does not count padding among its pieces.
  bool adds_bytes() const { return mark || !padding.empty(); }
};

class FormattedSink {
 public:
  // Writes whole rows from `first_row` on. The range includes markers and padding. `row_splits` is null if padded.
  FormattedSink(const RowFormat& format, const OutputRange& range, uint8_t* data, int32_t* offsets, int64_t* row_splits,
                int64_t first_row)
      : format_(format),
        range_(range),
        data_(data),
        // Each padded row begins with an offset of its own.
        ends_(format.width ? offsets + first_row * (*format.width + 1) : offsets + 1 + range.pieces),
        row_ends_(row_splits ? row_splits + first_row + 1 : nullptr) {}

  void block(const simd::Primitives&, const Block& block, BlockSplitter& masks) {
    if (!block_) block_.reset(new Tokens);
    masks.count_ends(block);
    auto& bytes = block_->bytes;
    auto& ends = block_->ends;
    const simd::PieceCounts wrote = masks.write(block, 0, bytes.begin(), bytes.end(), ends.begin(), ends.end());
    int64_t at = 0;  // tokens of the block written so far, and where the next one begins
    int32_t begin = 0;
    const auto take = [&](int64_t last) {
      for (; at < last; begin = ends[static_cast<size_t>(at++)]) {
        piece({bytes.begin() + begin, bytes.begin() + ends[static_cast<size_t>(at)]}, bytes.end());
      }
    };
    for (int64_t k = 0; k < block.num_strings; ++k) {
      take(masks.string_pieces()[k]);
      end_string();
    }
    // Bytes after the last string have no row.
    if (block.num_strings > 0 && block.end(block.num_strings - 1) == block.num_bytes) return;
    // The last token of a string that continues may be incomplete; the next block has the rest.
    take(wrote.pieces);
    if (wrote.bytes > begin) {
      begin_string();
      put_bytes(bytes.begin() + begin, wrote.bytes - begin, bytes.end());
    }
  }

  void piece(StringView text, const uint8_t* readable_end) {
    begin_string();
    put_bytes(text.begin, text.size(), readable_end);
    end_piece();
  }

  void end_string() {
    begin_string();
    if (format_.mark) put_marker(0x03);
    const auto* const padding = reinterpret_cast<const uint8_t*>(format_.padding.data());
    const StringView text{padding, padding + format_.padding.size()};
    while (format_.width && column_ < *format_.width && fits_) piece(text, text.end);
    if (row_ends_) *row_ends_++ = range_.pieces;
    in_string_ = false;
    column_ = 0;
  }

  bool complete() const { return fits_ && range_.is_full(); }

 private:
  void begin_string() {
    if (in_string_) return;
    in_string_ = true;
    if (format_.width) *ends_++ = narrow<int32_t>(range_.bytes);
    if (format_.mark) put_marker(0x02);
  }

  void put_marker(uint8_t byte) {
    put_bytes(&byte, 1, &byte + 1);
    end_piece();
  }

  void put_bytes(const uint8_t* from, int64_t size, const uint8_t* readable_end) {
    const int64_t fitting = std::clamp<int64_t>(size, 0, range_.bytes_end - range_.bytes);
    fits_ &= fitting == size;
    copy_short(data_ + range_.bytes, data_ + range_.bytes_end, from, readable_end, fitting);
    range_.bytes += fitting;
  }

  void end_piece() {
    const bool room = range_.pieces < range_.pieces_end && (!format_.width || column_ < *format_.width);
    fits_ &= room;
    if (!room) return;
    *ends_++ = narrow<int32_t>(range_.bytes);
    ++range_.pieces;
    ++column_;
  }

  const RowFormat format_;
  OutputRange range_;
  uint8_t* const data_;
  int32_t* ends_;
  int64_t* row_ends_;
  bool in_string_ = false;
  bool fits_ = true;  // nothing has been left out for lack of room
  int64_t column_ = 0;
  // The buffers of a block are not on the stack, of which a thread may have 64 KB.
  struct Tokens {
    std::array<uint8_t, kBlockBytes> bytes;
    std::array<int32_t, kBlockBytes> ends;
  };
  std::unique_ptr<Tokens> block_;
};

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
