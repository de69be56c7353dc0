#include "kernels/search.h"

#include <algorithm>
#include <array>
#include <cstring>

#include "core/bits.h"
#include "core/find_text.h"
#include "core/narrow.h"
#include "core/right_finder.h"
#include "core/strings.h"
#include "core/utf8.h"
#include "driver/broadcast.h"
#include "kernels/length.h"
#include "split/block_rule.h"
#include "split/literal_blocks.h"
#include "split/utf8_blocks.h"

namespace stringops::kernels {
namespace {

constexpr int64_t kAbsent = -1;

// These take one string at a time.

int64_t find_in(StringView in, std::string_view sub) {
  if (sub.empty()) return 0;
  if (in.size() < static_cast<int64_t>(sub.size())) return kAbsent;
  const uint8_t* const found = find_text(in, sub);
  return found < in.end ? found - in.begin : kAbsent;
}

// The position in code points of the byte at `position`.
int64_t codepoints_before(StringView in, int64_t position) {
  return position <= 0 ? position : CodepointLength()({in.begin, in.begin + std::min(position, in.size())});
}

int64_t count_in(StringView in, std::string_view sub) {
  if (sub.empty()) return CodepointLength()(in) + 1;
  int64_t count = 0;
  for (int64_t at; (at = find_in(in, sub)) != kAbsent; ++count) in.begin += at + static_cast<int64_t>(sub.size());
  return count;
}

bool has_block_size(std::string_view sub) {
  return static_cast<int64_t>(sub.size()) <= kMaxBlockDelimiter;
}

// Blocks of many strings.

// The first set bit of [begin, end), relative to begin, or kAbsent.
int64_t first_bit_in(const uint64_t* words, int64_t begin, int64_t end) {
  for (int64_t at = begin; at < end;) {
    const int64_t bit = at % kWordBits;
    const int64_t size = std::min(end - at, kWordBits - bit);
    const uint64_t bits = words[at / kWordBits] >> bit & low_bits(size);
    if (bits != 0) return at - begin + first_bit(bits);
    at += size;
  }
  return kAbsent;
}

int64_t count_bits_in(const uint64_t* words, int64_t begin, int64_t end) {
  int64_t count = 0;
  while (begin < end) {
    const int64_t bit = begin % kWordBits;
    const int64_t size = std::min(end - begin, kWordBits - bit);
    count += popcount(words[begin / kWordBits] >> bit & low_bits(size));
    begin += size;
  }
  return count;
}

// Sets values[k] to the position in bytes of the first match in string k of the block, or to kAbsent.
void find_in_block(LiteralBlocks& blocks, int64_t* values) {
  const Block& block = blocks.block();
  const int32_t* const ends = block.string_ends.data();
  for (int64_t k = 0, begin = 0; k < block.num_strings; begin = ends[k++]) {
    values[k] = first_bit_in(blocks.matches(), begin, ends[k]);
  }
}

// Positions in code points in place of those in bytes. Those of a string of several blocks count from its beginning,
// which is in an earlier one.
class CodepointPositions {
 public:
  // Text searched for that begins with a continuation may be found inside a code point.
  explicit CodepointPositions(const StringSpan& in, std::string_view sub)
      : in_(in), begins_codepoints_(sub.empty() || !is_continuation(static_cast<uint8_t>(sub[0]))) {}

  void replace(const Block& block, int64_t* values) {
    const int64_t k = block.starts_inside;
    if (k > 0) {
      const int64_t i = block.first_string;
      values[0] = codepoints_before(in_.view(in_.range(i)), values[0]);
    }
    if (is_ascii(block.data, block.num_bytes)) return;
    if (!begins_codepoints_ || !are_utf8(simd_, block, k)) {
      return for_each(
          block,
          [&](int64_t begin, int64_t value) {
            return codepoints_before({block.data + begin, block.data + begin + value}, value);
          },
          values);
    }
    simd_.find_codepoint_ends(block.data, block.num_bytes, ends_.data());
    for_each(
        block, [&](int64_t begin, int64_t value) { return count_bits_in(ends_.data(), begin, begin + value); }, values);
  }

 private:
  template <class F>
  static void for_each(const Block& block, F&& f, int64_t* values) {
    for (int64_t k = block.starts_inside; k < block.num_strings; ++k) {
      if (values[k] > 0) values[k] = f(k == 0 ? 0 : block.string_ends[k - 1], values[k]);
    }
  }

  const StringSpan& in_;
  const bool begins_codepoints_;
  const simd::Primitives& simd_ = simd::primitives();
  std::array<uint64_t, kBlockWords + 1> ends_;
};

// Sets out[i] to f(view of string i).
template <class Value, class F>
void for_each_value(const StringSpan& in, int64_t first, int64_t last, Value* out, F&& f) {
  for_each_string(in, first, last, [&](int64_t i, ByteRange string) { out[i] = f(in.view(string)); });
}

// Sets out[i] to f(view of string i of a, string i of b).
template <class Value, class F>
void for_each_pair(const simd::StringRun& a, const simd::StringRun& b, int64_t count, Value* out, F&& f) {
  for (int64_t i = 0; i < count; ++i) {
    const StringView sub = view_at(b, i);
    out[i] =
        f(view_at(a, i), std::string_view(reinterpret_cast<const char*>(sub.begin), static_cast<size_t>(sub.size())));
  }
}

}  // namespace

void FindLiteral::run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const {
  if (sub.empty() && !is_last) {
    std::fill(out + first, out + last, 0);
    return;
  }
  if (is_last || !has_block_size(sub)) {
    RightFinder finder(sub);
    return for_each_value(in, first, last, out, [&](StringView string) {
      const int64_t position = is_last ? finder.find_last(string) : find_in(string, sub);
      return in_codepoints ? codepoints_before(string, position) : position;
    });
  }
  LiteralBlocks blocks(in, first, last, sub);
  CodepointPositions codepoints(in, sub);
  int64_t before = 0, found = kAbsent;  // of the string that continues: bytes in earlier blocks, the position in them
  while (blocks.next()) {
    const Block& block = blocks.block();
    int64_t* const values = out + block.first_string;
    if (!block.starts_inside) {
      before = 0;
      found = kAbsent;
    }
    if (block.num_strings == 0) {
      const int64_t position = first_bit_in(blocks.matches(), 0, block.num_bytes);
      if (found == kAbsent && position != kAbsent) found = before + position;
      before += block.num_bytes;
      continue;
    }
    if (blocks.num_matches() == 0) {
      std::fill_n(values, block.num_strings, kAbsent);
      if (found == kAbsent) continue;
    } else {
      find_in_block(blocks, values);
    }
    if (found != kAbsent) {
      values[0] = found;
    } else if (values[0] != kAbsent) {
      values[0] += before;
    }
    found = kAbsent;
    before = 0;
    if (in_codepoints) codepoints.replace(block, values);
  }
}

void ContainsLiteral::mark(const StringSpan& in, int64_t first, int64_t last, bool* marks) const {
  if (sub.empty()) {
    std::fill(marks, marks + (last - first), true);
    return;
  }
  if (!has_block_size(sub)) {
    return for_each_string(in, first, last,
                           [&](int64_t i, ByteRange string) { marks[i - first] = find_in(in.view(string), sub) >= 0; });
  }
  LiteralBlocks blocks(in, first, last, sub);
  bool found = false;  // in the string that continues
  while (blocks.next()) {
    const Block& block = blocks.block();
    bool* const values = marks + (block.first_string - first);
    found = block.starts_inside && found;
    if (block.num_strings == 0) {
      found |= blocks.num_matches() > 0;
      continue;
    }
    if (blocks.num_matches() == 0) {
      std::fill_n(values, block.num_strings, false);
      values[0] = found;
      continue;
    }
    const int32_t* const counts = blocks.count_strings();
    values[0] = found || counts[0] > 0;
    for (int64_t k = 1; k < block.num_strings; ++k) values[k] = counts[k] != counts[k - 1];
  }
}

void CountLiteral::run(const StringSpan& in, int64_t first, int64_t last, int64_t* out) const {
  if (sub.empty()) {
    CodepointLength().run(in, first, last, out);
    for (int64_t i = first; i < last; ++i) ++out[i];
    return;
  }
  if (!has_block_size(sub)) {
    return for_each_value(in, first, last, out, [&](StringView string) { return count_in(string, sub); });
  }
  LiteralBlocks blocks(in, first, last, sub);
  int64_t before = 0;  // in the string that continues
  while (blocks.next()) {
    const Block& block = blocks.block();
    int64_t* const values = out + block.first_string;
    if (!block.starts_inside) before = 0;
    if (block.num_strings == 0) {
      before += blocks.num_matches();
      continue;
    }
    const int32_t* const counts = blocks.count_strings();
    values[0] = before + counts[0];
    for (int64_t k = 1; k < block.num_strings; ++k) values[k] = counts[k] - counts[k - 1];
  }
}

void Find::run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, int64_t* out) const {
  for_each_pair(a, b, count, out, [&](StringView in, std::string_view sub) {
    RightFinder finder(sub);
    const int64_t position = is_last ? finder.find_last(in) : find_in(in, sub);
    return in_codepoints ? codepoints_before(in, position) : position;
  });
}

void Contains::run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, bool* out) const {
  for_each_pair(a, b, count, out, [](StringView in, std::string_view sub) { return find_in(in, sub) != kAbsent; });
}

void Count::run(const simd::StringRun& a, const simd::StringRun& b, int64_t count, int64_t* out) const {
  for_each_pair(a, b, count, out, count_in);
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
void HasAffixLiteral<kAffix>::find(const StringSpan& in, int64_t first, int64_t count, bool* out) const {
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
  const int32_t* const begins = in.offsets + first;
  for (int64_t i = 0; i < count; i += kStep) {
    const int64_t end = std::min(i + kStep, count);
    const bool is_done =
        !is_short && has_affix({in.data, in.num_bytes, begins + i, begins + i + 1, false}, end - i, start, out + i);
    if (is_done && sub.size() <= sizeof start.bytes) continue;
    for (int64_t k = i; k < end; ++k) {
      if (is_short || out[k]) out[k] = has_sub(in.view(in.range(first + k)));
    }
  }
}

template <Affix kAffix>
void HasAffixLiteral<kAffix>::run(const StringSpan& in, int64_t first, int64_t last, bool* out) const {
  find(in, first, last - first, out + first);
}

template struct HasAffix<Affix::kPrefix>;
template struct HasAffix<Affix::kSuffix>;
template struct HasAffixLiteral<Affix::kPrefix>;
template struct HasAffixLiteral<Affix::kSuffix>;

}  // namespace stringops::kernels
