// UTF-8 validation on every tier against a decoder; counts of code points; whitespace and similar characters.
#include "core/utf8.h"

#include "fuzz.h"
#include "oracle.h"

namespace stringops::fuzz {
namespace {

FUZZ_TARGET(utf8) {
  const int64_t shift = in.below(64);  // position of the text in a block of 64 bytes
  const bool plain = in.flag();
  std::string text(static_cast<size_t>(shift), plain ? 'a' : '\xC3');
  for (size_t i = 1; !plain && i < text.size(); i += 2) text[i] = '\xA9';
  text += take_text(in, static_cast<int64_t>(in.left()));
  const Bytes bytes = bytes_of(text);
  const uint8_t* const end = bytes.data() + bytes.size();

  const auto invalid = invalid_utf8_at(text);
  REQUIRE(find_invalid_utf8(bytes.data(), end) == invalid);
  REQUIRE(same_on_every_tier([&] { return simd::primitives().is_utf8(bytes.data(), bytes.size()); }) == !invalid);
  if (invalid) return;
  int64_t count = 0;
  for (size_t at = 0; at < text.size(); at += codepoint_at(text, at)) ++count;
  REQUIRE(count_codepoints(bytes.data(), end) == count);
  const int64_t min_count = 1 + in.below(6);
  REQUIRE(has_codepoints(bytes.data(), end, min_count) == (count >= min_count));
}

}  // namespace
}  // namespace stringops::fuzz
