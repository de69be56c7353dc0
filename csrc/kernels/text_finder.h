// Finds a text in one string after the other, from its begin or from its end.
//
// The bytes of a window of the string are compared at once. Windows grow, so that an early answer takes little time,
// and a late one as long as a search of whole blocks.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "core/bits.h"
#include "core/poll.h"
#include "core/string_span.h"
#include "regex/folded_text.h"
#include "simd/primitives.h"
#include "split/blocks.h"

namespace stringops::kernels {

// Strings of blocks that have fewer of them are searched one by one, since the search ends where it finds something.
constexpr int64_t kManyStrings = block_size(16, 2);

// The text must outlive the finder. The time is linear for any texts, also that of finding one occurrence after the
// other: few places that resemble the text are compared one by one. The others are searched by memmem, or as by Knuth,
// Morris and Pratt.
class TextFinder {
 public:
  explicit TextFinder(std::string_view text) : text_(text), size_(static_cast<int64_t>(text.size())) {}
  // Finds the text whatever its case.
  explicit TextFinder(const FoldedText& text) : folded_(&text) {}

  // Whether two occurrences may overlap. If not, they are the same from the begin and from the end.
  bool overlaps_itself() { return size_ > 0 && borders<true>().back() > 0; }

  // Return the bytes of the first or the last occurrence in a string; null if there is none.
  StringView first(StringView in);
  StringView last(StringView in);
  // Return its position, or -1.
  int64_t find_first(StringView in) { return is_empty() ? 0 : position(first(in), in); }
  int64_t find_last(StringView in) { return is_empty() ? in.size() : position(last(in), in); }

  // Calls take(k, found) for the occurrences of a folded text, or only for the first one, in each string k of a block
  // of whole strings. Those of a string do not overlap.
  template <class Take>
  void find_in_block(const Block& block, bool only_first, Take&& take) {
    pay(block.num_bytes);
    simd_.find_prefixes(block.data, block.num_bytes, block.num_bytes, folded_->filter(), places_.data());
    int64_t at = 0, k = 0;
    StringView rest = block.string(0);  // of string k
    const auto take_found = [&](StringView found) {
      take(k, found);
      rest.begin = only_first ? rest.end : found.end;
    };
    for (Bits bits(places_.data(), words_for(block.num_bytes)); bits.next(&at);) {
      const uint8_t* const place = block.data + at;
      while (place >= rest.end) rest = block.string(++k);
      if (place - rest.begin < folded_->before_anchor()) continue;
      if (const StringView found = match_at(rest, place); found.begin) take_found(found);
      if (debt_ <= kMaxDebt) continue;
      for (;; rest = block.string(++k)) {
        for (StringView found; (found = search_slowly<false>(rest)).begin != nullptr;) take_found(found);
        if (k == block.num_strings - 1) return;
      }
    }
  }

 private:
  static constexpr int64_t kMaxDebt = 4 * kBlockBytes;
  static constexpr StringView kNone{nullptr, nullptr};

  bool is_empty() const { return size_ == 0 && !folded_; }
  static int64_t position(StringView found, StringView in) { return found.begin ? found.begin - in.begin : -1; }

  template <bool kLast>
  StringView search(StringView in);
  template <bool kLast>
  StringView search_slowly(StringView in);
  StringView match_at(StringView in, const uint8_t* place);

  // Of each first part of the text, the longest proper one that it ends with. If kLast, the text is reversed.
  template <bool kLast>
  const std::vector<uint32_t>& borders();
  // Units of a text are its bytes, or the code points of a folded one. Returns whether unit i is equal to another one.
  size_t num_units() const { return folded_ ? folded_->size() : text_.size(); }
  template <bool kLast>
  bool has(size_t i, uint32_t unit) const {
    const size_t at = kLast ? num_units() - 1 - i : i;
    return folded_ ? folded_->has(at, unit) : static_cast<uint8_t>(text_[at]) == unit;
  }

  // Each byte that is searched pays for two units that are compared at places.
  void pay(int64_t num_bytes) {
    pace_.spend(num_bytes);
    debt_ = std::max<int64_t>(debt_ - 2 * num_bytes, 0);
  }

  const std::string_view text_;
  const int64_t size_ = 0;
  const FoldedText* const folded_ = nullptr;
  const simd::Primitives& simd_ = simd::primitives();
  Pace pace_;
  int64_t debt_ = 0;        // units that were compared and are not paid for
  int64_t num_probes_ = 0;  // 0 before the first search
  std::array<simd::ByteAt, simd::kMaxBytesAt> probes_;
  std::array<uint64_t, kBlockWords> places_;
  std::array<std::vector<uint32_t>, 2> borders_;
};

// Calls take(i, string, found) for the occurrences of a folded text in each string, or only for the first one.
template <class Take>
void find_folded(const StringSpan& in, int64_t first, int64_t last, const FoldedText& text, bool only_first,
                 Take&& take) {
  TextFinder finder(text);
  read_blocks(
      in, first, last,
      [&](const Block& block) {
        if (block.num_strings < kManyStrings) return false;
        finder.find_in_block(block, only_first, [&](int64_t k, StringView found) {
          take(block.first_string + k, block.string(k), found);
        });
        return true;
      },
      [&](int64_t i, StringView string) {
        StringView rest = string;
        for (StringView found; (found = finder.first(rest)).begin != nullptr; rest.begin = found.end) {
          take(i, string, found);
          if (only_first) break;
        }
      });
}

}  // namespace stringops::kernels
