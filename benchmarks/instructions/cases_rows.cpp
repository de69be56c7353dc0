// Cases of operators on rows and positions: ragged, gather, pack.
#include "cases.h"
#include "kernels/gather.h"
#include "kernels/pack.h"
#include "kernels/ragged.h"
#include "kernels/ragged_rows.h"
#include "kernels/ragged_strings.h"

namespace stringops::instructions {
namespace {

using namespace kernels;

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

// 1000 rows of 0 to 9 ids.
void ragged_count() {
  Random random(9);
  std::vector<int64_t> ids, splits{0};
  for (int64_t r = 0; r < 1000; ++r) {
    for (size_t n = random.below(10); n > 0; --n) ids.push_back(static_cast<int64_t>(random.below(34)) - 2);
    splits.push_back(static_cast<int64_t>(ids.size()));
  }
  const auto counts = room<int64_t>(1000 * 30);
  counted([&] { IdCounts{{splits.data(), 1000, splits.back()}, 30, false}.write(ids.data(), 0, 1000, counts.get()); });
}

COUNTED("ragged_count", ragged_count())

}  // namespace
}  // namespace stringops::instructions
