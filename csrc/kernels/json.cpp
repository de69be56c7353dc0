#include "kernels/json.h"

#include <algorithm>
#include <cstring>

#include "core/copy_bytes.h"
#include "core/narrow.h"
#include "core/parse_number.h"
#include "core/poll.h"
#include "core/strings.h"
#include "kernels/json_text.h"

namespace stringops::kernels {
namespace {

const uint8_t* skip_space(const uint8_t* p, const uint8_t* end) {
  while (p < end && (*p == ' ' || *p == '\n' || *p == '\t' || *p == '\r')) ++p;
  return p;
}

const uint8_t* skip_digits(const uint8_t* p, const uint8_t* end) {
  while (p < end && is_ascii_digit(*p)) ++p;
  return p;
}

// Reads a number from its first character on, which is a digit or a minus. Returns its end, or null, with `p` at the
// byte that does not belong to a number.
const uint8_t* read_number(const uint8_t*& p, const uint8_t* end, JsonKind& kind) {
  constexpr int64_t kSafeDigits = 18;  // that any int64 has room for
  const uint8_t* const begin = p;
  p += *p == '-';
  const uint8_t* const digits = p;
  p = skip_digits(p, end);
  if (p == digits) return nullptr;
  if (*digits == '0' && p > digits + 1) {
    p = digits + 1;
    return nullptr;
  }
  kind = JsonKind::kInteger;
  if (p - digits > kSafeDigits) {
    int64_t ignored;
    if (parse_number(StringView{begin, p}, p, ignored) != Parsed::kNumber) kind = JsonKind::kNumber;
  }
  if (p < end && *p == '.') {
    kind = JsonKind::kNumber;
    const uint8_t* const fraction = ++p;
    p = skip_digits(p, end);
    if (p == fraction) return nullptr;
  }
  if (p < end && (*p | 0x20) == 'e') {
    kind = JsonKind::kNumber;
    ++p;
    if (p < end && (*p == '+' || *p == '-')) ++p;
    const uint8_t* const exponent = p;
    p = skip_digits(p, end);
    if (p == exponent) return nullptr;
  }
  return p;
}

// Reads true, false or null. Returns the end, or null.
const uint8_t* read_word(const uint8_t* p, const uint8_t* end, JsonKind& kind) {
  const auto is = [&](const char* word, int64_t size, JsonKind of_word) {
    kind = of_word;
    return end - p >= size && std::memcmp(p, word, static_cast<size_t>(size)) == 0 ? p + size : nullptr;
  };
  switch (*p) {
    case 't':
      return is("true", 4, JsonKind::kTrue);
    case 'f':
      return is("false", 5, JsonKind::kFalse);
    case 'n':
      return is("null", 4, JsonKind::kNull);
    default:
      return nullptr;
  }
}

}  // namespace

int32_t JsonScanner::find_member(int32_t node, StringView key, bool has_escapes) {
  if (!has_escapes) {
    return paths_.member(node, {reinterpret_cast<const char*>(key.begin), static_cast<size_t>(key.size())});
  }
  return paths_.member(node, json_string(key));
}

std::optional<JsonFault> JsonScanner::scan(StringView document, JsonValue* values) {
  const uint8_t* const begin = document.begin;
  const uint8_t* const end = document.end;
  const uint8_t* p = begin;
  const uint8_t* fault = nullptr;
  const auto fails_at = [&](const uint8_t* at) { return JsonFault{at - begin, false}; };
  std::fill_n(values, paths_.size(), JsonValue{});
  JsonStops stops(JsonStops::kStrings, end);
  Pace pace;
  int32_t depth = 0;
  int32_t node = paths_.root();  // of the next value
  bool has_escapes;
  for (;;) {
    // A value begins here.
    pace.spend(8);
    p = skip_space(p, end);
    if (p == end) return fails_at(p);
    // An equal key before this one, or a path below it, had another value.
    if (node != JsonPaths::kNone) {
      for (const int32_t path : paths_.through(node)) values[path] = JsonValue{};
    }
    const uint8_t* value = p;
    JsonKind kind = JsonKind::kString;
    if (*p == '"') {
      p = end_of_json_string(p + 1, end, stops, has_escapes, fault);
      if (!p) return fails_at(fault);
    } else if (*p == '{' || *p == '[') {
      if (depth == kMaxDepth) return JsonFault{p - begin, true};
      const bool is_object = *p == '{';
      levels_[static_cast<size_t>(depth++)] = {p, node, -1, is_object};
      p = skip_space(p + 1, end);
      if (p == end) return fails_at(p);
      if (*p == (is_object ? '}' : ']')) {
        kind = JsonKind::kMissing;  // the bracket below closes it
      } else {
        goto next;
      }
    } else if (*p == '-' || is_ascii_digit(*p)) {
      const uint8_t* const number = read_number(p, end, kind);
      if (!number) return fails_at(p);
    } else {
      const uint8_t* const word = read_word(p, end, kind);
      if (!word) return fails_at(p);
      p = word;
    }
    // The value ends here. Then those end that it is the last one of.
    for (;;) {
      if (kind != JsonKind::kMissing && node != JsonPaths::kNone) {
        for (const int32_t path : paths_.ending(node)) {
          values[path] = {narrow<int32_t>(value - begin), narrow<int32_t>(p - begin), kind};
        }
      }
      p = skip_space(p, end);
      if (depth == 0) {
        if (p != end) return fails_at(p);
        return std::nullopt;
      }
      if (p == end) return fails_at(p);
      const Level& level = levels_[static_cast<size_t>(depth - 1)];
      if (kind != JsonKind::kMissing && *p == ',') {
        p = skip_space(p + 1, end);
        break;
      }
      if (*p != (level.is_object ? '}' : ']')) return fails_at(p);
      ++p;
      value = level.begin;
      node = level.node;
      kind = level.is_object ? JsonKind::kObject : JsonKind::kArray;
      --depth;
    }
  next:
    // The next member or item of the innermost object or array.
    Level& level = levels_[static_cast<size_t>(depth - 1)];
    if (!level.is_object) {
      ++level.index;
      node = level.node == JsonPaths::kNone ? JsonPaths::kNone : paths_.item(level.node, level.index);
      continue;
    }
    if (p == end || *p != '"') return fails_at(p);
    const uint8_t* const key = p + 1;
    p = end_of_json_string(key, end, stops, has_escapes, fault);
    if (!p) return fails_at(fault);
    node = paths_.has_members(level.node) ? find_member(level.node, {key, p - 1}, has_escapes) : JsonPaths::kNone;
    p = skip_space(p, end);
    if (p == end || *p != ':') return fails_at(p);
    ++p;
  }
}

void JsonSpans::run(const StringSpan& in, int64_t first, int64_t last, uint8_t* out) const {
  JsonScanner scanner(paths);
  const int64_t count = in.size(), num_paths = paths.size();
  std::vector<JsonValue> values(static_cast<size_t>(num_paths));
  bool all = true;
  for_each_string(in, first, last, [&](int64_t i, ByteRange string) {
    if (scanner.scan(in.view(string), values.data())) {
      std::fill(values.begin(), values.end(), JsonValue{});
      all = false;
    }
    for (int64_t p = 0; p < num_paths; ++p) {
      const JsonValue& value = values[static_cast<size_t>(p)];
      const int64_t at = p * count + i;
      spans[2 * at] = value.begin;
      spans[2 * at + 1] = value.end;
      out[at] = static_cast<uint8_t>(value.kind);
    }
  });
  if (!all) failed = true;
}

void JsonUnquote::Writer::write(const StringSpan& in, int64_t first, int64_t last) {
  const uint8_t* const in_end = in.data + in.num_bytes;
  uint8_t *at = out_.data + begin_, *const limit = out_.data + end_;
  JsonStops backslashes(JsonStops::kBackslashes, in_end);
  OffsetsWriter offsets(out_.offsets, first);
  for_each_string(in, first, last, [&](int64_t, ByteRange range) {
    StringView text = in.view(range);
    const bool is_quoted = text.size() >= 2 && *text.begin == '"' && text.end[-1] == '"';
    text = {text.begin + is_quoted, text.end - is_quoted};
    text.end = std::min(text.end, text.begin + (limit - at));  // shorter only after a race
    if (is_quoted) {
      at = write_json_string(text, in_end, backslashes, at, limit);
    } else {
      copy_short(at, limit, text.begin, in_end, text.size());
      at += text.size();
    }
    offsets.push(at - out_.data);
  });
  result.in_place = at - out_.data - begin_;
}

}  // namespace stringops::kernels
