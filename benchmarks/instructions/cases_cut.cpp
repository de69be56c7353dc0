// Cases of operators that split strings: split, tokenizer, regex, ngram.
#include "cases.h"
#include "driver/map.h"
#include "kernels/ngram.h"
#include "kernels/ngram_words.h"
#include "kernels/regex.h"
#include "kernels/regex_replace.h"
#include "kernels/split.h"
#include "kernels/tokenizer.h"

namespace stringops::instructions {
namespace {

using namespace kernels;

void split_ragged(const Strings& strings, std::string_view delimiter, bool skip_empty = false) {
  const StringSpan in = strings.span();
  counted([&] {
    RaggedRoom result(in);
    cut_ragged("", LoopRunner(), in, SplitCutter({delimiter, -1, false, skip_empty}), result);
  });
}

COUNTED("string_split_ragged/comma", split_ragged(make_fields(","), ","))
COUNTED("string_split_ragged/comma_skip_empty", split_ragged(make_fields(","), ",", true))
COUNTED("string_split_ragged/two_bytes", split_ragged(make_fields("::"), "::"))
COUNTED("string_split_ragged/two_bytes_skip_empty", split_ragged(make_fields("::"), "::", true))
COUNTED("string_split_ragged/whitespace", split_ragged(ascii_text(), ""))
COUNTED("string_split_ragged/whitespace_one_string", split_ragged(log_text(), ""))
COUNTED("string_split_ragged/whitespace_utf8", split_ragged(world_text(), ""))

void char_ngrams(const Strings& strings) {
  const StringSpan in = strings.span();
  counted([&] {
    RaggedRoom result(in);
    cut_ragged("", LoopRunner(), in, CharNgramCutter(3, 6, true), result);
  });
}

COUNTED("string_char_ngrams_ragged", char_ngrams(drawn_words()))

// Rows of ten words.
void word_ngrams() {
  const Strings words = drawn_words();
  const StringSpan in = words.span();
  std::vector<int64_t> splits;
  for (int64_t at = 0; at < in.size(); at += 10) splits.push_back(at);
  splits.push_back(in.size());
  const RowSplits rows{splits.data(), static_cast<int64_t>(splits.size()) - 1, in.size()};
  counted([&] {
    RaggedRoom result(rows.rows);
    kernels::word_ngrams("", LoopRunner(), {in, rows, {2}, " "}, result);
  });
}

COUNTED("string_ngrams_ragged", word_ngrams())

void split_padded() {
  const Strings strings = ascii_text();
  const StringSpan in = strings.span();
  counted([&] {
    const auto counts = room<int64_t>(in.size());
    PaddedRoom result{in.size(), nullptr, nullptr};
    cut_padded("", "", LoopRunner(), in, SplitCutter({""}), counts.get(), result);
  });
}

COUNTED("string_split/whitespace", split_padded())

void tokenize(TokenRules::Mode mode, const char* pattern, const Strings& strings) {
  const StringSpan in = strings.span();
  const auto rules = make_token_rules(mode, {pattern}, 1);
  counted([&] {
    RaggedRoom result(in);
    tokenize_ragged("", LoopRunner(), in, *rules, false, result);
  });
}

COUNTED("tokenizer_ragged/characters", tokenize(TokenRules::Mode::kCharacters, ".", world_text()))
COUNTED("tokenizer_ragged/general", tokenize(TokenRules::Mode::kTokenExp, "\\w+|[^\\w\\s]", ascii_text()))
COUNTED("tokenizer_ragged/set", tokenize(TokenRules::Mode::kTokenExp, "[a-zA-Z0-9_]+", ascii_text()))

void regex_find_all(const char* pattern) {
  const Strings strings = ascii_text();
  const StringSpan in = strings.span();
  const auto compiled = Pattern::compile(pattern, MatchRule::kFirst);
  counted([&] {
    RaggedRoom result(in);
    cut_ragged("", LoopRunner(), in, RegexCutter::matches(*compiled, 0), result);
  });
}

COUNTED("regex_find_all_ragged/general", regex_find_all("\\w+|[^\\w\\s]"))
COUNTED("regex_find_all_ragged/set", regex_find_all("\\w+"))
COUNTED("regex_find_all_ragged/gpt2",
        regex_find_all("'(?:[sdmt]|ll|ve|re)| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+|\\s+(?!\\S)|\\s+"))
COUNTED("regex_find_all_ragged/llama3",
        regex_find_all(
            "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*"
            "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"))
COUNTED("regex_find_all_ragged/texts", regex_find_all("the|and|of"))
COUNTED("regex_find_all_ragged/joined", regex_find_all("[a-z]+(?:['-][a-z]+)*"))

void regex_replace() {
  const Strings strings = ascii_text();
  const StringSpan in = strings.span();
  const auto pattern = Pattern::compile("\\s+", MatchRule::kFirst);
  const Rewrite rewrite("_", 0);
  counted([&] {
    const auto offsets = room<int32_t>(in.size() + 1);
    std::unique_ptr<uint8_t[]> data;
    map_strings("", LoopRunner(), RegexReplace{*pattern, rewrite, 0}, in, [&](int64_t num_bytes) -> MapOutput {
      data = room<uint8_t>(num_bytes);
      return {data.get(), offsets.get()};
    });
  });
}

COUNTED("regex_replace/set", regex_replace())

}  // namespace
}  // namespace stringops::instructions
