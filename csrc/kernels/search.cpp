#include "kernels/search.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>

#include "core/bits.h"
#include "core/narrow.h"
#include "core/poll.h"
#include "core/strings.h"
#include "core/utf8.h"
#include "driver/broadcast.h"
#include "kernels/length.h"
#include "kernels/text_finder.h"
#include "split/block_rule.h"
#include "split/literal_matches.h"
#include "split/utf8_blocks.h"

namespace stringops::kernels {
namespace {

constexpr int64_t kAbsent = -1;
constexpr int64_t kFindSteps = 16;  // of a search in the rest of a string

// The position in code points of the byte at `position`.
int64_t codepoints_before(StringView in, int64_t position) {
  return position <= 0 ? position : CodepointLength()({in.begin, in.begin + std::min(position, in.size())});
}

bool has_block_size(std::string_view sub) {
  return static_cast<int64_t>(sub.size()) <= kMaxBlockDelimiter;
}

template <class Literal>
void for_each_found(const Literal& literal, const StringSpan& in, int64_t first, int64_t last, int64_t* out) {
  TextFinder finder = literal.folded ? TextFinder(*literal.folded) : TextFinder(literal.sub);
  for_each_string(in, first, last,
                  [&](int64_t i, ByteRange range) { out[i] = literal.find_in(in.view(range), finder); });
}

// Strings that are not short are searched by their heads, which are their first bytes, while most heads have what is
// searched for: a block is read to its end.
class HeadFinder {
 public:
  static constexpr int64_t kStrings = block_size(32, 4);

  explicit HeadFinder(std::string_view sub) : sub_(sub) {}

  // Searches at most kStrings strings [first, last). Returns false if they are to be searched by blocks.
  bool find(const StringSpan& in, int64_t first, int64_t last) {
    const int64_t count = last - first;
    if (in.range(last - 1).end - in.range(first).begin <= kShort * count) return false;
    const auto size = static_cast<int64_t>(sub_.size());
    const uint8_t* const bytes = bytes_of(sub_);
    std::array<uint64_t, kStrings> places;
    simd::primitives().find_in_heads({in.data, in.num_bytes, in.offsets + first, in.offsets + first + 1, false}, count,
                                     bytes[0], {size - 1, bytes[size - 1]}, places.data());
    int64_t num_found = 0;
    for_each_string(in, first, last, [&](int64_t i, ByteRange range) {
      const auto at = static_cast<size_t>(i - first);
      const int64_t num_places = std::max<int64_t>(range.size() - size + 1, 0);
      const uint64_t open = places[at] & low_bits(std::min(num_places, kWordBits));
      const int64_t place = first_bit(open | uint64_t{1} << (kWordBits - 1));
      // Only the first place is compared.
      const bool is_found =
          open != 0 && (size <= 2 || std::memcmp(in.data + range.begin + place, bytes, sub_.size()) == 0);
      positions_[at] = is_found ? place : open == 0 && num_places <= kWordBits ? kAbsent : kOpen;
      num_found += is_found;
    });
    return 4 * num_found > 3 * count;
  }

  // The position in string k of those searched: that of search() if its head did not tell.
  template <class Search>
  int64_t position(int64_t k, Search&& search) const {
    const int64_t position = positions_[static_cast<size_t>(k)];
    return position == kOpen ? search() : position;
  }

 private:
  static constexpr int64_t kShort = 64, kOpen = -2;

  const std::string_view sub_;
  std::array<int64_t, kStrings> positions_;
};

// Calls take(block, matches) for blocks of many strings, and take_one(i, string, position) for each other string.
template <class Take, class TakeOne>
void find_in_strings(const StringSpan& in, int64_t first, int64_t last, std::string_view sub, Take&& take,
                     TakeOne&& take_one) {
  std::optional<LiteralMatches> matches;
  TextFinder finder(sub);
  HeadFinder heads(sub);
  for (int64_t next; first < last; first = next) {
    next = std::min(first + heads.kStrings, last);
    if (heads.find(in, first, next)) {
      for_each_string(in, first, next, [&](int64_t i, ByteRange range) {
        const StringView string = in.view(range);
        take_one(i, string, heads.position(i - first, [&] { return finder.find_first(string); }));
      });
      continue;
    }
    next = std::min(first + kBlockStrings, last);
    read_blocks(
        in, first, next,
        [&](const Block& block) {
          if (block.num_strings < kManyStrings || !has_block_size(sub)) return false;
          if (!matches) matches.emplace(sub);
          matches->find(block);
          take(block, *matches);
          return true;
        },
        [&](int64_t i, StringView string) { take_one(i, string, finder.find_first(string)); });
  }
}

// Sets values[k] to the first set bit of [ends[k - 1], ends[k]), relative to its begin, or to kAbsent, which is -1.
// Whether there is one is unpredictable, so that the last word takes no branch. It is not inlined, so that its
// variables stay in registers.
__attribute__((noinline)) void find_first_bits(const uint64_t* words, const int32_t* ends, int64_t count,
                                               int64_t* values) {
  constexpr uint64_t kNone = uint64_t{1} << 63;
  for (int64_t k = 0, begin = 0; k < count; begin = ends[k++]) {
    int64_t at = begin;
    uint64_t bits = bits_at(words, at);
    for (; ends[k] - at >= kWordBits && bits == 0; bits = bits_at(words, at)) at += kWordBits;
    const int64_t bit = at + first_bit(bits | kNone);
    values[k] = (bit - begin) | -int64_t{bit >= ends[k]};
  }
}

}  // namespace

void FindLiteral::run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const {
  if (is_last) return for_each_found(*this, in, first, last, out);
  if (folded) {
    std::fill(out + first, out + last, kAbsent);
    return find_folded(in, first, last, *folded, true, [&](int64_t i, StringView string, StringView found) {
      out[i] = codepoints_before(string, found.begin - string.begin);
    });
  }
  if (sub.empty()) {
    std::fill(out + first, out + last, 0);
    return;
  }
  BlockLengths lengths;
  const auto take = [&](const Block& block, LiteralMatches& matches) {
    int64_t* const values = out + block.first_string;
    if (matches.count() == 0) {
      std::fill_n(values, block.num_strings, kAbsent);
      return;
    }
    find_first_bits(matches.begins(), block.string_ends.data(), block.num_strings, values);
    if (!in_codepoints || is_ascii(block.data, block.num_bytes)) return;
    // Counting code points in the whole block takes as long for few matches as for many.
    const bool is_utf8 =
        !is_continuation(*bytes_of(sub)) && matches.count() > block.num_strings && lengths.count(block);
    for (int64_t k = 0; k < block.num_strings; ++k) {
      if (values[k] <= 0) continue;
      values[k] = is_utf8 ? lengths.count_before(block, k, values[k]) : codepoints_before(block.string(k), values[k]);
    }
  };
  find_in_strings(in, first, last, sub, take, [&](int64_t i, StringView string, int64_t position) {
    out[i] = in_codepoints ? codepoints_before(string, position) : position;
  });
}

void ContainsLiteral::mark(const StringSpan& in, int64_t first, int64_t last, bool* marks) const {
  if (folded) {
    std::fill(marks, marks + (last - first), false);
    return find_folded(in, first, last, *folded, true, [&](int64_t i, auto...) { marks[i - first] = true; });
  }
  if (sub.empty()) {
    std::fill(marks, marks + (last - first), true);
    return;
  }
  const auto take = [&](const Block& block, LiteralMatches& matches) {
    bool* const values = marks + (block.first_string - first);
    if (matches.count() == 0) {
      std::fill_n(values, block.num_strings, false);
      return;
    }
    const int32_t* const counts = matches.count_strings(block);
    values[0] = counts[0] > 0;
    for (int64_t k = 1; k < block.num_strings; ++k) values[k] = counts[k] != counts[k - 1];
  };
  find_in_strings(in, first, last, sub, take,
                  [&](int64_t i, StringView, int64_t position) { marks[i - first] = position != kAbsent; });
}

void CountLiteral::run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const {
  if (folded) {
    std::fill(out + first, out + last, 0);
    return find_folded(in, first, last, *folded, false, [&](int64_t i, auto...) { ++out[i]; });
  }
  if (sub.empty()) {
    CodepointLength().run(in, first, last, out);
    for (int64_t i = first; i < last; ++i) ++out[i];
    return;
  }
  if (!has_block_size(sub)) return for_each_found(*this, in, first, last, out);
  LiteralMatches matches(sub);
  BlockReader reader(in, {first, 0}, {last, 0});
  Block block;
  int64_t before = 0;  // in the string that continues
  while (reader.next(block)) {
    matches.find(block);
    int64_t* const values = out + block.first_string;
    if (!block.starts_inside) before = 0;
    if (block.num_strings == 0) {
      before += matches.count();
      continue;
    }
    const int32_t* const counts = matches.count_strings(block);
    values[0] = before + counts[0];
    for (int64_t k = 1; k < block.num_strings; ++k) values[k] = counts[k] - counts[k - 1];
  }
}

int64_t FindLiteral::find_in(StringView in, TextFinder& finder) const {
  const int64_t position = is_last ? finder.find_last(in) : finder.find_first(in);
  return in_codepoints ? codepoints_before(in, position) : position;
}

int64_t CountLiteral::find_in(StringView in, TextFinder& finder) const {
  if (sub.empty()) return CodepointLength()(in) + 1;
  int64_t count = 0;
  Pace pace;
  for (int64_t at; (at = finder.find_first(in)) != kAbsent; ++count) {
    in.begin += at + static_cast<int64_t>(sub.size());
    pace.spend(kFindSteps);
  }
  return count;
}

// The bytes of each string of `a` that could be the affix, compared with `b`. Offsets are read once.
template <Affix kAffix>
void HasAffix<kAffix>::run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, bool* out) const {
  constexpr int64_t kStrings = 512;
  std::array<int32_t, kStrings> begins, ends;
  const auto equal_strings = simd::primitives().equal_strings;
  for (int64_t i = 0; i < count; i += kStrings) {
    const int64_t num = std::min(kStrings, count - i);
    const int64_t a_step = a.is_broadcast ? 0 : 1, b_step = b.is_broadcast ? 0 : 1;
    const int32_t *const a_begins = a.begins + i * a_step, *const a_ends = a.ends + i * a_step;
    const int32_t *const b_begins = b.begins + i * b_step, *const b_ends = b.ends + i * b_step;
    const auto cut = [&](int64_t k, uint32_t affix) {
      const auto begin = static_cast<uint32_t>(a_begins[k * a_step]), end = static_cast<uint32_t>(a_ends[k * a_step]);
      const uint32_t size = std::min(end - begin, affix);
      begins[k] = static_cast<int32_t>(kAffix == Affix::kPrefix ? begin : end - size);
      ends[k] = static_cast<int32_t>(kAffix == Affix::kPrefix ? begin + size : end);
    };
    const auto size_of = [&](int64_t k) {
      return static_cast<uint32_t>(b_ends[k * b_step]) - static_cast<uint32_t>(b_begins[k * b_step]);
    };
    if (b.is_broadcast) {
      const uint32_t size = size_of(0);
      for (int64_t k = 0; k < num; ++k) cut(k, size);
    } else {
      for (int64_t k = 0; k < num; ++k) cut(k, size_of(k));
    }
    const simd::StringRun other{b.data, b.num_bytes, b_begins, b_ends, b.is_broadcast};
    equal_strings({a.data, a.num_bytes, begins.data(), ends.data(), false}, other, num, out + i);
  }
}

// The first eight bytes of the prefix or suffix are compared in vectors, and all of it in strings that have those.
template <Affix kAffix>
void HasAffixLiteral<kAffix>::run(const StringSpan& in, int64_t first, int64_t last, bool* out) const {
  if (folded) {
    return for_each_string(in, first, last, [&](int64_t i, ByteRange range) {
      out[i] = kAffix == Affix::kPrefix ? folded->begins(in.view(range)) : folded->ends(in.view(range));
    });
  }
  constexpr int64_t kStep = 512;  // those with strings at the end of the data are checked once more
  constexpr bool kAtEnd = kAffix == Affix::kSuffix;
  simd::AffixStart start{0, 0, narrow<uint32_t>(sub.size()), kAtEnd};
  const size_t compared = std::min(sub.size(), sizeof start.bytes);
  if (compared > 0) std::memcpy(&start.bytes, sub.data(), compared);
  std::memset(&start.mask, 0xFF, compared);
  const auto size = static_cast<int64_t>(sub.size());
  const auto has_sub = [&](StringView string) {
    return string.size() >= size &&
           (size == 0 || std::memcmp(kAtEnd ? string.end - size : string.begin, sub.data(), sub.size()) == 0);
  };
  const auto has_affix = simd::primitives().has_affix;
  const bool is_short = in.num_bytes < int64_t{sizeof start.bytes};
  const int32_t* const begins = in.offsets;
  for (int64_t i = first; i < last; i += kStep) {
    const int64_t end = std::min(i + kStep, last);
    const bool is_done =
        !is_short && has_affix({in.data, in.num_bytes, begins + i, begins + i + 1, false}, end - i, start, out + i);
    if (is_done && sub.size() <= sizeof start.bytes) continue;
    for (int64_t k = i; k < end; ++k) {
      if (is_short || out[k]) out[k] = has_sub(in.view(in.range(k)));
    }
  }
}

template struct HasAffix<Affix::kPrefix>;
template struct HasAffix<Affix::kSuffix>;
template struct HasAffixLiteral<Affix::kPrefix>;
template struct HasAffixLiteral<Affix::kSuffix>;

}  // namespace stringops::kernels
