// Whether strings are among other strings: a lookup in the hash table of a vocabulary.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "core/fail.h"
#include "core/testing.h"
#include "kernels/vocabulary.h"

namespace stringops::kernels {

// The distinct strings of `test`, as a table for lookups.
class StringSet {
 public:
  StringSet(const char* op, const StringSpan& test) : table_(build(op, test)) {}

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
  // From a copy of the distinct strings, which no other thread writes.
  static std::vector<uint8_t> build(const char* op, const StringSpan& test) {
    std::vector<int64_t> inverse(static_cast<size_t>(test.size()));
    const UniqueStrings unique = find_unique(test, inverse.data());
    check_result_bytes(op, unique.num_bytes);
    std::vector<uint8_t> data(static_cast<size_t>(unique.num_bytes));
    std::vector<int32_t> offsets(static_cast<size_t>(unique.size()) + 1);
    std::vector<int64_t> counts(static_cast<size_t>(unique.size()));
    write_unique(test, unique, {data.data(), offsets.data(), counts.data()});
    const StringSpan words{data.data(), unique.num_bytes, offsets.data(), 1, unique.size()};
    std::vector<uint8_t> table(static_cast<size_t>(measure_vocab_table(words)));
    write_vocab_table(op, words, table.data(), static_cast<int64_t>(table.size()));
    return table;
  }

  std::vector<uint8_t> table_;
};

}  // namespace stringops::kernels
