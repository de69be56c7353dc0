#include "regex/unicode_sets.h"

#include <re2/re2.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <vector>

#include "core/codepoints.h"
#include "core/fork_safe_lock.h"
#include "core/lazy.h"

namespace stringops {
namespace {

// Code points in order, with their UTF-8.
struct Listed {
  std::vector<uint32_t> codepoints;
  std::string text;

  void add(uint32_t codepoint) {
    uint8_t bytes[4];
    const uint8_t* const end = write_utf8(&codepoint, 1, bytes);
    codepoints.push_back(codepoint);
    text.append(reinterpret_cast<const char*>(bytes), static_cast<size_t>(end - bytes));
  }
};

// Runs of members of a class take turns with runs of others.
class ClassFinder {
 public:
  // `members` is what stands in the brackets of the class.
  ClassFinder(const std::string& flags, const std::string& members)
      : runs_{{flags + "[^" + members + "]*", options()}, {flags + "[" + members + "]*", options()}} {}

  bool ok() const { return runs_[0].ok() && runs_[1].ok(); }

  // found(code point) for each member among them.
  template <class Found>
  void find(const Listed& listed, Found&& found) const {
    size_t at = 0, index = 0;
    for (bool inside = false; at < listed.text.size(); inside = !inside) {
      re2::StringPiece run;
      if (!runs_[inside].Match(listed.text, at, listed.text.size(), re2::RE2::ANCHOR_START, &run, 1)) return;
      for (const size_t end = at + run.size(); at < end; ++index) {
        if (inside) found(listed.codepoints[index]);
        at += static_cast<size_t>(codepoint_length(static_cast<uint8_t>(listed.text[at])));
      }
    }
  }

 private:
  static re2::RE2::Options options() {
    re2::RE2::Options o;
    o.set_log_errors(false);
    return o;
  }

  const re2::RE2 runs_[2];
};

// Planes 4 to 13 are not assigned, and 15 and 16 are for private use: all code points of such a plane are in a set or
// none, but for the last two, which are not characters.
constexpr uint32_t kPlane = 0x10000;

bool is_uniform_plane(uint32_t plane) {
  return plane >= 4 && plane != 14;
}

std::vector<CodepointRange> find_in_all(const ClassFinder& finder) {
  std::vector<CodepointRange> ranges;
  const auto add = [&](uint32_t first, uint32_t last) {
    if (!ranges.empty() && ranges.back().last + 1 == first) {
      ranges.back().last = last;
    } else {
      ranges.push_back({first, last});
    }
  };
  constexpr uint32_t kBlock = 0x1000;
  for (uint32_t plane = 0; plane * kPlane <= kMaxCodepoint; ++plane) {
    const uint32_t begin = plane * kPlane;
    Listed listed;
    if (is_uniform_plane(plane)) {
      for (const uint32_t c : {begin, begin + kPlane - 2, begin + kPlane - 1}) listed.add(c);
      finder.find(listed, [&](uint32_t c) { add(c, c == begin ? c + kPlane - 3 : c); });
      continue;
    }
    for (uint32_t block = begin; block < begin + kPlane; block += kBlock) {
      listed.codepoints.clear();
      listed.text.clear();
      for (uint32_t c = block; c < block + kBlock; ++c) {
        if (!is_surrogate(c)) listed.add(c);
      }
      finder.find(listed, [&](uint32_t c) { add(c, c); });
    }
  }
  return ranges;
}

std::string hex(uint32_t codepoint) {
  std::string digits;
  for (; codepoint != 0 || digits.empty(); codepoint >>= 4)
    digits.insert(digits.begin(), "0123456789abcdef"[codepoint & 15]);
  return "\\x{" + digits + "}";
}

// Sets that are expensive to find. Two threads that miss the same one both find it.
template <class Key>
class KnownSets {
 public:
  template <class Name>
  std::optional<CodepointSet> find(const Name& name) const {
    const ForkSafeLock lock;
    const auto entry = sets_.find(name);
    return entry == sets_.end() ? std::nullopt : std::optional(entry->second);
  }

  CodepointSet keep(Key name, CodepointSet set) {
    const ForkSafeLock lock;
    return sets_.emplace(std::move(name), std::move(set)).first->second;
  }

 private:
  std::map<Key, CodepointSet, std::less<>> sets_;
};

// The code points that may have case variants: those of the categories with upper and lower case, numbers and symbols
// in circles, and the one mark with an upper case, U+0345.
struct Cased {
  CodepointSet set;
  Listed listed;
};

const Cased& cased() {
  return lazy([] {
    Cased found;
    found.set = CodepointSet(find_in_all(ClassFinder("", "\\p{Lu}\\p{Ll}\\p{Lt}\\p{Nl}\\x{24b6}-\\x{24e9}\\x{345}")));
    for (const auto& range : found.set.ranges()) {
      for (uint32_t c = range.first; c <= range.last; ++c) found.listed.add(c);
    }
    return found;
  });
}

// Returns the variants of a code point that may have some.
CodepointSet variants_of(uint32_t codepoint) {
  auto& known = lazy([] { return KnownSets<uint32_t>(); });
  if (const auto set = known.find(codepoint)) return *set;
  std::vector<CodepointRange> found;
  ClassFinder("(?i)", hex(codepoint)).find(cased().listed, [&](uint32_t c) { found.push_back({c, c}); });
  return known.keep(codepoint, CodepointSet(std::move(found)));
}

}  // namespace

std::optional<CodepointSet> unicode_set(std::string_view name) {
  const auto is_part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
  if (name.empty() || !std::all_of(name.begin(), name.end(), is_part)) return std::nullopt;
  auto& known = lazy([] { return KnownSets<std::string>(); });
  if (auto set = known.find(name)) return set;
  const ClassFinder finder("", "\\p{" + std::string(name) + "}");
  if (!finder.ok()) return std::nullopt;
  return known.keep(std::string(name), CodepointSet(find_in_all(finder)));
}

CodepointSet case_variants(const CodepointSet& set) {
  // ASCII letters have their variants in ASCII, but for two.
  CodepointSet found;
  bool beyond_ascii = false;
  std::vector<CodepointRange> ascii;
  for (const auto& range : set.ranges()) {
    beyond_ascii |= range.last >= 0x80;
    for (uint32_t c = range.first; c <= std::min(range.last, uint32_t{0x7F}); ++c) {
      const uint32_t lower = c | 0x20;
      if (lower < 'a' || lower > 'z') continue;
      ascii.push_back({c ^ 0x20, c ^ 0x20});
      if (lower == 's') ascii.push_back({0x17F, 0x17F});
      if (lower == 'k') ascii.push_back({0x212A, 0x212A});
    }
  }
  found = CodepointSet(std::move(ascii));
  if (!beyond_ascii) return found;
  CodepointSet some = set;
  some.intersect(cased().set);
  if (some.empty()) return found;
  const auto& ranges = some.ranges();
  if (ranges.size() == 1 && ranges[0].first == ranges[0].last) return variants_of(ranges[0].first);
  std::string members;
  for (const auto& range : ranges) members += hex(range.first) + "-" + hex(range.last);
  std::vector<CodepointRange> more;
  ClassFinder("(?i)", members).find(cased().listed, [&](uint32_t c) { more.push_back({c, c}); });
  found.add(CodepointSet(std::move(more)));
  return found;
}

}  // namespace stringops
