// Strings that begin or end with a text (has_affix), or could have it in their heads (find_in_heads): every tier
// against an oracle.
#include "core/bits.h"
#include "fuzz.h"
#include "simd/primitives.h"

namespace stringops::fuzz {

FUZZ_TARGET(primitives_affix) {
  const std::string affix = take_text(in, in.below(12));
  const bool at_end = in.flag();
  const int64_t count = in.below(150);
  std::vector<uint8_t> sizes(static_cast<size_t>(1 + in.below(8)));
  for (uint8_t& size : sizes) size = in.byte() % 24;
  // Some of the strings have the text, or only the start of it that is compared.
  std::string text;
  Exact<int32_t> begins(count), ends(count);
  const std::string others = take_text(in, static_cast<int64_t>(in.left()) - 16);
  for (int64_t i = 0; i < count; ++i) {
    const size_t size = sizes[static_cast<size_t>(i) % sizes.size()], at = text.size() % (others.size() + 1);
    begins[i] = static_cast<int32_t>(text.size());
    if (size & 1 && !at_end) text += affix.substr(0, size / 2);
    text += others.substr(at, size);
    if (size & 1 && at_end) text += affix.substr(0, size / 2);
    ends[i] = static_cast<int32_t>(text.size());
  }
  text += std::string(8, ' ').substr(0, text.size() < 8 ? 8 : static_cast<size_t>(in.below(9)));
  const Bytes data = bytes_of(text);
  simd::AffixStart start{0, 0, static_cast<uint32_t>(affix.size()), at_end};
  const size_t compared = std::min<size_t>(affix.size(), 8);
  std::memcpy(&start.bytes, affix.data(), compared);
  start.mask = compared == 8 ? ~uint64_t{0} : low_bits(static_cast<int64_t>(8 * compared));
  const auto find = [&] {
    const Exact<bool> out(count);
    const simd::StringRun run{data.data(), data.size(), begins.data(), ends.data(), false};
    const bool all_compared = simd::primitives().has_affix(run, count, start, out.data());
    return std::make_pair(all_compared, out.copy());
  };
  const auto num_places = [&](int64_t i) {  // of a text that is not empty
    return std::clamp<int64_t>(int64_t{ends[i]} - begins[i] - static_cast<int64_t>(affix.size()) + 1, 0, 64);
  };
  const auto find_in_heads = [&] {
    Exact<uint64_t> places(count);
    const simd::StringRun run{data.data(), data.size(), begins.data(), ends.data(), false};
    const simd::ByteAt last{static_cast<int64_t>(affix.size()) - 1, static_cast<uint8_t>(affix.back())};
    simd::primitives().find_in_heads(run, count, static_cast<uint8_t>(affix[0]), last, places.data());
    for (int64_t i = 0; i < count; ++i) places[i] &= low_bits(num_places(i));
    return places.copy();
  };
  const std::vector<uint64_t> places = affix.empty() ? std::vector<uint64_t>() : same_on_every_tier(find_in_heads);
  for (size_t i = 0; i < places.size(); ++i) {
    for (int64_t p = 0; p < num_places(static_cast<int64_t>(i)); ++p) {
      const auto at = static_cast<size_t>(begins[static_cast<int64_t>(i)] + p);
      REQUIRE((places[i] >> p & 1) == (text[at] == affix[0] && text[at + affix.size() - 1] == affix.back()));
    }
  }
  const auto found = same_on_every_tier(find);
  bool any_late = false;
  for (int64_t i = 0; i < count; ++i) {
    const size_t size = static_cast<size_t>(ends[i] - begins[i]);
    // An unsigned position, which wraps around if the text is longer than all before the end of the string.
    const uint32_t at = static_cast<uint32_t>(at_end ? ends[i] : begins[i]) - (at_end ? start.size : 0);
    const bool is_late = at > text.size() - 8;
    any_late |= is_late;
    const bool expected = size >= affix.size() && (is_late || text.substr(at, compared) == affix.substr(0, compared));
    REQUIRE(found.second[static_cast<size_t>(i)] == expected);
  }
  REQUIRE(found.first == !any_late);
  for (int64_t i = in.below(4); i > 0 && count > 0; --i) {
    (in.flag() ? begins : ends)[in.below(count)] = in.any<int32_t>();
  }
  survives_on_every_tier(find);
  if (!affix.empty()) survives_on_every_tier(find_in_heads);
}

}  // namespace stringops::fuzz
