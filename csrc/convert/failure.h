// Errors of the conversions, thrown as a Failure, which the module's entry points translate to a Python exception; and
// checked access to arguments.
#pragma once

#include <Python.h>

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "convert/ref.h"
#include "core/quote.h"
#include "core/string_span.h"

namespace stringops::convert {

// The greatest rank of torch and NumPy.
constexpr int kMaxRank = 64;

// An exception to be set. Without a type, an exception is set already.
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

[[noreturn]] inline void fail_too_large(const std::string& op, uint64_t num_bytes) {
  fail(PyExc_ValueError, op + ": the result needs at least " + std::to_string(num_bytes) +
                             " bytes; int32 offsets address at most " + std::to_string(kMaxBytes) +
                             " (pass fewer or shorter strings)");
}

// Takes the current exception, which is cleared and normalized.
class Caught {
 public:
  Caught() {
    PyErr_Fetch(&type_, &value_, &traceback_);
    PyErr_NormalizeException(&type_, &value_, &traceback_);
  }
  Caught(const Caught&) = delete;
  Caught& operator=(const Caught&) = delete;
  ~Caught() {
    Py_XDECREF(type_);
    Py_XDECREF(value_);
    Py_XDECREF(traceback_);
  }
  PyObject* value() const { return value_; }

 private:
  PyObject *type_, *value_, *traceback_;
};

// Returns the position of an element, such as "[1][0]", by the first `depth` indices.
inline std::string position_text(const int64_t* path, int depth) {
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

// Returns a capsule that owns the object of `held`.
template <class T, class Deleter>
PyObject* new_capsule(std::unique_ptr<T, Deleter> held, const char* name) {
  PyObject* capsule = or_throw(PyCapsule_New(held.get(), name, [](PyObject* dropped) {
    Deleter()(static_cast<T*>(PyCapsule_GetPointer(dropped, PyCapsule_GetName(dropped))));
  }));
  held.release();
  return capsule;
}

// Returns the content of a capsule of this name. `what` describes its origin, for the error.
template <class T>
T& from_capsule(PyObject* capsule, const char* name, const std::string& op, const char* what) {
  if (PyCapsule_IsValid(capsule, name)) return *static_cast<T*>(PyCapsule_GetPointer(capsule, name));
  const std::string expected = op + ": expected " + what + " a PyCapsule named '" + name + "', got ";
  if (!PyCapsule_CheckExact(capsule)) fail(PyExc_TypeError, expected + type_name(capsule));
  const char* const other = PyCapsule_GetName(capsule);
  fail(PyExc_ValueError,
       expected + (other ? "one named " + quoted(other, strnlen(other, kMaxQuoted + 1)) : "one without a name"));
}

// A shape given by Python. Its sizes are stored elsewhere; here it is [rows, cols], with its leading dimensions
// flattened.
struct Shape {
  int rank;
  int64_t rows;
  int64_t cols;
  int64_t num_offsets;
};

// Reads a shape from a tuple. Rank 0 is a single string.
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
