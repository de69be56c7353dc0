// Whole calls of operators on strings, without torch, by any runner. Each gives a number that follows from its result,
// or nothing if another thread changed its arguments.
#pragma once

#include <optional>
#include <string>

#include "kernels/compare.h"
#include "kernels/driver/map.h"
#include "kernels/driver/zip.h"
#include "kernels/edit.h"
#include "kernels/pack.h"
#include "kernels/split.h"
#include "kernels/tokenizer.h"
#include "kernels/vocabulary.h"
#include "results.h"

namespace stringops::fuzz {

using kernels::Runner;

using Result = std::optional<uint64_t>;

template <class... Buffers>
uint64_t digest(const Buffers&... buffers) {
  uint64_t sum = 0;
  const auto add = [&](const auto& buffer) {
    const auto bytes = buffer.size() * static_cast<int64_t>(sizeof(buffer[0]));
    sum = sum * 31 + stable_hash(reinterpret_cast<const uint8_t*>(buffer.data()), bytes);
  };
  (add(buffers), ...);
  return sum;
}

// f's result, or nothing if it threw: arguments that another thread writes may be refused for any reason.
template <class F>
Result result_of(F&& f) {
  try {
    return f();
  } catch (const std::logic_error&) {
    return std::nullopt;
  }
}

inline Result call_split(const Runner& runner, const StringSpan& in, const kernels::Splitter& by) {
  return result_of([&] {
    RaggedBuffers out{Exact<int64_t>(in.size() + 1), nullptr};
    kernels::cut_ragged("", runner, in, kernels::SplitCutter(by), out);
    return digest(out.data, out.offsets, out.row_splits);
  });
}

inline Result call_split_padded(const Runner& runner, const StringSpan& in, const kernels::Splitter& by) {
  return result_of([&] {
    PaddedBuffers out{in.size(), nullptr};
    const Exact<int64_t> counts(in.size());
    kernels::cut_padded("", "", runner, in, kernels::SplitCutter(by), counts.data(), out);
    return digest(out.data, out.offsets);
  });
}

inline Result call_tokenizer(const Runner& runner, const StringSpan& in, const kernels::TokenRules& rules) {
  return result_of([&] {
    RaggedBuffers out{Exact<int64_t>(in.size() + 1), nullptr};
    kernels::tokenize_ragged("", runner, in, rules, false, out);
    return digest(out.data, out.offsets, out.row_splits);
  });
}

// Unpacked, then packed again.
inline Result call_unpack_and_pack(const Runner& runner, const StringSpan& in) {
  return result_of([&] {
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
  });
}

inline Result call_reverse(const Runner& runner, const StringSpan& in) {
  return result_of([&] {
    const Exact<int32_t> offsets(in.rows * (in.cols + 1));
    Bytes data;
    kernels::map_strings("", runner, kernels::Reverse(), in, [&](int64_t num_bytes) {
      check_room(num_bytes);
      data = Bytes(num_bytes);
      return kernels::MapOutput{data.data(), offsets.data()};
    });
    return digest(data, offsets);
  });
}

inline Result call_equal(const Runner& runner, const StringSpan& left, const StringSpan& right) {
  const Exact<bool> out(left.size());
  kernels::zip_strings("", runner, kernels::Equal(), left, {left.rows, left.cols}, right, {right.rows, right.cols},
                       [&](const kernels::Shape&) { return out.data(); });
  return digest(out);
}

inline Result call_unique(const StringSpan& in) {
  return result_of([&] {
    const Exact<int64_t> inverse(in.size());
    const auto unique = kernels::find_unique(in, inverse.data());
    check_room(unique.num_bytes);
    const Bytes data(unique.num_bytes);
    const Exact<int32_t> offsets(unique.size() + 1);
    const Exact<int64_t> counts(unique.size());
    kernels::write_unique(in, unique, {data.data(), offsets.data(), counts.data()});
    return digest(inverse, data, offsets, counts);
  });
}

inline Result call_encode(const Runner& runner, const StringSpan& in, const Bytes& table) {
  const auto opened = kernels::open_vocab_table(table.data(), table.size());
  if (!opened) return std::nullopt;
  const Exact<int64_t> ids(in.size());
  kernels::encode_strings(runner, in, {*opened, {-1, 7}}, ids.data());
  return digest(ids);
}

}  // namespace stringops::fuzz
