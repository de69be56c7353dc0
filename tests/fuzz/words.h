// The words of a vocabulary, encoding by tables of subword tokenizers, and damaged tables, for their targets.
#pragma once

#include <optional>
#include <unordered_map>

#include "driver/testing.h"
#include "fuzz.h"
#include "kernels/subword.h"
#include "subword/run/text.h"

namespace stringops::fuzz {

// The distinct strings.
inline Strings distinct(const std::vector<std::string>& values, std::unordered_map<std::string, int64_t>* ids) {
  std::string text;
  std::vector<int32_t> offsets{0};
  for (const std::string& value : values) {
    if (!ids->emplace(value, static_cast<int64_t>(ids->size())).second) continue;
    text += value;
    offsets.push_back(static_cast<int32_t>(text.size()));
  }
  Strings words{bytes_of(text), Exact<int32_t>(offsets), {}};
  words.span = {words.data.data(), words.data.size(), words.offsets.data(), words.offsets.size() - 1};
  return words;
}

// Damages a table.
inline void forge(Input& in, const Bytes& table) {
  const int64_t text_begin = table.size() - in.below(64);
  for (int64_t i = 1 + in.below(8); i > 0; --i) {
    const uint8_t where = in.byte();
    int64_t at = in.below(table.size());
    if (where < 64) at = where;  // the header
    if (where >= 192) at = std::min(text_begin + in.below(64), table.size() - 1);
    if (where >= 64 && where < 128) {  // a slot in use, if one is near
      while (at < table.size() && table[at] == 0) ++at;
      if (at == table.size()) at = 0;
    }
    table[at] = in.byte();
  }
}

struct Encoded {
  std::vector<int64_t> ids, row_splits;
  std::vector<int32_t> begins, ends;
  bool operator==(const Encoded& other) const {
    return ids == other.ids && row_splits == other.row_splits && begins == other.begins && ends == other.ends;
  }
};

// The ids of the strings by a table; nothing if the table is malformed.
inline std::optional<Encoded> encode(const Bytes& bytes, const StringSpan& in, const kernels::SubwordOptions& options,
                                     int64_t tasks) {
  const auto table = subword::open_table(bytes.data(), bytes.size());
  if (!table) return std::nullopt;
  const Exact<int64_t> splits(in.size() + 1);
  Exact<int64_t> ids;
  Exact<int32_t> begins, ends;
  kernels::encode_subwords("", kernels::LoopRunner(tasks, true), in, *table, options, [&](int64_t num_ids) {
    ids = Exact<int64_t>(num_ids);
    begins = Exact<int32_t>(options.spans ? num_ids : 0);
    ends = Exact<int32_t>(options.spans ? num_ids : 0);
    return kernels::SubwordOutput{ids.data(), splits.data(), options.spans ? begins.data() : nullptr,
                                  options.spans ? ends.data() : nullptr};
  });
  REQUIRE(splits[in.size()] == ids.size());
  return Encoded{ids.copy(), splits.copy(), begins.copy(), ends.copy()};
}

// Encodes runs of strings on every tier: as one string after the other, whose spans are within it, and which has the
// same ids without spans. Then encodes damaged strings by a damaged table. use(table, ids) is called for both tables.
template <class Use>
void check_table(Input& in, const Bytes& table, const Arguments& args, int64_t tasks, bool spans, Use&& use) {
  const kernels::SubwordOptions options{false, -1, spans};
  const auto got = same_on_every_tier([&] { return encode(table, args.strings.span, options, tasks); });
  const auto opened = subword::open_table(table.data(), table.size());
  REQUIRE(got && opened);
  std::vector<uint32_t> want, without_spans;
  args.strings.for_each([&](std::string_view text) {
    std::vector<PackedRange> ranges;
    const Bytes bytes = bytes_of(text);
    const StringView view{bytes.data(), bytes.data() + bytes.size()};
    const size_t before = want.size();
    kernels::SubwordText(*opened, want, &ranges).encode(view);
    kernels::SubwordText(*opened, without_spans, nullptr).encode(view);
    REQUIRE(ranges.size() == want.size() - before);
    for (const PackedRange range : ranges) {
      REQUIRE(0 <= range.begin && range.begin <= range.end && range.end <= bytes.size());
    }
  });
  REQUIRE(want == without_spans);
  REQUIRE(std::equal(want.begin(), want.end(), got->ids.begin(), got->ids.end()));
  use(table, got->ids);

  Strings victim = args.strings.copy();
  if (in.flag()) victim.damage(in);
  forge(in, table);
  survives_on_every_tier([&] {
    encode(table, victim.span, options, tasks);
    use(table, got->ids);
  });
}

}  // namespace stringops::fuzz
