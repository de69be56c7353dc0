#include "regex/pattern.h"

#include <re2/re2.h>

#include <algorithm>
#include <atomic>
#include <list>
#include <unordered_map>

#include "core/fork_safe_lock.h"
#include "core/lazy.h"
#include "core/utf8.h"
#include "regex/engine.h"

namespace stringops {
namespace {

// Memory limit of all cached patterns: 64 ordinary ones; and of all engines but the first of each.
constexpr int64_t kKeptBytes = 512 << 20;
std::atomic<int64_t> extra_bytes{0};

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

re2::RE2::Options options() {
  re2::RE2::Options o;
  o.set_log_errors(false);
  return o;
}

// RE2 parses larger ones only partially, and logs that to stderr.
constexpr size_t kMaxPatternBytes = 1 << 18;

// The end of the errors about patterns that are too large.
constexpr const char* kSmaller =
    " (use smaller counts; to find the words of a list, split the strings and pass the pieces to string_isin or a "
    "Vocabulary)";

// The fragment of an error can be the whole pattern.
std::string shorten(const std::string& fragment) {
  constexpr size_t kMaxBytes = 80;
  if (fragment.size() <= kMaxBytes) return fragment;
  size_t end = kMaxBytes;
  while (is_continuation(static_cast<uint8_t>(fragment[end]))) --end;
  return fragment.substr(0, end) + "...";
}

}  // namespace

void Pattern::DeleteEngine::operator()(Engine* engine) const {
  delete engine;
}

Pattern::Pattern(std::string_view text, MatchRule rule) : rule_(rule) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  if (const auto at = find_invalid_utf8(bytes, bytes + text.size())) {
    throw PatternError("invalid UTF-8 at byte " + std::to_string(*at));
  }
  if (text.size() > kMaxPatternBytes) {
    throw PatternError("expected at most " + std::to_string(kMaxPatternBytes) + " bytes, got " +
                       std::to_string(text.size()) + kSmaller);
  }
  translated_ = normalize(text);
  syntax_ = parse_syntax(translated_);
  const re2::RE2 checked(translated_, options());
  if (!checked.ok()) check_extensions(checked);
  // The parser knows all that RE2 accepts.
  if (!syntax_) throw PatternError("expected groups nested at most " + std::to_string(kMaxDepth) + " deep");
  num_groups_ = syntax_->num_groups;
  set_ = set_pattern(*syntax_);
  prefix_ = run_prefix(syntax_->root);
  required_ = required_char(syntax_->root);
  if (prefix_ && required_ && is_rarer(*required_, prefix_->after)) prefix_.reset();
  if (prefix_) required_.reset();
  class_rule_ = stringops::class_rule(*syntax_, rule);
  if (!set_) literal_ = literal_pattern(*syntax_).value_or("");
  literals_ = literal_set(*syntax_, rule);
  run_before_ = stringops::run_before(*syntax_);
  try {
    automaton_.emplace(*syntax_, rule);
  } catch (const std::length_error& error) {
    throw PatternError(error.what() + std::string(kSmaller));
  }
  max_bytes_ = automaton_->max_bytes();
}

// Throws the error of RE2, unless that is about what is beyond its syntax.
void Pattern::check_extensions(const re2::RE2& rejected) const {
  if (syntax_ && syntax_->is_beyond_re2 && re2::RE2(syntax_->without_extensions, options()).ok()) {
    return;
  }
  if (rejected.error_code() == re2::RE2::ErrorPatternTooLarge) return;  // our limits count
  const bool trailing = rejected.error_code() == re2::RE2::ErrorTrailingBackslash;
  const std::string fragment = trailing ? "\\" : shorten(rejected.error_arg());
  throw PatternError(shorten(rejected.error()) + (fragment.empty() ? "" : ", near '" + fragment + "'"));
}

Pattern::~Pattern() {
  while (idle_ && idle_->next) {
    idle_ = std::move(idle_->next);
    extra_bytes -= max_bytes_;
  }
}

Pattern::EnginePtr Pattern::take_engine() const {
  {
    const ForkSafeLock lock;
    if (idle_) {
      EnginePtr engine = std::move(idle_);
      idle_ = std::move(engine->next);
      if (idle_) extra_bytes -= max_bytes_;
      return engine;
    }
  }
  return EnginePtr(new Engine());  // slow, hence without the lock
}

void Pattern::give_back(EnginePtr engine) const {
  const ForkSafeLock lock;
  if (idle_) {
    if (extra_bytes + max_bytes_ > kKeptBytes) return;
    extra_bytes += max_bytes_;
  }
  engine->next = std::move(idle_);
  idle_ = std::move(engine);
}

std::shared_ptr<const Pattern> Pattern::compile(std::string_view text, MatchRule rule) {
  struct Entry {
    std::string text;
    std::shared_ptr<const Pattern> pattern;
  };
  using Entries = std::list<Entry>;
  struct Cache {
    Entries recent;  // most recently used first
    std::array<std::unordered_map<std::string_view, Entries::iterator>, 2> by_rule;
    int64_t kept_bytes = 0;
  };
  auto& [recent, by_rule, kept_bytes] = lazy([] { return Cache(); });
  auto& by_text = by_rule[static_cast<size_t>(rule)];
  {
    const ForkSafeLock lock;
    if (const auto found = by_text.find(text); found != by_text.end()) {
      recent.splice(recent.begin(), recent, found->second);
      return found->second->pattern;
    }
  }
  auto pattern = std::make_shared<const Pattern>(text, rule);  // slow, hence without the lock
  Entries fresh, dropped;                                      // destroyed without it
  fresh.push_front({std::string(text), pattern});
  const ForkSafeLock lock;
  if (const auto found = by_text.find(text); found != by_text.end()) return found->second->pattern;
  by_text.emplace(fresh.front().text, fresh.begin());  // the last step that may throw
  recent.splice(recent.begin(), fresh);
  kept_bytes += pattern->max_bytes_;
  while (kept_bytes > kKeptBytes) {
    const auto last = std::prev(recent.end());
    kept_bytes -= last->pattern->max_bytes_;
    by_rule[static_cast<size_t>(last->pattern->rule_)].erase(last->text);
    dropped.splice(dropped.begin(), recent, last);
  }
  return pattern;
}

}  // namespace stringops
