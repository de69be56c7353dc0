// Strings of JSON: where they end, and the text that they stand for. The grammar is that of RFC 8259.
#pragma once

#include <cstdint>

#include "core/string_span.h"

namespace stringops::kernels {

// Finds the end of a string, from after its opening quote on. Returns the byte after the closing quote, and sets
// `has_escapes`; or sets `fault` to the first byte that does not belong to a string, and returns null. Its UTF-8 must
// be valid. An escape may be half of a surrogate pair.
const uint8_t* end_of_json_string(const uint8_t* p, const uint8_t* end, bool& has_escapes, const uint8_t*& fault);

// Returns the size of the text of the characters between quotes, in UTF-8. Half of a surrogate pair is U+FFFD.
// Characters that end_of_json_string rejects are valid, too: they stand for themselves.
int64_t json_string_size(StringView characters);

// Writes this text up to `out_end`; returns its end.
uint8_t* write_json_string(StringView characters, uint8_t* out, const uint8_t* out_end);

}  // namespace stringops::kernels
