#include "regex/folded_text.h"

#include <algorithm>
#include <string>

#include "regex/unicode_tables.h"

namespace stringops {
namespace {

// About how rare a byte is in texts, as bits of information. Letters stand for both cases.
int rarity(uint8_t byte) {
  constexpr std::string_view kLetters = "etaoinsrhldcumfpgwybvkxjqz";  // the most frequent ones first
  if (byte >= 0x80) return byte >= 0xC0 ? 1 : 5;
  const size_t rank = kLetters.find(static_cast<char>(byte | 0x20));
  if (rank != std::string_view::npos) return 3 + static_cast<int>(rank / 6);
  return byte == ' ' ? 2 : 6;
}

}  // namespace

FoldedText::FoldedText(std::string_view text) {
  const uint8_t *p = bytes_of(text), *const end = p + text.size();
  for (int best = 0; p < end;) {
    const Codepoint c = read_codepoint(p, end);
    p += c.length;
    int rare = 0;
    for (const uint8_t* at = p - 1; at < end && at < p - 1 + simd::PrefixSet::kMaxBytes; ++at) rare += rarity(*at);
    if (rare > best) {
      best = rare;
      anchor_ = sets_.size();
    }
    auto& variants = sets_.emplace_back().codepoints;
    variants[0] = c.value;
    for (size_t i = 1; i < variants.size(); ++i) variants[i] = kFolds.next(variants[i - 1]);
  }
  set_filter();
}

void FoldedText::set_filter() {
  // The bytes that the anchor can end with and those after it, as far as the filter tests them.
  std::vector<std::string> texts{""};
  size_t num_bytes = 0;
  for (size_t i = anchor_; i < sets_.size() && num_bytes < simd::PrefixSet::kMaxBytes; ++i) {
    std::vector<std::string> longer;
    for (const std::string& text : texts) {
      for (const uint32_t c : sets_[i].codepoints) {
        uint8_t bytes[kMaxCodepointBytes];
        const uint8_t* const end = write_codepoint(c, bytes);
        longer.emplace_back(text).append(i == anchor_ ? end - 1 : bytes, end);
      }
    }
    std::sort(longer.begin(), longer.end());
    longer.erase(std::unique(longer.begin(), longer.end()), longer.end());
    texts = std::move(longer);
    num_bytes = texts[0].size();
    for (const std::string& text : texts) num_bytes = std::min(num_bytes, text.size());
  }
  filter_.num_bytes = static_cast<int64_t>(std::min(num_bytes, simd::PrefixSet::kMaxBytes));
  for (size_t i = 0; i < texts.size(); ++i) {
    filter_.add(bytes_of(texts[i]), static_cast<int>(i * simd::PrefixSet::kBits / std::max<size_t>(texts.size(), 8)));
  }
  for (size_t i = 0; i < anchor_; ++i) {
    const auto& variants = sets_[i].codepoints;
    uint8_t bytes[kMaxCodepointBytes];
    before_anchor_ += write_codepoint(*std::min_element(variants.begin(), variants.end()), bytes) - bytes;
  }
}

StringView FoldedFinder::match_at(StringView in, const uint8_t* place) {
  const uint8_t* const end = text_.end_from(text_.anchor_ + 1, {place + 1, in.end}, &debt_);
  const uint8_t* const begin = end ? text_.begin_before(text_.anchor_ + 1, {in.begin, place + 1}, &debt_) : nullptr;
  return begin ? StringView{begin, end} : kNone;
}

template <bool kLast>
StringView FoldedFinder::search(StringView in) {
  constexpr int64_t kFirstWindow = kWordBits, kGrowth = 16;
  const int64_t size = in.size();
  for (int64_t done = 0, window = kFirstWindow; done < size; window = std::min(kGrowth * window, kMaxBlock)) {
    const int64_t n = std::min(window, size - done), from = kLast ? size - done - n : done;
    done += n;
    pay(n);
    simd_.find_prefixes(in.begin + from, n, size - from, text_.filter_, places_.data());
    for (int64_t k = 0, count = words_for(n); k < count; ++k) {
      const int64_t w = kLast ? count - 1 - k : k;
      for (uint64_t places = places_[static_cast<size_t>(w)]; places != 0;) {
        const int bit = kLast ? last_bit(places) : first_bit(places);
        const StringView found = match_at(in, in.begin + from + w * kWordBits + bit);
        if (found.begin) return found;
        places ^= uint64_t{1} << bit;
        if (is_slow()) return search_slowly<kLast>(in);
      }
    }
  }
  return kNone;
}

template <bool kLast>
StringView FoldedFinder::search_slowly(StringView in) {
  const auto& sets = text_.sets_;
  const auto is_equal = [&](size_t i, size_t k) { return sets[i].has(sets[k].codepoints[0]); };
  size_t matched = 0;
  if (borders_.empty()) borders_.push_back(0);
  for (size_t i = borders_.size(); i < sets.size(); ++i) {
    while (matched > 0 && !is_equal(i, matched)) matched = borders_[matched - 1];
    matched += is_equal(i, matched);
    borders_.push_back(matched);
  }
  const uint8_t* end = nullptr;  // of the occurrence
  matched = 0;
  for (const uint8_t* p = in.begin; p < in.end && (kLast || !end);) {
    pay(1);
    const Codepoint c = read_codepoint(p, in.end);
    p += c.length;
    while (matched > 0 && !sets[matched].has(c.value)) matched = borders_[matched - 1];
    matched += sets[matched].has(c.value);
    if (matched < sets.size()) continue;
    end = p;
    matched = borders_[matched - 1];
  }
  return end ? StringView{text_.begin_before(sets.size(), {in.begin, end}, &debt_), end} : kNone;
}

template StringView FoldedFinder::search<false>(StringView in);
template StringView FoldedFinder::search<true>(StringView in);
template StringView FoldedFinder::search_slowly<false>(StringView in);

}  // namespace stringops
