// Gathers strings at given positions of a column, which consists of several tensors, its chunks.
//
// `find` checks positions and offsets, and `copy` copies the strings that it has found, even if positions or offsets
// change in between (race).
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/copy_bytes.h"
#include "core/string_span.h"
#include "core/testing.h"

namespace stringops::convert {

// A chunk. String i has the bytes from offsets[i * step] to offsets[i * step + 1]. It is stored as four int64, which
// Python writes.
struct ColumnChunk {
  const uint8_t* data;
  int64_t num_bytes;
  const int32_t* offsets;
  int64_t step;
};
static_assert(sizeof(ColumnChunk) == 4 * sizeof(int64_t));

// A storage of torch. torch may move its memory, for example to send it to another process, so this records where the
// storage keeps the address of its memory, and the address when the table of chunks was made. It is stored as two
// int64.
struct ColumnStorage {
  const void* const* at;
  const void* memory;

  bool has_moved() const { return *at != memory; }
};
static_assert(sizeof(ColumnStorage) == 2 * sizeof(int64_t));

// The begin of a string; its size is the difference of two offsets of the result.
struct ColumnString {
  int32_t chunk;
  int32_t begin;
};

struct ColumnStrings {
  const ColumnChunk* chunks;
  const int64_t* starts;  // the position of each chunk's first string, and the number of strings
  int64_t num_chunks;
  const int64_t* positions;  // negative ones count from the end
  int64_t count;
  ColumnString* found;  // [count]
  int32_t* offsets;     // [count + 1], of the result
  int64_t bad = -1;     // the first position that is out of bounds
  bool bad_offsets = false;

  int64_t size() const { return starts[num_chunks]; }

  // Sets `found` and `offsets`. Returns the number of bytes; the result is not complete if there is an error, or if
  // they exceed kMaxBytes.
  int64_t find() {
    // The loop works in blocks, so that the offsets of many strings are fetched from memory at the same time, and then
    // their bytes.
    constexpr int64_t kBlock = block_size(64, 4);
    const int32_t* at[kBlock];
    int64_t num_bytes = 0;
    offsets[0] = 0;
    for (int64_t first = 0; first < count; first += kBlock) {
      const int64_t n = std::min(count - first, kBlock);
      for (int64_t k = 0; k < n; ++k) {
        int64_t position = positions[first + k];
        position += position < 0 ? size() : 0;
        if (static_cast<uint64_t>(position) >= static_cast<uint64_t>(size())) {
          bad = first + k;
          return 0;
        }
        const int64_t chunk = chunk_of(position);
        at[k] = chunks[chunk].offsets + (position - starts[chunk]) * chunks[chunk].step;
        __builtin_prefetch(at[k]);
        found[first + k].chunk = static_cast<int32_t>(chunk);
      }
      for (int64_t k = 0; k < n; ++k) {
        ColumnString& string = found[first + k];
        const ColumnChunk& chunk = chunks[string.chunk];
        const int64_t begin = at[k][0], end = at[k][1];
        if ((begin | (end - begin) | (chunk.num_bytes - end)) < 0) {
          bad_offsets = true;
          return 0;
        }
        __builtin_prefetch(chunk.data + begin);
        string.begin = static_cast<int32_t>(begin);
        num_bytes += end - begin;
        if (num_bytes > kMaxBytes) return num_bytes;
        offsets[first + k + 1] = static_cast<int32_t>(num_bytes);
      }
    }
    return num_bytes;
  }

  // Copies the strings to a buffer of the size that `find` has returned.
  void copy(uint8_t* out) const {
    constexpr int64_t kAhead = 16;
    const uint8_t* const out_end = out + offsets[count];
    for (int64_t i = 0; i < count; ++i) {
      if (i + kAhead < count) {
        const ColumnString& next = found[i + kAhead];
        __builtin_prefetch(chunks[next.chunk].data + next.begin);
      }
      const ColumnChunk& chunk = chunks[found[i].chunk];
      copy_short(out + offsets[i], out_end, chunk.data + found[i].begin, chunk.data + chunk.num_bytes,
                 offsets[i + 1] - offsets[i]);
    }
  }

 private:
  // Returns the last chunk that begins at or before the position: an empty one begins where the next one does. There
  // are no branches, which random positions would mispredict.
  int64_t chunk_of(int64_t position) const {
    const int64_t* first = starts;
    for (int64_t n = num_chunks; n > 1;) {
      const int64_t half = n / 2;
      first += first[half] <= position ? half : 0;
      n -= half;
    }
    return first - starts;
  }
};

}  // namespace stringops::convert
