// NumPy's variable-width strings (StringDType), read through NumPy's C API. Their layout is private to NumPy.
//
// The API is a table of functions in a capsule, which NumPy's headers use, too; its positions and signatures are fixed
// for all versions 2 of the ABI. So neither building nor importing needs NumPy's headers.
#pragma once

#include <Python.h>

#include <cstddef>
#include <cstdint>

#include "convert/failure.h"
#include "core/copy_bytes.h"

namespace stringops::convert {

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

}  // namespace stringops::convert
