#include "core/char_class.h"

#include <cctype>

namespace stringops {
namespace {

constexpr std::string_view kMeta = "\\.+*?()|[]{}^$";

bool is_punctuation(char c) {
  return c > ' ' && c < 0x7F && !std::isalnum(static_cast<unsigned char>(c));
}

bool is_ascii(char c) {
  return static_cast<unsigned char>(c) < 0x80;
}

// \d, \w and \s and their complements.
std::optional<CharSet> escape_class(char letter) {
  CharSet set;
  const char lower = static_cast<char>(letter | 0x20);
  if (lower == 's') {
    for (const char c : {'\t', '\n', '\f', '\r', ' '}) set.add(static_cast<uint8_t>(c));
  } else if (lower == 'd' || lower == 'w') {
    set.add('0', '9');
    if (lower == 'w') {
      set.add('A', 'Z');
      set.add('a', 'z');
      set.add('_');
    }
  } else {
    return std::nullopt;
  }
  if (letter < 'a') set.invert();
  return set;
}

// The character of an escape sequence: punctuation, or a control character.
std::optional<uint8_t> escape_char(char letter) {
  if (is_punctuation(letter)) return static_cast<uint8_t>(letter);
  constexpr std::string_view kLetters = "ntrfva", kChars = "\n\t\r\f\v\a";
  const size_t at = kLetters.find(letter);
  if (at == std::string_view::npos) return std::nullopt;
  return static_cast<uint8_t>(kChars[at]);
}

// Removes a class [...] from the start of `text`.
std::optional<CharSet> bracket_class(std::string_view* text) {
  std::string_view rest = text->substr(1);
  CharSet set;
  const bool negated = !rest.empty() && rest[0] == '^';
  if (negated) rest.remove_prefix(1);
  bool first = true;
  // Removes one character of the class, a single one or an end of a range; `rest` is not empty.
  const auto take = [&]() -> std::optional<uint8_t> {
    if (!is_ascii(rest[0])) return std::nullopt;
    if (rest[0] != '\\') {
      const auto c = static_cast<uint8_t>(rest[0]);
      rest.remove_prefix(1);
      return c;
    }
    if (rest.size() < 2) return std::nullopt;
    const auto c = escape_char(rest[1]);
    if (c) rest.remove_prefix(2);
    return c;
  };
  while (!rest.empty() && (rest[0] != ']' || first)) {
    first = false;
    if (rest.substr(0, 2) == "[:") return std::nullopt;
    if (rest[0] == '\\' && rest.size() > 1) {
      if (const auto members = escape_class(rest[1])) {
        set.add(*members);
        rest.remove_prefix(2);
        if (rest.substr(0, 1) == "-" && rest.substr(0, 2) != "-]") return std::nullopt;
        continue;
      }
    }
    const auto low = take();
    if (!low) return std::nullopt;
    if (rest.size() < 2 || rest[0] != '-' || rest[1] == ']') {
      set.add(*low);
      continue;
    }
    rest.remove_prefix(1);
    if (rest[0] == '[') return std::nullopt;
    const auto high = take();
    if (!high || *high < *low) return std::nullopt;
    set.add(*low, *high);
  }
  if (rest.empty()) return std::nullopt;
  rest.remove_prefix(1);
  if (negated) set.invert();
  *text = rest;
  return set;
}

// Removes one set from the start of `pattern`.
std::optional<CharSet> take_set(std::string_view* pattern) {
  if (pattern->empty()) return std::nullopt;
  const char first = pattern->front();
  if (first == '[') return bracket_class(pattern);
  CharSet set;
  if (first == '\\') {
    if (pattern->size() < 2) return std::nullopt;
    if (const auto members = escape_class((*pattern)[1])) {
      set = *members;
    } else if (const auto c = escape_char((*pattern)[1])) {
      set.add(*c);
    } else {
      return std::nullopt;
    }
    pattern->remove_prefix(2);
    return set;
  }
  if (kMeta.find(first) != std::string_view::npos || !is_ascii(first)) return std::nullopt;
  set.add(static_cast<uint8_t>(first));
  pattern->remove_prefix(1);
  return set;
}

}  // namespace

std::optional<SetPattern> parse_set_pattern(std::string_view pattern) {
  const auto set = take_set(&pattern);
  if (!set) return std::nullopt;
  if (pattern.empty()) return SetPattern{*set, false};
  if (pattern == "+") return SetPattern{*set, true};
  return std::nullopt;
}

std::optional<CharSet> parse_first_chars(std::string_view pattern) {
  CharSet first;
  while (true) {
    const auto set = take_set(&pattern);
    if (!set) return std::nullopt;
    first.add(*set);
    if (!pattern.empty() && (pattern[0] == '*' || pattern[0] == '?' || pattern[0] == '{')) return std::nullopt;
    // Up to the next alternative there must be sets alone, so that a "|" is not inside a group.
    while (!pattern.empty() && pattern[0] != '|') {
      if (std::string_view("+*?").find(pattern[0]) != std::string_view::npos) {
        pattern.remove_prefix(1);
      } else if (!take_set(&pattern)) {
        return std::nullopt;
      }
    }
    if (pattern.empty()) return first;
    pattern.remove_prefix(1);
  }
}

std::optional<RunPrefix> parse_run_prefix(std::string_view pattern) {
  // Alternatives may be anywhere, and the pattern is not parsed as a whole.
  if (pattern.find('|') != std::string_view::npos) return std::nullopt;
  int64_t open_groups = 0;
  for (; pattern.substr(0, 1) == "("; ++open_groups) {
    size_t length = 1;
    if (pattern.substr(0, 3) == "(?:") {
      length = 3;
    } else if (pattern.substr(0, 4) == "(?P<") {
      length = pattern.find('>') + 1;
    } else if (pattern.substr(0, 2) == "(?") {
      return std::nullopt;
    }
    if (length == 0) return std::nullopt;
    pattern.remove_prefix(length);
  }
  const auto run = take_set(&pattern);
  if (!run || pattern.empty()) return std::nullopt;
  RunPrefix prefix{*run, 0, 0};
  size_t length = 1;
  if (pattern[0] == '{') {
    length = pattern.find('}') + 1;
    const std::string_view digits = pattern.substr(1, length < 2 ? 0 : length - 2);
    if (digits.empty() || digits.size() > 2 || run->beyond_ascii) return std::nullopt;
    for (const char c : digits) {
      if (c < '0' || c > '9') return std::nullopt;
      prefix.count = 10 * prefix.count + (c - '0');
    }
    if (prefix.count == 0) return std::nullopt;
  } else if (pattern[0] != '+') {
    return std::nullopt;
  }
  pattern.remove_prefix(length);
  for (; open_groups > 0 && pattern.substr(0, 1) == ")"; --open_groups) pattern.remove_prefix(1);
  // Another repetition here fails too, as it is not an ordinary character. A group that is still open may be optional.
  if (pattern.empty()) return std::nullopt;
  for (const std::string_view end : {")?", ")*", "){"}) {
    if (open_groups > 0 && pattern.find(end) != std::string_view::npos) return std::nullopt;
  }
  std::optional<uint8_t> after;
  if (pattern[0] == '\\') {
    if (pattern.size() > 1) after = escape_char(pattern[1]);
    pattern.remove_prefix(1);
  } else if (kMeta.find(pattern[0]) == std::string_view::npos && is_ascii(pattern[0])) {
    after = static_cast<uint8_t>(pattern[0]);
  }
  if (!after || run->contains(*after)) return std::nullopt;
  if (pattern.size() > 1 && std::string_view("*?{").find(pattern[1]) != std::string_view::npos) return std::nullopt;
  prefix.after = *after;
  return prefix;
}

std::optional<std::string> parse_literal_pattern(std::string_view pattern) {
  std::string text;
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      if (++i == pattern.size()) return std::nullopt;
      const auto c = escape_char(pattern[i]);
      if (!c) return std::nullopt;
      text += static_cast<char>(*c);
    } else if (kMeta.find(pattern[i]) == std::string_view::npos) {
      text += pattern[i];
    } else {
      return std::nullopt;
    }
  }
  if (text.empty()) return std::nullopt;
  return text;
}

}  // namespace stringops
