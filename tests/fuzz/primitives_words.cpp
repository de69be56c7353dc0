// The primitives on words, which operators use for lookups and comparisons: every tier against the scalar one, and
// against the specification in simd/primitives.h, on buffers of exactly the documented size.
#include "core/bits.h"
#include "fuzz.h"
#include "simd/key_types.h"
#include "simd/primitives.h"

namespace stringops::fuzz {
namespace {

uint64_t take_number(Input& in) {
  uint64_t number = 0;
  for (int i = 0; i < 8; ++i) number = number << 8 | in.byte();
  return number;
}

// The key of a short word, as specified in core/word_key.h.
WordKey key_of(std::string_view word) {
  uint8_t bytes[16] = {};
  if (!word.empty()) std::memcpy(bytes, word.data(), word.size());
  WordKey key{0, static_cast<uint32_t>(word.size()) << 24};
  for (size_t i = 0; i < 8; ++i) key.low |= uint64_t{bytes[i]} << (8 * i);
  for (size_t i = 8; i < 11; ++i) key.high |= uint32_t{bytes[i]} << (8 * (i - 8));
  return key;
}

void word_keys(Input& in) {
  const int64_t n = 1 + in.below(WordKeys::kMaxWords);
  const HashSeed seed{take_number(in), take_number(in)};
  const uint64_t capacity = in.flag() ? 1 + static_cast<uint64_t>(in.below(1000)) : 1 + take_number(in) % UINT32_MAX;
  const bool outside = in.below(8) == 0;
  const std::string text = take_text(in, static_cast<int64_t>(in.left()) - 40) + std::string(16, '.');
  const Bytes data = bytes_of(text);
  const auto last_begin = static_cast<uint32_t>(data.size() - kKeyBytes);
  // Sizes after the last word may be read, and are arbitrary.
  const Exact<uint32_t> begins(WordKeys::kMaxWords), sizes(WordKeys::kMaxWords);
  bool inside = true;
  for (int64_t j = 0; j < WordKeys::kMaxWords; ++j) {
    begins[j] = j < n ? static_cast<uint32_t>(in.below(last_begin + 1)) : 0;
    if (outside && j < n && in.below(16) == 0) begins[j] = last_begin + 1 + (in.flag() ? 0 : in.any<uint32_t>() / 2);
    inside &= begins[j] <= last_begin;
    const uint8_t size = in.byte();
    sizes[j] = size < 180 ? size % 16 : size < 240 ? size - 180 + 12 : in.any<uint32_t>();
  }
  const simd::WordSeeds seeds(seed);
  const auto found = same_on_every_tier([&] {
    const Exact<WordKeys> keys(1);
    const Exact<uint32_t> clamped(sizes.copy());
    simd::LongWords words;
    const bool all_inside = simd::primitives().load_word_keys(data.data(), last_begin, begins.data(), clamped.data(), n,
                                                              seeds, capacity, keys[0], &words);
    std::vector<uint64_t> low, high, home, second, size;
    for (int64_t j = 0; j < n && all_inside; ++j) {
      size.push_back(clamped[j]);
      if (words.without_key >> j & 1) continue;  // arbitrary
      low.push_back(keys[0].low[j]);
      high.push_back(keys[0].high[j]);
      home.push_back(keys[0].home[j]);
      second.push_back(keys[0].second[j]);
    }
    return std::make_tuple(all_inside, words.all, words.large, words.huge, words.without_key, low, high, home, second,
                           size);
  });
  const auto& [all_inside, all_long, large, huge, without_key, low, high, home, second, clamped] = found;
  REQUIRE(all_inside == inside);
  if (!all_inside) return;
  size_t at = 0;
  for (int64_t j = 0; j < n; ++j) {
    const bool is_long = sizes[j] > kInlineBytes;
    const auto size = std::min<uint64_t>(sizes[j], text.size() - begins[j]);
    REQUIRE(clamped[static_cast<size_t>(j)] == size);
    REQUIRE((all_long >> j & 1) == is_long);
    REQUIRE((large >> j & 1) == (is_long && size > kMediumBytes) && (huge >> j & 1) == (is_long && size > kLargeBytes));
    REQUIRE((without_key >> j & 1) == (is_long && size > kLaneBytes));
    if (without_key >> j & 1) continue;
    const WordKey want = is_long ? make_key(data.data() + begins[j], static_cast<int64_t>(size), seed)
                                 : key_of(std::string_view(text).substr(begins[j], sizes[j]));
    REQUIRE(low[at] == want.low && high[at] == want.high);
    REQUIRE(home[at] < capacity && home[at] == home_slot(want, seed, capacity));
    REQUIRE(second[at] == second_hash(want, seed));
    ++at;
  }
  REQUIRE(n == WordKeys::kMaxWords || (all_long | large | huge | without_key) >> n == 0);
}

// Where words are in a table, and which of them are there.
void word_slots(Input& in) {
  const int64_t n = 1 + in.below(WordKeys::kMaxWords), capacity = 1 + in.below(30), shift = in.below(16);
  const Bytes table(shift + capacity * static_cast<int64_t>(sizeof(WordSlot))), pilots(1 + in.below(8));
  // Few keys, many of them nearly equal.
  const auto take_key = [&]() -> WordKey {
    const uint8_t kind = in.byte();
    return {uint64_t{kind & 3u} << (kind & 4 ? 40 : 0), uint32_t{kind >> 4 & 3u} << 24};
  };
  std::vector<WordSlot> copies;
  for (int64_t i = 0; i < capacity; ++i) {
    const WordKey key = take_key();
    copies.push_back({key.low, in.below(4) == 0 ? kEmptyMark : key.high, in.any<int32_t>()});
    std::memcpy(table.data() + shift + i * static_cast<int64_t>(sizeof(WordSlot)), &copies.back(), sizeof(WordSlot));
  }
  for (int64_t i = 0; i < pilots.size(); ++i) pilots[i] = in.byte();
  const Exact<WordKeys> keys(1);
  std::memset(keys.data(), 0, sizeof(WordKeys));
  for (int64_t j = 0; j < WordKeys::kMaxWords; ++j) {
    const WordKey key = take_key();
    keys[0].low[j] = key.low;
    keys[0].high[j] = key.high;
    keys[0].home[j] = in.any<uint32_t>();
    keys[0].second[j] = in.any<uint32_t>();
  }
  const int64_t absent_id = in.any<int64_t>();
  const simd::PilotedSlots slots{table.data() + shift, pilots.data(), static_cast<uint64_t>(pilots.size()),
                                 static_cast<uint64_t>(capacity)};
  const auto [found, at, ids] = same_on_every_tier([&] {
    const Exact<int64_t> found_ids(n);
    const Exact<WordKeys> moved(keys.copy());
    simd::primitives().locate_words(slots, moved[0], n);
    const uint64_t equal = simd::primitives().find_words(slots.slots, moved[0], n, absent_id, found_ids.data());
    return std::make_tuple(equal, std::vector<uint32_t>(moved[0].slot, moved[0].slot + n), found_ids.copy());
  });
  for (int64_t j = 0; j < n; ++j) {
    const auto i = static_cast<size_t>(j);
    const uint64_t bucket = uint64_t{keys[0].home[j]} * static_cast<uint64_t>(pilots.size()) >> 32;
    REQUIRE(at[i] < static_cast<uint64_t>(capacity));
    REQUIRE(at[i] == piloted_slot(keys[0].second[j], pilots[static_cast<int64_t>(bucket)], slots.capacity));
    const WordSlot& slot = copies[at[i]];
    const bool is_there = slot.low == keys[0].low[j] && slot.high == keys[0].high[j];
    REQUIRE((found >> j & 1) == is_there && ids[i] == (is_there ? slot.id : absent_id));
  }
  REQUIRE(n == WordKeys::kMaxWords || found >> n == 0);
}

// Adjacent strings whose lengths repeat, so that a short input makes many.
struct Run {
  Run(Input& in, const std::string& text, int64_t count, const std::vector<int32_t>& lengths)
      : data(bytes_of(text)), offsets(count + 1) {
    const auto size = static_cast<int32_t>(text.size());
    offsets[0] = static_cast<int32_t>(in.below(std::min<int64_t>(size, 20) + 1));
    for (int64_t i = 0; i < count; ++i) {
      const int32_t next = offsets[i] + lengths[static_cast<size_t>(i) % lengths.size()];
      offsets[i + 1] = std::min(next, size);
    }
  }
  simd::StringRun span(bool is_broadcast) const {
    return {data.data(), data.size(), offsets.data(), offsets.data() + 1, is_broadcast};
  }
  std::string_view operator[](int64_t i) const {
    return {reinterpret_cast<const char*>(data.data()) + offsets[i], static_cast<size_t>(offsets[i + 1] - offsets[i])};
  }

  Bytes data;
  Exact<int32_t> offsets;
};

void strings(Input& in) {
  // Sometimes more strings than the blocks of the tiers.
  const bool many = in.byte() >= 248, is_broadcast = in.below(3) == 0;
  const int64_t count = many ? 1000 + in.below(8000) : 1 + in.below(70);
  std::vector<int32_t> lengths(static_cast<size_t>(1 + in.below(8)));
  for (int32_t& length : lengths) {
    const uint8_t n = in.byte();
    length = n < 128 ? n % 4 : n < 224 ? n % 20 : n - 224 + 100 * (n & 1);
  }
  std::string text = take_text(in, static_cast<int64_t>(in.left()) - 40);
  while (many && !text.empty() && text.size() < 10000) text += std::string(text);
  const Run a(in, text, count, lengths);
  // A few bytes and lengths differ.
  for (int64_t i = in.below(4); i > 0 && !text.empty(); --i) {
    text[static_cast<size_t>(in.below(static_cast<int64_t>(text.size())))] ^= static_cast<char>(1 << in.below(8));
  }
  if (in.below(4) == 0) lengths[static_cast<size_t>(in.below(static_cast<int64_t>(lengths.size())))] = 1;
  Run b(in, text, is_broadcast ? 1 : count, lengths);
  const int64_t others = in.below(3);  // not 0: the scalar equals one of the strings
  if (is_broadcast && others) {
    const int64_t i = in.below(count);
    b = Run(in, std::string(3, '<') + std::string(a[i]) + std::string(others == 1 ? 30 : 0, '>'), 1, {0});
    b.offsets[0] = 3;
    b.offsets[1] = 3 + a.offsets[i + 1] - a.offsets[i];
  }
  const auto compare = [&] {
    const Exact<bool> out(count);
    simd::primitives().equal_strings(a.span(false), b.span(is_broadcast), count, out.data());
    return out.copy();
  };
  const auto equal = same_on_every_tier(compare);
  for (int64_t i = 0; i < count; ++i) {
    const std::string_view x = a[i], y = b[is_broadcast ? 0 : i];
    REQUIRE(equal[static_cast<size_t>(i)] == (x == y));
    // Long words of equal length. Tables compare them only if their hashes are equal.
    if (x.size() != y.size() || x.size() <= kInlineBytes) continue;
    const auto *p = reinterpret_cast<const uint8_t*>(x.data()), *q = reinterpret_cast<const uint8_t*>(y.data());
    const auto n = static_cast<int64_t>(x.size());
    REQUIRE(equal_long(p, q, n) == (x == y));
    // Collisions have a probability of 2^-64. With a seed of small numbers, words of few bits would collide.
    const HashSeed seed = expand_seed(1);
    const WordKey k = make_long_key(p, n, seed), l = make_long_key(q, n, seed);
    REQUIRE((k.low == l.low && k.high == l.high) == (x == y));
  }
  REQUIRE(equal_long(a.data.data(), b.data.data(), 0));

  for (int64_t i = in.below(4); i > 0; --i) {
    const Exact<int32_t>& offsets = in.flag() ? a.offsets : b.offsets;
    offsets[in.below(offsets.size())] = in.any<int32_t>();
  }
  survives_on_every_tier(compare);
}

FUZZ_TARGET(primitives_words) {
  static constexpr void (*kParts[])(Input&) = {word_keys, word_slots, strings};
  kParts[in.below(std::size(kParts))](in);
}

}  // namespace
}  // namespace stringops::fuzz
