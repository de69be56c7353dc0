// Functions of the module that convert NumPy arrays.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>

#include "convert/arguments.h"
#include "convert/failure.h"
#include "convert/numpy_strings.h"

namespace stringops::convert {

inline int64_t count_units(const std::string& op, int64_t count, int64_t width) {
  int64_t units = 0;
  if (count < 0 || count > kMaxBytes || width < 0 || __builtin_mul_overflow(count, width, &units)) {
    fail(PyExc_ValueError, op + ": expected an array of at most " + std::to_string(kMaxBytes) + " elements, got " +
                               std::to_string(count) + " of width " + std::to_string(width));
  }
  return units;
}

inline void check_offsets_fit(const std::string& op, int64_t count, int64_t cols, const Buffer& offsets) {
  if (cols < 1 || count % cols != 0 || offsets.count != count + count / cols) {
    fail(PyExc_ValueError, op + ": expected offsets for every string");
  }
}

// The arguments of an array of StringDType: numpy._core._multiarray_umath._ARRAY_API, the array's dtype, its address,
// its number of elements and bytes an element.
struct StringArray {
  PyObject *api, *dtype;
  unsigned long long array;
  long long count, width;

  template <class F>
  auto read(const std::string& op, F&& f) const {
    const Buffer packed{array, count_units(op, count, width)};
    const NumpyApi functions(api);
    return f(NumpyStrings(functions, dtype, packed.as<const char>(op, "array"), count, width));
  }
};

// string_measure(api, dtype, array, count, width, op) -> num_bytes; -1 if a string is missing, -2 if they are too
// large.
inline PyObject* string_measure(PyObject* args) {
  StringArray in;
  const char* op;
  parse(args, "OOKLLs", &in.api, &in.dtype, &in.array, &in.count, &in.width, &op);
  return or_throw(PyLong_FromLongLong(in.read(op, [](const auto& strings) { return measure(strings); })));
}

// string_write(api, dtype, array, count, width, cols, data, num_bytes, offsets, num_offsets, op) -> whether the array
// is unchanged since it was measured.
inline PyObject* string_write(PyObject* args) {
  StringArray in;
  long long cols;
  Buffer data, offsets;
  const char* op;
  parse(args, "OOKLLLKLKLs", &in.api, &in.dtype, &in.array, &in.count, &in.width, &cols, &data.address, &data.count,
        &offsets.address, &offsets.count, &op);
  check_offsets_fit(op, in.count, cols, offsets);
  uint8_t* const bytes = data.output<uint8_t>(op, "data");
  int32_t* const ends = offsets.output<int32_t>(op, "offsets");
  return or_throw(
      PyBool_FromLong(in.read(op, [&](const auto& strings) { return write(strings, cols, bytes, data.count, ends); })));
}

}  // namespace stringops::convert
