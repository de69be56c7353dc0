// Strings of the runtime, which it gives out as bytes and offsets.
#pragma once

#include <string>
#include <vector>

#include "ort/abi.h"

namespace stringops::ort {

// The bytes of a tensor of strings, one string after the other, and the offset of each.
struct StringContent {
  std::vector<size_t> begins;
  size_t num_bytes = 0;
};

// Calls allocate(num_bytes) -> void*, to which the bytes are written. `count` is the number of strings.
template <class Allocate>
StringContent read_strings(Table api, const Value* value, size_t count, Allocate&& allocate) {
  StringContent content;
  check(api, GetStringTensorDataLength(api, value, &content.num_bytes));
  content.begins.resize(count);
  void* const bytes = allocate(content.num_bytes);
  if (count > 0) {
    check(api, GetStringTensorContent(api, value, bytes, content.num_bytes, content.begins.data(), count));
  }
  return content;
}

}  // namespace stringops::ort
