// Whether strings are among other strings: a lookup in the hash table of a vocabulary.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/testing.h"
#include "kernels/vocabulary.h"

namespace stringops::kernels {

// The distinct strings of `test`, as a table for lookups.
class StringSet {
 public:
  StringSet(const char* op, const StringSpan& test) : table_(tabulate_distinct(op, test).table) {}

  // out[i] = string i is in the set, for strings [first, last).
  void contains(const StringSpan& in, int64_t first, int64_t last, bool* out) const {
    const VocabLookup lookup(*open_vocab_table(table_.data(), static_cast<int64_t>(table_.size())), {-1, 0});
    constexpr int64_t kBatch = block_size(1024, 64);
    int64_t ids[kBatch];
    for (; first < last; first += kBatch) {
      const int64_t end = std::min(last, first + kBatch);
      lookup.encode_some(in, first, end, ids);
      for (int64_t i = first; i < end; ++i) out[i] = ids[i - first] >= 0;
    }
  }

 private:
  std::vector<uint8_t> table_;
};

}  // namespace stringops::kernels
