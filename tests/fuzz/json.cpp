// _json_spans and _json_unquote.
#include "kernels/json.h"

#include "core/utf8.h"
#include "driver/reduce.h"
#include "kernels/json_text.h"
#include "map.h"
#include "reduce.h"

namespace stringops::fuzz {
namespace {

using kernels::JsonKind;
using kernels::JsonPaths;
using kernels::JsonScanner;
using kernels::JsonValue;

// Documents of pieces that often fit together.
std::string take_json_text(Input& in) {
  constexpr std::string_view kPieces[] = {"{",        "}",
                                          "[",        "]",
                                          ":",        ",",
                                          "\"a\":",   "\"a\"",
                                          "\"b\":",   "1",
                                          "-",        "0",
                                          ".5",       "e1",
                                          "null",     "true",
                                          "false",    "\"",
                                          "\\n",      "\\u",
                                          "00e9",     " ",
                                          "\xC3\xA9", "\\ud83d",
                                          "\\udE00",  "{\"a\":",
                                          "[[",       "]]",
                                          "\xFF",     "\"\"",
                                          "\n",       "x",
                                          "\\\"",     "123456789012345678901",
                                          "\\\\",     "{}",
                                          "[]",       "}}"};
  std::string text;
  for (const char c : in.take_front(static_cast<int64_t>(in.left()) - 24)) {
    text += kPieces[static_cast<uint8_t>(c) % std::size(kPieces)];
  }
  return text;
}

// Checks a document by recursion, in another way than the scanner: takes values from the front of the text.
class Checker {
 public:
  explicit Checker(std::string_view text) : rest_(text) {}

  bool document() {
    if (!value(0)) return false;
    space();
    return rest_.empty();
  }

 private:
  void space() { rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\n\r"), rest_.size())); }

  bool take(std::string_view text) {
    if (rest_.substr(0, text.size()) != text) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  bool digits() {
    const size_t count = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    rest_.remove_prefix(count);
    return count > 0;
  }

  bool number() {
    take("-");
    if (!take("0") && !digits()) return false;
    if (take(".") && !digits()) return false;
    if (take("e") || take("E")) {
      if (!take("+")) take("-");
      return digits();
    }
    return true;
  }

  bool string() {
    if (!take("\"")) return false;
    std::string plain;  // whose UTF-8 is checked
    while (!rest_.empty() && rest_[0] != '"') {
      if (static_cast<uint8_t>(rest_[0]) < ' ') return false;
      if (rest_[0] == '\\') {
        rest_.remove_prefix(1);
        if (take("u")) {
          if (rest_.substr(0, 4).find_first_not_of("0123456789abcdefABCDEF") != std::string_view::npos) return false;
          if (rest_.size() < 4) return false;
          rest_.remove_prefix(4);
        } else if (rest_.empty() || std::string_view("\"\\/bfnrt").find(rest_[0]) == std::string_view::npos) {
          return false;
        } else {
          rest_.remove_prefix(1);
        }
        plain += ' ';
      } else {
        plain += rest_[0];
        rest_.remove_prefix(1);
      }
    }
    const auto* const begin = reinterpret_cast<const uint8_t*>(plain.data());
    return take("\"") && !find_invalid_utf8(begin, begin + plain.size());
  }

  bool value(int depth) {
    space();
    if (take("null") || take("true") || take("false")) return true;
    if (rest_.empty()) return false;
    if (rest_[0] == '"') return string();
    if (rest_[0] != '[' && rest_[0] != '{') return number();
    if (depth == JsonScanner::kMaxDepth) return false;
    const bool is_object = take("{");
    if (!is_object) take("[");
    const std::string_view close = is_object ? "}" : "]";
    space();
    if (take(close)) return true;
    do {
      space();
      if (is_object) {
        if (!string()) return false;
        space();
        if (!take(":")) return false;
      }
      if (!value(depth + 1)) return false;
      space();
    } while (take(","));
    return take(close);
  }

  std::string_view rest_;
};

JsonPaths take_paths(Input& in) {
  constexpr std::string_view kSteps[] = {".a", ".b", "[0]", "[1]", "['a']", "[\"\\u00e9\"]"};
  std::vector<std::string> paths(static_cast<size_t>(1 + in.below(4)), "$");
  for (std::string& path : paths) {
    for (int64_t i = in.below(4); i > 0; --i) path += kSteps[in.below(std::size(kSteps))];
  }
  return JsonPaths("", paths);
}

// A malformed path is rejected.
void check_path(Input& in) {
  std::string path = in.flag() ? "$" : "";
  path += in.take_front(in.below(8));
  try {
    const JsonPaths paths("", {path});
    REQUIRE(paths.size() == 1 && path[0] == '$');
  } catch (const std::invalid_argument&) {
  }
}

// Covers _json_spans, _json_unquote.
FUZZ_TARGET(json_extract) {
  check_path(in);
  const JsonPaths paths = take_paths(in);
  const int64_t tasks = 1 + in.below(4);
  const Shape shape = take_shape(in);
  const std::string text = in.below(4) > 0 ? take_json_text(in) : take_text(in, static_cast<int64_t>(in.left()) - 24);
  // The whole text as a document.
  const Bytes whole = bytes_of(text);
  const StringView document{whole.data(), whole.data() + whole.size()};
  std::vector<JsonValue> values(static_cast<size_t>(paths.size()));
  JsonScanner scanner(paths);
  const auto fault = scanner.scan(document, values.data());
  REQUIRE(fault.has_value() == !Checker(text).document());
  if (fault) REQUIRE(0 <= fault->at && fault->at <= whole.size());
  for (const JsonValue& value : values) {
    REQUIRE(0 <= value.begin && value.begin <= value.end && value.end <= whole.size());
    // Each value is a document by itself.
    if (fault || value.kind == JsonKind::kMissing) continue;
    const std::string_view part =
        std::string_view(text).substr(static_cast<size_t>(value.begin), static_cast<size_t>(value.end - value.begin));
    REQUIRE(Checker(part).document());
    const std::string unquoted = map_one(kernels::JsonUnquote(), part);
    REQUIRE(value.kind == JsonKind::kString || unquoted == part);
    const auto* const begin = reinterpret_cast<const uint8_t*>(unquoted.data());
    REQUIRE(!find_invalid_utf8(begin, begin + unquoted.size()));
  }

  const Arguments args = take_strings(in, text, shape);
  if (!args.trusted) return;
  const StringSpan& span = args.strings.span;
  const Exact<int32_t> spans(2 * paths.size() * span.size());
  std::atomic<bool> failed{false};
  const kernels::JsonSpans functor{paths, spans.data(), failed};
  const std::vector<uint8_t> kinds = reduce(functor, span, tasks, paths.size());
  bool all = true;
  int64_t i = 0;
  args.strings.for_each([&](std::string_view string) {
    const Bytes copy = bytes_of(string);
    std::vector<JsonValue> alone(static_cast<size_t>(paths.size()));
    if (scanner.scan({copy.data(), copy.data() + copy.size()}, alone.data())) {
      alone.assign(alone.size(), JsonValue{});
      all = false;
    }
    for (int64_t p = 0; p < paths.size(); ++p) {
      const int64_t at = p * span.size() + i;
      const JsonValue& want = alone[static_cast<size_t>(p)];
      REQUIRE(spans[2 * at] == want.begin && spans[2 * at + 1] == want.end);
      REQUIRE(kinds[static_cast<size_t>(at)] == static_cast<uint8_t>(want.kind));
    }
    ++i;
  });
  check_map_of(args, in, tasks, kernels::JsonUnquote());
  Strings victim = args.strings.copy();
  victim.damage(in);
  reduce(functor, victim.span, tasks, paths.size());
}

SHARED_CALL(_json_spans, {
  const JsonPaths paths("", {"$", "$.a"});
  const StringSpan& strings = world.strings.span;
  const Exact<int32_t> spans(4 * strings.size());
  const Exact<uint8_t> kinds(2 * strings.size());
  std::atomic<bool> failed{false};
  kernels::reduce_strings(runner, kernels::JsonSpans{paths, spans.data(), failed}, strings, kinds.data());
  return digest(spans, kinds);
})

}  // namespace
}  // namespace stringops::fuzz
