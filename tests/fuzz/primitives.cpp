// The primitives that make and read masks: every tier against the scalar one, on buffers of exactly the documented
// size. Primitives on words are in primitives_words.cpp, others in primitives_limited.cpp, primitives_affix.cpp
// and primitives_decode.cpp.
#include "simd/primitives.h"

#include "core/bits.h"
#include "fuzz.h"

namespace stringops::fuzz {
namespace {

using Words = Exact<uint64_t>;

Words take_words(Input& in, int64_t count, int64_t bits) {
  Words words(count);
  const uint8_t kind = in.byte();
  for (int64_t w = 0; w < count; ++w) {
    uint64_t word = 0;
    for (int i = 0; i < 8; ++i) word = word << 8 | (kind % 4 == 0 ? 0xFF : kind % 4 == 1 ? 0 : in.byte());
    if (kind % 4 == 1) word = uint64_t{1} << in.below(64);
    // After eight words, earlier ones are repeated, rotated by a bit.
    if (w >= 8) word = words[w - 7] << 1 | words[w - 7] >> 63;
    words[w] = word;
  }
  for (int64_t w = 0; w < count; ++w) words[w] &= low_bits(std::clamp<int64_t>(bits - w * kWordBits, 0, kWordBits));
  return words;
}

// Mostly few bits; sometimes more than 64 words.
int64_t take_bits(Input& in, int64_t limit) {
  return in.byte() < 240 ? in.below(limit) : 64 * 64 + in.below(1000);
}

CharSet take_set(Input& in) {
  CharSet set;
  for (int64_t i = in.below(4); i > 0; --i) {
    const auto first = static_cast<uint8_t>(in.below(128));
    set.add(first, static_cast<uint8_t>(std::min<int64_t>(127, first + in.below(32))));
  }
  if (in.flag()) set.invert();
  return set;
}

// A mask of the bytes, by the primitive that `find` runs.
template <class Find>
void same_mask(int64_t n, Find&& find) {
  same_on_every_tier([&] {
    const Words words(words_for(n));
    const bool result = find(words.data());
    return std::make_pair(result, words.copy());
  });
}

void finders(Input& in) {
  const uint8_t byte = in.flag() ? ' ' : in.byte(), last = in.flag() ? byte : in.byte();
  const int64_t distance = 1 + in.below(64), beyond = in.below(70);
  const CharSet set = take_set(in);
  const bool many = in.byte() >= 248;
  std::string text = take_text(in, static_cast<int64_t>(in.left()), std::string(1, static_cast<char>(byte)));
  while (many && !text.empty() && text.size() < 70 * 64) text += std::string(text);
  const Bytes bytes = bytes_of(text);
  const uint8_t* const data = bytes.data();
  const int64_t readable = bytes.size(), n = std::max<int64_t>(readable - beyond, 0);
  const auto simd = []() -> const simd::Primitives& { return simd::primitives(); };
  const simd::ByteAt two[] = {{0, byte}, {distance, last}};
  same_mask(n, [&](uint64_t* words) { return simd().find_bytes(data, n, readable, two, 2, words); });
  const simd::ByteAt four[] = {{0, byte}, {1, byte}, {1 + distance, last}, {2 + distance, byte}};
  same_mask(n, [&](uint64_t* words) { return simd().find_bytes(data, n, readable, four, 1 + distance % 4, words); });
  simd::PrefixSet prefixes;
  prefixes.num_bytes = 1 + distance % 3;
  for (int bit = 0; bit < 3; ++bit) {
    const uint8_t begin[simd::PrefixSet::kMaxBytes] = {byte, bit == 0 ? last : byte, static_cast<uint8_t>(byte + bit)};
    prefixes.add(begin, bit * 3);
  }
  same_mask(n, [&](uint64_t* words) {
    simd().find_prefixes(data, n, readable, prefixes, words);
    return true;
  });
  const auto all = [&](auto&& find) {
    same_mask(readable, [&](uint64_t* words) {
      find(words);
      return true;
    });
  };
  all([&](uint64_t* words) { simd().find_byte(data, readable, byte, words); });
  all([&](uint64_t* words) { simd().find_set(data, readable, set, words); });
  same_on_every_tier([&] { return simd().count_in_set(data, readable, set); });
  all([&](uint64_t* words) { simd().find_codepoint_ends(data, readable, words); });
  same_mask(readable, [&](uint64_t* words) { return simd().find_whitespace(data, readable, words); });
  simd::LeadSet leads;
  for (const int lead : {0xC3, 0xD0, 0xE1, 0xF0, 0xC0 | (byte & 0x3F), 0xC0 | (last & 0x3F)}) {
    leads.add(static_cast<uint8_t>(lead));
  }
  all([&](uint64_t* words) { simd().find_prefixes(data, readable, readable, leads, words); });
  for (const auto to :
       {simd::AsciiCase::kLower, simd::AsciiCase::kUpper, simd::AsciiCase::kSwap, simd::AsciiCase::kTitle}) {
    same_on_every_tier([&] {
      const Bytes out(readable);
      const bool ascii = simd().map_ascii(data, readable, to, out.data());
      return std::make_pair(ascii, text_of(out.data(), readable));
    });
  }
}

void masks(Input& in) {
  const int64_t bits = take_bits(in, 260), count = words_for(bits);
  const Words separators = take_words(in, count + 1, bits), starts = take_words(in, count + 2, bits + 1);
  const Words covered = take_words(in, count, bits);
  same_on_every_tier([&] {
    const Words kept(count), ends(count);
    simd::primitives().end_words(separators.data(), starts.data(), count, kept.data(), ends.data());
    return std::make_pair(kept.copy(), ends.copy());
  });
  same_on_every_tier([&] {
    const Words kept(count), ends(count);
    const bool result = simd::primitives().end_fields(separators.data(), covered.data(), starts.data(), count,
                                                      kept.data(), ends.data());
    return std::make_tuple(result, kept.copy(), ends.copy());
  });
  same_on_every_tier([&] { return simd::primitives().count_bits(separators.data(), count); });

  Exact<int32_t> positions(in.below(40));
  for (int64_t k = 0; k < positions.size(); ++k) positions[k] = static_cast<int32_t>(in.below(64 * count + 1));
  same_on_every_tier([&] {
    const Exact<int32_t> prefix(count + 1), counts(positions.size());
    simd::primitives().count_before(separators.data(), count, positions.data(), positions.size(), prefix.data(),
                                    counts.data());
    return counts.copy();
  });

  const uint64_t* const others[] = {separators.data(), starts.data()};
  const bool loops = in.below(2) == 1, ends_too = in.below(2) == 1;
  const int64_t num_others = in.below(3);
  same_on_every_tier([&] {
    const Words out(count + 1);
    simd::primitives().find_ways(covered.data(), others, num_others, ends_too ? separators.data() : nullptr, loops,
                                 starts.data(), count, out.data());
    return out.copy();
  });
  const uint64_t* const begins = in.below(2) == 1 ? separators.data() : nullptr;
  if (count > 0) {
    same_on_every_tier([&] {
      const Words entered(covered.copy()), out(count);
      simd::primitives().follow_ways(covered.data(), begins, others, num_others, loops, starts.data(), count,
                                     entered.data(), out.data());
      return std::make_pair(entered.copy(), out.copy());
    });
  }
}

void numbers(Input& in) {
  Exact<int32_t> offsets(in.below(80));
  for (int64_t k = 0; k < offsets.size(); ++k) offsets[k] = in.any<int32_t>();
  const auto low = static_cast<int32_t>(in.below(1000)), high = low + static_cast<int32_t>(in.below(1000));
  const auto origin = static_cast<int32_t>(in.below(low + 1));
  if (in.flag()) std::sort(offsets.data(), offsets.data() + offsets.size());
  same_on_every_tier([&] {
    const bool ascend = simd::primitives().ascend(offsets.data(), offsets.size());
    REQUIRE(ascend == std::is_sorted(offsets.data(), offsets.data() + offsets.size()));
    return ascend;
  });
  same_on_every_tier([&] {
    const Exact<int32_t> out(offsets.size());
    const int32_t* const begin = offsets.data();
    const auto [taken, ascend] = simd::primitives().take_offsets(begin, offsets.size(), low, high, origin, out.data());
    REQUIRE(taken <= offsets.size() && (ascend || !std::is_sorted(begin, begin + offsets.size())));
    REQUIRE(!ascend || std::is_sorted(out.data(), out.data() + taken));
    if (std::is_sorted(begin, begin + offsets.size())) {
      REQUIRE(taken == std::upper_bound(begin, begin + offsets.size(), high) - begin);
    }
    for (int64_t k = 0; k < taken; ++k) REQUIRE(out[k] == std::clamp(offsets[k], low, high) - origin);
    return std::vector<int32_t>(out.data(), out.data() + taken);
  });
  same_on_every_tier([&] {
    const Exact<int32_t> out(offsets.size());
    const bool ascend = simd::primitives().shift_offsets(offsets.data(), offsets.size(), origin, out.data());
    REQUIRE(ascend == std::is_sorted(out.data(), out.data() + out.size()));
    return ascend ? out.copy() : std::vector<int32_t>();
  });
  const auto base = static_cast<int64_t>(in.any<uint32_t>());
  same_on_every_tier([&] {
    const Exact<int64_t> out(offsets.size());
    simd::primitives().widen(offsets.data(), offsets.size(), base, out.data());
    return out.copy();
  });
  for (int64_t k = 0; k < offsets.size(); ++k) offsets[k] = std::max(offsets[k], 0);
  std::sort(offsets.data(), offsets.data() + offsets.size());
  same_on_every_tier([&] {
    const Exact<int64_t> out(offsets.size());
    const int64_t greatest = simd::primitives().widen_differences(offsets.data(), offsets.size(), out.data());
    return std::make_pair(greatest, out.copy());
  });
}

void ranges(Input& in) {
  const int64_t n = in.below(300), room = words_for(n) * kWordBits;
  Exact<int32_t> offsets(n + 1);
  for (int64_t i = 0; i <= n; ++i) offsets[i] = in.any<int32_t>();
  const Words words = take_words(in, words_for(n), n);
  same_on_every_tier([&] {
    const Exact<int32_t> begins(room), ends(room);
    const int64_t count = simd::primitives().select_ranges(offsets.data(), words.data(), n, begins.data(), ends.data());
    std::vector<int32_t> both(begins.data(), begins.data() + count);
    both.insert(both.end(), ends.data(), ends.data() + count);
    return both;
  });
  if (in.flag()) std::sort(offsets.data(), offsets.data() + n + 1);
  const Exact<int32_t> begins(n), ends(n);
  const Bytes mask(n);
  // Those of the second ones: offsets in another order.
  const std::vector<int32_t> reversed(std::make_reverse_iterator(offsets.data() + n + 1),
                                      std::make_reverse_iterator(offsets.data()));
  const int32_t limits[] = {in.any<int32_t>() & INT32_MAX, in.any<int32_t>() & INT32_MAX};
  simd::MaskedSum masked, chosen;
  simd::RangesSummary all;
  for (int64_t i = 0; i < n; ++i) {
    // The size of malformed strings is the difference as it wraps around.
    const auto size = [](int32_t from, int32_t to) -> int64_t {
      return static_cast<uint32_t>(to) - static_cast<uint32_t>(from);
    };
    const auto add = [&](simd::MaskedSum& sum, int32_t from, int32_t to, int32_t limit) {
      sum = {sum.strings + 1, sum.bytes + size(from, to), sum.valid && from >= 0 && to >= from && to <= limit};
    };
    const int32_t from = begins[i] = offsets[i], to = ends[i] = offsets[i + 1];
    all = {all.bytes + size(from, to), std::max(all.longest, size(from, to)), std::max<int64_t>(all.last_end, to),
           all.valid && from >= 0 && to >= from};
    if (test_bit(words.data(), i)) {
      mask[i] = static_cast<uint8_t>(1 + in.below(255));
      add(masked, from, to, limits[0]);
      add(chosen, from, to, limits[0]);
    } else {
      mask[i] = 0;
      add(chosen, reversed[static_cast<size_t>(i)], reversed[static_cast<size_t>(i) + 1], limits[1]);
    }
  }
  same_on_every_tier([&] {
    const simd::LimitedOffsets first{offsets.data(), limits[0]}, second{reversed.data(), limits[1]};
    const auto same = [](const simd::MaskedSum& got, const simd::MaskedSum& want) {
      return got.strings == want.strings && got.bytes == want.bytes && got.valid == want.valid;
    };
    REQUIRE(same(simd::primitives().sum_masked(first, mask.data(), n), masked));
    REQUIRE(same(simd::primitives().sum_chosen(first, second, mask.data(), n), chosen));
    const simd::RangesSummary of = simd::primitives().summarize_ranges(begins.data(), ends.data(), n);
    REQUIRE(of.bytes == all.bytes && of.longest == all.longest && of.last_end == all.last_end && of.valid == all.valid);
    return of.bytes;
  });
}

// `rarely_short`: most rows have as many ends as they can have.
void pad(Input& in, int64_t num_rows, int64_t width, bool rarely_short) {
  const auto begin = static_cast<int32_t>(in.below(3));
  Exact<int32_t> counts(num_rows);
  int32_t total = begin;
  for (int64_t k = 0; k < num_rows; ++k) {
    counts[k] = total += static_cast<int32_t>(rarely_short && in.below(40) > 0 ? width : in.below(width + 1));
  }
  Exact<int32_t> ends(std::max(total, 1));
  int32_t last = static_cast<int32_t>(in.below(5));
  const int32_t before = last;
  for (int64_t j = 0; j < total; ++j) ends[j] = last += static_cast<int32_t>(in.below(9));
  same_on_every_tier([&] {
    const Exact<int32_t> out(num_rows * (width + 1));
    const int32_t end = simd::primitives().pad_rows(ends.data(), begin, counts.data(), num_rows, width, before,
                                                    out.data(), out.data() + out.size());
    return std::make_pair(end, out.copy());
  });
}

void padding(Input& in) {
  const int64_t num_rows = in.below(12), width = in.below(40);
  pad(in, num_rows, width, false);
  const int64_t many_rows = in.below(80), narrow = in.below(8);
  pad(in, many_rows, narrow, true);
}

void pieces(Input& in) {
  const int64_t n = take_bits(in, 300);
  const Words keep = take_words(in, words_for(n), n), ends = take_words(in, words_for(n), n);
  const Bytes data(n);
  for (int64_t i = 0; i < n; ++i) data[i] = static_cast<uint8_t>(i);
  int64_t bytes = 0, pieces = 0;
  for (int64_t w = 0; w < words_for(n); ++w) bytes += popcount(keep[w]), pieces += popcount(ends[w]);
  // Exactly the room that is needed, more, or less.
  const int64_t room = bytes + in.below(80) * in.below(2) - std::min(bytes, in.below(40) * in.below(2));
  const int64_t max_pieces = pieces + in.below(40) * in.below(2) - std::min(pieces, in.below(10) * in.below(2));
  const auto base = static_cast<int32_t>(in.below(1000));
  same_on_every_tier([&] {
    const Bytes out(room);
    const Exact<int32_t> out_ends(max_pieces);
    const simd::PieceCounts wrote =
        simd::primitives().write_pieces({data.data(), keep.data(), ends.data(), n, base, out.data(), out.data() + room,
                                         out_ends.data(), out_ends.data() + max_pieces});
    REQUIRE(wrote.complete == (bytes <= room && pieces <= max_pieces));
    if (!wrote.complete) return std::make_pair(std::vector<uint8_t>(), std::vector<int32_t>());
    REQUIRE(wrote.bytes == bytes && wrote.pieces == pieces);
    return std::make_pair(std::vector<uint8_t>(out.data(), out.data() + bytes),
                          std::vector<int32_t>(out_ends.data(), out_ends.data() + pieces));
  });
}

FUZZ_TARGET(primitives) {
  static constexpr void (*kParts[])(Input&) = {finders, masks, numbers, padding, pieces, ranges};
  kParts[in.below(std::size(kParts))](in);
}

// Slices of strings of a block, as of Python's lists of code points.
FUZZ_TARGET(primitives_slice) {
  const auto take_bound = [&] {
    const uint8_t kind = in.byte();
    return kind < 224 ? in.below(kind < 128 ? 12 : 300) - (kind < 128 ? 5 : 150) : in.any<int64_t>();
  };
  const simd::CodepointSlice slice{take_bound(), take_bound()};
  const bool by_byte = in.flag();
  Exact<int32_t> string_ends(in.below(20));
  int32_t n = 0;
  for (int64_t k = 0; k < string_ends.size(); ++k) {
    n += static_cast<int32_t>(in.byte() < 192 ? in.below(12) : in.below(600));
    string_ends[k] = n;
  }
  // Two words after the last one are read.
  Words ends(words_for(n) + 2);
  const Words taken = take_words(in, words_for(n), n);
  for (int64_t w = 0; w < ends.size(); ++w) ends[w] = w < taken.size() ? taken[w] : 0;
  for (int64_t k = 0; k < string_ends.size(); ++k) {
    if (string_ends[k] > 0) set_bit(ends.data(), string_ends[k] - 1);
  }

  std::vector<std::pair<int64_t, int64_t>> want;
  for (int64_t k = 0; k < string_ends.size(); ++k) {
    const int32_t begin = k == 0 ? 0 : string_ends[k - 1], size = string_ends[k] - begin;
    std::vector<int64_t> starts{0};  // of the code points, and the end of the last one
    for (int32_t i = 1; i <= size; ++i) {
      if (by_byte || i == size || test_bit(ends.data(), begin + i - 1)) starts.push_back(i);
    }
    const auto length = static_cast<int64_t>(starts.size()) - 1;
    const auto position = [&](int64_t bound) {
      return starts[static_cast<size_t>(std::clamp<int64_t>(bound < 0 ? bound + length : bound, 0, length))];
    };
    const int64_t first = position(slice.start), last = position(slice.stop);
    want.emplace_back(first, std::max<int64_t>(last - first, 0));
  }
  const auto run = [&] {
    const Exact<simd::ShortPiece> pieces(string_ends.size());
    simd::primitives().slice_codepoints(by_byte ? nullptr : ends.data(), string_ends.data(), string_ends.size(), slice,
                                        pieces.data());
    std::vector<std::pair<int64_t, int64_t>> got;
    for (int64_t k = 0; k < pieces.size(); ++k) got.emplace_back(pieces[k].skip, pieces[k].size);
    return got;
  };
  const auto got = same_on_every_tier(run);
  for (size_t k = 0; k < want.size(); ++k) {
    // Only numbers that do not fit are left out.
    const bool is_long = got[k].second == simd::ShortPiece::kLong;
    REQUIRE(is_long ? (want[k].first | want[k].second) >= simd::ShortPiece::kLong : got[k] == want[k]);
  }
}

}  // namespace
}  // namespace stringops::fuzz
