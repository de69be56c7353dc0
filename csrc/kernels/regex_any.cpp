#include "kernels/regex_any.h"

#include <string>
#include <vector>

#include "core/content_cache.h"
#include "core/fail.h"
#include "core/lazy.h"
#include "kernels/pattern_list.h"

namespace stringops::kernels {
namespace {

// The memory of alternations in the cache. The patterns that are compiled of them have a cache of their own.
constexpr int64_t kCachedAlternationBytes = 8 << 20;

struct Alternation {
  std::string text;

  int64_t num_bytes() const { return static_cast<int64_t>(text.size()); }
};

// Each pattern is parsed by itself, as "a)" and "(b" would only together be one.
Alternation join(const char* op, const std::vector<std::string>& patterns) {
  Alternation all;
  for (size_t i = 0; i < patterns.size(); ++i) {
    try {
      parse_pattern(patterns[i]);
    } catch (const PatternError& error) {
      fail(op, ": cannot compile `patterns[", i, "]`: ", error.what());
    }
    all.text += (i == 0 ? "(?:" : "|(?:") + patterns[i] + ")";
  }
  return all;
}

}  // namespace

std::shared_ptr<const Pattern> compile_any(const char* op, const StringSpan& patterns) {
  if (patterns.size() == 0) return nullptr;
  auto& cache = lazy([] { return ContentCache<Alternation>(kCachedAlternationBytes); });
  const PatternList list(op, patterns);
  const auto all = cache.get(list.bytes(), [&] { return join(op, list.texts()); });
  try {
    return Pattern::compile(all->text, MatchRule::kFirst);
  } catch (const PatternError& error) {
    fail(op, ": cannot compile all patterns together: ", error.what());
  }
}

}  // namespace stringops::kernels
