#include "kernels/text_finder.h"

#include <cstring>

#include "core/find_text.h"
#include "core/narrow.h"
#include "core/platform.h"
#include "core/testing.h"
#include "core/utf8.h"

namespace stringops::kernels {
namespace {

constexpr int64_t kFirstWindow = kWordBits, kWindowGrowth = 16;

// Strings for which windows take longer than single places.
constexpr int64_t kShort = block_size(256, 8);

}  // namespace

StringView TextFinder::first(StringView in) {
  if (folded_ || (size_ > 1 && in.size() > kShort)) return search<false>(in);
  if (size_ == 0) return {in.begin, in.begin};
  return in.size() < size_ ? kNone : search_slowly<false>(in);
}

StringView TextFinder::last(StringView in) {
  if (folded_ || (size_ > 1 && in.size() > kShort)) return search<true>(in);
  if (size_ == 0) return {in.end, in.end};
  if (in.size() < size_) return kNone;
  // The letters of an alphabet beyond ASCII differ in their last bytes.
  const int64_t at = std::min(codepoint_length(bytes_of(text_)[0]), size_) - 1;
  const uint8_t* end = in.end - (size_ - 1) + at;  // of the places where that byte may be
  while ((end = find_last_byte(in.begin + at, end, bytes_of(text_)[at])) != nullptr) {
    if (std::memcmp(end - at, text_.data(), text_.size()) == 0) return {end - at, end - at + size_};
  }
  return kNone;
}

StringView TextFinder::match_at(StringView in, const uint8_t* place) {
  if (folded_) return folded_->match_at(in, place, &debt_);
  if (size_ == num_probes_ || std::memcmp(place, text_.data(), text_.size()) == 0) return {place, place + size_};
  debt_ += size_;
  return kNone;
}

template <bool kLast>
StringView TextFinder::search(StringView in) {
  const int64_t num_places = in.size() - std::max<int64_t>(size_ - 1, 0);
  if (num_probes_ == 0 && !folded_) {
    num_probes_ = std::min(size_, simd::kMaxBytesAt);
    probes_ = simd::spread_bytes(text_, num_probes_);
  }
  for (int64_t done = 0, window = kFirstWindow; done < num_places;
       window = std::min(kWindowGrowth * window, kBlockBytes)) {
    const int64_t n = std::min(window, num_places - done), begin = kLast ? num_places - done - n : done;
    const uint8_t* const data = in.begin + begin;
    done += n;
    pay(n);
    if (folded_) {
      simd_.find_prefixes(data, n, in.end - data, folded_->filter(), places_.data());
    } else if (!simd_.find_bytes(data, n, in.end - data, probes_.data(), num_probes_, places_.data())) {
      continue;
    }
    for (int64_t k = 0, count = words_for(n); k < count; ++k) {
      const int64_t w = kLast ? count - 1 - k : k;
      for (uint64_t places = places_[static_cast<size_t>(w)]; places != 0;) {
        const int bit = kLast ? last_bit(places) : first_bit(places);
        const StringView found = match_at(in, data + w * kWordBits + bit);
        if (found.begin) return found;
        if (debt_ > kMaxDebt) return search_slowly<kLast>(in);
        places ^= uint64_t{1} << bit;
      }
    }
  }
  return kNone;
}

template <bool kLast>
const std::vector<uint32_t>& TextFinder::borders() {
  std::vector<uint32_t>& borders = borders_[kLast];
  const size_t size = num_units();
  if (!borders.empty()) return borders;
  borders.resize(size);
  size_t matched = 0;
  for (size_t i = 1; i < size; ++i) {
    const size_t at = kLast ? size - 1 - i : i;
    const uint32_t unit = folded_ ? folded_->codepoint(at) : static_cast<uint8_t>(text_[at]);
    while (matched > 0 && !has<kLast>(matched, unit)) matched = borders[matched - 1];
    matched += has<kLast>(matched, unit);
    borders[i] = narrow<uint32_t>(matched);
  }
  return borders;
}

template <bool kLast>
StringView TextFinder::search_slowly(StringView in) {
  if (!kLast && !folded_) {
    const uint8_t* const found = find_text(in, text_);
    return found < in.end ? StringView{found, found + size_} : kNone;
  }
  const std::vector<uint32_t>& borders = this->borders<kLast>();
  size_t matched = 0;
  for (StringView rest = in; rest.begin < rest.end;) {
    pay(1);
    Codepoint c{kLast ? rest.end[-1] : *rest.begin, 1};
    if (folded_) c = kLast ? read_codepoint_before(rest.begin, rest.end) : read_codepoint(rest.begin, rest.end);
    kLast ? rest.end -= c.length : rest.begin += c.length;
    while (matched > 0 && !has<kLast>(matched, c.value)) matched = borders[matched - 1];
    matched += has<kLast>(matched, c.value);
    if (matched < borders.size()) continue;
    if (!folded_) return {rest.end, rest.end + size_};
    if (kLast) return {rest.end, folded_->end_from(0, {rest.end, in.end}, &debt_)};
    return {folded_->begin_before(matched, {in.begin, rest.begin}, &debt_), rest.begin};
  }
  return kNone;
}

template StringView TextFinder::search_slowly<false>(StringView in);
template const std::vector<uint32_t>& TextFinder::borders<true>();

}  // namespace stringops::kernels
