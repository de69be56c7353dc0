#include "regex/syntax_sets.h"

#include <cctype>
#include <utility>
#include <vector>

#include "core/utf8.h"
#include "regex/unicode_sets.h"

namespace stringops {
namespace {

using Ranges = std::vector<CodepointRange>;

struct NamedRanges {
  std::string_view name;
  Ranges ranges;
};

// [[:name:]]. Those of \d, \s and \w are "digit", "perl-space" and "word".
const NamedRanges kAsciiSets[] = {
    {"alnum", {{'0', '9'}, {'A', 'Z'}, {'a', 'z'}}},
    {"alpha", {{'A', 'Z'}, {'a', 'z'}}},
    {"ascii", {{0, 0x7F}}},
    {"blank", {{'\t', '\t'}, {' ', ' '}}},
    {"cntrl", {{0, 0x1F}, {0x7F, 0x7F}}},
    {"digit", {{'0', '9'}}},
    {"graph", {{'!', '~'}}},
    {"lower", {{'a', 'z'}}},
    {"print", {{' ', '~'}}},
    {"punct", {{'!', '/'}, {':', '@'}, {'[', '`'}, {'{', '~'}}},
    {"space", {{'\t', '\r'}, {' ', ' '}}},
    {"upper", {{'A', 'Z'}}},
    {"word", {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}}},
    {"xdigit", {{'0', '9'}, {'A', 'F'}, {'a', 'f'}}},
    {"perl-space", {{'\t', '\n'}, {'\f', '\r'}, {' ', ' '}}},
};

std::optional<CodepointSet> ascii_set(std::string_view name) {
  for (const auto& known : kAsciiSets) {
    if (known.name == name) return CodepointSet(known.ranges);
  }
  return std::nullopt;
}

CodepointSet finish(CodepointSet set, bool negated, bool fold_case) {
  if (fold_case) set.fold_case();
  if (negated) set.invert();
  return set;
}

int digit_of(char c, int base) {
  const int digit = c >= '0' && c <= '9'                           ? c - '0'
                    : std::isxdigit(static_cast<unsigned char>(c)) ? (c | 0x20) - 'a' + 10
                                                                   : 99;
  return digit < base ? digit : -1;
}

// Takes at least `least` and at most `most` digits of a number up to kMaxCodepoint.
std::optional<uint32_t> take_digits(SyntaxText* text, int base, size_t least, size_t most) {
  uint32_t value = 0;
  size_t count = 0;
  for (; count < most && count < text->rest.size(); ++count) {
    const int digit = digit_of(text->rest[count], base);
    if (digit < 0) break;
    value = value * static_cast<uint32_t>(base) + static_cast<uint32_t>(digit);
    if (value > kMaxCodepoint) return std::nullopt;
  }
  if (count < least) return std::nullopt;
  text->rest.remove_prefix(count);
  return value;
}

// Takes the characters after the backslash.
std::optional<uint32_t> take_escape(SyntaxText* text) {
  if (text->rest.empty()) return std::nullopt;
  const char c = text->rest[0];
  // A single digit but 0 would refer to a group.
  if (c >= '0' && c <= '7') return take_digits(text, 8, c == '0' ? 1 : 2, 3);
  text->rest.remove_prefix(1);
  if (c == 'x') {
    if (!text->take("{")) return take_digits(text, 16, 2, 2);
    const auto value = take_digits(text, 16, 1, std::string_view::npos);
    return text->take("}") ? value : std::nullopt;
  }
  constexpr std::string_view kLetters = "ntrfva", kCharacters = "\n\t\r\f\v\a";
  if (const size_t at = kLetters.find(c); at != std::string_view::npos) return static_cast<uint8_t>(kCharacters[at]);
  const auto byte = static_cast<unsigned char>(c);
  if (byte >= 0x80 || std::isalnum(byte)) return std::nullopt;
  return byte;
}

// [:alpha:] or [:^alpha:].
std::optional<CodepointSet> take_named_class(SyntaxText* text, bool fold_case) {
  const size_t end = text->rest.find(":]");
  if (text->rest.substr(0, 2) != "[:" || end == std::string_view::npos || end < 2) return std::nullopt;
  std::string_view name = text->rest.substr(2, end - 2);
  const bool negated = name.substr(0, 1) == "^";
  if (negated) name.remove_prefix(1);
  auto set = ascii_set(name);
  if (!set || name == "perl-space") return std::nullopt;
  text->rest.remove_prefix(end + 2);
  return finish(std::move(*set), negated, fold_case);
}

}  // namespace

bool SyntaxText::take(std::string_view prefix) {
  if (rest.substr(0, prefix.size()) != prefix) return false;
  rest.remove_prefix(prefix.size());
  return true;
}

uint32_t SyntaxText::take_codepoint() {
  const auto lead = static_cast<uint8_t>(rest[0]);
  const auto length = static_cast<size_t>(codepoint_length(lead));
  uint32_t codepoint = length == 1 ? lead : lead & (0x7Fu >> length);
  for (size_t i = 1; i < length; ++i) codepoint = codepoint << 6 | (static_cast<uint8_t>(rest[i]) & 0x3Fu);
  rest.remove_prefix(length);
  return codepoint;
}

std::optional<int32_t> SyntaxText::take_number() {
  size_t length = 0;
  int32_t number = 0;
  for (; length < rest.size() && rest[length] >= '0' && rest[length] <= '9'; ++length) {
    if (length == 9) return std::nullopt;
    number = 10 * number + (rest[length] - '0');
  }
  if (length == 0 || (length > 1 && rest[0] == '0')) return std::nullopt;
  rest.remove_prefix(length);
  return number;
}

bool SyntaxFlags::take(SyntaxText* text) {
  for (bool value = true; !text->rest.empty() && text->rest[0] != ':' && text->rest[0] != ')';) {
    switch (text->take_codepoint()) {
      case 'i':
        fold_case = value;
        break;
      case 'm':
        multi_line = value;
        break;
      case 's':
        dot_newline = value;
        break;
      case 'U':
        swap_greed = value;
        break;
      case '-':
        if (!value) return false;
        value = false;
        break;
      default:
        return false;
    }
  }
  return true;
}

std::optional<uint32_t> take_character(SyntaxText* text) {
  if (text->rest.empty()) return std::nullopt;
  if (text->take("\\")) return take_escape(text);
  return text->take_codepoint();
}

std::optional<CodepointSet> take_escape_class(SyntaxText* text, bool fold_case) {
  if (text->rest.size() < 2 || text->rest[0] != '\\') return std::nullopt;
  SyntaxText rest{text->rest.substr(1)};
  const uint32_t letter = rest.take_codepoint();
  bool negated = letter == 'D' || letter == 'W' || letter == 'S' || letter == 'P';
  std::optional<CodepointSet> set;
  if (letter == 'd' || letter == 'D') set = ascii_set("digit");
  if (letter == 'w' || letter == 'W') set = ascii_set("word");
  if (letter == 's' || letter == 'S') set = ascii_set("perl-space");
  if ((letter == 'p' || letter == 'P') && !rest.rest.empty()) {
    size_t length = 1;
    std::string_view name = rest.rest.substr(0, 1);
    if (name == "{") {
      const size_t end = rest.rest.find('}');
      if (end == std::string_view::npos) return std::nullopt;
      name = rest.rest.substr(1, end - 1);
      length = end + 1;
    }
    if (name.substr(0, 1) == "^") {
      negated = !negated;
      name.remove_prefix(1);
    }
    rest.rest.remove_prefix(length);
    set = name == "Any" ? CodepointSet::all() : unicode_set(name);
  }
  if (!set) return std::nullopt;
  *text = rest;
  return finish(std::move(*set), negated, fold_case);
}

std::optional<CodepointSet> take_bracket_class(SyntaxText* text, bool fold_case) {
  SyntaxText rest{text->rest.substr(1)};
  const bool negated = rest.take("^");
  // Ranges are folded together, and sets by themselves: the complement of one is that of the folded set.
  Ranges ranges;
  CodepointSet sets;
  for (bool first = true; first || !rest.take("]"); first = false) {
    if (rest.rest.empty()) return std::nullopt;
    auto set = take_named_class(&rest, fold_case);
    if (!set) set = take_escape_class(&rest, fold_case);
    if (set) {
      sets.add(*set);
      continue;
    }
    const auto low = take_character(&rest);
    if (!low) return std::nullopt;
    auto high = low;
    if (rest.rest.size() > 1 && rest.rest[0] == '-' && rest.rest[1] != ']') {
      rest.take("-");
      high = take_character(&rest);
      if (!high || *high < *low) return std::nullopt;
    }
    ranges.push_back({*low, *high});
  }
  CodepointSet set(std::move(ranges));
  if (fold_case) set.fold_case();
  set.add(sets);
  if (negated) set.invert();
  *text = rest;
  return set;
}

}  // namespace stringops
