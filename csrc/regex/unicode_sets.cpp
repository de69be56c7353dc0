#include "regex/unicode_sets.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "regex/unicode_tables.h"

namespace stringops {
namespace {

struct Property {
  std::string_view name;
  const Division* values;
};

constexpr Property kBreakProperties[] = {
    {"Grapheme_Cluster_Break", &kGraphemeBreaks},
    {"Indic_Conjunct_Break", &kConjunctBreaks},
    {"Word_Break", &kWordBreaks},
    {"Sentence_Break", &kSentenceBreaks},
};

// Returns the code points of the parts whose names `matches` accepts; nothing if there is no such name.
template <class Matches>
std::optional<CodepointSet> find_parts(const Division& division, const Matches& matches) {
  std::array<bool, 256> accepted{};
  bool is_known = false;
  for (size_t i = 1; i < division.num_names; ++i) {
    accepted[i] = matches(division.names[i]);
    is_known = is_known || accepted[i];
  }
  if (!is_known) return std::nullopt;
  std::vector<CodepointRange> ranges;
  for (size_t i = 0; i < division.num_entries; ++i) {
    if (!accepted[division.entries[i] & 0xFF]) continue;
    const uint32_t end = i + 1 < division.num_entries ? division.entries[i + 1] >> 8 : kMaxCodepoint + 1;
    ranges.push_back({division.entries[i] >> 8, end - 1});
  }
  return CodepointSet(std::move(ranges));
}

}  // namespace

std::optional<CodepointSet> unicode_set(std::string_view name) {
  if (name == "Any") return CodepointSet::all();
  const auto is_name = [&](std::string_view other) { return other == name; };
  if (const size_t equals = name.find('='); equals != std::string_view::npos) {
    const std::string_view property = name.substr(0, equals);
    name.remove_prefix(equals + 1);
    for (const Property& known : kBreakProperties) {
      if (known.name == property) return find_parts(*known.values, is_name);
    }
    return std::nullopt;
  }
  if (name == "Extended_Pictographic") return find_parts(kPictographs, is_name);
  if (name.size() == 1) {
    return find_parts(kCategories, [&](std::string_view category) { return category[0] == name[0]; });
  }
  auto category = find_parts(kCategories, is_name);
  return category ? std::move(category) : find_parts(kScripts, is_name);
}

CodepointSet case_variants(const CodepointSet& set) {
  constexpr uint32_t kBlock = 1u << FoldTable::kBits;
  std::vector<CodepointRange> found;
  for (const CodepointRange& range : set.ranges()) {
    const uint32_t end = std::min(range.last + 1, kFolds.ids.limit);
    for (uint32_t c = range.first; c < end; ++c) {
      if (kFolds.ids.blocks[c >> FoldTable::kBits] == 0) {  // no code point of the block has a variant
        c |= kBlock - 1;
        continue;
      }
      for (uint32_t v = kFolds.next(c); v != c; v = kFolds.next(v)) found.push_back({v, v});
    }
  }
  return CodepointSet(std::move(found));
}

}  // namespace stringops
