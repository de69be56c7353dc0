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
    auto& variants = sets_.emplace_back();
    variants[0] = c.value;
    for (size_t i = 1; i < variants.size(); ++i) variants[i] = kFolds.next(variants[i - 1]);
  }
  set_filter();
}

std::vector<std::string> FoldedText::variants(size_t first, size_t max_texts) const {
  std::vector<std::string> texts{""};
  for (size_t i = first; i < sets_.size(); ++i) {
    std::vector<std::string> longer;
    for (const std::string& text : texts) {
      for (const uint32_t c : sets_[i]) {
        uint8_t bytes[kMaxCodepointBytes];
        uint8_t* const end = write_codepoint(c, bytes);
        longer.emplace_back(text).append(bytes, end);
      }
    }
    std::sort(longer.begin(), longer.end());
    longer.erase(std::unique(longer.begin(), longer.end()), longer.end());
    if (longer.size() > max_texts) break;
    texts = std::move(longer);
  }
  return texts;
}

void FoldedText::set_filter() {
  constexpr size_t kMaxTexts = 64;  // of three code points, which have four variants each
  std::vector<std::string> texts = variants(anchor_, kMaxTexts);
  size_t num_bytes = simd::PrefixSet::kMaxBytes;
  for (std::string& text : texts) {
    text.erase(0, static_cast<size_t>(codepoint_length(*bytes_of(text))) - 1);
    num_bytes = std::min(num_bytes, text.size());
  }
  for (std::string& text : texts) text.resize(num_bytes);
  std::sort(texts.begin(), texts.end());
  texts.erase(std::unique(texts.begin(), texts.end()), texts.end());
  filter_.num_bytes = static_cast<int64_t>(num_bytes);
  for (size_t i = 0; i < texts.size(); ++i) {
    filter_.add(bytes_of(texts[i]), static_cast<int>(i * simd::PrefixSet::kBits / std::max<size_t>(texts.size(), 8)));
  }
  for (size_t i = 0; i < anchor_; ++i) {
    const auto& variants = sets_[i];
    uint8_t bytes[kMaxCodepointBytes];
    before_anchor_ += write_codepoint(*std::min_element(variants.begin(), variants.end()), bytes) - bytes;
  }
}

}  // namespace stringops
