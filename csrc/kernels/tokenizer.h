// Tokenizer in two passes, as string_split. Spec: com.microsoft Tokenizer-1.
//
// Sets of characters, literals and code points run on masks over whole tiles (split_masks.h). All else goes through the
// regular-expression engine, string by string; since that costs more than everything around it, the first pass then
// keeps the tokens' places for the second. An answer never depends on the path. No torch here.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/pattern.h"
#include "core/string_span.h"
#include "kernels/split_masks.h"
#include "kernels/tiles.h"
#include "kernels/token_writer.h"

namespace stringops::kernels {

struct TokenRules {
  enum class Mode { kCharacters, kSeparators, kTokenExp };
  Mode mode;
  std::vector<std::shared_ptr<const Pattern>> patterns;  // kTokenExp: one
  int64_t mincharnum;
  // Where masks serve, `literal` holds what mask->delimiter points to.
  std::optional<MaskRule> mask;
  std::string literal;
};

// Throws PatternError where one of `patterns` does not compile.
std::unique_ptr<const TokenRules> make_token_rules(TokenRules::Mode mode, const std::vector<std::string>& patterns,
                                                   int64_t mincharnum);

// A token, in bytes from the start of its string.
struct TokenRange {
  int32_t begin;
  int32_t end;
};

struct TokenMeasure {
  int64_t bytes = 0;  // of tokens alone
  int64_t tokens = 0;
  int64_t most = 0;  // tokens of any one string
  // Why there is no result: the first byte that is no UTF-8 (string and byte in it); or the string in which a pattern
  // matched inside a code point, or took more time than it may.
  std::optional<Place> invalid;
  std::optional<int64_t> bad_match, too_slow;
  // Filled where no mask serves: the tokens of all strings, and how many each has.
  std::vector<TokenRange> ranges;
  std::vector<int32_t> counts;
};

// Measures the whole strings [first, last); `most` says whether the figure of that name is asked for.
TokenMeasure measure_tokens(const StringSpan& in, const TokenRules& rules, int64_t first, int64_t last, bool most);

// Where the strings [first, last) go: bytes [bytes, bytes_end), and from token number `pieces` on. row_splits only
// where ragged. Offsets: ragged, token j ends at offsets[j + 1]; padded, row i begins at offsets[i * (width + 1)].
struct TokenOutput {
  uint8_t* data;
  int32_t* offsets;
  int64_t* row_splits;
};

// Returns false where the strings have changed since they were measured.
bool write_tokens(const StringSpan& in, const TokenRules& rules, const TokenFrame& frame, int64_t first, int64_t last,
                  const TokenMeasure& measure, const Share& share, const TokenOutput& out);

}  // namespace stringops::kernels
