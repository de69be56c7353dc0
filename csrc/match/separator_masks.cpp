#include "match/separator_masks.h"

#include <algorithm>
#include <utility>

#include "split/mask_maker.h"

namespace stringops::kernels {
namespace {

class SeparatedWords final : public MaskMaker {
 public:
  SeparatedWords(const Separators& separators, const simd::Primitives& simd) : finder_(separators, simd) {}

  Pieces find(const Block& block, PieceMasks& masks) override {
    mark_string_starts(block, masks.string_starts.data());
    finder_.find(block, masks.separators.data());
    return words_between(block, masks.separators.data(), masks);
  }

 private:
  SeparatorMasks finder_;
};

}  // namespace

CharSet Separators::last() const {
  CharSet all, inside;
  for (const Search& search : searches) {
    all.add(search.set);
    if (!search.texts) continue;
    for (const std::string& text : search.texts->texts()) {
      for (size_t i = 0; i + 1 < text.size(); ++i) {
        if (static_cast<uint8_t>(text[i]) < 0x80) inside.add(static_cast<uint8_t>(text[i]));
      }
    }
  }
  CharSet last;
  for (uint8_t c = 0; c < 0x80; ++c) {
    if (all.contains(c) && !inside.contains(c)) last.add(c);
  }
  return last;
}

bool Separators::are_few() const {
  int64_t bytes = 0;
  for (const Search& search : searches) {
    size_t longest = 1;
    if (search.texts) {
      for (const std::string& text : search.texts->texts()) longest = std::max(longest, text.size());
    }
    bytes += static_cast<int64_t>(longest);
  }
  return searches.size() <= kMaxSearches && bytes <= kMaxBytes;
}

int64_t SeparatorMasks::first_found(int64_t begin, int64_t end) const {
  while (begin < end && !test_bit(found_.data(), begin)) ++begin;
  return begin;
}

// Searches go on beyond the block as far as texts that begin in it may reach. What they find there, they find again in
// the next block.
void SeparatorMasks::find(const Block& block, uint64_t* words) {
  const int64_t n = block.num_bytes, num_bytes = std::min(n + Separators::kMaxBytes, block.readable);
  const int64_t count = words_for(num_bytes);
  std::fill_n(found_.begin(), count + 1, 0);
  if (!block.starts_inside) open_.fill(0);
  for (size_t s = 0; s < separators_.searches.size(); ++s) {
    if (separators_.searches[s].texts) {
      find_texts(block, num_bytes, s);
      continue;
    }
    simd_.find_set(block.data, num_bytes, separators_.searches[s].set, candidates_.data());
    for (size_t w = 0; w < static_cast<size_t>(count); ++w) found_[w] |= candidates_[w];
  }
  std::copy_n(found_.begin(), words_for(n), words);
  words[words_for(n)] = 0;
  const bool follows = num_bytes > n && test_bit(found_.data(), n);
  if (n % kWordBits != 0) words[n / kWordBits] &= low_bits(n % kWordBits);
  if (follows) set_bit(words, n);
}

void SeparatorMasks::find_texts(const Block& block, int64_t num_bytes, size_t search) {
  const LiteralSet& texts = *separators_.searches[search].texts;
  const int64_t n = block.num_bytes;
  int64_t from = open_[search], last = from;  // where the next text may begin; the end of the last one of this block
  for (int64_t i = 0; i < std::min(from, num_bytes); ++i) set_bit(found_.data(), i);
  simd_.find_prefixes(block.data, num_bytes, block.readable, texts.prefixes(), candidates_.data());
  int64_t k = 0;
  for_each_bit(candidates_.data(), words_for(num_bytes), [&](int64_t at) {
    if (at < from) return;
    while (k < block.num_strings && block.end(k) <= at) ++k;
    int64_t room = (k < block.num_strings ? block.end(k) : block.readable) - at;
    int64_t size = texts.match(block.data + at, room);
    if (size == 0) return;
    // Texts of this search, or of others, that are found before: another one of this set may fit before those.
    const int64_t end = std::min(at + size, num_bytes), free = first_found(at, end) - at;
    if (free < end - at) {
      size = free == 0 ? 0 : texts.match(block.data + at, free);
      if (size == 0) return;
    }
    from = at + size;
    if (at < n) last = from;
    for (int64_t i = at; i < std::min(from, num_bytes); ++i) set_bit(found_.data(), i);
  });
  open_[search] = block.num_strings == 0 ? std::max<int64_t>(last - n, 0) : 0;
}

PatternRule rule_of_separators(const Separators& separators) {
  const auto make = [&separators](int64_t) { return std::make_unique<SeparatedWords>(separators, simd::primitives()); };
  const auto is_boundary = [last = separators.last()](const uint8_t* p) { return last.contains(p[-1]); };
  PatternRule rule{{make, boundaries(is_boundary)}};
  rule.saves_masks = true;
  return rule;
}

}  // namespace stringops::kernels
