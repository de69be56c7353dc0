// The words of a vocabulary, and damaged tables, for the targets of subword tokenizers.
#pragma once

#include <unordered_map>

#include "fuzz.h"

namespace stringops::fuzz {

// The distinct strings.
inline Strings distinct(const std::vector<std::string>& values, std::unordered_map<std::string, int64_t>* ids) {
  std::string text;
  std::vector<int32_t> offsets{0};
  for (const std::string& value : values) {
    if (!ids->emplace(value, static_cast<int64_t>(ids->size())).second) continue;
    text += value;
    offsets.push_back(static_cast<int32_t>(text.size()));
  }
  Strings words{bytes_of(text), Exact<int32_t>(offsets), {}};
  words.span = {words.data.data(), words.data.size(), words.offsets.data(), words.offsets.size() - 1};
  return words;
}

// Damages a table.
inline void forge(Input& in, const Bytes& table) {
  const int64_t text_begin = table.size() - in.below(64);
  for (int64_t i = 1 + in.below(8); i > 0; --i) {
    const uint8_t where = in.byte();
    int64_t at = in.below(table.size());
    if (where < 64) at = where;  // the header
    if (where >= 192) at = std::min(text_begin + in.below(64), table.size() - 1);
    if (where >= 64 && where < 128) {  // a slot in use, if one is near
      while (at < table.size() && table[at] == 0) ++at;
      if (at == table.size()) at = 0;
    }
    table[at] = in.byte();
  }
}

}  // namespace stringops::fuzz
