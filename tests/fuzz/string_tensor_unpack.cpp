// string_tensor_unpack, with and without the bytes.
#include "kernels/pack.h"
#include "results.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

void unpack(const Strings& strings, int64_t tasks, bool copies_bytes, const Interference& interfere) {
  const StringSpan& in = strings.span;
  const int64_t count = in.size();
  const Exact<int32_t> begins(count), ends(count);
  Bytes bytes;
  int64_t total = 0;
  const auto allocate = [&](int64_t num_bytes) {
    check_room(num_bytes);
    total = num_bytes;
    bytes = Bytes(copies_bytes ? num_bytes : 0);
    if (interfere) interfere();
    return kernels::UnpackOutput{begins.data(), ends.data(), copies_bytes ? bytes.data() : nullptr};
  };
  if (!gives_result(interfere != nullptr, [&] {
        kernels::unpack_strings("", kernels::LoopRunner(tasks, true), in, copies_bytes, allocate);
      })) {
    return;
  }
  int64_t at = 0;
  for (int64_t i = 0; i < count; ++i) {
    REQUIRE(0 <= begins[i] && begins[i] <= ends[i] && ends[i] <= total);
    if (interfere) continue;
    const int32_t* offset = &strings.offsets[i / in.cols * (in.cols + 1) + i % in.cols];
    REQUIRE(begins[i] == at && ends[i] - begins[i] == offset[1] - offset[0]);
    at = ends[i];
    if (copies_bytes) {
      REQUIRE(text_of(bytes.data() + begins[i], ends[i] - begins[i]) ==
              text_of(strings.data.data() + offset[0], offset[1] - offset[0]));
    }
  }
  REQUIRE(interfere || at == total);
}

// Covers _string_tensor_unpack_ranges.
FUZZ_TARGET(string_tensor_unpack) {
  const int64_t tasks = 1 + in.below(5);
  const bool symbols = in.below(4) != 0;
  const Arguments args = take_strings(in);
  if (!args.trusted) return;
  unpack(args.strings, tasks, symbols, nullptr);
  Strings victim = args.strings.copy();
  unpack(victim, tasks, symbols, [&] { victim.damage(in); });
  unpack(victim, tasks, symbols, [] {});
}

// Unpacked, then packed again.
SHARED_CALL(unpack_and_pack, {
  const StringSpan& in = world.strings.span;
  const Exact<int32_t> begins(in.size()), ends(in.size()), offsets(in.rows * (in.cols + 1));
  Bytes symbols, data;
  kernels::unpack_strings("", runner, in, true, [&](int64_t num_bytes) {
    check_room(num_bytes);
    symbols = Bytes(num_bytes);
    return kernels::UnpackOutput{begins.data(), ends.data(), symbols.data()};
  });
  const kernels::PackInput<int32_t> ranges{begins.data(),  ends.data(), symbols.data(),
                                           symbols.size(), in.rows,     in.cols};
  kernels::pack_strings("", runner, ranges, [&](int64_t num_bytes) {
    check_room(num_bytes);
    data = Bytes(num_bytes);
    return kernels::PackOutput{data.data(), offsets.data()};
  });
  return digest(begins, ends, symbols, data, offsets);
})

}  // namespace
}  // namespace stringops::fuzz
