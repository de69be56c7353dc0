// Copying byte strings, most of them short: a call of memcpy costs more than the bytes of a word.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

#include "core/string_span.h"

namespace stringops {

// memcpy that accepts null pointers, which empty tensors have.
inline void copy_bytes(uint8_t* dst, const uint8_t* src, int64_t n) {
  if (n > 0) std::memcpy(dst, src, static_cast<size_t>(n));
}

// Copies up to these sizes copy all bytes, even if fewer are needed: sizes of short strings are unpredictable, so a
// loop would take longer.
constexpr int64_t kShortCopy = 32, kMediumCopy = 128;

// Copies kMediumCopy bytes.
inline void copy_medium(uint8_t* dst, const uint8_t* src) {
  for (int64_t i = 0; i < kMediumCopy; i += kShortCopy) std::memcpy(dst + i, src + i, kShortCopy);
}

// Copies n bytes. May read and write further bytes up to src_end and dst_end; those of the destination must be unused,
// as it is filled from left to right.
inline void copy_short(uint8_t* dst, const uint8_t* dst_end, const uint8_t* src, const uint8_t* src_end, int64_t n) {
  const int64_t room = std::min(dst_end - dst, src_end - src);
  if (n <= kShortCopy && room >= kShortCopy) {
    std::memcpy(dst, src, kShortCopy);
  } else if (n <= kMediumCopy && room >= kMediumCopy) {
    copy_medium(dst, src);
  } else {
    copy_bytes(dst, src, n);
  }
}

// Appends bytes [begin, end) of a source of `source_size` bytes to out[at, limit), and returns where they end. Like
// copy_short, it may write further bytes up to `limit`. The range is clamped to the source and to the remaining room.
inline int64_t append_range(uint8_t* out, int64_t at, int64_t limit, const uint8_t* source, int64_t source_size,
                            int64_t begin, int64_t end) {
  const int64_t size = end - begin;
  // One branch tests all conditions of a copy of n bytes: none of these numbers is negative.
  const int64_t room = std::min(source_size - begin, limit - at);
  const auto fits = [&](int64_t n) { return (begin | size | (room - n) | (n - size)) >= 0; };
  if (fits(kShortCopy)) {
    std::memcpy(out + at, source + begin, kShortCopy);
    return at + size;
  }
  if (fits(kMediumCopy)) {
    copy_medium(out + at, source + begin);
    return at + size;
  }
  begin = std::clamp<int64_t>(begin, 0, source_size);
  end = std::clamp(end, begin, std::min(source_size, begin + (limit - at)));
  copy_bytes(out + at, source + begin, end - begin);
  return at + (end - begin);
}

// Copies n bytes and reads and writes no others. Two overlapping words cover any length between one word and two.
inline void copy_exact(uint8_t* dst, const void* src, int64_t n) {
  const char* const source = static_cast<const char*>(src);
  const auto two = [&](auto word) {
    decltype(word) last;
    std::memcpy(&word, source, sizeof word);
    std::memcpy(&last, source + n - sizeof word, sizeof word);
    std::memcpy(dst, &word, sizeof word);
    std::memcpy(dst + n - sizeof word, &last, sizeof word);
  };
  struct Pair {
    uint64_t low, high;
  };
  struct Four {
    Pair low, high;
  };
  if (n > 64) {
    std::memcpy(dst, source, static_cast<size_t>(n));
  } else if (n >= 32) {
    two(Four{});
  } else if (n >= 16) {
    two(Pair{});
  } else if (n >= 8) {
    two(uint64_t{});
  } else if (n >= 4) {
    two(uint32_t{});
  } else if (n >= 2) {
    two(uint16_t{});
  } else if (n == 1) {
    std::memcpy(dst, source, 1);
  }
}

// Byte ranges of one buffer, copied one after the other. Adjacent ranges are copied at once.
//
// Each range is clamped to the source and to the room left, as it may have changed since it was checked (race);
// `finish` then returns false.
class RangeCopier {
 public:
  // Fills out[at, limit); without `out`, the positions are counted and nothing is copied.
  RangeCopier(const uint8_t* source, int64_t source_size, uint8_t* out, int64_t at, int64_t limit)
      : source_(source), source_size_(source_size), out_(out), limit_(limit), at_(at), pending_at_(at) {}

  // The position of the next range.
  int64_t at() const { return at_; }

  // Appends the range; returns it clamped.
  ByteRange take(int64_t begin, int64_t end) {
    begin = std::clamp<int64_t>(begin, 0, source_size_);
    end = std::clamp(end, begin, std::min(source_size_, begin + (limit_ - at_)));
    if (begin != pending_.end) {
      flush();
      pending_.begin = begin;
      pending_at_ = at_;
    }
    pending_.end = end;
    at_ += end - begin;
    return {begin, end};
  }

  // Copies pending ranges; returns whether the ranges fill the output exactly.
  bool finish() {
    flush();
    return at_ == limit_;
  }

 private:
  void flush() const {
    if (!out_) return;
    copy_short(out_ + pending_at_, out_ + limit_, source_ + pending_.begin, source_ + source_size_, pending_.size());
  }

  const uint8_t* const source_;
  const int64_t source_size_;
  uint8_t* const out_;
  const int64_t limit_;
  int64_t at_;
  ByteRange pending_{0, 0};  // of the source, due at out_ + pending_at_
  int64_t pending_at_;
};

}  // namespace stringops
