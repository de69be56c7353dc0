#include "regex/pattern.h"

#include <algorithm>
#include <atomic>
#include <list>
#include <unordered_map>

#include "core/fork_safe_lock.h"
#include "core/lazy.h"
#include "core/utf8.h"
#include "regex/engine.h"
#include "regex/required_texts.h"

namespace stringops {
namespace {

// Memory limit of all cached patterns: 64 ordinary ones; and of all engines but the first of each.
constexpr int64_t kKeptBytes = 512 << 20;
std::atomic<int64_t> extra_bytes{0};

constexpr size_t kMaxPatternBytes = 1 << 18;

// The end of the errors about patterns that are too large.
constexpr const char* kSmaller =
    " (use smaller counts; to find the words of a list, split the strings and pass the pieces to string_isin or a "
    "Vocabulary)";

}  // namespace

Syntax parse_pattern(std::string_view text) {
  const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
  if (const auto at = find_invalid_utf8(bytes, bytes + text.size())) {
    throw PatternError("invalid UTF-8 at byte " + std::to_string(*at));
  }
  if (text.size() > kMaxPatternBytes) {
    throw PatternError("expected at most " + std::to_string(kMaxPatternBytes) + " bytes, got " +
                       std::to_string(text.size()) + kSmaller);
  }
  auto parsed = parse_syntax(text);
  if (const auto* fault = std::get_if<SyntaxFault>(&parsed)) {
    throw PatternError(fault->what + " at position " + std::to_string(fault->position) + " (" + fault->cure + ")");
  }
  return std::get<Syntax>(std::move(parsed));
}

void Pattern::DeleteEngine::operator()(Engine* engine) const {
  delete engine;
}

Pattern::Pattern(std::string_view text, MatchRule rule) : rule_(rule), syntax_(parse_pattern(text)) {
  set_ = set_pattern(syntax_);
  class_rule_ = stringops::class_rule(syntax_, rule);
  if (!set_) literal_ = literal_pattern(syntax_).value_or("");
  try {
    automaton_.emplace(syntax_, rule);
  } catch (const std::length_error& error) {
    throw PatternError(error.what() + std::string(kSmaller));
  }
  const MatchTexts folded = match_texts(syntax_.root, true);
  if (folded.longest.size() > std::max<size_t>(automaton_->texts.longest.size(), 1)) {
    folded_text_.emplace(folded.longest);
    begins_folded_ = folded.first == folded.longest;
    is_folded_ = begins_folded_ && literal_pattern(syntax_, true);
  } else {
    texts_in_matches_ = required_texts(syntax_.root);
  }
  max_bytes_ = automaton_->max_bytes();
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
