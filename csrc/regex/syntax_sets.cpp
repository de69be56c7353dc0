#include "regex/syntax_sets.h"

#include <cctype>
#include <string>
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
  if (fold_case) set.add(case_variants(set));
  if (negated) set.invert();
  return set;
}

int digit_of(char c, int base) {
  const int digit = c >= '0' && c <= '9'                           ? c - '0'
                    : std::isxdigit(static_cast<unsigned char>(c)) ? (c | 0x20) - 'a' + 10
                                                                   : 99;
  return digit < base ? digit : -1;
}

[[noreturn]] void reject(const SyntaxText& begin, std::string what, std::string cure) {
  throw SyntaxFaultAt{begin.rest, std::move(what), std::move(cure)};
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

// Takes the digits after \x, in braces or not.
std::optional<uint32_t> take_hexadecimal(SyntaxText* text) {
  if (!text->take("{")) return take_digits(text, 16, 2, 2);
  const auto value = take_digits(text, 16, 1, std::string_view::npos);
  return text->take("}") ? value : std::nullopt;
}

// Takes a backslash and what it escapes.
uint32_t take_escape(SyntaxText* text) {
  const SyntaxText begin = *text;
  text->take("\\");
  if (text->rest.empty()) reject(begin, "trailing \\", "write \\\\ for a backslash");
  const char c = text->rest[0];
  if (c >= '0' && c <= '7') {
    const auto value = take_digits(text, 8, c == '0' ? 1 : 2, 3);
    if (value) return *value;
  }
  const uint32_t escaped = text->take_codepoint();
  const std::string sequence = text->taken_since(begin.rest);
  if (c == 'x') {
    const auto value = take_hexadecimal(text);
    if (value) return *value;
    reject(begin, "missing code point after \\x", "write \\x41 or \\x{1F600}");
  }
  constexpr std::string_view kLetters = "ntrfva", kCharacters = "\n\t\r\f\v\a";
  if (const size_t at = kLetters.find(c); at != std::string_view::npos) return static_cast<uint8_t>(kCharacters[at]);
  if (escaped < 0x80 && std::isalnum(static_cast<int>(escaped)) == 0) return escaped;
  if (c == 'C') reject(begin, "unsupported escape sequence \\C", "write (?s:.) for a code point");
  if (c == 'Z') reject(begin, "unknown escape sequence \\Z", "write \\z for the end of the text");
  if (c >= '1' && c <= '9') {
    reject(begin, "unsupported reference " + sequence + " to a group", "write \\\\ for a backslash");
  }
  reject(begin, "unknown escape sequence " + sequence, "write \\\\ for a backslash");
}

// [:alpha:] or [:^alpha:].
std::optional<CodepointSet> take_named_class(SyntaxText* text, bool fold_case) {
  if (text->rest.substr(0, 2) != "[:") return std::nullopt;
  const size_t end = text->rest.find(":]", 2);
  if (end == std::string_view::npos) return std::nullopt;
  const SyntaxText begin = *text;
  std::string_view name = text->rest.substr(2, end - 2);
  const bool negated = name.substr(0, 1) == "^";
  if (negated) name.remove_prefix(1);
  text->rest.remove_prefix(end + 2);
  auto set = ascii_set(name);
  if (!set || name == "perl-space") {
    reject(
        begin, "unknown class " + text->taken_since(begin.rest),
        "names are alnum, alpha, ascii, blank, cntrl, digit, graph, lower, print, punct, space, upper, word, xdigit");
  }
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

std::string SyntaxText::taken_since(std::string_view begin) const {
  constexpr size_t kMaxBytes = 80;
  size_t end = begin.size() - rest.size();
  if (end <= kMaxBytes) return std::string(begin.substr(0, end));
  for (end = kMaxBytes; is_continuation(static_cast<uint8_t>(begin[end]));) --end;
  return std::string(begin.substr(0, end)) + "...";
}

void SyntaxFlags::take(SyntaxText* text) {
  constexpr const char* kCure = "flags are i, m, s and U, as in (?i) or (?s-i:x)";
  bool value = true, lacks_flag = false;
  while (!text->rest.empty() && text->rest[0] != ':' && text->rest[0] != ')') {
    const SyntaxText begin = *text;
    const uint32_t letter = text->take_codepoint();
    lacks_flag = letter == '-' && value;
    switch (letter) {
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
      default:
        if (!lacks_flag) reject(begin, "unknown flag " + text->taken_since(begin.rest), kCure);
        value = false;
    }
  }
  if (lacks_flag) reject(*text, "missing flag after -", kCure);
}

uint32_t take_character(SyntaxText* text) {
  return text->rest[0] == '\\' ? take_escape(text) : text->take_codepoint();
}

CodepointSet ClassParser::take_unicode_class(const SyntaxText& begin, SyntaxText* text, bool negated, bool fold_case) {
  std::string_view name;
  if (text->take("{")) {
    const size_t end = text->rest.find('}');
    if (end == std::string_view::npos) reject(begin, "missing } of \\p{", "write \\p{Greek} or \\pL");
    name = text->rest.substr(0, end);
    text->rest.remove_prefix(end + 1);
  } else if (!text->rest.empty()) {
    name = text->rest;
    text->take_codepoint();
    name.remove_suffix(text->rest.size());
  }
  if (name.substr(0, 1) == "^") {
    negated = !negated;
    name.remove_prefix(1);
  }
  const std::tuple key(name, negated, fold_case);
  if (const auto found = known_.find(key); found != known_.end()) return found->second;
  auto set = unicode_set(name);
  if (!set) {
    reject(begin, "unknown class " + text->taken_since(begin.rest),
           "names are those of Unicode's general categories, such as Lu, those of scripts, such as Greek, and Any");
  }
  return known_.emplace(key, finish(std::move(*set), negated, fold_case)).first->second;
}

std::optional<CodepointSet> ClassParser::take_escape_class(SyntaxText* text, bool fold_case) {
  constexpr std::string_view kLetters = "dswpDSWP";
  const SyntaxText begin = *text;
  if (text->rest.size() < 2 || text->rest[0] != '\\') return std::nullopt;
  const size_t kind = kLetters.find(text->rest[1]);
  if (kind == std::string_view::npos) return std::nullopt;
  text->rest.remove_prefix(2);
  const bool negated = kind >= 4;
  if (kind % 4 == 3) return take_unicode_class(begin, text, negated, fold_case);
  constexpr std::string_view kNames[] = {"digit", "perl-space", "word"};
  return finish(*ascii_set(kNames[kind % 4]), negated, fold_case);
}

CodepointSet ClassParser::take_bracket_class(SyntaxText* text, bool fold_case) {
  const SyntaxText begin = *text;
  const auto check_end = [&] {
    if (text->rest.empty()) reject(begin, "missing ] of the class", "write \\[ for a bracket");
  };
  text->take("[");
  const bool negated = text->take("^");
  // Ranges are folded together, and sets by themselves: the complement of one is that of the folded set.
  Ranges ranges;
  CodepointSet sets;
  for (bool first = true; first || !text->take("]"); first = false) {
    check_end();
    auto set = take_named_class(text, fold_case);
    if (!set) set = take_escape_class(text, fold_case);
    if (set) {
      sets.add(*set);
      continue;
    }
    const SyntaxText low_begin = *text;
    const uint32_t low = take_character(text);
    uint32_t high = low;
    if (text->rest.size() > 1 && text->rest[0] == '-' && text->rest[1] != ']') {
      text->take("-");
      const SyntaxText high_begin = *text;
      if (take_escape_class(text, fold_case)) {
        reject(high_begin, "class " + text->taken_since(high_begin.rest) + " as the end of a range",
               "write \\- for a hyphen");
      }
      high = take_character(text);
      if (high < low) {
        reject(low_begin, "range " + text->taken_since(low_begin.rest) + " in reverse", "write the smaller end first");
      }
    }
    ranges.push_back({low, high});
  }
  CodepointSet set(std::move(ranges));
  if (fold_case) set.add(case_variants(set));
  set.add(sets);
  if (negated) set.invert();
  return set;
}

}  // namespace stringops
