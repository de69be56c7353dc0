// Cases of operators that compute values of strings: length, classes, search, encoding, compare, sort, hash.
#include <algorithm>
#include <cstdlib>

#include "cases.h"
#include "core/offsets.h"
#include "driver/reduce.h"
#include "driver/values.h"
#include "driver/zip.h"
#include "kernels/classes.h"
#include "kernels/compare.h"
#include "kernels/compare_edit_distance.h"
#include "kernels/compare_jaccard.h"
#include "kernels/encoding.h"
#include "kernels/hash.h"
#include "kernels/hash_minhash.h"
#include "kernels/hash_minhash_bins.h"
#include "kernels/length.h"
#include "kernels/search.h"
#include "kernels/search_many.h"
#include "kernels/sort.h"

namespace stringops::instructions {
namespace {

using namespace kernels;

void check_offsets() {
  const Strings in = drawn_words();
  counted([&] { require(!find_bad_offset(in.span())); });
}

COUNTED("check_offsets", check_offsets())

template <class Functor>
void reduce_all(const Functor& f, const Strings& strings) {
  const StringSpan in = strings.span();
  const auto values = room<typename Functor::Value>(in.size());
  counted([&] { reduce_strings(LoopRunner(), f, in, values.get()); });
}

COUNTED("string_length/ascii", reduce_all(CodepointLength(), ascii_text()))
COUNTED("string_length/utf8", reduce_all(CodepointLength(), world_text()))
COUNTED("string_width/ascii", reduce_all(Width(), ascii_text()))
COUNTED("string_width/utf8", reduce_all(Width(), world_text()))
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
// A few patterns begin in few ways, many in many, which are found in different ways.
void contains_any(const Strings& strings, int64_t count) {
  std::vector<std::string> patterns;
  for (int64_t i = 0; i < count; ++i) {
    patterns.emplace_back();
    for (int64_t rest = (i + 1) * 7919; rest > 0; rest /= 26) patterns.back() += static_cast<char>('a' + rest % 26);
  }
  const PatternSet set("", patterns);
  search(strings, ContainsAny{set});
}

COUNTED("string_contains_any/few", contains_any(ascii_text(), 10))
COUNTED("string_contains_any/many", contains_any(ascii_text(), 1000))
COUNTED("string_is_utf8/utf8", search(world_text(), IsUtf8()))

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

// Pairs of words.
template <class Kernel>
void zip_words(const Kernel& kernel) {
  const Strings left = drawn_words(), right = make_fields(",");
  const int64_t count = std::min(left.span().size(), right.span().size());
  const StringSpan a{left.span().data, left.span().num_bytes, left.span().offsets, 1, count};
  const StringSpan b{right.span().data, right.span().num_bytes, right.span().offsets, 1, count};
  const auto values = room<typename Kernel::Value>(count);
  counted([&] {
    zip_strings("", LoopRunner(), kernel, a, {count}, b, {count}, [&](const Shape&) { return values.get(); });
  });
}

COUNTED("string_less", zip_words(Less()))
COUNTED("string_jaccard", zip_words(NgramJaccard{{3, true}, {1, 2}}))

// The first strings of two tensors: pair by pair, or each with each.
template <class Kernel>
void compared(const Kernel& kernel, const Strings& left, const Strings& right, int64_t rows, int64_t cols) {
  const StringSpan a{left.span().data, left.span().num_bytes, left.span().offsets, 1, rows > 1 ? rows : cols};
  const StringSpan b{right.span().data, right.span().num_bytes, right.span().offsets, 1, cols};
  if (a.size() > left.span().size() || b.size() > right.span().size()) std::abort();
  const Shape shape = rows > 1 ? Shape{rows, 1} : Shape{cols};
  const auto values = room<typename Kernel::Value>(rows * cols);
  counted([&] {
    compare_pairs("", LoopRunner(), kernel, a, shape, b, {cols}, [&](const Shape&) { return values.get(); });
  });
}

COUNTED("string_edit_distance/words", compared(EditDistance{true}, drawn_words(), make_fields(","), 1, 400))
COUNTED("string_edit_distance/utf8", compared(EditDistance{true}, world_text(), world_text(), 1, 100))
COUNTED("string_edit_distance/all_pairs", compared(EditDistance{true}, drawn_words(), make_fields(","), 50, 200))
COUNTED("string_damerau/all_pairs", compared(Damerau{true}, drawn_words(), make_fields(","), 50, 200))
COUNTED("string_ratio/all_pairs", compared(Ratio{true}, drawn_words(), make_fields(","), 50, 200))
COUNTED("string_jaro_winkler/all_pairs", compared(JaroWinkler{true, 0.1}, drawn_words(), make_fields(","), 50, 200))

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
COUNTED("string_crc32", hash(Crc32(), drawn_words()))
COUNTED("string_siphash", hash(SipHash{{1, 2}}, drawn_words()))
COUNTED("string_minhash", hash(MinHash(Permutations(7, 64), {3, true}), drawn_words(256), 64))
COUNTED("string_minhash/bins", hash(MinHashBins(7, 64, {3, true}), drawn_words(256), 64))
COUNTED("string_minhash/bins_of_text", hash(MinHashBins(7, 64, {5, true}), ascii_text(), 64))

}  // namespace
}  // namespace stringops::instructions
