// Code points of texts that may be malformed (decode): every tier against an oracle.
#include "fuzz.h"
#include "oracle.h"
#include "simd/primitives.h"

namespace stringops::fuzz {

FUZZ_TARGET(primitives_decode) {
  // Parts of the input, repeated, so that code points and faults are at every position of a block.
  const size_t before = static_cast<size_t>(in.below(70)), size = 1 + static_cast<size_t>(in.below(12));
  const int64_t copies = 1 + in.below(30);
  const std::string some = take_text(in, static_cast<int64_t>(in.left()) - 8);
  std::string text(before, 'a');
  for (int64_t i = 0; i < copies; ++i) text += some.substr(0, some.size() / size);
  text += some;

  std::vector<uint32_t> want;
  for (size_t at = 0; at < text.size();) {
    const size_t length = codepoint_at(text, at);
    const uint32_t lead = static_cast<uint8_t>(text[at]);
    uint32_t value = length == 0 ? 0xDC00 + lead : length == 1 ? lead : lead & (0x7Fu >> length);
    for (size_t i = 1; i < length; ++i) value = value << 6 | (static_cast<uint8_t>(text[at + i]) & 0x3F);
    want.push_back(value);
    at += std::max<size_t>(length, 1);
  }
  const Bytes data = bytes_of(text);
  const auto found = same_on_every_tier([&] {
    const Exact<uint32_t> out(data.size() + 16);
    const int64_t count = simd::primitives().decode(data.data(), data.size(), out.data());
    REQUIRE(count <= data.size());
    return std::vector<uint32_t>(out.data(), out.data() + count);
  });
  REQUIRE(found == want);
}

}  // namespace stringops::fuzz
