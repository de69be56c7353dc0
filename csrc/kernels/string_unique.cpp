#include "kernels/string_unique.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <string_view>

#include "core/copy_bytes.h"
#include "core/crowding.h"
#include "core/huge_pages.h"
#include "core/narrow.h"
#include "core/word_key.h"
#include "kernels/word_batch.h"

namespace stringops::kernels {
namespace {

// Text is untrusted, and the table grows with it: with a seed that nobody knows, nobody can prepare text
// whose words all fall together; and whoever learns it, by what calls take, gets another one. No result depends on it.
const HashSeed& process_seed() {
  static const HashSeed seed = random_seed();
  return seed;
}

// Open addressing with linear probing, at most half full.
class GrowingTable {
 public:
  // `most`: words that may come. Few of them get a small table, which costs less to clear and to allocate.
  GrowingTable(const HashSeed& seed, int64_t most)
      : seed_(seed), slots_(empty(static_cast<size_t>(std::clamp<int64_t>(2 * most, 16, 1024)))) {}

  const uint8_t* bytes() const { return reinterpret_cast<const uint8_t*>(slots_.data()); }
  uint64_t capacity() const { return slots_.size(); }

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
      ++steps_;
    }
  }

  void insert(WordSlot& slot, const WordKey& key) {
    slot = {key.low, key.high, narrow<int32_t>(num_words_)};
    ++num_words_;
  }

  // From slot to slot, in all searches.
  int64_t steps() const { return steps_; }

 private:
  static constexpr WordSlot kEmpty{0, kEmptyMark, -1};

  static std::vector<WordSlot> empty(size_t capacity) {
    std::vector<WordSlot> slots;
    slots.reserve(capacity);
    advise_huge_pages(slots.data(), capacity * sizeof(WordSlot));
    slots.assign(capacity, kEmpty);
    return slots;
  }

  uint64_t next(uint64_t i) const { return i + 1 == slots_.size() ? 0 : i + 1; }

  // A slot keeps all that its home is computed from; and as homes keep their order, this walks both tables
  // once. A large table grows by little, for it would be most of what the operator takes beside its outputs.
  void grow() {
    const size_t size = slots_.size();
    std::vector<WordSlot> old = empty(size < (1 << 16) ? size * 4 : size + size / 4);
    old.swap(slots_);
    for (const WordSlot& slot : old) {
      if (slot.high == kEmptyMark) continue;
      uint64_t i = home_slot({slot.low, slot.high}, seed_, slots_.size());
      while (slots_[i].high != kEmptyMark) i = next(i);
      slots_[i] = slot;
    }
  }

  HashSeed seed_;
  std::vector<WordSlot> slots_;
  int64_t num_words_ = 0;
  int64_t steps_ = 0;
};

#ifndef STRINGOPS_SMALL_TILES
constexpr int64_t kStepWeight = 1;
#else  // for fuzzing: chance makes tables crowded, and short inputs go every way
constexpr int64_t kStepWeight = 1000;
#endif

void add_word(UniqueStrings& unique, int64_t begin, int64_t size) {
  unique.ranges.push_back({narrow<int32_t>(begin), narrow<int32_t>(begin + size)});
  unique.counts.push_back(0);
  unique.num_bytes += size;
}

// False where the table is crowded.
bool number_by_table(const StringSpan& in, const HashSeed& seed, UniqueStrings& unique, int64_t* inverse) {
  GrowingTable table(seed, in.size());
  WordBatch batch(in, 0, seed);
  for (int64_t first = 0; first < in.size(); first += WordBatch::kSize) {
    const int64_t n = std::min(WordBatch::kSize, in.size() - first);
    if (is_crowded(kStepWeight * table.steps(), first)) return false;
    table.reserve(n);
    batch.next(n, table.bytes(), table.capacity());
    for (int64_t j = 0; j < n; ++j) {
      const WordKey key = batch.key(j);
      const auto is_word = [&](int32_t id) {
        if (!key.is_long()) return true;
        const auto [begin, end] = unique.ranges[id];
        return end - begin == batch.size(j) && equal_long(in.data + begin, batch.bytes(j), batch.size(j));
      };
      WordSlot& slot = table.find(key, batch.home(j), is_word);
      if (slot.high == kEmptyMark) {
        table.insert(slot, key);
        add_word(unique, batch.begin(j), batch.size(j));
      }
      inverse[first + j] = slot.id;
      ++unique.counts[slot.id];
    }
  }
  return true;
}

// Slower, but no words make it slow. A tree: whatever another thread writes into the words meanwhile, and however they
// compare then, it stays one, which cannot be said of sorting.
void number_by_order(const StringSpan& in, UniqueStrings& unique, int64_t* inverse) {
  std::map<std::string_view, int64_t> ids;
  for (int64_t i = 0; i < in.size(); ++i) {
    const std::string_view word = in[i];
    const auto [at, is_new] = ids.try_emplace(word, static_cast<int64_t>(ids.size()));
    if (is_new) {
      add_word(unique, reinterpret_cast<const uint8_t*>(word.data()) - in.data, static_cast<int64_t>(word.size()));
    }
    inverse[i] = at->second;
    ++unique.counts[static_cast<size_t>(at->second)];
  }
}

}  // namespace

UniqueStrings measure_unique(const StringSpan& in, int64_t* inverse) {
  UniqueStrings unique;
  // Memory that is never written costs nothing; to grow would leave blocks behind.
  unique.ranges.reserve(static_cast<size_t>(in.size()));
  unique.counts.reserve(static_cast<size_t>(in.size()));
  const auto begin_again = [&] {
    unique.ranges.clear();
    unique.counts.clear();
    unique.num_bytes = 0;
  };
  if (number_by_table(in, process_seed(), unique, inverse)) return unique;
  begin_again();
  if (number_by_table(in, random_seed(), unique, inverse)) return unique;
  begin_again();
  number_by_order(in, unique, inverse);  // words that collide under any seed: none are known
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
    *offsets++ = narrow<int32_t>(at);
  }
}

}  // namespace stringops::kernels
