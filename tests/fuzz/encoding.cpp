// The operators on UTF-8: validity, repair, code points, bytes; and strings from code points.
#include "kernels/encoding.h"

#include "driver/reduce.h"
#include "driver/testing.h"
#include "driver/values.h"
#include "fuzz.h"
#include "kernels/encoding_codepoints.h"
#include "oracle.h"
#include "results.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

using kernels::LoopRunner;

// Whether `bytes` begin a valid code point, which some bytes after them would complete.
bool begins_codepoint(std::string bytes) {
  for (const char low : {'\x80', '\x90', '\xA0'}) {
    std::string whole = bytes;
    while (whole.size() < 4) {
      whole += whole.size() == 1 ? low : '\x80';
      if (codepoint_at(whole, 0) == whole.size()) return true;
    }
  }
  return false;
}

std::string repair(std::string_view text, bool replaces) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t length = codepoint_at(text, at);
    if (length > 0) {
      result += text.substr(at, length);
    } else {
      length = 1;
      while (at + length < text.size() && begins_codepoint(std::string(text.substr(at, length + 1)))) ++length;
      if (replaces) result += "\xEF\xBF\xBD";
    }
    at += length;
  }
  return result;
}

void add_codepoints(std::string_view text, std::vector<int32_t>* values) {
  for (size_t at = 0; at < text.size();) {
    const size_t length = codepoint_at(text, at);
    int32_t value = length == 0 ? 0xFFFD : static_cast<uint8_t>(text[at]);
    if (length > 1) value &= 0x7F >> length;
    for (size_t i = 1; i < length; ++i) value = value << 6 | (text[at + i] & 0x3F);
    values->push_back(value);
    at += std::max<size_t>(length, 1);
  }
}

template <class Functor>
struct Values {
  std::vector<typename Functor::Value> values;
  std::vector<int64_t> row_splits;

  bool operator==(const Values& o) const { return values == o.values && row_splits == o.row_splits; }
};

template <class Functor>
std::optional<Values<Functor>> values_of(const StringSpan& in, int64_t tasks, const Interference& interfere) {
  const Exact<int64_t> row_splits(in.size() + 1);
  Exact<typename Functor::Value> values;
  const auto run = [&] {
    kernels::string_values("", LoopRunner(tasks, true), Functor(), in, row_splits.data(), [&](int64_t count) {
      check_room(count);
      values = Exact<typename Functor::Value>(count);
      if (interfere) interfere();
      return values.data();
    });
  };
  if (!gives_result(interfere != nullptr, run)) return std::nullopt;
  REQUIRE(row_splits[0] == 0 && row_splits[in.size()] == values.size());
  return Values<Functor>{values.copy(), row_splits.copy()};
}

std::optional<std::vector<std::string>> repair_all(const StringSpan& in, bool replaces, int64_t tasks,
                                                   const Interference& interfere) {
  const Exact<int32_t> offsets(in.rows * (in.cols + 1));
  Bytes data;
  const auto run = [&] {
    kernels::map_strings("", LoopRunner(tasks, true), kernels::Repair{replaces}, in, [&](int64_t num_bytes) {
      check_room(num_bytes);
      data = Bytes(num_bytes);
      if (interfere) interfere();
      return kernels::MapOutput{data.data(), offsets.data()};
    });
  };
  if (!gives_result(interfere != nullptr, run)) return std::nullopt;
  REQUIRE(is_compact(offsets, in.rows, in.cols, data.size()));
  std::vector<std::string> strings;
  for (int64_t i = 0; i < in.size(); ++i) {
    const int32_t* at = &offsets[i / in.cols * (in.cols + 1) + i % in.cols];
    strings.push_back(text_of(data.data() + at[0], at[1] - at[0]));
  }
  return strings;
}

std::vector<bool> are_utf8(const StringSpan& in, int64_t tasks) {
  const Exact<bool> values(in.size());
  kernels::reduce_strings(LoopRunner(tasks), kernels::IsUtf8(), in, values.data());
  return std::vector<bool>(values.data(), values.data() + values.size());
}

// Covers string_codepoints, string_bytes, string_is_utf8, string_repair.
FUZZ_TARGET(encoding) {
  const int64_t tasks = 1 + in.below(5);
  const bool replaces = in.flag();
  const Arguments args = take_strings(in);
  if (!args.trusted) return;
  const StringSpan& span = args.strings.span;
  std::vector<bool> valid;
  std::vector<std::string> repaired;
  Values<kernels::Codepoints> points{{}, {0}};
  Values<kernels::ByteValues> bytes{{}, {0}};
  args.strings.for_each([&](std::string_view text) {
    valid.push_back(!invalid_utf8_at(text));
    repaired.push_back(repair(text, replaces));
    add_codepoints(text, &points.values);
    points.row_splits.push_back(static_cast<int64_t>(points.values.size()));
    bytes.values.insert(bytes.values.end(), text.begin(), text.end());
    bytes.row_splits.push_back(static_cast<int64_t>(bytes.values.size()));
  });
  REQUIRE(same_on_every_tier([&] { return are_utf8(span, tasks); }) == valid);
  REQUIRE(same_on_every_tier([&] { return repair_all(span, replaces, tasks, nullptr); }) == repaired);
  REQUIRE(same_on_every_tier([&] { return values_of<kernels::Codepoints>(span, tasks, nullptr); }) == points);
  REQUIRE(values_of<kernels::ByteValues>(span, tasks, nullptr) == bytes);
  const Input rest = in;
  const auto with_damage = [&](auto&& call) {
    Strings victim = args.strings.copy();
    Input more = rest;
    call(victim.span, [&] { victim.damage(more); });
  };
  survives_on_every_tier([&] {
    with_damage([&](const StringSpan& victim, const Interference& damage) {
      repair_all(victim, replaces, tasks, damage);
      are_utf8(victim, tasks);
    });
    with_damage([&](const StringSpan& victim, const Interference& damage) {
      values_of<kernels::Codepoints>(victim, tasks, damage);
    });
    with_damage([&](const StringSpan& victim, const Interference& damage) {
      values_of<kernels::ByteValues>(victim, tasks, damage);
    });
  });
}

template <class Int>
void fuzz_from_codepoints(Input& in) {
  const int64_t tasks = 1 + in.below(4), rows = in.below(12);
  const bool any_values = in.below(4) == 0;
  std::vector<int64_t> ends{0};
  std::vector<Int> given;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t n = in.below(24); n > 0; --n) {
      const int64_t kind = in.below(8);
      Int value = static_cast<Int>(in.below(kind < 4 ? 0x80 : kind < 6 ? 0x800 : kind < 7 ? 0xD800 : 0x110000));
      if (any_values && in.below(8) == 0) value = in.any<Int>();
      given.push_back(value);
    }
    ends.push_back(static_cast<int64_t>(given.size()));
  }
  const Exact<Int> values(given);
  const Exact<int64_t> row_splits(ends);
  const RowSplits splits{row_splits.data(), rows, values.size()};
  const bool valid = std::all_of(given.begin(), given.end(), [](Int value) {
    return value >= 0 && value <= 0x10FFFF && (value < 0xD800 || value > 0xDFFF);
  });
  const auto encode = [&](const Interference& interfere) -> std::optional<std::string> {
    const Exact<int32_t> offsets(rows + 1);
    Bytes data;
    const auto run = [&] {
      kernels::encode_rows("", LoopRunner(tasks, true), values.data(), splits, [&](int64_t num_bytes) {
        check_room(num_bytes);
        data = Bytes(num_bytes);
        if (interfere) interfere();
        return kernels::MapOutput{data.data(), offsets.data()};
      });
    };
    if (!gives_result(interfere || !valid, run)) return std::nullopt;
    REQUIRE(is_compact(offsets, 1, rows, data.size()));
    const std::string text = text_of(data.data(), data.size());
    REQUIRE(interfere || !invalid_utf8_at(text));
    return text;
  };
  const auto text = encode(nullptr);
  REQUIRE(text.has_value() == valid);
  if (!valid) return;
  std::vector<int32_t> decoded;
  add_codepoints(*text, &decoded);
  REQUIRE(std::equal(decoded.begin(), decoded.end(), given.begin(), given.end()));
  encode([&] {
    for (int64_t i = in.below(3); i > 0 && values.size() > 0; --i) values[in.below(values.size())] = in.any<Int>();
    for (int64_t i = in.below(3); i > 0; --i) row_splits[in.below(rows + 1)] = in.any<int64_t>();
  });
}

FUZZ_TARGET(string_from_codepoints) {
  in.flag() ? fuzz_from_codepoints<int32_t>(in) : fuzz_from_codepoints<int64_t>(in);
}

template <class Functor>
Result call_values(const World& world, const kernels::Runner& runner) {
  const StringSpan& in = world.strings.span;
  const Exact<int64_t> row_splits(in.size() + 1);
  Exact<typename Functor::Value> values;
  kernels::string_values("", runner, Functor(), in, row_splits.data(), [&](int64_t count) {
    values = Exact<typename Functor::Value>(count);
    return values.data();
  });
  return digest(values, row_splits);
}

SHARED_CALL(string_codepoints, { return call_values<kernels::Codepoints>(world, runner); })
SHARED_CALL(string_bytes, { return call_values<kernels::ByteValues>(world, runner); })
SHARED_CALL(string_is_utf8, {
  const Exact<bool> values(world.strings.span.size());
  kernels::reduce_strings(runner, kernels::IsUtf8(), world.strings.span, values.data());
  return digest(values);
})
SHARED_CALL(string_repair, {
  const StringSpan& in = world.strings.span;
  const Exact<int32_t> offsets(in.rows * (in.cols + 1));
  Bytes data;
  kernels::map_strings("", runner, kernels::Repair{true}, in, [&](int64_t num_bytes) {
    check_room(num_bytes);
    data = Bytes(num_bytes);
    return kernels::MapOutput{data.data(), offsets.data()};
  });
  return digest(data, offsets);
})

}  // namespace
}  // namespace stringops::fuzz
