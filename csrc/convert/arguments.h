// The arguments of the module's functions.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>

#include "convert/failure.h"
#include "core/platform.h"
#include "core/string_span.h"

namespace stringops::convert {

template <class... Out>
void parse(PyObject* args, const char* format, Out... out) {
  if (!PyArg_ParseTuple(args, format, out...)) throw Failure{};
}

// A tensor's memory; the format "KL" parses its address and its size.
struct Buffer {
  unsigned long long address;
  long long count;

  template <class T>
  T* as(const std::string& op, const char* name) const {
    return read_address<T>(op, address, count, name);
  }

  // Returns the address of new memory, which the caller has not written yet.
  template <class T>
  T* output(const std::string& op, const char* name) const {
    T* const begin = as<T>(op, name);
    advise_huge_pages(begin, static_cast<size_t>(count) * sizeof(T));
    return begin;
  }
};

inline PyObject* new_none() {
  Py_INCREF(Py_None);
  return Py_None;
}

}  // namespace stringops::convert
