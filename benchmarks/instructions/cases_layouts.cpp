// Cases of the same strings in several memory layouts, one operator for each driver. tests/bench/test_layouts.py
// compares their counts.
#include <algorithm>

#include "cases.h"
#include "core/offsets.h"
#include "driver/map.h"
#include "driver/reduce.h"
#include "driver/zip.h"
#include "kernels/case.h"
#include "kernels/classes.h"
#include "kernels/compare.h"
#include "kernels/gather.h"
#include "kernels/hash.h"
#include "kernels/length.h"
#include "kernels/normalize_decompose.h"
#include "kernels/pack.h"
#include "kernels/split.h"
#include "kernels/strip.h"

namespace stringops::instructions {
namespace {

using namespace kernels;

// Strings in rows.
struct Rows {
  std::string data;
  std::vector<int32_t> offsets;
  int64_t cols;

  StringSpan span() const {
    const int64_t rows = static_cast<int64_t>(offsets.size()) / (cols + 1);
    return {reinterpret_cast<const uint8_t*>(data.data()), static_cast<int64_t>(data.size()), offsets.data(), rows,
            cols};
  }
};

// The first `count` words in rows of `cols`, each row after `gap`. Row r of the result is row order(r) of the data.
template <class Order>
Rows make_rows(int64_t count, int64_t cols, const std::string& gap, Order&& order) {
  const Strings words = drawn_words();
  const StringSpan in = words.span();
  const int64_t num_rows = count / cols, stride = cols + 1;
  std::vector<int64_t> rows_at(static_cast<size_t>(num_rows));  // row of the result, by its place in the data
  for (int64_t r = 0; r < num_rows; ++r) rows_at[static_cast<size_t>(order(r))] = r;
  Rows rows{"", std::vector<int32_t>(static_cast<size_t>(num_rows * stride)), cols};
  for (const int64_t r : rows_at) {
    rows.data += gap;
    int32_t* const at = rows.offsets.data() + r * stride;
    at[0] = static_cast<int32_t>(rows.data.size());
    for (int64_t c = 0; c < cols; ++c) {
      rows.data += in[r * cols + c];
      at[c + 1] = static_cast<int32_t>(rows.data.size());
    }
  }
  return rows;
}

constexpr int64_t kCount = 4096;
constexpr auto kInOrder = [](int64_t row) { return row; };

Rows flat() {
  return make_rows(kCount, kCount, "", kInOrder);
}
Rows rows_of_1() {
  return make_rows(kCount, 1, "", kInOrder);
}
Rows rows_of_2() {
  return make_rows(kCount, 2, "", kInOrder);
}
// t[:, 1:] of rows of three.
Rows columns() {
  return make_rows(kCount, 2, "other", kInOrder);
}
Rows permuted() {
  return make_rows(kCount, 2, "", [](int64_t row) { return row * 1237 % (kCount / 2); });
}

void check(const StringSpan& in) {
  require(!find_bad_offset(in));
}

template <class Functor>
void map_rows(const Functor& f, const Rows& rows) {
  const StringSpan in = rows.span();
  counted([&] {
    check(in);
    const auto offsets = room<int32_t>(in.rows * (in.cols + 1));
    std::unique_ptr<uint8_t[]> first, second;
    map_strings("", LoopRunner(), f, in, [&](int64_t num_bytes) {
      second = std::move(first);
      first = room<uint8_t>(num_bytes);
      return MapOutput{first.get(), offsets.get()};
    });
  });
}

template <class Functor>
void reduce_rows(const Functor& f, const Rows& rows) {
  const StringSpan in = rows.span();
  const auto values = room<typename Functor::Value>(in.size());
  counted([&] {
    check(in);
    reduce_strings(LoopRunner(), f, in, values.get());
  });
}

void equal_to_one(const Rows& rows) {
  const StringSpan in = rows.span();
  Strings word;
  word.add("seen");
  const auto equal = room<bool>(in.size());
  counted([&] {
    check(in);
    zip_strings("", LoopRunner(), Equal(), in, {in.rows, in.cols}, word.span(), {1},
                [&](const Shape&) { return equal.get(); });
  });
}

void split(const Rows& rows) {
  const StringSpan in = rows.span();
  counted([&] {
    check(in);
    RaggedRoom result(in);
    cut_ragged("", LoopRunner(), in, SplitCutter({"e", -1, false, false}), result);
  });
}

void copy(const Rows& rows) {
  const StringSpan in = rows.span();
  const Sources sources({in});
  std::unique_ptr<uint8_t[]> data;
  std::unique_ptr<int32_t[]> offsets;
  counted([&] {
    gather_strings(
        "", LoopRunner(), 1, AllStrings{sources}, [](const Selected&) {},
        [&](int64_t, int64_t bytes) {
          data = room<uint8_t>(bytes);
          offsets = room<int32_t>(in.rows * (in.cols + 1));
          return GatherOutput{data.get(), offsets.get(), in.cols};
        });
  });
}

void unpack(const Rows& rows) {
  const StringSpan in = rows.span();
  counted([&] {
    check(in);
    const auto begins = room<int32_t>(in.size()), ends = room<int32_t>(in.size());
    std::unique_ptr<uint8_t[]> symbols;
    unpack_strings("", LoopRunner(), in, true, [&](int64_t num_bytes) {
      symbols = room<uint8_t>(num_bytes);
      return UnpackOutput{begins.get(), ends.get(), symbols.get()};
    });
  });
}

void strip(const Rows& rows) {
  const WhitespaceSet whitespace;
  map_rows(Strip<WhitespaceSet>{true, true, whitespace}, rows);
}

// An operator with strings in each layout, which the name says.
#define COUNTED_LAYOUTS(name, call)              \
  COUNTED(name "/layout_flat", call(flat))       \
  COUNTED(name "/layout_1", call(rows_of_1))     \
  COUNTED(name "/layout_2", call(rows_of_2))     \
  COUNTED(name "/layout_columns", call(columns)) \
  COUNTED(name "/layout_permuted", call(permuted))

#define COPY(layout) copy(layout())
#define LOWER(layout) map_rows(Lower(), layout())
#define STRIP(layout) strip(layout())
#define STRIP_ACCENTS(layout) map_rows(Decompose(Decompose::Form::kUnaccented), layout())
#define LENGTH(layout) reduce_rows(CodepointLength(), layout())
#define IS_ALPHA(layout) reduce_rows(IsAlpha(), layout())
#define HASH(layout) reduce_rows(Xxh3{7}, layout())
#define EQUAL(layout) equal_to_one(layout())
#define SPLIT(layout) split(layout())
#define UNPACK(layout) unpack(layout())

COUNTED_LAYOUTS("_string_cat", COPY)
COUNTED_LAYOUTS("string_lower", LOWER)
COUNTED_LAYOUTS("string_strip", STRIP)
COUNTED_LAYOUTS("string_strip_accents", STRIP_ACCENTS)
COUNTED_LAYOUTS("string_length", LENGTH)
COUNTED_LAYOUTS("string_is_alpha", IS_ALPHA)
COUNTED_LAYOUTS("string_hash", HASH)
COUNTED_LAYOUTS("string_equal", EQUAL)
COUNTED_LAYOUTS("string_split_ragged", SPLIT)
COUNTED_LAYOUTS("string_tensor_unpack", UNPACK)

}  // namespace
}  // namespace stringops::instructions
