// string_base64, string_unbase64, string_url_quote and string_url_unquote.
#include "kernels/escape.h"

#include "map.h"

namespace stringops::fuzz {
namespace {

using kernels::Base64;
using kernels::Unbase64;
using kernels::UrlQuote;
using kernels::UrlUnquote;

std::string take_rest(Input& in) {
  return take_text(in, static_cast<int64_t>(in.left()) / 2);
}

FUZZ_TARGET(string_base64) {
  const bool urlsafe = in.flag();
  check_map(in, Base64{urlsafe ? kBase64Url : kBase64});
}

FUZZ_TARGET(string_unbase64) {
  const bool urlsafe = in.flag();
  std::atomic<bool> failed{false};
  const Unbase64 unbase64{urlsafe ? kUrlSextets : kSextets, !urlsafe, failed};
  const Base64 base64{urlsafe ? kBase64Url : kBase64};
  const std::string text = take_rest(in);
  const std::string encoded = map_one(base64, text);
  REQUIRE(map_one(unbase64, encoded) == text && !failed);
  // A string is accepted only if it is the encoding of its bytes, possibly without padding.
  std::string other = encoded;
  if (!other.empty()) other[static_cast<size_t>(in.below(static_cast<int64_t>(other.size())))] = in.flag() ? '=' : 'B';
  if (in.flag() && !other.empty()) other.pop_back();
  const std::string decoded = map_one(unbase64, other);
  const Bytes copy = bytes_of(other);
  REQUIRE(failed == unbase64.is_wrong({copy.data(), copy.data() + copy.size()}));
  if (!failed) {
    std::string again = map_one(base64, decoded);
    if (urlsafe && other.size() < again.size()) again.resize(again.find('='));
    REQUIRE(again == other);
  }
  check_map(in, unbase64);
}

FUZZ_TARGET(string_url_quote) {
  const std::string safe(in.take_front(in.below(5)));
  const UrlQuote quote(safe);
  const std::string text = take_rest(in);
  if (safe.find('%') == std::string::npos) REQUIRE(map_one(UrlUnquote(), map_one(quote, text)) == text);
  check_map(in, quote);
}

FUZZ_TARGET(string_url_unquote) {
  const std::string text = take_rest(in);
  std::string want;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool is_escape = text[i] == '%' && text.size() - i > 2 && std::isxdigit(static_cast<uint8_t>(text[i + 1])) &&
                           std::isxdigit(static_cast<uint8_t>(text[i + 2]));
    want += is_escape ? static_cast<char>(std::stoi(text.substr(i + 1, 2), nullptr, 16)) : text[i];
    if (is_escape) i += 2;
  }
  REQUIRE(map_one(UrlUnquote(), text) == want);
  check_map(in, UrlUnquote());
}

}  // namespace
}  // namespace stringops::fuzz
