#include "split/text_finder.h"

#include <algorithm>
#include <cstring>

#include "core/find_text.h"
#include "core/narrow.h"
#include "core/platform.h"
#include "core/testing.h"

namespace stringops::kernels {
namespace {

constexpr int64_t kFirstWindow = kWordBits, kWindowGrowth = 16;

// Strings for which windows take longer than single places.
constexpr int64_t kShort = block_size(256, 8);

// The bytes of places that resemble the text, in a string.
constexpr int64_t kMaxCompared = 4 * kBlockBytes;

}  // namespace

int64_t TextFinder::find_first(StringView in) {
  if (size_ == 0) return 0;
  if (size_ > 1 && in.size() > kShort) return search<false>(in);
  if (in.size() < size_) return -1;
  const uint8_t* const found = find_text(in, text_);
  return found < in.end ? found - in.begin : -1;
}

int64_t TextFinder::find_last(StringView in) {
  if (size_ == 0) return in.size();
  if (size_ > 1 && in.size() > kShort) return search<true>(in);
  if (in.size() < size_) return -1;
  const uint8_t* end = in.end - (size_ - 1);  // of the places where it may begin
  while ((end = find_last_byte(in.begin, end, bytes_of(text_)[0])) != nullptr) {
    if (std::memcmp(end, text_.data(), text_.size()) == 0) return end - in.begin;
  }
  return -1;
}

template <bool kLast>
int64_t TextFinder::search(StringView in) {
  const int64_t num_places = in.size() - size_ + 1;
  if (num_places <= 0) return -1;
  if (num_probes_ == 0) {
    num_probes_ = std::min(size_, simd::kMaxBytesAt);
    probes_ = simd::spread_bytes(text_, num_probes_);
  }
  int64_t compared = 0;
  for (int64_t done = 0, window = kFirstWindow; done < num_places;
       window = std::min(kWindowGrowth * window, kBlockBytes)) {
    const int64_t n = std::min(window, num_places - done), begin = kLast ? num_places - done - n : done;
    done += n;
    pace_.spend(n);
    if (!simd_.find_bytes(in.begin + begin, n, in.size() - begin, probes_.data(), num_probes_, places_.data()))
      continue;
    for (int64_t k = 0, count = words_for(n); k < count; ++k) {
      const int64_t w = kLast ? count - 1 - k : k;
      for (uint64_t places = places_[static_cast<size_t>(w)]; places != 0;) {
        const int bit = kLast ? last_bit(places) : first_bit(places);
        const int64_t at = begin + w * kWordBits + bit;
        const uint8_t* const place = in.begin + at;
        if (size_ == num_probes_ || std::memcmp(place, text_.data(), text_.size()) == 0) return at;
        places ^= uint64_t{1} << bit;
        if ((compared += size_) <= kMaxCompared) continue;
        if constexpr (kLast) return find_by_borders({in.begin, place + size_ - 1});
        const uint8_t* const found = find_text({place + 1, in.end}, text_);
        return found < in.end ? found - in.begin : -1;
      }
    }
  }
  return -1;
}

void TextFinder::find_borders() {
  if (!borders_.empty()) return;
  borders_.resize(text_.size());
  size_t matched = 0;
  for (size_t i = 1; i < text_.size(); ++i) {
    while (matched > 0 && byte(i) != byte(matched)) matched = borders_[matched - 1];
    matched += byte(i) == byte(matched);
    borders_[i] = narrow<uint32_t>(matched);
  }
}

int64_t TextFinder::find_by_borders(StringView in) {
  find_borders();
  size_t matched = 0;
  for (const uint8_t* p = in.end; p > in.begin;) {
    pace_.spend(1);
    --p;
    while (matched > 0 && *p != byte(matched)) matched = borders_[matched - 1];
    matched += *p == byte(matched);
    if (matched == text_.size()) return p - in.begin;
  }
  return -1;
}

}  // namespace stringops::kernels
