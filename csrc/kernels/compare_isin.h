// Whether strings are among other strings. These are in a table by their sizes, first and last bytes, which few of them
// share. Strings that share these with several others are looked up in the hash table of a vocabulary.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/byte_order.h"
#include "core/narrow.h"
#include "core/testing.h"
#include "core/word_key.h"
#include "driver/key_batch.h"
#include "kernels/vocabulary.h"

namespace stringops::kernels {

// The distinct strings of `test`, which outlives it.
class StringSet {
 public:
  StringSet(const char* op, const StringSpan& test) : test_(test) {
    const int64_t wanted = std::min(kSlotsPerString * test.size(), kMaxSlots);
    while (int64_t{1} << (64 - shift_) < wanted) --shift_;
    slots_.assign(size_t{1} << (64 - shift_), {});
    for (int64_t i = 0; i < test.size(); ++i) {
      const StringView text = test.view(test.range(i));
      const Ends ends(text, test);
      Slot& slot = slots_[ends.hash() >> shift_];
      if (slot.string >= 0 ? slot.ends == ends && is_string(slot.string, text) : slot.string == kSeveral) continue;
      slot = {ends, slot.string == kNone ? narrow<int32_t>(i) : kSeveral};
      if (slot.string == kSeveral && table_.empty()) table_ = tabulate_distinct(op, test).table;
    }
  }

  // out[i] = string i is in the set, for strings [first, last).
  void contains(const StringSpan& in, int64_t first, int64_t last, bool* out) const {
    for (; first < last; first += kBatch) contains_some(in, first, std::min(kBatch, last - first), out + first);
  }

 private:
  static constexpr int64_t kBatch = block_size(256, 8), kSlotsPerString = 4, kMaxSlots = 1 << 15;
  static constexpr int32_t kNone = -1, kSeveral = -2;  // instead of a string of `test`

  // The size of a string, and its first and last eight bytes.
  struct Ends {
    uint64_t head = 0, tail = 0;
    int64_t size = -1;

    Ends() = default;
    Ends(StringView text, const StringSpan& in) : size(text.size()) {
      const uint8_t* const end = in.data + in.num_bytes;
      head = load_prefix(text, end);
      tail = load_prefix({text.end - std::min(size, kPrefixBytes), text.end}, end);
    }
    bool operator==(const Ends& other) const {
      return ((head ^ other.head) | (tail ^ other.tail) | static_cast<uint64_t>(size ^ other.size)) == 0;
    }
    uint64_t hash() const {
      const uint64_t mixed = (head + static_cast<uint64_t>(size)) * 0x9e3779b97f4a7c15;
      return ((mixed ^ mixed >> 32) + tail) * 0xd6e8feb86659fd93;
    }
    bool are_all() const { return size <= 2 * kPrefixBytes; }
  };

  struct Slot {
    Ends ends;
    int32_t string = kNone;
  };

  bool is_string(int32_t i, StringView text) const {
    const StringView string = test_.view(test_.range(i));
    return string.size() == text.size() && equal_long(string.begin, text.begin, text.size());
  }

  // Strings [first, first + count).
  void contains_some(const StringSpan& in, int64_t first, int64_t count, bool* out) const {
    int64_t open[kBatch + 1];
    int32_t strings[kBatch + 1];
    int64_t num_open = 0, num_words = 0;
    for (int64_t i = 0; i < count; ++i) {
      const Ends ends(in.view(in.range(first + i)), in);
      const Slot& slot = slots_[ends.hash() >> shift_];
      const bool has_ends = ends == slot.ends;
      out[i] = has_ends & ends.are_all();
      // The next string overwrites one that is not open: there is no branch, as it would be unpredictable.
      open[num_open] = i;
      strings[num_open] = slot.string;
      num_open += (has_ends & !ends.are_all()) | (slot.string == kSeveral);
    }
    uint32_t begins[kBatch + WordBatch::kSize], sizes[kBatch + WordBatch::kSize];
    for (int64_t k = 0; k < num_open; ++k) {
      const ByteRange range = in.range(first + open[k]);
      if (strings[k] >= 0) {
        out[open[k]] = is_string(strings[k], in.view(range));
        continue;
      }
      begins[num_words] = narrow<uint32_t>(range.begin);
      sizes[num_words] = narrow<uint32_t>(range.size());
      open[num_words++] = open[k];
    }
    if (num_words == 0) return;
    int64_t ids[kBatch];
    VocabLookup(*open_vocab_table(table_.data(), static_cast<int64_t>(table_.size())), {-1, 0})
        .encode_words({in.data, in.num_bytes, nullptr}, begins, sizes, num_words, ids);
    for (int64_t k = 0; k < num_words; ++k) out[open[k]] = ids[k] >= 0;
  }

  const StringSpan test_;
  int shift_ = 58;
  std::vector<Slot> slots_;
  std::vector<uint8_t> table_;  // of all strings, if several have one slot
};

}  // namespace stringops::kernels
