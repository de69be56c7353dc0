// Strings in lower case, a block at a time, for operators that read them once: the results stay in the first-level
// cache, and no tensor of them is made.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "core/testing.h"
#include "split/blocks.h"

namespace stringops::kernels {

// Strings of more bytes are not lower-cased in blocks, because a task keeps a whole string.
constexpr int64_t kMaxLowerText = block_size(1 << 20, 512);

// Whether no string is longer.
bool fits_lower_text(const StringSpan& in);

class LowerText {
 public:
  // Reads strings [first, last).
  LowerText(const StringSpan& in, int64_t first, int64_t last) : in_(in), reader_(in, {first, 0}, {last, 0}) {}

  // Reads the next strings; returns false if none is left.
  bool next();

  // The strings, until the next call; the index of the first one; and whether they are known to be valid UTF-8.
  const StringSpan& strings() const { return strings_; }
  int64_t first_string() const { return first_string_; }
  bool are_utf8() const { return are_utf8_; }
  // The bytes that the next call mostly reads.
  const uint8_t* upcoming() const { return block_.data + block_.num_bytes; }

 private:
  void lower_block(int64_t first);
  void lower_each(int64_t first);
  StringView string(int64_t k) const;

  const StringSpan& in_;
  BlockReader reader_;
  Block block_;
  StringSpan strings_;
  int64_t first_string_ = 0;
  bool are_utf8_ = false;
  std::array<uint8_t, kBlockBytes> same_sizes_;
  std::vector<uint8_t> other_sizes_;
  std::array<int32_t, kBlockStrings + 1> offsets_;
};

}  // namespace stringops::kernels
