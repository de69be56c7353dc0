// Finds a text in one string after the other, from its begin or from its end.
//
// The bytes of a window of the string are compared at once. Windows grow, so that an early answer takes little time,
// and a late one as long as a search of whole blocks.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/bits.h"
#include "core/poll.h"
#include "core/string_span.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

// The text must outlive the finder. The time is linear for any texts, also that of finding one occurrence after the
// other: few places that resemble the text are compared one by one. The others are searched by memmem, or from the end
// as by Knuth, Morris and Pratt, on the bytes in reverse order.
class TextFinder {
 public:
  explicit TextFinder(std::string_view text) : text_(text), size_(static_cast<int64_t>(text.size())) {}

  // Whether two occurrences may overlap. If not, they are the same from the begin and from the end.
  bool overlaps_itself() {
    find_borders();
    return !borders_.empty() && borders_.back() > 0;
  }

  // Return the position of the first or the last occurrence in a string, or -1.
  int64_t find_first(StringView in);
  int64_t find_last(StringView in);

 private:
  template <bool kLast>
  int64_t search(StringView in);
  int64_t find_by_borders(StringView in);
  void find_borders();

  // Byte i from the end.
  uint8_t byte(size_t i) const { return static_cast<uint8_t>(text_[text_.size() - 1 - i]); }

  const std::string_view text_;
  const int64_t size_;
  const simd::Primitives& simd_ = simd::primitives();
  Pace pace_;
  int64_t num_probes_ = 0;  // 0 before the first search
  std::array<simd::ByteAt, simd::kMaxBytesAt> probes_;
  std::array<uint64_t, kBlockWords> places_;
  std::vector<uint32_t> borders_;  // of each suffix that ends the text, the longest one that it begins with
};

}  // namespace stringops::kernels
