#include "regex/pattern.h"

#include <re2/re2.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <list>
#include <mutex>
#include <unordered_map>

#include "core/testing.h"
#include "core/utf8.h"
#include "regex/longest_search.h"

namespace stringops {
namespace {

// Memory limit of all cached patterns: 64 ordinary ones; and of all engines but the first of each.
constexpr int64_t kKeptBytes = 512 << 20;
std::atomic<int64_t> extra_bytes{0};

// Tests force RE2, to compare it with the automaton.
std::atomic<bool> re2_forced{false};

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

re2::RE2::Options options(MatchRule rule, int64_t max_mem) {
  re2::RE2::Options o;
  o.set_log_errors(false);
  o.set_longest_match(rule == MatchRule::kLongest);
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

struct Pattern::Engine {
  std::optional<re2::RE2> re2;  // made when it is needed
  std::optional<LongestSearch> longest;
  EnginePtr next;  // in the list of idle ones: keeping an engine needs no memory, so it cannot fail
};

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
                       std::to_string(text.size()));
  }
  translated_ = normalize(text);
  max_bytes_ = kDefaultBytes;
  EnginePtr engine = new_engine();
  add_re2(*engine);
  if (!engine->re2->ok()) {
    const bool trailing = engine->re2->error_code() == re2::RE2::ErrorTrailingBackslash;
    const std::string fragment = trailing ? "\\" : shorten(engine->re2->error_arg());
    throw PatternError(shorten(engine->re2->error()) + (fragment.empty() ? "" : ", near '" + fragment + "'"));
  }
  num_groups_ = engine->re2->NumberOfCapturingGroups();
  max_bytes_ = max_bytes(engine->re2->ProgramSize());
  if (max_bytes_ > kDefaultBytes) add_re2(*engine);
  matches_inside_codepoints_ = translated_.find("\\B") != std::string::npos;
  syntax_ = parse_syntax(translated_);
  if (syntax_) {
    find_first_bytes(*engine, first_chars(syntax_->root));
    set_ = set_pattern(*syntax_);
    prefix_ = run_prefix(syntax_->root);
    class_rule_ = stringops::class_rule(*syntax_, rule);
    if (!set_) literal_ = literal_pattern(*syntax_).value_or("");
    if (rule == MatchRule::kLongest) {
      automaton_ = Automaton::compile(*syntax_);
      if (!automaton_) {
        throw PatternError("too many repetitions and alternatives for a search in bounded time (use smaller counts)");
      }
      engine->re2.reset();
    }
  }
  idle_ = std::move(engine);
}

void Pattern::add_re2(Engine& engine) const {
  engine.re2.emplace(translated_, options(rule_, max_bytes_));
}

void Pattern::find_first_bytes(const Engine& engine, const std::optional<CharSet>& set) {
  std::string low, high;
  if (!set) {
    // RE2 knows the range of matches at the beginning of a text, where ^ and $ hold if anywhere; \b and \B need not.
    const bool needs_context = translated_.find("\\b") != std::string::npos || matches_inside_codepoints_;
    if (needs_context || !engine.re2->PossibleMatchRange(&low, &high, 4) || low.empty() || high.empty()) return;
  }
  has_first_ = true;
  for (int b = 0; b < 256; ++b) {
    const auto byte = static_cast<uint8_t>(b);
    const bool possible =
        set ? set->contains(byte) : byte >= static_cast<uint8_t>(low[0]) && byte <= static_cast<uint8_t>(high[0]);
    first_[byte] = possible && !is_continuation(byte);
  }
}

Pattern::~Pattern() {
  while (idle_ && idle_->next) {
    idle_ = std::move(idle_->next);
    extra_bytes -= max_bytes_;
  }
}

Pattern::EnginePtr Pattern::new_engine() const {
  return EnginePtr(new Engine());
}

Pattern::EnginePtr Pattern::take_engine() const {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (idle_) {
      EnginePtr engine = std::move(idle_);
      idle_ = std::move(engine->next);
      if (idle_) extra_bytes -= max_bytes_;
      return engine;
    }
  }
  return new_engine();  // slow, hence without the lock
}

void Pattern::give_back(EnginePtr engine) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (idle_) {
    if (extra_bytes + max_bytes_ > kKeptBytes) return;
    extra_bytes += max_bytes_;
  }
  engine->next = std::move(idle_);
  idle_ = std::move(engine);
}

Searcher::Searcher(const Pattern& pattern) : pattern_(pattern), engine_(pattern.take_engine()) {
  if (pattern.automaton_ && !re2_forced.load(std::memory_order_relaxed)) {
    if (!engine_->longest) engine_->longest.emplace(*pattern.automaton_);
    longest_ = &*engine_->longest;
  } else if (!engine_->re2) {
    pattern.add_re2(*engine_);
  }
}

void Searcher::force_re2(bool enable) {
  re2_forced = enable;
}

Searcher::~Searcher() {
  pattern_.give_back(std::move(engine_));
}

bool Searcher::match(std::string_view text, int64_t from, int anchor, Match* groups, int64_t count) {
  if (longest_ && anchor == re2::RE2::ANCHOR_START && count == 1) {
    *groups = {from, longest_->find_end(from)};
    return groups->end >= 0;
  }
  if (text.data() == nullptr) text = "";  // the groups of a match have addresses
  constexpr int64_t kFewGroups = 8;
  re2::StringPiece few[kFewGroups];
  std::vector<re2::StringPiece> many(static_cast<size_t>(count > kFewGroups ? count : 0));
  re2::StringPiece* const found = count > kFewGroups ? many.data() : few;
  if (!engine_->re2->Match({text.data(), text.size()}, static_cast<size_t>(from), text.size(),
                           static_cast<re2::RE2::Anchor>(anchor), found, static_cast<int>(count))) {
    return false;
  }
  for (int64_t g = 0; g < count; ++g) {
    const int64_t begin = found[g].data() == nullptr ? -1 : found[g].data() - text.data();
    groups[g] = {begin, begin + static_cast<int64_t>(found[g].size())};
  }
  return true;
}

// Tries the first places that have the pattern's prefix, with an anchored search each; only a few, so that failed ones
// cannot add up. If there is no match, moves `from` to where one may still begin: beyond the text, if nowhere.
bool Searcher::find_by_prefix(std::string_view text, int64_t* from, Match* groups, int64_t count) {
  constexpr int kMaxAttempts = 4;
  const RunPrefix& prefix = *pattern_.prefix_;
  const auto* const bytes = reinterpret_cast<const uint8_t*>(text.data());
  const auto size = static_cast<int64_t>(text.size());
  int64_t at = *from;
  for (int attempts = 0; attempts < kMaxAttempts;) {
    const void* const found =
        at < size ? std::memchr(bytes + at, prefix.after, static_cast<size_t>(size - at)) : nullptr;
    if (!found) {
      *from = size + 1;
      return false;
    }
    const int64_t after = static_cast<const uint8_t*>(found) - bytes;
    int64_t begin = after;
    const int64_t first = prefix.count == 0 ? *from : std::max(*from, after - prefix.count);
    while (begin > first && prefix.run.contains(bytes[begin - 1])) --begin;
    if (begin < after && (prefix.count == 0 || after - begin == prefix.count)) {
      if (match(text, begin, re2::RE2::ANCHOR_START, groups, count)) return true;
      ++attempts;
    }
    at = *from = after + 1;
  }
  return false;
}

bool Searcher::find_by_re2(std::string_view text, int64_t from, Match* groups, int64_t count) {
  if (pattern_.prefix_) {
    if (find_by_prefix(text, &from, groups, count)) return true;
    if (from > static_cast<int64_t>(text.size())) return false;
  } else if (pattern_.has_first_) {
    // A search takes two passes, forward for the end and backward for the beginning; an anchored one takes a single
    // pass. Only one such attempt, so that failed ones cannot add up.
    bool attempted = false;
    const auto size = static_cast<int64_t>(text.size());
    for (; from < size; ++from) {
      if (!pattern_.first_[static_cast<uint8_t>(text[static_cast<size_t>(from)])]) continue;
      if (attempted) break;
      attempted = true;
      if (match(text, from, re2::RE2::ANCHOR_START, groups, count)) return true;
    }
    if (from >= size) return false;
  }
  return match(text, from, re2::RE2::UNANCHORED, groups, count);
}

bool Searcher::find(std::string_view text, int64_t from, Match* groups, int64_t count) {
  if (longest_ && count == 1) {
    if (from == 0) longest_->start(text);
    if (pattern_.prefix_ && !longest_->looks_back()) {
      if (find_by_prefix(text, &from, groups, count)) return true;
      if (from > static_cast<int64_t>(text.size())) return false;
    }
    return longest_->find(from, &groups[0].begin, &groups[0].end);
  }
  if (!engine_->re2) pattern_.add_re2(*engine_);
  while (find_by_re2(text, from, groups, count)) {
    from = groups[0].begin;
    if (!pattern_.matches_inside_codepoints_ || from == static_cast<int64_t>(text.size()) ||
        !is_continuation(static_cast<uint8_t>(text[static_cast<size_t>(from)])))
      return true;
    ++from;
  }
  return false;
}

void Searcher::reject(const Match& match) {
  if (longest_) longest_->reject(match.begin, match.end);
}

bool Searcher::contains(std::string_view text) {
  if (longest_) return longest_->contains(text);
  if (pattern_.matches_inside_codepoints_) {
    Match ignored{};
    return find(text, 0, &ignored);
  }
  int64_t from = 0;
  const auto size = static_cast<int64_t>(text.size());
  if (pattern_.prefix_) {
    if (find_by_prefix(text, &from, nullptr, 0)) return true;
    if (from > size) return false;
  } else if (pattern_.has_first_) {
    while (from < size && !pattern_.first_[static_cast<uint8_t>(text[static_cast<size_t>(from)])]) ++from;
    if (from == size) return false;
  }
  return match(text, from, re2::RE2::UNANCHORED, nullptr, 0);
}

bool Searcher::matches_all(std::string_view text) {
  if (longest_) return longest_->matches_all(text);
  return match(text, 0, re2::RE2::ANCHOR_BOTH, nullptr, 0);
}

std::shared_ptr<const Pattern> Pattern::compile(std::string_view text, MatchRule rule) {
  struct Entry {
    std::string text;
    std::shared_ptr<const Pattern> pattern;
  };
  using Entries = std::list<Entry>;
  static std::mutex mutex;
  static Entries recent;  // most recently used first
  static std::array<std::unordered_map<std::string_view, Entries::iterator>, 2> by_rule;
  static int64_t kept_bytes = 0;
  auto& by_text = by_rule[static_cast<size_t>(rule)];
  {
    const std::lock_guard<std::mutex> lock(mutex);
    if (const auto found = by_text.find(text); found != by_text.end()) {
      recent.splice(recent.begin(), recent, found->second);
      return found->second->pattern;
    }
  }
  auto pattern = std::make_shared<const Pattern>(text, rule);  // slow, hence without the lock
  const std::lock_guard<std::mutex> lock(mutex);
  if (const auto found = by_text.find(text); found != by_text.end()) return found->second->pattern;
  Entries fresh;
  fresh.push_front({std::string(text), pattern});
  by_text.emplace(fresh.front().text, fresh.begin());  // the last step that may throw
  recent.splice(recent.begin(), fresh);
  kept_bytes += pattern->max_bytes_;
  while (kept_bytes > kKeptBytes) {
    const Entry& last = recent.back();
    kept_bytes -= last.pattern->max_bytes_;
    by_rule[static_cast<size_t>(last.pattern->rule_)].erase(last.text);
    recent.pop_back();
  }
  return pattern;
}

}  // namespace stringops

STRINGOPS_TEST_HOOK void stringops_force_re2(bool enable) {
  stringops::Searcher::force_re2(enable);
}
