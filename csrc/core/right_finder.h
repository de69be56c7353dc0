// Finds a text in another one from its end.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "core/narrow.h"
#include "core/platform.h"
#include "core/poll.h"
#include "core/string_span.h"

namespace stringops {

// The text must outlive the finder. The time is linear for any texts, also that of finding one occurrence after the
// other from the end of a string: few places are tried one by one, and what is before these is searched as by Knuth,
// Morris and Pratt, on the bytes in reverse order.
class RightFinder {
 public:
  explicit RightFinder(std::string_view text) : text_(text), size_(static_cast<int64_t>(text.size())) {}

  // Whether two occurrences may overlap. If not, they are the same from the beginning and from the end.
  bool overlaps_itself() {
    find_borders();
    return !borders_.empty() && borders_.back() > 0;
  }

  // Returns the position of the last occurrence in a string, or -1.
  int64_t find_last(StringView in) {
    if (size_ == 0) return in.size();
    const uint8_t* end = in.end - std::min(in.size(), size_ - 1);  // of the places where it may begin
    for (int tries = 0; tries < kTries; ++tries) {
      const uint8_t* const found =
          end > in.begin ? find_last_byte(in.begin, end, static_cast<uint8_t>(text_[0])) : nullptr;
      if (!found) return -1;
      end = found;
      if (std::memcmp(end, text_.data(), text_.size()) == 0) return end - in.begin;
    }
    return find_by_borders({in.begin, end + size_ - 1});
  }

 private:
  static constexpr int kTries = 8;
  static constexpr int64_t kPart = 1 << 16;

  // Byte i from the end.
  uint8_t byte(size_t i) const { return static_cast<uint8_t>(text_[text_.size() - 1 - i]); }

  void find_borders() {
    if (!borders_.empty()) return;
    borders_.resize(text_.size());
    size_t matched = 0;
    for (size_t i = 1; i < text_.size(); ++i) {
      while (matched > 0 && byte(i) != byte(matched)) matched = borders_[matched - 1];
      matched += byte(i) == byte(matched);
      borders_[i] = narrow<uint32_t>(matched);
    }
  }

  int64_t find_by_borders(StringView in) {
    find_borders();
    size_t matched = 0;
    const uint8_t* p = in.end;
    while (true) {
      for (const uint8_t* const stop = p - std::min<int64_t>(p - in.begin, kPart); p > stop;) {
        --p;
        while (matched > 0 && *p != byte(matched)) matched = borders_[matched - 1];
        matched += *p == byte(matched);
        if (matched == text_.size()) return p - in.begin;
      }
      if (p == in.begin) return -1;
      poll();
    }
  }

  const std::string_view text_;
  const int64_t size_;
  std::vector<uint32_t> borders_;  // of each suffix that ends the text, the longest one that it begins with
};

}  // namespace stringops
