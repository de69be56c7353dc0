#include "kernels/form.h"

#include "kernels/form_normalize.h"

#include "map.h"

namespace stringops::fuzz {

using kernels::CharacterSet;
using kernels::Strip;
using kernels::WhitespaceSet;

FUZZ_TARGET(string_strip) {
  const uint8_t kind = in.byte();
  const bool left = kind & 1, right = kind & 2;
  if (kind & 4) {
    check_map(in, Strip<WhitespaceSet>{left, right, WhitespaceSet()});
  } else {
    const std::string text = take_text(in, in.below(8));
    const CharacterSet set(text);
    check_map(in, Strip<CharacterSet>{left, right, set});
  }
}

FUZZ_TARGET(string_remove_prefix) {
  const std::string affix = take_text(in, in.below(8));
  if (in.flag()) {
    check_map(in, kernels::RemovePrefix{affix});
  } else {
    check_map(in, kernels::RemoveSuffix{affix});
  }
}

// Code points of every kind: composed and decomposed, of several classes, excluded from composition, Hangul.
std::string take_marks(Input& in) {
  static constexpr std::string_view kPieces[] = {
      "a",          "e",      "\u0300", "\u0323", "\u0301",   "\u0344",       "\u0345", "\u00e9",       "\u1e69",
      "\u00a0",     "\u0f73", "\u0f71", "\u0f72", "\u0f43",   "\u1100",       "\u1161", "\u11a8",       "\uac00",
      "\uac01",     "\u09c7", "\u09be", "\u0958", "\ufb01",   "\ufdfa",       "\u2126", "\u03a9",       "\U0001d15e",
      "\U0001f600", "\u302e", "\xff",   "\xcc",   "\xe1\x84", "\u3099\u3099", "\u304b", "\u05b0\u05b0", "\u05bc\u05b0",
  };
  std::string text;
  for (const char c : in.take_front(static_cast<int64_t>(in.left()) - 24)) {
    const auto byte = static_cast<uint8_t>(c);
    const size_t count = byte < 250 ? 1 : 40;
    for (size_t i = 0; i < count; ++i) text += kPieces[byte % std::size(kPieces)];
  }
  return text;
}

// Normalizing again changes nothing, and in the form that composes, decomposing before changes nothing.
void check_form(const Input& input, int form, bool drop) {
  using kernels::Normalize;
  const auto apply = [](const Normalize& f, const std::string& text) {
    const Bytes copy = bytes_of(text);
    const StringView in{copy.data(), copy.data() + copy.size()};
    std::vector<uint8_t> out;
    if (!f.edit(in, out)) return text;
    REQUIRE(!f.keeps(in));
    return text_of(out.data(), static_cast<int64_t>(out.size()));
  };
  Input in = input;
  const std::string text = take_marks(in);
  const Normalize normalize(static_cast<Normalize::Form>(form), drop);
  const std::string once = apply(normalize, text);
  REQUIRE(apply(normalize, once) == once);
  const Normalize decompose(form < 2 ? Normalize::Form::kNfd : Normalize::Form::kNfkd);
  REQUIRE(apply(normalize, apply(decompose, text)) == once);
}

FUZZ_TARGET(string_normalize) {
  const int form = static_cast<int>(in.below(4));
  const bool drop = form == 1 && in.flag();
  check_form(in, form, drop);
  const kernels::Normalize normalize(static_cast<kernels::Normalize::Form>(form), drop);
  const int64_t tasks = 1 + in.below(5);
  const Shape shape = take_shape(in);
  const std::string text = take_marks(in);
  check_map_of(take_strings(in, text, shape), in, tasks, normalize);
}

SHARED_CALL(string_normalize, { return call_map(kernels::Normalize(kernels::Normalize::Form::kNfc), world, runner); })
SHARED_CALL(string_strip, { return call_map(Strip<WhitespaceSet>{true, true, WhitespaceSet()}, world, runner); })
SHARED_CALL(string_remove_prefix, { return call_map(kernels::RemovePrefix{"th"}, world, runner); })

}  // namespace stringops::fuzz
