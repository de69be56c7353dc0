// Cases of vocabularies and n-gram counts: vocabulary, tfidf, and ids of pieces of strings.
#include "cases.h"
#include "driver/ids_sink.h"
#include "kernels/split.h"
#include "kernels/tfidf.h"
#include "kernels/tokenizer.h"
#include "kernels/vocabulary.h"

namespace stringops::instructions {
namespace {

using namespace kernels;

std::vector<uint8_t> build_table(const StringSpan& words) {
  std::vector<uint8_t> table;
  build_vocab("", words, [&](int64_t num_bytes) {
    table.resize(static_cast<size_t>(num_bytes));
    return table.data();
  });
  return table;
}

VocabLookup open_table(const std::vector<uint8_t>& bytes) {
  const auto table = open_vocab_table(bytes.data(), static_cast<int64_t>(bytes.size()));
  require(table.has_value());
  return {*table, {-1, 0}};
}

void vocab_build() {
  const Strings words = vocabulary();
  counted([&] { build_table(words.span()); });
}

COUNTED("vocab_build", vocab_build())

void vocab_encode() {
  const Strings words = vocabulary(), strings = drawn_words();
  const StringSpan in = strings.span();
  const std::vector<uint8_t> bytes = build_table(words.span());
  const auto ids = room<int64_t>(in.size());
  counted([&] { encode_strings(LoopRunner(), in, open_table(bytes), ids.get()); });
}

COUNTED("vocab_encode", vocab_encode())

template <class Cutter>
void encode_pieces(const Strings& strings, const Cutter& cutter) {
  const StringSpan in = strings.span();
  const Strings words = vocabulary();
  const std::vector<uint8_t> bytes = build_table(words.span());
  const VocabLookup lookup = open_table(bytes);
  counted([&] {
    const auto row_splits = room<int64_t>(in.size() + 1);
    std::unique_ptr<int64_t[]> ids;
    cut_ids("", LoopRunner(), in, cutter, lookup, row_splits.get(), [&](int64_t count) {
      ids = room<int64_t>(count);
      return ids.get();
    });
  });
}

void split_encode(const Strings& strings, std::string_view delimiter, bool skip_empty = false) {
  encode_pieces(strings, SplitCutter({delimiter, -1, false, skip_empty}));
}

COUNTED("split_encode/comma", split_encode(make_fields(","), ","))
COUNTED("split_encode/comma_skip_empty", split_encode(make_fields(","), ",", true))
COUNTED("split_encode/whitespace", split_encode(ascii_text(), ""))

void tokenize_encode(const char* pattern, const Strings& strings) {
  const auto rules = make_token_rules(TokenRules::Mode::kTokenExp, {pattern}, 1);
  encode_pieces(strings, TokenCutter(*rules, true));
}

COUNTED("tokenize_encode/general", tokenize_encode("\\w+|[^\\w\\s]", ascii_text()))
COUNTED("tokenize_encode/set", tokenize_encode("[a-zA-Z0-9_]+", ascii_text()))

void string_unique(bool sorted) {
  const Strings strings = drawn_words();
  const StringSpan in = strings.span();
  const auto inverse = room<int64_t>(in.size());
  counted([&] {
    UniqueStrings unique = find_unique(in, inverse.get());
    if (sorted) sort_unique(in, unique, inverse.get());
    const auto data = room<uint8_t>(unique.num_bytes);
    const auto offsets = room<int32_t>(unique.size() + 1);
    const auto counts = room<int64_t>(unique.size());
    write_unique(in, unique, {data.get(), offsets.get(), counts.get()});
  });
}

COUNTED("string_unique", string_unique(false))
COUNTED("string_unique/sorted", string_unique(true))

// Rows of 32 words, and the n-grams of the words 0 to 63 and their pairs.
void tfidf() {
  std::vector<int64_t> pool;
  for (int64_t i = 0; i < 64; ++i) pool.push_back(i);
  for (int64_t i = 0; i < 64; ++i) pool.insert(pool.end(), {i, i * 7 % 64});
  NgramOutputs to{{}, 128, false, false};
  for (int32_t i = 0; i < 128; ++i) to.of_ngrams.push_back({i * 5 % 128, 0.5F});
  Random random(8);
  std::vector<int64_t> ids;
  for (int64_t i = 0; i < 256 * 32; ++i) ids.push_back(static_cast<int64_t>(random.below(80)) % 72 - 8);
  const auto out = room<float>(256 * to.num_outputs);
  counted([&] {
    const NgramTrie trie("", {1, 2, {0, 64}}, pool);
    vectorize(
        LoopRunner(), trie, 1, to, 256, 32,
        [&](int64_t first, int64_t last, int64_t* some) { std::copy(&ids[first], ids.data() + last, some); },
        out.get());
  });
}

COUNTED("tfidf_vectorizer", tfidf())

}  // namespace
}  // namespace stringops::instructions
