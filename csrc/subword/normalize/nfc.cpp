#include "subword/normalize/nfc.h"

#include <algorithm>

#include "core/codepoint.h"
#include "core/narrow.h"
#include "core/unicode_normalization.h"
#include "subword/scan/classes.h"

namespace stringops::kernels {
namespace {

bool is_newer(uint32_t c) {
  return (subword::kClasses[c] & subword::kNewer) != 0;
}

bool has_newer(const uint8_t* p, const uint8_t* end) {
  while (p < end) {
    const Codepoint c = read_codepoint(p, end);
    if (is_newer(c.value)) return true;
    p += c.length;
  }
  return false;
}

}  // namespace

// Normalizes in segments if the sources of bytes are needed: each byte of a segment that changes comes from all of it.
bool SubwordNfc::normalize(StringView text, const uint8_t* origin, std::vector<uint8_t>& out,
                           std::vector<PackedRange>* map) {
  if (nfc_.keeps(text) || !nfc_.edit(text, out)) return false;
  if (!map && !has_newer(text.begin, text.end)) return true;
  out.clear();
  if (map) map->clear();
  for (const uint8_t* p = text.begin; p < text.end;) {
    const uint8_t* const end = end_of_segment(p, text.end);
    auto begin = narrow<int32_t>(p - origin);
    const bool is_edited = nfc_.edit({p, end}, segment_);
    if (is_edited && !std::equal(segment_.begin(), segment_.end(), p, end)) {
      out.insert(out.end(), segment_.begin(), segment_.end());
      if (map) map->resize(out.size(), {begin, narrow<int32_t>(end - origin)});
    } else {
      out.insert(out.end(), p, end);
      for (; map && p < end; ++p, ++begin) map->push_back({begin, begin + 1});
    }
    p = end;
  }
  return true;
}

// A segment: nothing moves or composes across its ends.
const uint8_t* SubwordNfc::end_of_segment(const uint8_t* p, const uint8_t* end) {
  const auto begins_segment = [&](const uint8_t* before, const uint8_t* at, const Codepoint& c) {
    if (is_newer(c.value)) return true;
    const uint16_t flags = normalization::kNormalizationFlags[c.value];
    if ((flags & normalization::kClass) != 0) return false;
    if ((flags & normalization::kNotNfc) == 0) return true;
    // Unless it changes by itself, or with the two before: at most three code points compose to one that are all of
    // class 0, as in a syllable of Hangul.
    if (!nfc_.edit({before, at + c.length}, segment_)) return true;
    std::vector<uint8_t> alone;
    if (!nfc_.edit({before, at}, alone)) alone.assign(before, at);
    alone.insert(alone.end(), at, at + c.length);
    return alone == segment_;
  };
  const uint8_t *before = p, *last = p;
  const Codepoint first = read_codepoint(p, end);
  p += first.length;
  if (is_newer(first.value)) return p;  // nothing composes with it
  while (p < end) {
    const Codepoint c = read_codepoint(p, end);
    if (begins_segment(before, p, c)) break;
    before = last;
    last = p;
    p += c.length;
  }
  return p;
}

}  // namespace stringops::kernels
