#include "kernels/string_unique.h"

#include <algorithm>
#include <cstring>
#include <random>

#include "core/copy_bytes.h"
#include "core/string_cursor.h"
#include "core/word_key.h"

namespace stringops::kernels {
namespace {

// Enough that a slot, fetched ahead, has come from memory when its turn comes.
constexpr int64_t kBatch = 64;

// Text is untrusted, and the table grows with it: with a seed that nobody knows, nobody can prepare text whose words
// all fall together. No result depends on it.
const HashSeed& process_seed() {
  static const HashSeed seed = [] {
    std::random_device random;
    return expand_seed(uint64_t{random()} << 32 | random());
  }();
  return seed;
}

// Open addressing with linear probing, at most half full.
class GrowingTable {
 public:
  GrowingTable() : slots_(1024, kEmpty) {}

  uint64_t home(const WordKey& key) const { return home_slot(key, seed_, slots_.size()); }
  void prefetch(uint64_t home) const { __builtin_prefetch(&slots_[home]); }

  // Makes room for `more` words. Homes taken before do not hold after it.
  void reserve(int64_t more) {
    while (2 * static_cast<uint64_t>(num_words_ + more) > slots_.size()) grow();
  }

  // The slot that holds the word, or the empty one where it belongs.
  template <class IsWord>
  WordSlot& find(const WordKey& key, uint64_t home, IsWord&& is_word) {
    for (uint64_t i = home;; i = next(i)) {
      WordSlot& slot = slots_[i];
      if (slot.high == kEmptyMark) return slot;
      if (slot.low == key.low && slot.high == key.high && is_word(slot.id)) return slot;
    }
  }

  void insert(WordSlot& slot, const WordKey& key) {
    slot = {key.low, key.high, static_cast<int32_t>(num_words_)};
    ++num_words_;
  }

 private:
  static constexpr WordSlot kEmpty{0, kEmptyMark, -1};

  uint64_t next(uint64_t i) const { return i + 1 == slots_.size() ? 0 : i + 1; }

  // A slot keeps all that its home is computed from; and as homes keep their order, this walks both tables once.
  void grow() {
    std::vector<WordSlot> old(slots_.size() * (slots_.size() < (1 << 16) ? 4 : 2), kEmpty);
    old.swap(slots_);
    for (const WordSlot& slot : old) {
      if (slot.high == kEmptyMark) continue;
      uint64_t i = home({slot.low, slot.high});
      while (slots_[i].high != kEmptyMark) i = next(i);
      slots_[i] = slot;
    }
  }

  HashSeed seed_ = process_seed();
  std::vector<WordSlot> slots_;
  int64_t num_words_ = 0;
};

}  // namespace

std::optional<UniqueStrings> measure_unique(const StringSpan& in, int64_t* inverse) {
  UniqueStrings unique;
  if (in.size() == 0) return unique;
  const HashSeed seed = process_seed();
  const uint8_t* const data_end = in.data + in.num_bytes;
  GrowingTable table;
  StringCursor cursor(in, 0);
  ByteRange ranges[kBatch];
  WordKey keys[kBatch];
  uint64_t homes[kBatch];
  for (int64_t first = 0; first < in.size(); first += kBatch) {
    const int64_t n = std::min(kBatch, in.size() - first);
    table.reserve(n);
    for (int64_t j = 0; j < n; ++j) {
      ranges[j] = cursor.next();
      keys[j] = make_key(in.data + ranges[j].begin, ranges[j].size(), data_end, seed);
      homes[j] = table.home(keys[j]);
      table.prefetch(homes[j]);
    }
    for (int64_t j = 0; j < n; ++j) {
      const ByteRange range = ranges[j];
      const auto is_word = [&](int32_t id) {
        if (!keys[j].is_long()) return true;
        const auto known = unique.ranges[id];
        return known.end - known.begin == range.size() &&
               std::memcmp(in.data + known.begin, in.data + range.begin, static_cast<size_t>(range.size())) == 0;
      };
      WordSlot& slot = table.find(keys[j], homes[j], is_word);
      if (slot.high == kEmptyMark) {
        if (unique.ranges.size() == INT32_MAX) return std::nullopt;
        table.insert(slot, keys[j]);
        unique.ranges.push_back({static_cast<int32_t>(range.begin), static_cast<int32_t>(range.end)});
        unique.counts.push_back(0);
        unique.num_bytes += range.size();
      }
      inverse[first + j] = slot.id;
      ++unique.counts[slot.id];
    }
  }
  return unique;
}

void write_unique(const StringSpan& in, const UniqueStrings& unique, uint8_t* data, int32_t* offsets) {
  const uint8_t* const src_end = in.data + in.num_bytes;
  const uint8_t* const dst_end = data + unique.num_bytes;
  int64_t at = 0;
  *offsets++ = 0;
  for (const auto [begin, end] : unique.ranges) {
    copy_short(data + at, dst_end, in.data + begin, src_end, end - begin);
    at += end - begin;
    *offsets++ = static_cast<int32_t>(at);
  }
}

}  // namespace stringops::kernels
