// string_tensor_pack: ranges in int32 and int64. The error names the first one that is out of bounds.
#include "kernels/pack.h"

#include "results.h"

namespace stringops::fuzz {
namespace {

template <class Index>
void pack(Input& in) {
  const int64_t rows = in.below(5), cols = in.below(10), count = rows * cols, tasks = 1 + in.below(4);
  const bool malformed = in.below(8) == 0;
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 2 * count);
  const Bytes symbols = bytes_of(text);
  Exact<Index> begins(count), ends(count);
  std::optional<int64_t> bad;
  for (int64_t i = 0; i < count; ++i) {
    begins[i] = static_cast<Index>(in.below(symbols.size() + 1));
    ends[i] = static_cast<Index>(begins[i] + in.below(symbols.size() - begins[i] + 1));
    if (malformed && in.below(4) == 0) (in.flag() ? begins : ends)[i] = in.any<Index>();
    if (!bad && (begins[i] < 0 || ends[i] < begins[i] || ends[i] > symbols.size())) bad = i;
  }

  const kernels::PackInput<Index> input{begins.data(), ends.data(), symbols.data(), symbols.size(), rows, cols};
  Bytes data;
  Exact<int32_t> offsets(rows * (cols + 1));
  const auto run = [&](const Interference& interfere) {
    return gives_result(interfere != nullptr, [&] {
      kernels::pack_strings("", kernels::LoopRunner(tasks, true), input, [&](int64_t num_bytes) {
        check_room(num_bytes);
        data = Bytes(num_bytes);
        if (interfere) interfere();
        return kernels::PackOutput{data.data(), offsets.data()};
      });
    });
  };
  std::string error;
  try {
    REQUIRE(run(nullptr) || text.size() > 1 << 10);
  } catch (const std::invalid_argument& rejected) {
    error = rejected.what();
  }
  if (bad) {
    REQUIRE(error.find(" at index " + std::to_string(*bad) + " ") != std::string::npos);
    return;
  }
  REQUIRE(error.empty());
  if (count == 0) return;
  REQUIRE(is_compact(offsets, rows, cols, data.size()));
  for (int64_t i = 0; i < count; ++i) {
    const int32_t* at = &offsets[i / cols * (cols + 1) + i % cols];
    const std::string want = text.substr(static_cast<size_t>(begins[i]), static_cast<size_t>(ends[i] - begins[i]));
    REQUIRE(text_of(data.data() + at[0], at[1] - at[0]) == want);
  }

  if (run([&] {
        for (int64_t i = in.below(4); i > 0; --i) (in.flag() ? begins : ends)[in.below(count)] = in.any<Index>();
      })) {
    REQUIRE(is_compact(offsets, rows, cols, data.size()));
  }
}

FUZZ_TARGET(string_tensor_pack) {
  in.flag() ? pack<int32_t>(in) : pack<int64_t>(in);
}

}  // namespace
}  // namespace stringops::fuzz
