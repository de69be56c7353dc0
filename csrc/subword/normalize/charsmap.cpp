#include "subword/normalize/charsmap.h"

#include <algorithm>

namespace stringops::subword {

Charsmap::Charsmap(StringView blob) {
  uint32_t size = 0;
  if (blob.size() < static_cast<int64_t>(sizeof(size))) return;
  std::memcpy(&size, blob.begin, sizeof(size));
  units_ = blob.begin + sizeof(size);
  const int64_t most = blob.end - units_;
  if (int64_t{size} > most) return;
  num_units_ = size / sizeof(uint32_t);
  texts_ = {units_ + num_units_ * sizeof(uint32_t), blob.end};
}

StringView Charsmap::text_at(uint64_t begin) const {
  if (begin >= static_cast<uint64_t>(texts_.size())) return {texts_.end, texts_.end};
  const uint8_t* const p = texts_.begin + begin;
  return {p, std::find(p, p + std::min<int64_t>(texts_.end - p, kMaxRule), 0)};
}

Charsmap::Rule Charsmap::find_shortest(StringView text) const {
  Rule rule{{}, -1};
  const uint8_t* const zero = std::find(text.begin, text.end, 0);
  walk({text.begin, zero}, [&](uint32_t value, int64_t size) {
    rule = {text_at(value), size};
    return false;
  });
  return rule;
}

Charsmap::Rule Charsmap::find_longest(StringView text) const {
  uint32_t found = 0;
  int64_t longest = -1;
  walk(text, [&](uint32_t value, int64_t size) {
    found = value;
    longest = size;
    return true;
  });
  return {longest < 0 ? StringView{} : text_at(found), longest};
}

bool Charsmap::may_have_rule(uint8_t first) const {
  const uint64_t at = offset(unit(0)) ^ first;
  return at < num_units_ && (unit(at) & (1u << 31 | 0xFF)) == first;
}

bool Charsmap::has_rule(uint8_t character) const {
  const uint64_t at = offset(unit(0)) ^ character;
  return character != 0 && may_have_rule(character) && (unit(at) >> 8 & 1) != 0;
}

bool Charsmap::may_have_ascii_rule(uint8_t first) const {
  constexpr uint32_t kLabel = 1u << 31 | 0xFF, kNumAscii = 0x80;
  const uint64_t at = offset(unit(0)) ^ first;
  const uint32_t node = unit(at);
  if ((node & kLabel) != first || at >= num_units_) return false;
  bool found = (node >> 8 & 1) != 0;
  for (uint32_t byte = 1; byte < kNumAscii && !found; ++byte) {
    const uint64_t child = at ^ offset(node) ^ byte;
    found = child < num_units_ && (unit(child) & kLabel) == byte;
  }
  return found;
}

}  // namespace stringops::subword
