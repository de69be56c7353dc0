// Functions of the module for columns: the lines of a text, and strings of several chunks.
#pragma once

#include <Python.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "convert/arguments.h"
#include "convert/failure.h"
#include "convert/ref.h"
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

// Gathers strings at given positions of a column, which consists of several tensors, its chunks.
//
// `find` checks positions and offsets, and `copy` copies the strings that it has found, even if positions or offsets
// change in between (race).
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

// Bit i is set if byte i of 64 is LF or CR.
inline uint64_t line_end_bits(const uint8_t* p) {
  uint64_t bits = 0;
#ifdef __SSE2__
  const __m128i lf = _mm_set1_epi8('\n'), cr = _mm_set1_epi8('\r');
  for (int i = 0; i < 64; i += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p + i));
    const __m128i equal = _mm_or_si128(_mm_cmpeq_epi8(bytes, lf), _mm_cmpeq_epi8(bytes, cr));
    bits |= uint64_t{static_cast<uint32_t>(_mm_movemask_epi8(equal))} << i;
  }
#else
  for (int i = 0; i < 64; ++i) bits |= uint64_t{p[i] == '\n' || p[i] == '\r'} << i;
#endif
  return bits;
}

// The lines of a text: line ends are LF, CR LF and CR, as in Python's universal newlines.
struct LineRanges {
  const uint8_t* data;
  int64_t size;
  bool is_last;      // the text ends at `size`; otherwise, a line without an end is not complete
  int64_t limit;     // lines that begin here or after are not listed
  int32_t* out;      // begin and end of each line, without the line end
  int64_t capacity;  // in lines
  int64_t count = 0;
  int64_t begin = 0;  // begin of the line that is not complete

  void find() {
    uint8_t last[64];
    for (int64_t at = 0; at < size; at += 64) {
      const int64_t n = std::min<int64_t>(size - at, 64);
      const uint8_t* block = data + at;
      if (n < 64) {
        std::memset(last, 0, sizeof last);
        std::memcpy(last, block, static_cast<size_t>(n));
        block = last;
      }
      for (uint64_t bits = line_end_bits(block); bits != 0; bits &= bits - 1) {
        if (!end_at(at + __builtin_ctzll(bits))) return;
      }
    }
    if (is_last && begin < size && add(size)) begin = size;
  }

 private:
  // Handles the LF or CR at `at`; returns false to stop.
  bool end_at(int64_t at) {
    if (at < begin) return true;  // the LF of CR LF
    int64_t next = at + 1;
    if (data[at] == '\r') {
      if (next == size && !is_last) return false;  // LF may follow
      if (next < size && data[next] == '\n') ++next;
    }
    if (!add(at)) return false;
    begin = next;
    return true;
  }

  bool add(int64_t end) {
    if (count == capacity || begin >= limit) return false;
    out[2 * count] = static_cast<int32_t>(begin);
    out[2 * count + 1] = static_cast<int32_t>(end);
    ++count;
    return true;
  }
};

// line_ranges(data, num_bytes, is_last, limit, out, capacity) -> (number of lines, position after the last one). Finds
// lines until `out` is full, or the next one begins at `limit`. Each takes two numbers of `out`, begin and end.
inline PyObject* line_ranges(PyObject* args) {
  Buffer data, out;
  int is_last;
  long long limit;
  parse(args, "KLpLKL", &data.address, &data.count, &is_last, &limit, &out.address, &out.count);
  if (data.count > kMaxBytes) fail(PyExc_ValueError, "line_ranges: expected at most 2**31 - 1 bytes");
  LineRanges lines{data.as<const uint8_t>("line_ranges", "data"), data.count,   is_last != 0, limit,
                   out.as<int32_t>("line_ranges", "out"),         out.count / 2};
  lines.find();
  return or_throw(Py_BuildValue("LL", static_cast<long long>(lines.count), static_cast<long long>(lines.begin)));
}

// From this number of strings on, other Python threads run meanwhile.
constexpr int64_t kManyStrings = 4096;

// column_gather(chunks, starts, num_chunks, storages, num_storages, positions, count) -> the bytes of the strings at
// positions and their offsets, int32 [count + 1], as two bytearrays. If it fails, it returns an int: -1 if a storage
// has moved, else the number of the position that is out of bounds. The addresses are those of ColumnStrings; positions
// may also be a bytearray.
inline PyObject* column_gather(PyObject* args) {
  unsigned long long starts_address;
  Buffer chunks, storages, positions;
  PyObject* given;
  parse(args, "KKLKLOL", &chunks.address, &starts_address, &chunks.count, &storages.address, &storages.count, &given,
        &positions.count);
  const std::string op = "StringColumn";
  const bool is_bytes = PyByteArray_Check(given);
  if (is_bytes) {
    positions = {reinterpret_cast<uintptr_t>(PyByteArray_AsString(given)), PyByteArray_Size(given) / 8};
  } else {
    positions.address = PyLong_AsUnsignedLongLong(given);
    if (PyErr_Occurred()) throw Failure{};
  }
  const Buffer starts{starts_address, chunks.count + 1};
  const auto* const memory = storages.as<const ColumnStorage>(op, "storages");
  if (std::any_of(memory, memory + storages.count, [](const ColumnStorage& s) { return s.has_moved(); })) {
    return or_throw(PyLong_FromLong(-1));
  }
  const auto* const at = positions.as<const int64_t>(op, "positions");
  if (positions.count >= kMaxOffsets) fail(PyExc_ValueError, op + ": expected at most 2**31 - 2 positions");
  Ref offsets_bytes(or_throw(PyByteArray_FromStringAndSize(nullptr, 4 * (positions.count + 1))));
  const Buffer offsets{reinterpret_cast<uintptr_t>(PyByteArray_AsString(offsets_bytes.get())), positions.count + 1};
  // This is not a vector, which would be cleared.
  const std::unique_ptr<ColumnString[]> found(new ColumnString[static_cast<size_t>(positions.count)]);
  ColumnStrings strings{chunks.as<const ColumnChunk>(op, "chunks"),
                        starts.as<const int64_t>(op, "starts"),
                        chunks.count,
                        at,
                        positions.count,
                        found.get(),
                        offsets.output<int32_t>(op, "offsets")};
  // Without the lock, another thread could resize a bytearray.
  const bool is_long = positions.count > kManyStrings && !is_bytes;
  int64_t num_bytes = 0;
  {
    const ReleaseLock release(is_long);
    num_bytes = strings.find();
  }
  if (strings.bad >= 0) return or_throw(PyLong_FromLongLong(strings.bad));
  if (strings.bad_offsets) fail(PyExc_ValueError, op + ": expected `offsets` non-decreasing and within `data`");
  if (num_bytes > kMaxBytes) fail_too_large(op, static_cast<uint64_t>(num_bytes));
  Ref bytes(or_throw(PyByteArray_FromStringAndSize(nullptr, num_bytes)));
  const Buffer out{reinterpret_cast<uintptr_t>(PyByteArray_AsString(bytes.get())), num_bytes};
  auto* const data = out.output<uint8_t>(op, "data");
  {
    const ReleaseLock release(is_long);
    strings.copy(data);
  }
  return or_throw(PyTuple_Pack(2, bytes.get(), offsets_bytes.get()));
}

}  // namespace stringops::convert
