#include "host/schema.h"

#include <algorithm>
#include <charconv>

#include "core/fail.h"

namespace stringops::host {
namespace {

// Removes a suffix. Returns whether there was one.
bool chop(std::string_view& text, std::string_view suffix) {
  if (text.size() < suffix.size() || text.substr(text.size() - suffix.size()) != suffix) return false;
  text.remove_suffix(suffix.size());
  return true;
}

// Splits at ", " outside of quotes and brackets. No literal in a schema contains a quote.
std::vector<std::string_view> split_list(std::string_view text) {
  std::vector<std::string_view> parts;
  char quote = 0;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '[') {
      ++depth;
    } else if (c == ']') {
      --depth;
    } else if (c == ',' && depth == 0) {
      parts.push_back(text.substr(begin, i - begin));
      begin = text.find_first_not_of(' ', i + 1);
    }
  }
  if (begin < text.size()) parts.push_back(text.substr(begin));
  return parts;
}

Kind parse_kind(std::string_view type) {
  constexpr struct {
    std::string_view name;
    Kind kind;
  } kKinds[] = {{"Tensor", Kind::kTensor},
                {"SymInt", Kind::kSymInt},
                {"int", Kind::kInt},
                {"bool", Kind::kBool},
                {"float", Kind::kFloat},
                {"str", Kind::kString},
                {"ScalarType", Kind::kScalarType}};
  for (const auto& [name, kind] : kKinds) {
    if (name == type) return kind;
  }
  fail("the schema of an operator has an argument of type ", type);
}

template <class Number>
Number parse_number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  STRINGOPS_CHECK(error == std::errc() && end == text.data() + text.size(),
                  "the schema of an operator has the default value ", text);
  return value;
}

std::optional<Constant> parse_default(const Argument& argument, std::string_view text) {
  if (text == "None") return std::nullopt;
  STRINGOPS_CHECK(!argument.is_list, "the schema of an operator has the default value ", text);
  Constant value;
  switch (argument.kind) {
    case Kind::kBool:
      value.ints = {text == "True"};
      break;
    case Kind::kFloat:
      value.floats = {parse_number<double>(text)};
      break;
    case Kind::kString:
      value.strings = {std::string(text.substr(1, text.size() - 2))};
      break;
    default:
      value.ints = {parse_number<int64_t>(text)};
  }
  return value;
}

// Parses "SymInt[]? split=None".
Argument parse_argument(std::string_view text) {
  Argument argument;
  const size_t space = text.find(' '), equals = text.find('=');
  std::string_view type = text.substr(0, space);
  argument.name = text.substr(space + 1, equals == std::string_view::npos ? equals : equals - space - 1);
  argument.is_optional = chop(type, "?");
  argument.is_list = chop(type, "[]");
  argument.kind = parse_kind(type);
  argument.has_default = equals != std::string_view::npos;
  if (argument.has_default) argument.default_value = parse_default(argument, text.substr(equals + 1));
  return argument;
}

}  // namespace

Schema parse_schema(std::string_view text) {
  Schema schema;
  const size_t open = text.find('('), arrow = text.find(" -> ");
  STRINGOPS_CHECK(open < arrow && arrow != std::string_view::npos, "cannot read the schema ", text);
  schema.name = text.substr(0, open);
  schema.op = schema.name.substr(0, schema.name.find('.'));
  for (const std::string_view part : split_list(text.substr(open + 1, arrow - open - 2))) {
    if (part != "*") schema.arguments.push_back(parse_argument(part));
  }
  const std::string_view results = text.substr(arrow + 4);
  schema.returns_list = results.find("[]") != std::string_view::npos;
  schema.returns_strings = results.find("(Tensor data, Tensor offsets") == 0;
  schema.num_results = 1 + static_cast<size_t>(std::count(results.begin(), results.end(), ','));
  return schema;
}

}  // namespace stringops::host
