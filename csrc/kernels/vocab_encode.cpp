#include "kernels/vocab_encode.h"

#include <algorithm>

#include "core/string_cursor.h"

namespace stringops::kernels {
namespace {

// Enough that a slot, fetched ahead, has come from memory when its turn comes.
constexpr int64_t kBatch = 64;

int64_t unknown_id(const VocabTable& table, const UnknownWords& unknown, const uint8_t* word, int64_t n) {
  if (unknown.num_buckets == 0) return unknown.id;
  const uint64_t bucket = stable_hash(word, n) % static_cast<uint64_t>(unknown.num_buckets);
  return static_cast<int64_t>(table.header.num_words + bucket);
}

}  // namespace

void write_vocab_ids(const VocabTable& table, const StringSpan& in, int64_t first, int64_t last,
                     const UnknownWords& unknown, int64_t* ids) {
  if (first >= last) return;
  const uint8_t* const data_end = in.data + in.num_bytes;
  StringCursor cursor(in, first);
  ByteRange ranges[kBatch];
  WordKey keys[kBatch];
  uint64_t homes[kBatch];
  int64_t pending[kBatch];  // strings that need more than one look at their home
  while (first < last) {
    const int64_t n = std::min(kBatch, last - first);
    for (int64_t j = 0; j < n; ++j) {
      ranges[j] = cursor.next();
      keys[j] = make_key(in.data + ranges[j].begin, ranges[j].size(), data_end, table.header.seed);
      homes[j] = table.home(keys[j]);
      table.prefetch(homes[j]);
    }
    int64_t num_pending = 0;
    for (int64_t j = 0; j < n; ++j) {
      const WordSlot slot = table.slot(homes[j]);
      ids[first + j] = slot.id;
      // No branch on the outcome: which words miss their home is as good as random.
      const bool is_at_home = slot.low == keys[j].low && slot.high == keys[j].high && !keys[j].is_long() &&
                              static_cast<uint64_t>(static_cast<int64_t>(slot.id)) < table.header.num_words;
      pending[num_pending] = j;
      num_pending += !is_at_home;
      if (keys[j].is_long()) __builtin_prefetch(table.text + static_cast<uint32_t>(slot.low));
    }
    for (int64_t p = 0; p < num_pending; ++p) {
      const int64_t j = pending[p];
      const uint8_t* const word = in.data + ranges[j].begin;
      const auto id = table.find(keys[j], homes[j], word, ranges[j].size());
      ids[first + j] = id ? *id : unknown_id(table, unknown, word, ranges[j].size());
    }
    first += n;
  }
}

}  // namespace stringops::kernels
