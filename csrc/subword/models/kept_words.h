// The ids of words without a key that were encoded in this call, which are many in scripts whose characters take
// several bytes, and in code. A word replaces another one in its line, so that no text makes searches long.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

#include "core/hash.h"

namespace stringops::subword {

class KeptWords {
 public:
  static constexpr int64_t kMaxBytes = 1 << 14;  // of a word

  struct Word {
    uint64_t hash = 0;
    uint32_t begin = 0, size = 0;  // of its bytes
    uint32_t first_id = 0, num_ids = 0;
    uint32_t limit = 0;  // as in WordIds
  };

  // `num_bytes` is about the size of the text that will come; nothing is kept of short ones.
  KeptWords(int64_t num_bytes, uint64_t seed) : seed_(seed) {
    if (num_bytes < kFewBytes) return;
    for (num_lines_ = 16; num_lines_ < kMaxLines && num_lines_ * kBytesOfLine < num_bytes;) num_lines_ *= 2;
  }

  // Returns null if the word was not kept.
  const Word* find(const uint8_t* word, int64_t n) const {
    if (lines_.empty() || n > kMaxBytes) return nullptr;
    const uint64_t hash = seeded_hash(word, n, seed_);
    const Word& kept = line_of(hash);
    const bool same = kept.hash == hash && kept.size == static_cast<uint64_t>(n) &&
                      std::memcmp(bytes_.data() + kept.begin, word, static_cast<size_t>(n)) == 0;
    return same ? &kept : nullptr;
  }
  const uint32_t* ids(const Word& kept) const { return ids_.data() + kept.first_id; }

  void keep(const uint8_t* word, int64_t n, const uint32_t* ids, int64_t num_ids, uint32_t limit) {
    if (num_lines_ == 0 || n > kMaxBytes) return;
    if (lines_.empty() || bytes_.size() + static_cast<size_t>(n) > kMaxAllBytes) {
      lines_.assign(static_cast<size_t>(num_lines_), {});
      bytes_.clear();
      ids_.clear();
    }
    const uint64_t hash = seeded_hash(word, n, seed_);
    line_of(hash) = {hash,
                     static_cast<uint32_t>(bytes_.size()),
                     static_cast<uint32_t>(n),
                     static_cast<uint32_t>(ids_.size()),
                     static_cast<uint32_t>(num_ids),
                     limit};
    bytes_.insert(bytes_.end(), word, word + n);
    ids_.insert(ids_.end(), ids, ids + num_ids);
  }

 private:
  static constexpr int64_t kMaxLines = 4096, kBytesOfLine = 64, kFewBytes = 1024;
  static constexpr size_t kMaxAllBytes = 1 << 18;  // then all are forgotten

  const Word& line_of(uint64_t hash) const { return lines_[hash & (lines_.size() - 1)]; }
  Word& line_of(uint64_t hash) { return lines_[hash & (lines_.size() - 1)]; }

  const uint64_t seed_;
  int64_t num_lines_ = 0;
  std::vector<Word> lines_;  // a power of two; empty until a word is kept
  std::vector<uint8_t> bytes_;
  std::vector<uint32_t> ids_;
};

}  // namespace stringops::subword
