// Bytes written one after the other, up to an end; what does not fit is left out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "core/copy_bytes.h"
#include "core/string_span.h"

namespace stringops {

class BoundedWriter {
 public:
  BoundedWriter(uint8_t* out, const uint8_t* out_end) : at_(out), end_(out_end) {}

  void append(const uint8_t* bytes, int64_t size) {
    const int64_t fitting = fit(size);
    copy_bytes(at_, bytes, fitting);
    at_ += fitting;
  }
  void append(std::string_view text) {
    append(reinterpret_cast<const uint8_t*>(text.data()), static_cast<int64_t>(text.size()));
  }

  void append(uint8_t byte) {
    if (fit(1) == 1) *at_++ = byte;
  }

  // Bytes after the text, up to `readable_end`, may be read, and bytes after the result may be written.
  void append(StringView text, const uint8_t* readable_end) {
    const int64_t size = fit(text.size());
    if (size <= kShortCopy && end_ - at_ >= kShortCopy && readable_end - text.begin >= kShortCopy) {
      std::memcpy(at_, text.begin, kShortCopy);  // without a branch on the size
    } else {
      copy_exact(at_, text.begin, size);
    }
    at_ += size;
  }

  uint8_t* at() const { return at_; }
  // Whether the bytes fill the room, and nothing was left out.
  bool complete() const { return fits_ && at_ == end_; }

 private:
  int64_t fit(int64_t size) {
    const int64_t fitting = std::min<int64_t>(size, end_ - at_);
    fits_ &= fitting == size;
    return fitting;
  }

  uint8_t* at_;
  const uint8_t* const end_;
  bool fits_ = true;
};

}  // namespace stringops
