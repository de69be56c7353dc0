// The cases that are counted: each runs an operator's driver on a small fixed input, as the operator does on one
// thread.
//
//   cases                 prints the compiler and headers, on which counts depend too, then the names of the cases
//   cases NAME TIER       runs one; under callgrind, with collection toggled by `stringops_counted`
#include <xxhash.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>

#include "core/offsets.h"
#include "inputs.h"
#include "kernels/build.h"
#include "kernels/build_pad.h"
#include "kernels/case.h"
#include "kernels/compare.h"
#include "kernels/driver/ids_sink.h"
#include "kernels/driver/join.h"
#include "kernels/driver/map.h"
#include "kernels/driver/reduce.h"
#include "kernels/driver/testing.h"
#include "kernels/driver/values.h"
#include "kernels/driver/zip.h"
#include "kernels/edit.h"
#include "kernels/encoding.h"
#include "kernels/form.h"
#include "kernels/form_normalize.h"
#include "kernels/gather.h"
#include "kernels/hash.h"
#include "kernels/hash_minhash.h"
#include "kernels/inspect.h"
#include "kernels/inspect_classes.h"
#include "kernels/ngram.h"
#include "kernels/number.h"
#include "kernels/pack.h"
#include "kernels/ragged.h"
#include "kernels/ragged_strings.h"
#include "kernels/regex.h"
#include "kernels/search.h"
#include "kernels/search_replace.h"
#include "kernels/sort.h"
#include "kernels/split.h"
#include "kernels/tensor.h"
#include "kernels/tokenizer.h"
#include "kernels/vocabulary.h"
#include "results.h"
#include "simd/primitives.h"

// Only instructions executed in this function are counted.
extern "C" __attribute__((noinline)) void stringops_counted(void (*work)(void*), void* context) {
  work(context);
  asm volatile("" ::: "memory");  // no tail call: the function returns when the work is done
}

#ifdef __GLIBCXX__
// Makes random seeds, and so the counts of hash tables, the same in every run.
unsigned int std::random_device::_M_getval() {
  return 20261121;
}
#endif

namespace stringops::instructions {
namespace {

using namespace kernels;

struct Case {
  const char* name;
  void (*run)();
};

std::vector<Case>& cases() {
  static std::vector<Case> all;
  return all;
}

#define COUNTED_AT(line, name, call) \
  [[maybe_unused]] const bool registered_##line = (cases().push_back({name, [] { call; }}), true);
#define COUNTED_HERE(line, name, call) COUNTED_AT(line, name, call)

// Registers a case: its name, which begins with the operator's, and the call that is counted.
#define COUNTED(name, call) COUNTED_HERE(__COUNTER__, name, call)

template <class F>
void counted(F&& work) {
  stringops_counted([](void* context) { (*static_cast<F*>(context))(); }, &work);
}

void require(bool condition) {
  if (condition) return;
  std::fputs("a kernel rejected its input\n", stderr);
  std::exit(1);
}

void check_offsets() {
  const Strings in = drawn_words();
  counted([&] { require(!find_bad_offset(in.span())); });
}

COUNTED("check_offsets", check_offsets())

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

void regex_replace() {
  const Strings strings = ascii_text();
  const StringSpan in = strings.span();
  const auto pattern = Pattern::compile("\\s+", MatchRule::kFirst);
  const Rewrite rewrite("_", 0);
  counted([&] {
    const auto offsets = room<int32_t>(in.size() + 1);
    std::unique_ptr<uint8_t[]> data;
    map_kept("", LoopRunner(), RegexReplace{*pattern, rewrite, 0}, in, [&](int64_t num_bytes) -> MapOutput {
      data = room<uint8_t>(num_bytes);
      return {data.get(), offsets.get()};
    });
  });
}

COUNTED("regex_replace/set", regex_replace())

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
    cut_ids("", LoopRunner(), in, cutter, lookup, [&](int64_t count) {
      ids = room<int64_t>(count);
      return IdsOutput{ids.get(), row_splits.get()};
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

template <class Functor>
void reduce_all(const Functor& f, const Strings& strings) {
  const StringSpan in = strings.span();
  const auto values = room<typename Functor::Value>(in.size());
  counted([&] { reduce_strings(LoopRunner(), f, in, values.get()); });
}

COUNTED("string_length/ascii", reduce_all(CodepointLength(), ascii_text()))
COUNTED("string_length/utf8", reduce_all(CodepointLength(), world_text()))
COUNTED("string_is_alpha/ascii", reduce_all(IsAlpha(), drawn_words()))
COUNTED("string_is_lower/utf8", reduce_all(IsLower(), world_text()))

template <class Functor>
void search(const Strings& strings, const Functor& f) {
  const StringSpan in = strings.span();
  const auto values = room<typename Functor::Value>(in.size());
  counted([&] { reduce_strings(LoopRunner(), f, in, values.get()); });
}

COUNTED("string_find/ascii", search(ascii_text(), FindLiteral{"th", true}))
COUNTED("string_find/utf8", search(world_text(), FindLiteral{"th", true}))
COUNTED("string_contains/ascii", search(ascii_text(), ContainsLiteral{"th"}))
COUNTED("string_count/ascii", search(ascii_text(), CountLiteral{"e"}))
COUNTED("string_startswith/ascii", search(ascii_text(), StartsWithLiteral{"th"}))
COUNTED("string_is_utf8/utf8", search(world_text(), IsUtf8()))

// Calls map(in, allocate), a driver of string -> string.
template <class Map>
void mapped(const Strings& strings, Map&& map) {
  const StringSpan in = strings.span();
  counted([&] {
    const auto offsets = room<int32_t>(in.size() + 1);
    std::unique_ptr<uint8_t[]> data;
    map(in, [&](int64_t num_bytes) {
      data = room<uint8_t>(num_bytes);
      return MapOutput{data.get(), offsets.get()};
    });
  });
}

void string_replace(const Strings& strings, const Replacement& of) {
  mapped(strings, [&](const StringSpan& in, auto&& allocate) { replace_strings("", LoopRunner(), of, in, allocate); });
}

COUNTED("string_replace/ascii", string_replace(ascii_text(), {"e", "and", -1}))
COUNTED("string_replace/utf8_limited", string_replace(world_text(), {" ", "_", 2}))

void string_repair(const Strings& strings) {
  mapped(strings,
         [](const StringSpan& in, auto&& allocate) { map_ranges("", LoopRunner(), Repair{true}, in, allocate); });
}

COUNTED("string_repair/utf8", string_repair(world_text()))

void string_codepoints(const Strings& strings) {
  const StringSpan in = strings.span();
  const auto row_splits = room<int64_t>(in.size() + 1);
  std::unique_ptr<int32_t[]> values;
  counted([&] {
    string_values("", LoopRunner(), Codepoints(), in, row_splits.get(), [&](int64_t count) {
      values = room<int32_t>(count);
      return values.get();
    });
  });
}

COUNTED("string_codepoints/ascii", string_codepoints(ascii_text()))
COUNTED("string_codepoints/utf8", string_codepoints(world_text()))

// Rows of ten words.
void string_join_ragged() {
  const Strings words = drawn_words();
  const StringSpan in = words.span();
  const auto row_of = [&](int64_t row) { return ElementRange{row * 10, std::min(row * 10 + 10, in.size())}; };
  const int64_t rows = (in.size() + 9) / 10;
  counted([&] {
    const auto offsets = room<int32_t>(rows + 1);
    std::unique_ptr<uint8_t[]> data;
    join_strings("", LoopRunner(), JoinInput<decltype(row_of)>{in, rows, row_of, " ", rows}, [&](int64_t num_bytes) {
      data = room<uint8_t>(num_bytes);
      return MapOutput{data.get(), offsets.get()};
    });
  });
}

COUNTED("string_join_ragged", string_join_ragged())

// Strings [rows, 8] divided into chunks of two columns.
void split_strings() {
  const Strings words = drawn_words();
  StringSpan in = words.span();
  constexpr int64_t kCols = 8;
  in.rows = in.cols / (kCols + 1);
  in.cols = kCols;
  std::vector<StringChunk> chunks;
  for (int64_t first = 0; first < kCols; first += 2) chunks.push_back({1, in.rows, 0, in.rows, first, 2});
  counted([&] {
    std::vector<std::unique_ptr<uint8_t[]>> data;
    std::vector<std::unique_ptr<int32_t[]>> offsets;
    copy_string_chunks("", LoopRunner(), in, chunks, [&](size_t, int64_t num_bytes) {
      data.push_back(room<uint8_t>(num_bytes));
      offsets.push_back(room<int32_t>(in.rows * 3));
      return StringChunkOutput{data.back().get(), num_bytes, offsets.back().get(), 2};
    });
  });
}

COUNTED("split.strings", split_strings())

template <class Functor>
void map_to_strings(const Functor& f, const Strings& strings) {
  const StringSpan in = strings.span();
  counted([&] {
    const auto offsets = room<int32_t>(in.size() + 1);
    std::unique_ptr<uint8_t[]> data;
    map_strings("", LoopRunner(), f, in, [&](int64_t num_bytes) {
      data = room<uint8_t>(num_bytes);
      return MapOutput{data.get(), offsets.get()};
    });
  });
}

COUNTED("string_reverse/ascii", map_to_strings(Reverse(), ascii_text()))
COUNTED("string_reverse/utf8", map_to_strings(Reverse(), world_text()))

void strip_whitespace() {
  const WhitespaceSet whitespace;
  map_to_strings(Strip<WhitespaceSet>{true, true, whitespace}, drawn_words());
}

COUNTED("string_strip", strip_whitespace())
COUNTED("string_normalize/ascii", map_to_strings(Normalize(Normalize::Form::kNfc), ascii_text()))
COUNTED("string_normalize/nfc", map_to_strings(Normalize(Normalize::Form::kNfc), world_text()))
COUNTED("string_normalize/nfkd", map_to_strings(Normalize(Normalize::Form::kNfkd), world_text()))

COUNTED("string_rjust", map_to_strings(Pad(12, " ", Pad::Side::kLeft), drawn_words()))
COUNTED("string_slice/ascii", map_to_strings(Slice<false>{2, -2}, ascii_text()))
COUNTED("string_slice/utf8", map_to_strings(Slice<false>{2, -2}, world_text()))
COUNTED("string_hex", map_to_strings(Hex(), ascii_text()))

// Words and a suffix.
void string_concat() {
  const Strings words = drawn_words();
  Strings suffix;
  suffix.add("-ed");
  const StringSpan in = words.span();
  const Concat concat({in, suffix.span(), in}, {{in.size()}, {1}, {in.size()}}, {in.size()});
  counted([&] {
    const auto offsets = room<int32_t>(in.size() + 1);
    std::unique_ptr<uint8_t[]> data;
    build_strings("", LoopRunner(), concat, [&](int64_t num_bytes) {
      data = room<uint8_t>(num_bytes);
      return MapOutput{data.get(), offsets.get()};
    });
  });
}

COUNTED("string_concat", string_concat())

// Prices of two decimals.
void string_to_number() {
  Strings prices;
  Random random(9);
  for (int64_t i = 0; i < 1000; ++i) {
    const std::string cents = std::to_string(100 + random.below(1000000));
    prices.add(cents.substr(0, cents.size() - 2) + "." + cents.substr(cents.size() - 2));
  }
  const StringSpan in = prices.span();
  const auto numbers = room<float>(in.size());
  std::atomic<bool> failed{false};
  counted([&] { reduce_strings(LoopRunner(), ToNumber<float>{0, failed}, in, numbers.get()); });
  require(!failed);
}

COUNTED("string_to_number", string_to_number())

COUNTED("string_lower/ascii", map_to_strings(Lower(), ascii_text()))
COUNTED("string_lower/utf8", map_to_strings(Lower(), world_text()))
COUNTED("string_upper/utf8", map_to_strings(Upper(), world_text()))
COUNTED("string_title/ascii", map_to_strings(Title(), ascii_text()))
COUNTED("string_title/utf8", map_to_strings(Title(), world_text()))

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

void string_equal() {
  // Half of the words are equal, the others have any length.
  const Strings left = drawn_words();
  const Strings other = make_fields(",");
  Strings right;
  Random random(6);
  for (int64_t i = 0; i < left.span().size(); ++i) {
    const auto at = static_cast<size_t>(random.below(other.data.size() - 16));
    right.add(random.one_in(2) ? left.span()[i] : std::string_view(other.data).substr(at, random.below(16)));
  }
  const int64_t count = left.span().size();
  const auto equal = room<bool>(count);
  counted([&] {
    zip_strings("", LoopRunner(), Equal(), left.span(), {count}, right.span(), {count},
                [&](const Shape&) { return equal.get(); });
  });
}

COUNTED("string_equal", string_equal())

void string_less() {
  const Strings left = drawn_words(), right = make_fields(",");
  const int64_t count = std::min(left.span().size(), right.span().size());
  const StringSpan a{left.span().data, left.span().num_bytes, left.span().offsets, 1, count};
  const StringSpan b{right.span().data, right.span().num_bytes, right.span().offsets, 1, count};
  const auto less = room<bool>(count);
  counted(
      [&] { zip_strings("", LoopRunner(), Less(), a, {count}, b, {count}, [&](const Shape&) { return less.get(); }); });
}

COUNTED("string_less", string_less())

void string_argsort() {
  const Strings strings = drawn_words();
  const StringSpan in = strings.span();
  const auto indices = room<int64_t>(in.size());
  counted([&] { argsort_rows(LoopRunner(), in, false, indices.get()); });
}

COUNTED("string_argsort", string_argsort())

template <class Functor>
void hash(const Functor& functor, const Strings& strings, int64_t values = 1) {
  const StringSpan in = strings.span();
  const auto hashes = room<typename Functor::Value>(in.size() * values);
  counted([&] { reduce_strings(LoopRunner(), functor, in, hashes.get()); });
}

COUNTED("string_hash", hash(Xxh3{7}, drawn_words()))
COUNTED("string_siphash", hash(SipHash{{1, 2}}, drawn_words()))
COUNTED("string_minhash", hash(MinHash(Permutations(7, 64), 3, true), drawn_words(256), 64))

// Ragged rows of 0 to 20 elements of 8 bytes.
struct Ragged {
  std::vector<int64_t> splits{0};
  std::vector<int64_t> values;
  DenseShape shape{16, 8, Side::kRight};

  Ragged() {
    Random random(7);
    while (splits.back() < 8192) splits.push_back(splits.back() + static_cast<int64_t>(random.below(21)));
    values.resize(static_cast<size_t>(splits.back()), 7);
  }
  RowSplits rows() const { return {splits.data(), static_cast<int64_t>(splits.size()) - 1, splits.back()}; }
};

void ragged_to_dense() {
  const Ragged ragged;
  const RowSplits rows = ragged.rows();
  constexpr int64_t kMinusOne = -1;
  const Padding padding(reinterpret_cast<const uint8_t*>(&kMinusOne), sizeof(kMinusOne));
  const auto dense = room<int64_t>(rows.rows * ragged.shape.width);
  counted([&] {
    write_ragged_to_dense(reinterpret_cast<const uint8_t*>(ragged.values.data()), rows, ragged.shape, padding, 0,
                          rows.rows, reinterpret_cast<uint8_t*>(dense.get()));
  });
}

COUNTED("ragged_to_dense", ragged_to_dense())

void dense_to_ragged() {
  const Ragged ragged;
  const RowSplits rows = ragged.rows();
  const std::vector<int64_t> dense(static_cast<size_t>(rows.rows * ragged.shape.width), 7);
  const auto values = room<int64_t>(rows.num_values);
  counted([&] {
    write_dense_to_ragged(reinterpret_cast<const uint8_t*>(dense.data()), ragged.shape, rows, 0, rows.rows,
                          reinterpret_cast<uint8_t*>(values.get()));
  });
}

COUNTED("dense_to_ragged", dense_to_ragged())

// The words of a text in the order that a sort, or a batch of samples, gives them: no range touches the next.
template <class Selection>
void gather(const Selection& selection) {
  std::unique_ptr<uint8_t[]> data;
  std::unique_ptr<int32_t[]> offsets;
  counted([&] {
    gather_strings(
        "", LoopRunner(), 1, selection, [](const Selected& s) { require(!s.bad_item && !s.bad_offsets); },
        [&](int64_t count, int64_t bytes) {
          data = room<uint8_t>(bytes);
          offsets = room<int32_t>(count + 1);
          return GatherOutput{data.get(), offsets.get(), count};
        });
  });
}

void gather_at_positions() {
  const Strings words = drawn_words();
  const Sources sources({words.span()});
  std::vector<int64_t> positions;
  for (int64_t i = 0; i < sources.size(); ++i) positions.push_back(i * 4099 % sources.size());
  gather(StringsAt<int64_t>{sources, positions.data(), sources.size()});
}

// `period` strings of which the first one, or all but the first one, are taken.
void gather_masked(int64_t period, bool most) {
  const Strings words = drawn_words();
  const StringSpan in = words.span();
  std::vector<uint8_t> mask;
  for (int64_t i = 0; i < in.size(); ++i) mask.push_back((i % period == 0) != most);
  gather(MaskedStrings{in, mask.data()});
}

void gather_where() {
  const Strings words = drawn_words();
  const StringSpan in = words.span();
  std::vector<uint8_t> condition;
  for (int64_t i = 0; i < in.size(); ++i) condition.push_back(i % 3 == 0);
  gather(StringsWhere{condition.data(), in.size(), in, in});
}

void gather_all() {
  const Strings words = drawn_words();
  const StringSpan in = words.span();
  const Sources sources(std::vector<StringSpan>(10, in));
  gather(AllStrings{sources});
}

void strings_to_dense() {
  const Strings words = drawn_words();
  const StringSpan in = words.span();
  std::vector<int64_t> splits{0};
  while (splits.back() < in.size()) {
    splits.push_back(std::min(splits.back() + static_cast<int64_t>(splits.size() * 7 % 21), in.size()));
  }
  const RowSplits rows{splits.data(), static_cast<int64_t>(splits.size()) - 1, in.size()};
  const RepeatedString padding("<pad>");
  gather(PaddedRows{in, rows, 16, 1, Side::kRight, padding});
}

COUNTED("_string_gather", gather_at_positions())
COUNTED("_string_masked_select/few", gather_masked(3, false))
COUNTED("_string_masked_select/most", gather_masked(20, true))
COUNTED("_string_where", gather_where())
COUNTED("_string_cat", gather_all())
COUNTED("_strings_to_dense", strings_to_dense())

void string_tensor_pack() {
  const Strings words = drawn_words();
  const StringSpan in = words.span();
  std::vector<int64_t> begins, ends;
  Random random(8);
  for (int64_t i = 0; i < in.size(); ++i) {
    const ByteRange range = in.range(0, static_cast<int64_t>(random.below(static_cast<size_t>(in.size()))));
    begins.push_back(range.begin);
    ends.push_back(range.end);
  }
  const PackInput<int64_t> ranges{begins.data(), ends.data(), in.data, in.num_bytes, 1, in.size()};
  counted([&] {
    const auto offsets = room<int32_t>(in.size() + 1);
    std::unique_ptr<uint8_t[]> data;
    pack_strings("", LoopRunner(), ranges, [&](int64_t num_bytes) {
      data = room<uint8_t>(num_bytes);
      return PackOutput{data.get(), offsets.get()};
    });
  });
}

COUNTED("string_tensor_pack", string_tensor_pack())

void string_tensor_unpack() {
  const Strings words = drawn_words();
  const StringSpan in = words.span();
  counted([&] {
    const auto begins = room<int32_t>(in.size()), ends = room<int32_t>(in.size());
    std::unique_ptr<uint8_t[]> symbols;
    unpack_strings("", LoopRunner(), in, true, [&](int64_t num_bytes) {
      symbols = room<uint8_t>(num_bytes);
      return UnpackOutput{begins.get(), ends.get(), symbols.get()};
    });
  });
}

COUNTED("string_tensor_unpack", string_tensor_unpack())

// Counts made by another compiler, or with other versions of inlined headers, are not comparable.
void print_made_by() {
#ifdef __x86_64__
  const char* machine = "x86-64";
#else
  const char* machine = "another machine";
#endif
  std::printf("gcc %d, %s, xxhash %d.%d.%d\n", __GNUC__, machine, XXH_VERSION_MAJOR, XXH_VERSION_MINOR,
              XXH_VERSION_RELEASE);
}

}  // namespace
}  // namespace stringops::instructions

int main(int argc, char** argv) {
  using namespace stringops::instructions;
  if (argc == 1) {
    print_made_by();
    for (const Case& c : cases()) std::puts(c.name);
    return 0;
  }
  for (const Case& c : cases()) {
    if (argc != 3 || std::strcmp(c.name, argv[1]) != 0) continue;
    if (!stringops_set_simd_tier(argv[2])) return 3;  // this CPU, or valgrind, does not have it
    c.run();
    return 0;
  }
  std::fputs("usage: cases [NAME TIER]\n", stderr);
  return 2;
}
