// Functions of the module that check offsets, and that make the bytes which are sent to another process.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>

#include "convert/arguments.h"
#include "convert/failure.h"
#include "core/offsets.h"
#include "core/reshape_offsets.h"

namespace stringops::convert {

// A span of which only the offsets are read, in rows of cols + 1.
inline StringSpan offsets_span(const std::string& op, long long num_bytes, const Buffer& offsets, long long cols) {
  if (num_bytes < 0 || cols < 0 || cols > kMaxOffsets || offsets.count < 0 || offsets.count % (cols + 1) != 0) {
    fail(PyExc_ValueError, op + ": expected offsets for every string");
  }
  return {nullptr, num_bytes, offsets.as<const int32_t>(op, "offsets"), offsets.count / (cols + 1), cols};
}

inline PyObject* validate(const std::string& op, const StringSpan& strings) {
  if (const auto bad = find_bad_offset(strings)) {
    fail(PyExc_ValueError, op + ": " + describe(*bad, "offsets", strings.num_bytes));
  }
  return new_none();
}

// validate(num_bytes, offsets, num_offsets, cols, op): throws unless the offsets are valid.
inline PyObject* validate_offsets(PyObject* args) {
  long long num_bytes, cols;
  Buffer offsets;
  const char* op;
  parse(args, "LKLLs", &num_bytes, &offsets.address, &offsets.count, &cols, &op);
  return validate(op, offsets_span(op, num_bytes, offsets, cols));
}

// is_compact(num_bytes, offsets, num_offsets, cols, op) -> whether the strings are adjacent, and no other bytes are in
// their data.
inline PyObject* is_compact_tensor(PyObject* args) {
  long long num_bytes, cols;
  Buffer offsets;
  const char* op;
  parse(args, "LKLLs", &num_bytes, &offsets.address, &offsets.count, &cols, &op);
  return or_throw(PyBool_FromLong(is_compact(offsets_span(op, num_bytes, offsets, cols))));
}

// reshape_offsets(offsets, num_offsets, cols, out, num_out, out_cols) -> whether the strings can be in rows of out_cols
// without a copy of their bytes. `out` is then their offsets.
inline PyObject* reshape_tensor_offsets(PyObject* args) {
  const std::string op = "reshape";
  long long cols, out_cols;
  Buffer offsets, out;
  parse(args, "KLLKLL", &offsets.address, &offsets.count, &cols, &out.address, &out.count, &out_cols);
  const StringSpan in = offsets_span(op, 0, offsets, cols), result = offsets_span(op, 0, out, out_cols);
  if (in.size() != result.size()) fail(PyExc_ValueError, op + ": expected offsets of as many strings");
  auto* const first = out.output<int32_t>(op, "out");
  PyThreadState* const state = PyEval_SaveThread();
  const bool joined = reshape_offsets(in, first, out_cols);
  PyEval_RestoreThread(state);
  return or_throw(PyBool_FromLong(joined));
}

// to_bytes(address, num_bytes) -> bytes
inline PyObject* to_bytes(PyObject* args) {
  Buffer data;
  parse(args, "KL", &data.address, &data.count);
  return or_throw(PyBytes_FromStringAndSize(data.as<const char>("to_bytes", "address"), data.count));
}

// validate_bytes(data, offsets, cols, op): the same as validate, for two objects of type bytes.
inline PyObject* validate_bytes(PyObject* args) {
  PyObject *data, *offsets;
  long long cols;
  const char* op;
  parse(args, "O!O!Ls", &PyBytes_Type, &data, &PyBytes_Type, &offsets, &cols, &op);
  const Py_ssize_t num_bytes = PyBytes_Size(offsets);
  if (num_bytes % 4 != 0) fail(PyExc_ValueError, std::string(op) + ": expected offsets of 4 bytes each");
  const Buffer at{reinterpret_cast<uintptr_t>(PyBytes_AsString(offsets)), num_bytes / 4};
  return validate(op, offsets_span(op, PyBytes_Size(data), at, cols));
}

}  // namespace stringops::convert
