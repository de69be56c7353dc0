// Functions of the module for columns: the lines of a text, and strings of several chunks.
#pragma once

#include <Python.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "convert/arguments.h"
#include "convert/column.h"
#include "convert/failure.h"
#include "convert/lines.h"
#include "convert/ref.h"

namespace stringops::convert {

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
