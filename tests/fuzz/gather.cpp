// _string_gather, _string_where, _string_masked_select and _string_cat: strings of several tensors at positions, where
// a condition or a mask is true, or all of them.
#include "kernels/gather.h"

#include "results.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

using kernels::Sources;

struct Result {
  Bytes data;
  Exact<int32_t> offsets;
  int64_t rows = 0, cols = 0;

  std::vector<std::string> values() const {
    std::vector<std::string> all;
    for (int64_t i = 0; i < rows * cols; ++i) {
      const int32_t* const at = &offsets[i / cols * (cols + 1) + i % cols];
      all.push_back(text_of(data.data() + at[0], at[1] - at[0]));
    }
    return all;
  }
};

// The strings of a selection in rows of `cols`, which divides their number; in one row if it is 0.
template <class Selection>
std::optional<std::vector<std::string>> gather(const Selection& selection, int64_t tasks, int64_t cols,
                                               const Interference& interfere) {
  Result result;
  const auto allocate = [&](int64_t count, int64_t num_bytes) {
    check_room(num_bytes);
    check_room(count);
    // A mask that has changed selects another number of strings.
    result.cols = cols && count % cols == 0 ? cols : count;
    result.rows = result.cols ? count / result.cols : 1;
    result.data = Bytes(num_bytes);
    result.offsets = Exact<int32_t>(result.rows * (result.cols + 1));
    if (count == 0) std::fill_n(result.offsets.data(), result.offsets.size(), 0);
    if (interfere) interfere();
    return kernels::GatherOutput{result.data.data(), result.offsets.data(), result.cols};
  };
  const auto check = [](const kernels::Selected& selected) {
    if (selected.bad_item) fail("bad item ", *selected.bad_item);
  };
  if (!gives_result(interfere != nullptr, [&] {
        kernels::gather_strings("", kernels::LoopRunner(tasks, true), 1, selection, check, allocate);
      })) {
    return std::nullopt;
  }
  REQUIRE(is_compact(result.offsets, result.rows, result.cols, result.data.size()));
  return result.values();
}

// The result must be `want`, and any valid one if `damage` is called between the passes.
template <class Selection, class Damage>
void check(Input& in, const Selection& selection, const std::vector<std::string>& want, Damage&& damage) {
  const int64_t tasks = 1 + in.below(4), count = static_cast<int64_t>(want.size());
  const int64_t divisor = 1 + in.below(4), cols = count % divisor == 0 ? count / divisor : 0;
  size_t bytes = 0;
  for (const std::string& s : want) bytes += s.size();
  if (bytes > 1 << 19) return;
  REQUIRE(same_on_every_tier([&] { return gather(selection, tasks, cols, nullptr); }) == want);
  survives_on_every_tier([&] { gather(selection, tasks, cols, damage); });
}

// Covers _string_gather, _string_masked_select, _string_where, _string_cat, string_normalizer.
FUZZ_TARGET(gather) {
  const int64_t kind = in.below(4), num_tensors = kind == 1 ? 2 : kind == 2 ? 1 : 1 + in.below(3);
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) / 2);
  std::vector<Strings> tensors;
  std::vector<StringSpan> spans;
  std::vector<std::string> all;
  for (int64_t i = 0; i < num_tensors; ++i) {
    Arguments args = take_strings(in, text, take_shape(in, kind == 2 ? 200 : 40));
    if (!args.trusted) return;
    for (const std::string& value : args.strings.values()) all.push_back(value);
    tensors.push_back(std::move(args.strings));
    spans.push_back(tensors.back().span);
  }
  const Sources sources(spans);
  const int64_t size = sources.size();
  const auto damage = [&] { tensors[static_cast<size_t>(in.below(num_tensors))].damage(in); };

  if (kind == 0) {
    const int64_t count = in.below(size > 0 ? 200 : 3);
    Exact<int32_t> positions(count);
    std::vector<std::string> want;
    std::optional<int64_t> bad;
    for (int64_t i = 0; i < count; ++i) {
      positions[i] = static_cast<int32_t>(in.below(2 * size) - size);
      if (in.below(256) == 255) positions[i] = in.any<int32_t>();
      const int64_t at = positions[i] < 0 ? positions[i] + size : positions[i];
      if (at >= 0 && at < size) {
        want.push_back(all[static_cast<size_t>(at)]);
      } else if (!bad) {
        bad = i;
      }
    }
    const kernels::StringsAt<int32_t> selection{sources, positions.data(), count};
    if (bad) {
      std::string error;
      try {
        gather(selection, 1, 0, nullptr);
      } catch (const std::invalid_argument& rejected) {
        error = rejected.what();
      }
      REQUIRE(error == "bad item " + std::to_string(*bad));
      return;
    }
    if (in.flag()) {
      const std::vector<int64_t> wide(positions.data(), positions.data() + count);
      check(in, kernels::StringsAt<int64_t>{sources, wide.data(), count}, want, damage);
    } else {
      check(in, selection, want, [&] {
        if (count > 0) positions[in.below(count)] = in.any<int32_t>();
        damage();
      });
    }
  } else if (kind == 1) {
    // Both have one string for each element, or only one.
    const int64_t sizes[] = {spans[0].size(), spans[1].size()};
    const int64_t count = sizes[0] == 1 ? sizes[1] : sizes[0];
    if (sizes[1] != count && sizes[1] != 1) return;
    Bytes condition(count);
    std::vector<std::string> want;
    for (int64_t i = 0; i < count; ++i) {
      condition[i] = static_cast<uint8_t>(in.below(3));
      const int64_t first = sizes[0] == 1 ? 0 : i, second = sizes[1] == 1 ? 0 : i;
      want.push_back(all[static_cast<size_t>(condition[i] ? first : sizes[0] + second)]);
    }
    const kernels::StringsWithRoom first(spans[0]), second(spans[1]);
    check(in, kernels::StringsWhere{condition.data(), count, first.span(), second.span()}, want, [&] {
      if (count > 0) condition[in.below(count)] ^= 1;
      damage();
    });
  } else if (kind == 2) {
    Bytes mask(size);
    std::vector<std::string> want;
    const int64_t zero = in.below(32);  // how often
    for (int64_t i = 0; i < size; ++i) {
      mask[i] = in.below(32) < zero ? 0 : static_cast<uint8_t>(1 + in.below(255));
      if (mask[i] != 0) want.push_back(all[static_cast<size_t>(i)]);
    }
    check(in, kernels::MaskedStrings{spans[0], mask.data()}, want, [&] {
      for (int64_t i = in.below(4); i > 0 && size > 0; --i) mask[in.below(size)] ^= 1;
      damage();
    });
  } else {
    check(in, kernels::AllStrings{sources}, all, damage);
  }
}

SHARED_CALL(gather, {
  const Sources sources({world.strings.span, world.other.span});
  Bytes data;
  Exact<int32_t> offsets;
  kernels::gather_strings(
      "", runner, 1, kernels::AllStrings{sources}, [](const kernels::Selected&) {},
      [&](int64_t count, int64_t size) {
        data = Bytes(size);
        offsets = Exact<int32_t>(count + 1);
        return kernels::GatherOutput{data.data(), offsets.data(), count};
      });
  return digest(data, offsets);
})

}  // namespace
}  // namespace stringops::fuzz
