// string_unique: ids in order of first appearance, counts, and the distinct strings; the same in order of their bytes.
#include "kernels/sort.h"
#include "kernels/vocabulary.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "fuzz.h"
#include "world.h"

namespace stringops::fuzz {
namespace {

// Sorts the distinct strings; `words` and `counts` are in order of first appearance, as is `inverse`.
void same_in_byte_order(const StringSpan& span, const std::vector<std::string>& words,
                        const std::vector<uint32_t>& counts, const Exact<int64_t>& inverse) {
  std::vector<size_t> order(words.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return words[a] < words[b]; });

  const Exact<int64_t> new_inverse(span.size());
  kernels::UniqueStrings sorted = kernels::find_unique(span, new_inverse.data());
  const int64_t bytes = sorted.num_bytes;
  kernels::sort_unique(span, sorted, new_inverse.data());
  REQUIRE(sorted.ranges.size() == words.size() && sorted.num_bytes == bytes);
  for (size_t i = 0; i < order.size(); ++i) {
    const auto [begin, end] = sorted.ranges[i];
    REQUIRE(text_of(span.data + begin, end - begin) == words[order[i]]);
    REQUIRE(sorted.counts[i] == counts[order[i]]);
  }
  for (int64_t i = 0; i < span.size(); ++i) {
    REQUIRE(order[static_cast<size_t>(new_inverse[i])] == static_cast<size_t>(inverse[i]));
  }

  // Equal strings keep their order.
  std::vector<PackedRange> all;
  for (int64_t i = 0; i < span.size(); ++i) {
    const ByteRange range = span.range(i / span.cols, i % span.cols);
    all.push_back({static_cast<int32_t>(range.begin), static_cast<int32_t>(range.end)});
  }
  std::vector<int32_t> stable(all.size());
  std::iota(stable.begin(), stable.end(), 0);
  std::stable_sort(stable.begin(), stable.end(), [&](int32_t a, int32_t b) { return new_inverse[a] < new_inverse[b]; });
  REQUIRE(kernels::argsort_strings(span.data, span.num_bytes, all) == stable);
}

// Covers _string_unique_sorted.
FUZZ_TARGET(string_unique) {
  const Shape shape = take_shape(in, 200);  // more distinct strings than the first table holds
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 24);
  const Arguments args = take_strings(in, text, shape);
  if (!args.trusted) return;
  const StringSpan& span = args.strings.span;

  const Exact<int64_t> inverse(span.size());
  kernels::UniqueStrings unique;
  same_on_every_tier([&] {
    unique = kernels::find_unique(span, inverse.data());
    return std::make_pair(inverse.copy(), unique.counts);
  });
  std::unordered_map<std::string, int64_t> ids;
  std::vector<std::string> words;
  std::vector<uint32_t> counts;
  int64_t bytes = 0, i = 0;
  for (const std::string& word : args.strings.values()) {
    const auto [at, is_new] = ids.emplace(word, static_cast<int64_t>(words.size()));
    if (is_new) {
      words.push_back(word);
      counts.push_back(0);
      bytes += static_cast<int64_t>(word.size());
    }
    ++counts[static_cast<size_t>(at->second)];
    REQUIRE(inverse[i++] == at->second);
  }
  REQUIRE(unique.counts == counts);
  REQUIRE(unique.num_bytes == bytes);

  const auto num_words = static_cast<int64_t>(words.size());
  const Bytes data(bytes);
  const Exact<int32_t> offsets(num_words + 1);
  const Exact<int64_t> written(num_words);
  kernels::write_unique(span, unique, {data.data(), offsets.data(), written.data()});
  for (int64_t w = 0; w < num_words; ++w) REQUIRE(written[w] == counts[static_cast<size_t>(w)]);
  REQUIRE(is_compact(offsets, 1, num_words, bytes));
  for (int64_t w = 0; w < num_words; ++w) {
    REQUIRE(text_of(data.data() + offsets[w], offsets[w + 1] - offsets[w]) == words[static_cast<size_t>(w)]);
  }

  same_in_byte_order(span, words, counts, inverse);

  survives_on_every_tier([&] {
    Strings victim = args.strings.copy();
    Input rest = in;
    victim.damage(rest);
    auto damaged = kernels::find_unique(victim.span, inverse.data());
    const int64_t found = damaged.size();
    victim.damage(rest);
    kernels::sort_unique(victim.span, damaged, inverse.data());
    REQUIRE(damaged.size() == found);
    if (damaged.num_bytes > 1 << 20) return;
    const Bytes other(damaged.num_bytes);
    const Exact<int32_t> other_offsets(damaged.size() + 1);
    const Exact<int64_t> other_counts(damaged.size());
    victim.damage(rest);
    kernels::write_unique(victim.span, damaged, {other.data(), other_offsets.data(), other_counts.data()});
    REQUIRE(is_compact(other_offsets, 1, other_offsets.size() - 1, other.size()));
  });
}

SHARED_CALL(string_unique, {
  const StringSpan& in = world.strings.span;
  const Exact<int64_t> inverse(in.size());
  const auto unique = kernels::find_unique(in, inverse.data());
  if (unique.num_bytes > 1 << 20) return std::nullopt;  // as rows may overlap
  const Bytes data(unique.num_bytes);
  const Exact<int32_t> offsets(unique.size() + 1);
  const Exact<int64_t> counts(unique.size());
  kernels::write_unique(in, unique, {data.data(), offsets.data(), counts.data()});
  return digest(inverse, data, offsets, counts);
})

SHARED_CALL(_string_unique_sorted, {
  const StringSpan& in = world.strings.span;
  const Exact<int64_t> inverse(in.size());
  auto unique = kernels::find_unique(in, inverse.data());
  kernels::sort_unique(in, unique, inverse.data());
  return digest(inverse, Exact<PackedRange>(unique.ranges), Exact<uint32_t>(unique.counts));
})

}  // namespace
}  // namespace stringops::fuzz
