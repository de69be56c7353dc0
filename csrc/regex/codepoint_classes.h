// The classes of code points that a pattern does not distinguish: those that are in the same of its sets.
#pragma once

#include <cstdint>
#include <vector>

#include "core/bits.h"
#include "core/codepoint_set.h"
#include "core/utf8.h"

namespace stringops {

class CodepointClasses {
 public:
  CodepointClasses() : CodepointClasses(std::vector<CodepointSet>()) {}
  explicit CodepointClasses(const std::vector<CodepointSet>& sets);

  // Classes are numbered from 0.
  int32_t size() const { return size_; }
  bool contains(size_t set, int32_t c) const {
    const Members& members = members_[set];
    const uint32_t at = static_cast<uint32_t>(c) - members.first;
    return (at < members.count && test_bit(&words_[members.words], at)) != members.inverted;
  }
  // The number of classes of a set, and whether it has code points beyond ASCII.
  size_t count(size_t set) const { return members_[set].size; }
  bool has_beyond_ascii(size_t set) const { return members_[set].has_beyond_ascii; }

  // Calls f(c) for each class c of a set.
  template <class F>
  void for_each(size_t set, const F& f) const {
    const Members& members = members_[set];
    if (members.inverted) {
      for (uint32_t c = 0; c < static_cast<uint32_t>(size_); ++c) {
        if (contains(set, static_cast<int32_t>(c))) f(c);
      }
      return;
    }
    // Whole words of bits are skipped, because the few classes of a set may be thousands of numbers apart.
    for (uint32_t first = 0; first < members.count; first += kWordBits) {
      for (uint64_t rest = words_[members.words + first / kWordBits]; rest != 0; rest &= rest - 1) {
        f(members.first + first + static_cast<uint32_t>(first_bit(rest)));
      }
    }
  }

  // Whether code points beyond ASCII are of class c.
  bool is_beyond_ascii(uint32_t c) const { return beyond_ascii_[c]; }

  uint32_t of_ascii(uint8_t byte) const { return ascii_[byte]; }
  uint32_t of(uint32_t codepoint) const {
    return blocks_[size_t{index_[codepoint >> kBlockBits]} << kBlockBits | (codepoint & (kBlock - 1))];
  }

  // The class of the code point at p, any class if it is not UTF-8, and its number of bytes, none of them at `end`.
  uint32_t next(const uint8_t* p, const uint8_t* end, int64_t* length) const {
    const uint8_t lead = p[0];  // read once, since the text may be changed meanwhile
    if (lead < 0x80) {
      *length = 1;
      return ascii_[lead];
    }
    return beyond_ascii(lead, p, end, length);
  }
  uint32_t beyond_ascii(uint32_t lead, const uint8_t* p, const uint8_t* end, int64_t* length) const {
    const int64_t n = codepoint_length(static_cast<uint8_t>(lead));
    if (end - p < n) {
      *length = 1;
      return of(0xFFFD);
    }
    *length = n;
    if (n == 2) return of((lead & 0x1F) << 6 | (p[1] & 0x3F));
    if (n == 3) return of((lead & 0x0F) << 12 | (p[1] & 0x3Fu) << 6 | (p[2] & 0x3F));
    return of((lead & 0x07) << 18 | (p[1] & 0x3Fu) << 12 | (p[2] & 0x3Fu) << 6 | (p[3] & 0x3F));
  }

  // Returns the class of the code point that ends at p. Reads no byte before `begin`.
  uint32_t before(const uint8_t* begin, const uint8_t* p, int64_t* length) const {
    const uint8_t* first = p - 1;
    for (int i = 0; i < 3 && first > begin && is_continuation(*first); ++i) --first;
    const uint32_t c = next(first, p, length);
    *length = p - first;
    return c;
  }

  // The class of the code point before p, `none` at `begin`.
  uint32_t class_before(const uint8_t* begin, const uint8_t* p, uint32_t none) const {
    int64_t ignored = 0;
    return p == begin ? none : before(begin, p, &ignored);
  }

 private:
  static constexpr int kBlockBits = 7;
  static constexpr uint32_t kBlock = 1u << kBlockBits;
  static constexpr uint32_t kDecodable = 1u << 21;  // what four bytes can hold, valid or not

  // The classes of a set, or, if `inverted`, all others: bits of the classes [first, first + count), so that many sets
  // of one class each take little memory.
  struct Members {
    uint32_t first = 0, count = 0;
    size_t words = 0;  // the first one, in words_
    size_t size = 0;   // of the set
    bool inverted = false, has_beyond_ascii = false;
  };

  int32_t size_ = 0;
  std::vector<Members> members_;
  std::vector<uint64_t> words_;
  std::vector<bool> beyond_ascii_;
  uint16_t ascii_[128];
  std::vector<uint16_t> index_, blocks_;
};

}  // namespace stringops
