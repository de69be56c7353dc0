// Strings that are read from a text, as a StringTensor stores them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace stringops::convert {

struct ReadStrings {
  std::string data;
  std::vector<int32_t> offsets;

  // The strings together are not longer than the text, of less than 2**31 bytes, so that offsets fit.
  explicit ReadStrings(size_t text_size) { data.reserve(text_size / 2); }

  // Appends the offset of the end of `data`: the begin of the first string, or the end of the last one.
  void mark() { offsets.push_back(static_cast<int32_t>(data.size())); }
};

}  // namespace stringops::convert
