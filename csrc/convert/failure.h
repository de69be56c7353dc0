// How the conversions fail: a Failure is thrown where the trouble is, and becomes a Python exception at the
// door.
#pragma once

#include <Python.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "convert/ref.h"
#include "core/quote.h"
#include "core/string_span.h"

namespace stringops::convert {

// torch and NumPy stop here too.
constexpr int kMaxRank = 64;

// An exception to be set; without a text, one is set already.
struct Failure {
  PyObject* type = nullptr;
  std::string text;
};

[[noreturn]] inline void fail(PyObject* type, std::string text) {
  throw Failure{type, std::move(text)};
}

inline PyObject* or_throw(PyObject* o) {
  if (!o) throw Failure{};
  return o;
}

// "[1][0]", the place of an element; the first `depth` indices.
inline std::string place(const int64_t* path, int depth) {
  std::string text;
  for (int d = 0; d < depth; ++d) text += "[" + std::to_string(path[d]) + "]";
  return text;
}

inline std::string type_name(PyObject* o) {
  Ref name(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(o)), "__name__"));
  const char* text = name.get() ? PyUnicode_AsUTF8AndSize(name.get(), nullptr) : nullptr;
  if (text) return text;
  if (PyErr_ExceptionMatches(PyExc_MemoryError)) throw Failure{};
  PyErr_Clear();
  return "an object";
}

// What a capsule of this name holds. `what` says where it came from.
template <class T>
T& from_capsule(PyObject* capsule, const char* name, const std::string& op, const char* what) {
  if (PyCapsule_IsValid(capsule, name)) return *static_cast<T*>(PyCapsule_GetPointer(capsule, name));
  const std::string expected = op + ": expected " + what + " a PyCapsule named '" + name + "', got ";
  if (!PyCapsule_CheckExact(capsule)) fail(PyExc_TypeError, expected + type_name(capsule));
  const char* const other = PyCapsule_GetName(capsule);
  fail(PyExc_ValueError,
       expected + (other ? "one named " + quoted(other, strnlen(other, kMaxQuoted + 1)) : "one without a name"));
}

// A shape as Python gave it: the dimensions in `sizes`, and how many offsets strings of that shape have.
struct Shape {
  int rank;
  int64_t rows;
  int64_t cols;
  int64_t num_offsets;
};

// `shape` is a tuple. A shape of rank 0 is one string alone.
inline Shape read_shape(const std::string& op, PyObject* shape, int64_t* sizes) {
  const Py_ssize_t rank = PyTuple_Size(shape);
  if (rank > kMaxRank) {
    fail(PyExc_ValueError, op + ": expected strings of rank " + std::to_string(kMaxRank) + " at most, got rank " +
                               std::to_string(rank) + " (use .reshape())");
  }
  bool bad = false;
  int64_t rows = 1, cols = 1, num_offsets = 0;
  for (Py_ssize_t d = 0; d < rank && !bad; ++d) {
    sizes[d] = PyLong_AsSsize_t(PyTuple_GetItem(shape, d));
    if (sizes[d] == -1 && PyErr_Occurred()) throw Failure{};
    bad = sizes[d] < 0;
    if (d < rank - 1) bad = bad || __builtin_mul_overflow(rows, sizes[d], &rows);
    if (d == rank - 1) cols = sizes[d];
  }
  bad = bad || __builtin_add_overflow(cols, 1, &num_offsets) || __builtin_mul_overflow(num_offsets, rows, &num_offsets);
  if (bad) fail(PyExc_ValueError, op + ": expected `shape` of sizes >= 0 whose product fits in 63 bits");
  return {static_cast<int>(rank), rows, cols, num_offsets};
}

template <class T>
T* read_address(const std::string& op, unsigned long long address, int64_t count, const char* name) {
  T* pointer = reinterpret_cast<T*>(static_cast<uintptr_t>(address));
  if (count < 0 || (count > 0 && !pointer) || address % alignof(T)) {
    fail(PyExc_ValueError, op + ": expected `" + name + "` to be the aligned address of " + std::to_string(count) +
                               " elements, got " + std::to_string(address));
  }
  return pointer;
}

}  // namespace stringops::convert
