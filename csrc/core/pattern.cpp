#include "core/pattern.h"

#include <re2/re2.h>

#include <algorithm>
#include <list>
#include <mutex>
#include <unordered_map>

#include "core/char_class.h"
#include "core/utf8.h"

namespace stringops {
namespace {

// Memory limit of all cached patterns: 64 ordinary ones.
constexpr int64_t kKeptBytes = 512 << 20;

// Translates a pattern for all releases of RE2: (?<name>...) is (?P<name>...) before 2023. \C, a single byte, is
// rejected, as it would split code points. Neither has a meaning inside a class, after a backslash or in \Q...\E.
std::string normalize(std::string_view text) {
  std::string out;
  bool in_class = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::string_view rest = text.substr(i);
    if (c == '\\' && i + 1 < text.size()) {
      if (rest[1] == 'C' && !in_class) throw PatternError("\\C, a single byte, is not supported, near '\\C'");
      size_t length = 2;
      if (rest[1] == 'Q' && !in_class) {
        const size_t end = rest.find("\\E");
        length = end == std::string_view::npos ? rest.size() : end + 2;
      }
      out += rest.substr(0, length);
      i += length - 1;
    } else if (in_class) {
      if (rest.substr(0, 2) == "[:") {
        const size_t end = rest.find(":]");
        const size_t length = end == std::string_view::npos ? 1 : end + 2;
        out += rest.substr(0, length);
        i += length - 1;
      } else {
        in_class = c != ']';
        out += c;
      }
    } else if (c == '[') {
      in_class = true;
      // "]" directly after the opening, or after its ^, is an ordinary character.
      size_t length = rest.substr(0, 2) == "[^" ? 2 : 1;
      if (length < rest.size() && rest[length] == ']') ++length;
      out += rest.substr(0, length);
      i += length - 1;
    } else if (rest.substr(0, 3) == "(?<" && rest.size() > 3 && rest[3] != '=' && rest[3] != '!') {
      out += "(?P<";
      i += 2;
    } else {
      out += c;
    }
  }
  return out;
}

re2::RE2::Options options(int64_t max_mem) {
  re2::RE2::Options o;
  o.set_log_errors(false);
  o.set_longest_match(true);
  o.set_max_mem(max_mem);
  return o;
}

// RE2 parses larger ones only partially, and logs that to stderr.
constexpr size_t kMaxPatternBytes = 1 << 18;

// The fragment of an error can be the whole pattern.
std::string shorten(const std::string& fragment) {
  constexpr size_t kMaxBytes = 80;
  if (fragment.size() <= kMaxBytes) return fragment;
  size_t end = kMaxBytes;
  while (is_continuation(static_cast<uint8_t>(fragment[end]))) --end;
  return fragment.substr(0, end) + "...";
}

// RE2 rejects a pattern as too large by its memory limit: the default one decides, as in onnxruntime.
constexpr int64_t kDefaultBytes = 8 << 20;
// If the states of the automaton exceed the memory, RE2 continues without one, a thousand times slower; and it needs
// room for twenty states per instruction to start one. So large programs get more. On texts made to fill it they took
// 10 to 77 MB, the program included.
int64_t max_bytes(int64_t num_instructions) {
  constexpr int64_t kLargeProgram = 500;
  constexpr int64_t kBytesPerInstruction = 600;
  constexpr int64_t kMinBytes = 32 << 20;
  if (num_instructions <= kLargeProgram) return kDefaultBytes;
  return std::max(kMinBytes, num_instructions * kBytesPerInstruction);
}

}  // namespace

Pattern::Pattern(std::string_view text) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  if (const auto at = find_invalid_utf8(bytes, bytes + text.size())) {
    throw PatternError("invalid UTF-8 at byte " + std::to_string(*at));
  }
  if (text.size() > kMaxPatternBytes) {
    throw PatternError("expected at most " + std::to_string(kMaxPatternBytes) + " bytes, got " +
                       std::to_string(text.size()));
  }
  const std::string pattern = normalize(text);
  re_ = std::make_unique<re2::RE2>(pattern, options(kDefaultBytes));
  if (!re_->ok()) {
    const bool trailing = re_->error_code() == re2::RE2::ErrorTrailingBackslash;
    const std::string fragment = trailing ? "\\" : shorten(re_->error_arg());
    throw PatternError(shorten(re_->error()) + (fragment.empty() ? "" : ", near '" + fragment + "'"));
  }
  num_instructions_ = std::max(re_->ProgramSize(), 1);
  max_bytes_ = max_bytes(num_instructions_);
  if (max_bytes_ > kDefaultBytes) re_ = std::make_unique<re2::RE2>(pattern, options(max_bytes_));
  find_first_bytes(pattern);
}

void Pattern::find_first_bytes(const std::string& pattern) {
  const auto set = parse_first_chars(pattern);
  std::string low, high;
  if (!set) {
    // RE2 knows the range of matches at the beginning of a text, where ^ and $ hold if anywhere; \b and \B need not.
    const bool needs_context = pattern.find("\\b") != std::string::npos || pattern.find("\\B") != std::string::npos;
    if (needs_context || !re_->PossibleMatchRange(&low, &high, 4) || low.empty() || high.empty()) return;
  }
  has_first_ = true;
  for (int b = 0; b < 256; ++b) {
    const auto byte = static_cast<uint8_t>(b);
    const bool possible =
        set ? set->contains(byte) : byte >= static_cast<uint8_t>(low[0]) && byte <= static_cast<uint8_t>(high[0]);
    first_[byte] = possible && !is_continuation(byte);
  }
}

Pattern::~Pattern() = default;

bool Pattern::find(std::string_view text, int64_t from, Match* match) const {
  re2::StringPiece found;
  const auto matches = [&](int64_t at, re2::RE2::Anchor anchor) {
    return re_->Match({text.data(), text.size()}, static_cast<size_t>(at), text.size(), anchor, &found, 1);
  };
  if (has_first_) {
    // A search takes two passes, forward for the end and backward for the beginning; an anchored one takes a single
    // pass. Only one such attempt, so that failed ones cannot add up.
    bool attempted = false;
    const auto size = static_cast<int64_t>(text.size());
    for (; from < size; ++from) {
      if (!first_[static_cast<uint8_t>(text[static_cast<size_t>(from)])]) continue;
      if (attempted) break;
      attempted = true;
      if (matches(from, re2::RE2::ANCHOR_START)) {
        *match = {from, from + static_cast<int64_t>(found.size())};
        return true;
      }
    }
    if (from >= size) return false;
  }
  if (!matches(from, re2::RE2::UNANCHORED)) return false;
  match->begin = found.data() - text.data();
  match->end = match->begin + static_cast<int64_t>(found.size());
  return true;
}

std::shared_ptr<const Pattern> Pattern::compile(std::string_view text) {
  using Entry = std::pair<std::string, std::shared_ptr<const Pattern>>;
  static std::mutex mutex;
  static std::list<Entry> recent;  // most recently used first
  static std::unordered_map<std::string_view, std::list<Entry>::iterator> by_text;
  static int64_t kept_bytes = 0;
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (const auto found = by_text.find(text); found != by_text.end()) {
      recent.splice(recent.begin(), recent, found->second);
      return found->second->second;
    }
  }
  auto pattern = std::make_shared<const Pattern>(text);  // slow, hence without the lock
  const std::lock_guard<std::mutex> lock(mutex);
  if (const auto found = by_text.find(text); found != by_text.end()) return found->second->second;
  std::list<Entry> fresh;
  fresh.emplace_front(text, pattern);
  by_text.emplace(fresh.front().first, fresh.begin());  // the last step that may throw
  recent.splice(recent.begin(), fresh);
  kept_bytes += pattern->max_bytes_;
  while (kept_bytes > kKeptBytes) {
    kept_bytes -= recent.back().second->max_bytes_;
    by_text.erase(recent.back().first);
    recent.pop_back();
  }
  return pattern;
}

}  // namespace stringops
