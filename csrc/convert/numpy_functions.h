// Functions of the module that convert NumPy arrays.
#pragma once

#include <Python.h>

#include <cstdint>
#include <string>

#include "convert/arguments.h"
#include "convert/failure.h"
#include "convert/fixed_width.h"
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

// Calls f with the FixedWidth at an address, of bytes or of code points. Its lengths are stored in the last `count`
// offsets: each is read before the offset that takes its place is written.
template <class F>
auto with_fixed_width(const std::string& op, unsigned long long array, int64_t count, int64_t width, bool of_bytes,
                      const Buffer& offsets, F&& f) {
  const Buffer units{array, count_units(op, count, width)};
  if (offsets.count < count) fail(PyExc_ValueError, op + ": expected offsets for every string");
  int32_t* const lengths = offsets.output<int32_t>(op, "offsets") + (offsets.count - count);
  if (of_bytes) return f(FixedWidth<uint8_t>{units.as<const uint8_t>(op, "array"), count, width, lengths});
  return f(FixedWidth<uint32_t>{units.as<const uint32_t>(op, "array"), count, width, lengths});
}

// fixed_measure(array, count, width, of_bytes, offsets, num_offsets, op) -> (num_bytes, bad_element, bad_unit). `array`
// is the address of `count` elements of `width` code points, or bytes. bad_element is -1 if there is none. The lengths
// are kept in the last `count` offsets, for fixed_write.
inline PyObject* fixed_measure(PyObject* args) {
  unsigned long long array;
  long long count, width;
  int of_bytes;
  Buffer offsets;
  const char* op;
  parse(args, "KLLpKLs", &array, &count, &width, &of_bytes, &offsets.address, &offsets.count, &op);
  const auto size =
      with_fixed_width(op, array, count, width, of_bytes, offsets, [](const auto& in) { return measure(in); });
  return or_throw(Py_BuildValue("LLL", static_cast<long long>(size.num_bytes), static_cast<long long>(size.bad_element),
                                static_cast<long long>(size.bad_unit)));
}

// fixed_write(array, count, width, of_bytes, cols, data, num_bytes, offsets, num_offsets, op) -> whether the array is
// unchanged since it was measured, with the same offsets.
inline PyObject* fixed_write(PyObject* args) {
  unsigned long long array;
  long long count, width, cols;
  int of_bytes;
  Buffer data, offsets;
  const char* op;
  parse(args, "KLLpLKLKLs", &array, &count, &width, &of_bytes, &cols, &data.address, &data.count, &offsets.address,
        &offsets.count, &op);
  return with_fixed_width(op, array, count, width, of_bytes, offsets, [&](const auto& in) {
    check_offsets_fit(op, count, cols, offsets);
    uint8_t* const bytes = data.output<uint8_t>(op, "data");
    return or_throw(PyBool_FromLong(write(in, cols, bytes, data.count, offsets.as<int32_t>(op, "offsets"))));
  });
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

// string_write(api, dtype, array, count, width, cols, data, num_bytes, offsets, num_offsets, op): same as fixed_write.
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
