#include "subword/normalize/normalizer.h"

#include <algorithm>

#include "core/narrow.h"

namespace stringops::kernels {

using namespace subword;

namespace {

// Steps may take characters apart that a later one puts together again, as NFKC does. Each byte of a part of the result
// that equals the bytes that it comes from comes from one byte.
void refine(const uint8_t* origin, const std::vector<uint8_t>& out, std::vector<PackedRange>& map) {
  for (size_t begin = 0, end; begin < map.size(); begin = end) {
    PackedRange from = map[begin];
    for (end = begin + 1; end < map.size() && map[end].begin < from.end; ++end) {
      from = {std::min(from.begin, map[end].begin), std::max(from.end, map[end].end)};
    }
    const auto size = static_cast<size_t>(from.end - from.begin);
    if (size < 2 || size != end - begin || !std::equal(origin + from.begin, origin + from.end, out.data() + begin)) {
      continue;
    }
    for (size_t i = begin; i < end; ++i, ++from.begin) map[i] = {from.begin, from.begin + 1};
  }
}

}  // namespace

SubwordNormalizer::SubwordNormalizer(const std::vector<Step>& steps, const std::vector<std::string>& texts,
                                     const NormalizerTables& tables) {
  std::vector<uint8_t> kinds;
  for (const Step& step : steps) {
    if (!is_normalizer(step)) continue;
    add_normalizer_steps(step, texts, tables, steps_);
    kinds.push_back(step.kind);
  }
  if (kinds == std::vector<uint8_t>{Step::kNfkd, Step::kNfc}) nfkc_.emplace(NormalForm::Form::kNfkc);
}

bool SubwordNormalizer::normalize(StringView text, const uint8_t* origin, std::vector<uint8_t>& out,
                                  std::vector<PackedRange>* map) {
  if (is_nfkc(text)) return false;
  bool changed = false;
  for (const auto& step : steps_) {
    if (!changed) {
      changed = step->normalize(text, out, map);
      if (!changed || !map) continue;
      const auto shift = narrow<int32_t>(text.begin - origin);
      for (PackedRange& range : *map) range = {range.begin + shift, range.end + shift};
    } else if (step->normalize({out.data(), out.data() + out.size()}, next_, map ? &next_map_ : nullptr)) {
      if (map) {
        for (PackedRange& range : next_map_) {  // of bytes of `out`, of which there is one at least
          range = {(*map)[static_cast<size_t>(range.begin)].begin, (*map)[static_cast<size_t>(range.end - 1)].end};
        }
        map->swap(next_map_);
      }
      out.swap(next_);
    }
  }
  if (changed && map && steps_.size() > 1) refine(origin, out, *map);
  return changed;
}

std::string SubwordNormalizer::content_of(const AddedToken& added) {
  if ((added.flags & (kNormalized | kIsNormal)) != kNormalized) return added.content;
  const auto* const begin = reinterpret_cast<const uint8_t*>(added.content.data());
  std::vector<uint8_t> normalized;
  if (!normalize({begin, begin + added.content.size()}, begin, normalized, nullptr)) return added.content;
  return {normalized.begin(), normalized.end()};
}

}  // namespace stringops::kernels
