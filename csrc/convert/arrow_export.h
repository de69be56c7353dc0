// A tensor of strings as an Arrow array, which shares its memory: rank 1 is Arrow's own layout.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <string>

#include "convert/decode.h"
#include "convert/failure.h"
#include "convert/foreign.h"
#include "convert/ref.h"
#include "core/string_span.h"

namespace stringops::convert {

// Throws unless each string is valid UTF-8: consumers of Arrow's utf8 rely on it.
inline void check_utf8(const std::string& op, const StringSpan& s) {
  const int64_t begin = s.offsets[0], end = s.offsets[s.cols];
  int64_t bad = find_invalid_utf8(s.data + begin, end - begin);
  if (bad >= 0) bad += begin;
  // Valid as a whole, and not cut within a code point.
  for (int64_t i = 1; i < s.cols && bad < 0; ++i) {
    if (s.offsets[i] < end && (s.data[s.offsets[i]] & 0xC0) == 0x80) bad = s.offsets[i] - 1;
  }
  if (bad < 0) return;
  int64_t row = 0;
  while (row + 1 < s.cols && s.offsets[row + 1] <= bad) ++row;
  fail(PyExc_ValueError, op + ": expected valid UTF-8, got an invalid byte in the string at [" + std::to_string(row) +
                             "] (ask for binary: pyarrow.array(strings, type=pyarrow.binary()))");
}

// The two capsules of `__arrow_c_array__`. `owner` keeps the memory of `s`, a row of strings, alive.
inline PyObject* export_arrow(PyObject* owner, const StringSpan& s, bool binary) {
  auto schema = std::make_unique<ArrowSchema>();
  *schema = {binary ? "z" : "u", "", nullptr, 0, 0, nullptr, nullptr, nullptr, nullptr};
  schema->release = [](ArrowSchema* released) { released->release = nullptr; };
  Ref schema_capsule(or_throw(PyCapsule_New(schema.get(), kArrowSchema, free_capsule<ArrowSchema>)));
  schema.release();

  struct Shared {
    PyObject* owner;
    const void* buffers[3];
  };
  static const uint8_t no_bytes = 0;
  auto shared = std::make_unique<Shared>(Shared{owner, {nullptr, s.offsets, s.num_bytes ? s.data : &no_bytes}});
  auto array = std::make_unique<ArrowArray>();
  *array = {s.cols, 0, 0, 3, 0, shared->buffers, nullptr, nullptr, nullptr, shared.get()};
  array->release = [](ArrowArray* released) {
    auto* held = static_cast<Shared*>(released->private_data);
    released->release = nullptr;
    // Called from any thread, and perhaps when there is no interpreter any more.
    if (Py_IsInitialized()) {
      const PyGILState_STATE state = PyGILState_Ensure();
      Py_DECREF(held->owner);
      PyGILState_Release(state);
    }
    delete held;
  };
  Py_INCREF(owner);
  shared.release();
  PyObject* capsule = PyCapsule_New(array.get(), kArrowArray, free_capsule<ArrowArray>);
  if (!capsule) {
    array->release(array.get());
    throw Failure{};
  }
  array.release();
  Ref array_capsule(capsule);
  return or_throw(PyTuple_Pack(2, schema_capsule.get(), array_capsule.get()));
}

}  // namespace stringops::convert
