// Search in strings by simple case folding: strings are folded and then searched, in batches, a long one in windows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <vector>

#include "core/testing.h"
#include "core/utf8.h"
#include "driver/run_map.h"
#include "kernels/case.h"
#include "kernels/length.h"
#include "kernels/search.h"
#include "split/text_finder.h"

namespace stringops::kernels {

// The simple case folding of strings, until the next ones are folded.
class FoldedStrings {
 public:
  FoldedStrings() = default;
  // Folds only code points whose folding is in `text`, which is folded UTF-8. Others are not part of an occurrence.
  explicit FoldedStrings(StringView text) : prefixes_(unfolded_prefixes(text)) { fold_.only = &prefixes_; }
  FoldedStrings(const FoldedStrings&) = delete;

  // The last `again` bytes of what was folded before precede the first string, as a part of it.
  const StringSpan& fold(const StringSpan& in, int64_t again = 0) {
    const int64_t bytes = count_bytes(in, 0, in.size());
    const auto room = static_cast<size_t>(again + bytes + bytes / 2);  // two bytes become three at most
    if (again > 0) std::memmove(data_.data(), data_.data() + (folded_.num_bytes - again), static_cast<size_t>(again));
    if (data_.size() < room) data_.resize(room);
    offsets_.assign(static_cast<size_t>(in.size()) + 1, 0);
    RunWriter<SimpleFold> writer("", fold_, {data_.data(), offsets_.data()}, again, static_cast<int64_t>(room));
    writer.write(in, 0, in.size());
    return folded_ = {data_.data(), again + writer.result.in_place, offsets_.data(), in.size()};
  }

 private:
  simd::PrefixSet prefixes_;
  SimpleFold fold_;
  std::vector<uint8_t> data_;
  std::vector<int32_t> offsets_;
  StringSpan folded_;
};

// A kernel of search.h, of the folded strings.
template <class Literal>
struct Folded {
  using Value = typename Literal::Value;
  static constexpr Cost kCost{Literal::kCost.ns_per_string + 5, 0.2};
  static constexpr bool kRuns = true;

  Literal literal;

  void run(const StringSpan& in, int64_t first, int64_t last, Value* out) const {
    const StringView sub{bytes_of(literal.sub), bytes_of(literal.sub) + sub_size()};
    // Positions in bytes are those in the whole folding.
    bool needs_all = !simd::primitives().is_utf8(sub.begin, sub.size());
    if constexpr (std::is_same_v<Literal, FindLiteral>) needs_all |= !literal.in_codepoints;
    FoldedStrings folded = needs_all ? FoldedStrings() : FoldedStrings(sub);
    TextFinder finder(literal.sub);
    for (int64_t i = first, end = first; i < last; i = end) {
      end = i + 1;
      if (in.range(i).size() > kLong) {
        out[i] = of_long(in.view(in.range(i)), folded, finder);
        continue;
      }
      const int64_t begin = in.offsets[i];
      while (end < last && in.offsets[end + 1] - begin <= kBatch && in.range(end).size() <= kLong) ++end;
      literal.run(folded.fold(in.part(i, end - i)), 0, end - i, out + i);
    }
  }

 private:
  static constexpr int64_t kBatch = block_size(1 << 14, 64), kLong = kBatch / 4, kFirstWindow = kBatch / 64;

  Value of_long(StringView string, FoldedStrings& folded, TextFinder& finder) const {
    if constexpr (std::is_same_v<Literal, ContainsLiteral>) return find_first(string, folded, finder, false) >= 0;
    if constexpr (std::is_same_v<Literal, FindLiteral>) {
      if (!literal.is_last) return find_first(string, folded, finder, literal.in_codepoints);
    }
    int64_t size = string.size();
    // Four bytes become one at least.
    if constexpr (std::is_same_v<Literal, StartsWithLiteral>) size = whole(string, 4 * sub_size());
    Value value;
    literal.run(fold({string.begin, string.begin + size}, 0, folded), 0, 1, &value);
    return value;
  }

  int64_t find_first(StringView string, FoldedStrings& folded, TextFinder& finder, bool in_codepoints) const {
    // The position of the window, how many of the folded bytes before it are searched again, and those before these.
    int64_t at = 0, again = 0, before = 0;
    for (int64_t window = kFirstWindow; at < string.size(); window = std::min(8 * window, kBatch)) {
      const int64_t end = whole(string, at + window);
      const StringSpan& text = fold({string.begin + at, string.begin + end}, again, folded);
      const StringView bytes{text.data, text.data + text.num_bytes};
      if (const int64_t found = finder.find_first(bytes); found >= 0) {
        if (!in_codepoints) return before + found;
        // Each code point has become one.
        const CodepointLength length;
        return length({string.begin, string.begin + at}) - length({bytes.begin, bytes.begin + again}) +
               length({bytes.begin, bytes.begin + found});
      }
      again = std::min(bytes.size(), sub_size());
      while (again < bytes.size() && is_continuation(bytes.end[-again])) ++again;
      before += bytes.size() - again;
      at = end;
    }
    return -1;
  }

  static const StringSpan& fold(StringView text, int64_t again, FoldedStrings& folded) {
    const int32_t offsets[] = {0, narrow<int32_t>(text.size())};
    return folded.fold({text.begin, text.size(), offsets, 1}, again);
  }

  // The first position from `size` on, or the end, that is inside no code point.
  static int64_t whole(StringView string, int64_t size) {
    size = std::min(size, string.size());
    while (size < string.size() && is_continuation(string.begin[size])) ++size;
    return size;
  }

  int64_t sub_size() const { return static_cast<int64_t>(literal.sub.size()); }
};

}  // namespace stringops::kernels
