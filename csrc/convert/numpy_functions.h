// Functions of the module that convert NumPy arrays.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include "convert/arguments.h"
#include "convert/failure.h"
#include "core/codepoints.h"
#include "core/copy_bytes.h"
#include "core/narrow.h"

namespace stringops::convert {

// NumPy's variable-width strings (StringDType), read through NumPy's C API. Their layout is private to NumPy.
//
// The API is a table of functions in a capsule, which NumPy's headers use, too; its positions and signatures are fixed
// for all versions 2 of the ABI. So neither building nor importing needs NumPy's headers.

// The functions of numpy/__multiarray_api.h that read strings.
struct NumpyApi {
  struct String {
    size_t size;
    const char* bytes;
  };
  unsigned (*abi_version)();
  int (*load)(void* allocator, const void* packed, String* unpacked);  // 0; 1: missing; -1: failed
  void* (*acquire_allocator)(PyObject* dtype);                         // takes a lock
  void (*release_allocator)(void* allocator);

  // `capsule` is numpy._core._multiarray_umath._ARRAY_API.
  explicit NumpyApi(PyObject* capsule) {
    auto* const table = static_cast<void* const*>(PyCapsule_GetPointer(capsule, nullptr));
    if (!table) throw Failure{};
    read(table[0], &abi_version);
    constexpr unsigned kAbi = 0x2000000;
    if (abi_version() != kAbi) fail(PyExc_ImportError, "expected version 2 of NumPy's ABI");
    read(table[313], &load);
    read(table[316], &acquire_allocator);
    read(table[318], &release_allocator);
  }

 private:
  template <class Function>
  static void read(void* entry, Function* function) {
    *function = reinterpret_cast<Function>(entry);
  }
};

// The elements of a contiguous array of StringDType. Their memory is locked, so no Python code may run.
class NumpyStrings {
 public:
  const int64_t count;

  NumpyStrings(const NumpyApi& api, PyObject* dtype, const char* packed, int64_t count, int64_t width)
      : count(count), api_(api), packed_(packed), width_(width), allocator_(api.acquire_allocator(dtype)) {}
  NumpyStrings(const NumpyStrings&) = delete;
  NumpyStrings& operator=(const NumpyStrings&) = delete;
  ~NumpyStrings() { api_.release_allocator(allocator_); }

  // Returns false if element `i` is missing, or cannot be read.
  bool load(int64_t i, NumpyApi::String* string) const {
    return api_.load(allocator_, packed_ + i * width_, string) == 0;
  }

 private:
  const NumpyApi& api_;
  const char* const packed_;
  const int64_t width_;
  void* const allocator_;
};

// Returns the total number of bytes; -1 if a string is missing, -2 if there are more than kMaxBytes.
inline int64_t measure(const NumpyStrings& in) {
  int64_t num_bytes = 0;
  NumpyApi::String string{};
  for (int64_t i = 0; i < in.count; ++i) {
    if (!in.load(i, &string)) return -1;
    if (string.size > static_cast<size_t>(kMaxBytes - num_bytes)) return -2;
    num_bytes += static_cast<int64_t>(string.size);
  }
  return num_bytes;
}

// Same as for FixedWidth.
inline bool write_element(const NumpyStrings& in, int64_t i, uint8_t*& out, uint8_t* end) {
  NumpyApi::String string{};
  if (!in.load(i, &string) || string.size > static_cast<size_t>(end - out)) return false;
  const auto size = static_cast<int64_t>(string.size);
  copy_exact(out, string.bytes, size);
  out += size;
  return true;
}

// Converts NumPy's fixed-width strings (dtypes U and S), which are padded with zeros; trailing zeros are lost. It takes
// two passes, as for lists. The first pass keeps the lengths, so that the padding, often most of the array, is read
// once. A concurrent write may change the array, so both passes keep to their bounds.

// An array of `count` elements of `width` units: code points (U) or bytes (S).
template <class Unit>
struct FixedWidth {
  const Unit* units;
  int64_t count;
  int64_t width;
  int32_t* lengths;  // the length of each element, in units: set by `measure`

  const Unit* element(int64_t i) const { return units + i * width; }
  const Unit* end() const { return units + count * width; }

  int64_t length(int64_t i) const {
    constexpr auto kUnit = static_cast<int64_t>(sizeof(Unit));
    return (without_zeros(reinterpret_cast<const uint8_t*>(element(i)), width * kUnit) + kUnit - 1) / kUnit;
  }

  // Whether element i may still have n units, judged by the two around its end.
  bool may_have_length(int64_t i, int64_t n) const {
    if (n < 0 || n > width) return false;
    const Unit* const e = element(i);
    return (n == 0 || e[n - 1] != 0) && (n == width || e[n] == 0);
  }

 private:
  // Returns the number of bytes up to the last one that is not zero. The padding is read in steps of 64 and then of 8
  // bytes.
  static int64_t without_zeros(const uint8_t* bytes, int64_t n) {
    uint64_t words[8];
    for (; n >= 64; n -= 64) {
      std::memcpy(words, bytes + n - 64, 64);
      uint64_t any = 0;
      for (const uint64_t word : words) any |= word;
      if (any != 0) break;
    }
    for (; n >= 8; n -= 8) {
      std::memcpy(words, bytes + n - 8, 8);
      if (words[0] != 0) return n - __builtin_clzll(words[0]) / 8;
    }
    while (n > 0 && bytes[n - 1] == 0) --n;
    return n;
  }
};

// The total number of bytes, or the first element that is not valid Unicode, and the position of its invalid unit.
struct FixedWidthSize {
  int64_t num_bytes = 0;
  int64_t bad_element = -1;
  int64_t bad_unit = 0;
};

inline FixedWidthSize measure(const FixedWidth<uint8_t>& in) {
  FixedWidthSize size;
  for (int64_t i = 0; i < in.count; ++i) {
    const int64_t n = in.length(i);
    in.lengths[i] = static_cast<int32_t>(n);  // a length that does not fit belongs to a result that is too large
    size.num_bytes += n;
  }
  return size;
}

inline FixedWidthSize measure(const FixedWidth<uint32_t>& in) {
  FixedWidthSize size;
  for (int64_t i = 0; i < in.count; ++i) {
    const uint32_t* const e = in.element(i);
    const int64_t n = in.length(i);
    in.lengths[i] = static_cast<int32_t>(n);
    uint32_t greatest = 0;
    for (int64_t k = 0; k < n; ++k) greatest = greatest > e[k] ? greatest : e[k];
    const int64_t bytes = utf8_size(e, n);
    if (bytes < 0 || greatest > 0x10FFFF) {
      size.bad_element = i;
      while (size.bad_unit < n - 1 && e[size.bad_unit] <= 0x10FFFF && !is_surrogate(e[size.bad_unit])) {
        ++size.bad_unit;
      }
      return size;
    }
    size.num_bytes += bytes;
  }
  return size;
}

// Writes element `i` at `out` and advances `out`. Returns false if it would pass `end`, or if the element has changed
// and has another length. Bytes after it, which are written later, may be overwritten.
inline bool write_element(const FixedWidth<uint8_t>& in, int64_t i, uint8_t*& out, uint8_t* end) {
  const int64_t n = in.lengths[i];
  if (!in.may_have_length(i, n) || n > end - out) return false;
  copy_short(out, end, in.element(i), in.end(), n);
  out += n;
  return true;
}

inline bool write_element(const FixedWidth<uint32_t>& in, int64_t i, uint8_t*& out, uint8_t* end) {
  const uint32_t* const e = in.element(i);
  const int64_t n = in.lengths[i];
  if (!in.may_have_length(i, n)) return false;
  if (n <= (end - out) / 4) {
    out = write_utf8(e, n, out);
    return true;
  }
  for (int64_t k = 0; k < n; ++k) {
    uint8_t bytes[4];
    const int64_t size = write_utf8(e + k, 1, bytes) - bytes;
    if (size > end - out) return false;
    std::memcpy(out, bytes, static_cast<size_t>(size));
    out += size;
  }
  return true;
}

// Writes rows of `cols` strings. Returns false if the array has changed since it was measured.
template <class Array>
bool write(const Array& in, int64_t cols, uint8_t* data, int64_t num_bytes, int32_t* offsets) {
  uint8_t* at = data;
  uint8_t* const end = data + num_bytes;
  for (int64_t i = 0, col = 0; i < in.count; ++i) {
    if (col == 0) *offsets++ = narrow<int32_t>(at - data);
    if (!write_element(in, i, at, end)) return false;
    *offsets++ = narrow<int32_t>(at - data);
    col = col + 1 < cols ? col + 1 : 0;
  }
  return at == end;
}

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
