// string_tensor_pack: ranges of any kind, int32 and int64; those that lie outside are named, the others are copied.
#include "kernels/string_tensor_pack.h"

#include "fuzz.h"

namespace stringops::fuzz {
namespace {

template <class Index>
void pack(Input& in) {
  const int64_t rows = in.below(5), cols = in.below(10), count = rows * cols, tasks = 1 + in.below(4);
  const bool hostile = in.below(8) == 0;
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 2 * count);
  const Bytes symbols = bytes_of(text);
  Exact<Index> begins(count), ends(count);
  std::optional<int64_t> bad;
  for (int64_t i = 0; i < count; ++i) {
    begins[i] = static_cast<Index>(in.below(symbols.size() + 1));
    ends[i] = static_cast<Index>(begins[i] + in.below(symbols.size() - begins[i] + 1));
    if (hostile && in.below(4) == 0) (in.flag() ? begins : ends)[i] = in.any<Index>();
    if (!bad && (begins[i] < 0 || ends[i] < begins[i] || ends[i] > symbols.size())) bad = i;
  }

  const kernels::PackInput<Index> input{begins.data(), ends.data(), symbols.data(), symbols.size()};
  std::vector<int64_t> bases{0};
  std::optional<int64_t> found;
  for (int64_t t = 0; t < tasks; ++t) {
    const kernels::PackMeasure m = kernels::measure_pack(input, count * t / tasks, count * (t + 1) / tasks);
    if (!found) found = m.bad_index;
    bases.push_back(bases.back() + (m.bad_index ? 0 : m.num_bytes));
  }
  REQUIRE(found == bad);
  if (bad) return;

  const auto write = [&](const Bytes& data, const Exact<int32_t>& offsets) {
    bool complete = true;
    for (int64_t t = tasks; t-- > 0;) {
      complete &= kernels::write_pack(input, count * t / tasks, count * (t + 1) / tasks,
                                      {data.data(), data.size(), offsets.data(), cols}, bases[t], bases[t + 1]);
    }
    return complete;
  };
  const Bytes data(bases.back());
  const Exact<int32_t> offsets(rows * (cols + 1));
  REQUIRE(write(data, offsets));
  if (count == 0) return;
  REQUIRE(is_compact(offsets, rows, cols, data.size()));
  for (int64_t i = 0; i < count; ++i) {
    const int32_t* at = &offsets[i / cols * (cols + 1) + i % cols];
    const std::string want = text.substr(static_cast<size_t>(begins[i]), static_cast<size_t>(ends[i] - begins[i]));
    REQUIRE(text_of(data.data() + at[0], at[1] - at[0]) == want);
  }

  for (int64_t i = in.below(4); i > 0; --i) (in.flag() ? begins : ends)[in.below(count)] = in.any<Index>();
  const Bytes again(data.size());
  const Exact<int32_t> offsets_again(offsets.size());
  if (write(again, offsets_again)) REQUIRE(is_compact(offsets_again, rows, cols, data.size()));
}

FUZZ_TARGET(string_tensor_pack) {
  in.flag() ? pack<int32_t>(in) : pack<int64_t>(in);
}

}  // namespace
}  // namespace stringops::fuzz
