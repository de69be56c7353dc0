#include "kernels/normalize_compose.h"
#include "kernels/normalize_decompose.h"
#include "map.h"

namespace stringops::fuzz {

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
template <class Form, class Decomposed>
void check_form(const Form& form, const Decomposed& decompose, const std::string& text) {
  const std::string once = map_one(form, text);
  REQUIRE(map_one(form, once) == once);
  REQUIRE(map_one(form, map_one(decompose, text)) == once);
  const Bytes copy = bytes_of(text);
  REQUIRE(once == text || !form.keeps({copy.data(), copy.data() + copy.size()}));
}

// Covers string_strip_accents.
FUZZ_TARGET(string_normalize) {
  using kernels::Compose, kernels::Decompose;
  const bool is_compatible = in.flag(), composes = in.flag(), drop = !is_compatible && !composes && in.flag();
  const Decompose decompose(is_compatible ? Decompose::Form::kNfkd : Decompose::Form::kNfd);
  const auto check = [&](const auto& form) {
    Input text = in;
    check_form(form, decompose, take_marks(text));
    const int64_t tasks = 1 + in.below(5);
    const Shape shape = take_shape(in);
    const std::string marks = take_marks(in);
    check_map_of(take_strings(in, marks, shape), in, tasks, form);
  };
  if (composes) {
    check(Compose(is_compatible ? Compose::Form::kNfkc : Compose::Form::kNfc));
  } else {
    check(drop ? Decompose(Decompose::Form::kUnaccented) : decompose);
  }
}

SHARED_CALL(string_normalize, { return call_map(kernels::Decompose(kernels::Decompose::Form::kNfd), world, runner); })

}  // namespace stringops::fuzz
