// Zero-copy export of strings of rank 1 as an Arrow array.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "convert/c_interfaces.h"
#include "convert/failure.h"
#include "convert/ref.h"
#include "core/string_span.h"
#include "core/strings.h"
#include "core/utf8.h"

namespace stringops::convert {

// Throws unless each string is valid UTF-8, as consumers of Arrow's utf8 type expect.
inline void check_utf8(const std::string& op, const StringSpan& s) {
  if (s.count == 0) return;
  const int64_t begin = s.range(0).begin, end = s.range(s.count - 1).end;
  const auto invalid = find_invalid_utf8(s.data + begin, s.data + end);
  int64_t bad = invalid ? begin + *invalid : -1;
  // All strings are valid if the text is valid as a whole and no string begins within a code point.
  for_each_string(s, 0, s.count, [&](int64_t, ByteRange range) {
    if (bad < 0 && range.begin < end && is_continuation(s.data[range.begin])) bad = range.begin - 1;
  });
  if (bad < 0) return;
  int64_t row = 0;
  while (row + 1 < s.count && s.offsets[row + 1] <= bad) ++row;
  fail(PyExc_ValueError, op + ": expected valid UTF-8, got an invalid byte in the string at [" + std::to_string(row) +
                             "] (ask for binary: pyarrow.array(strings, type=pyarrow.binary()))");
}

// Returns the two capsules of `__arrow_c_array__`. `owner` keeps the memory of `s`, a row of strings, alive.
inline PyObject* export_arrow(PyObject* owner, const StringSpan& s, bool binary) {
  const auto release_schema = [](ArrowSchema* released) { released->release = nullptr; };
  const ArrowSchema schema{binary ? "z" : "u", "", nullptr, 0, 0, nullptr, nullptr, release_schema, nullptr};
  Ref schema_capsule(new_capsule(std::make_unique<Owned<ArrowSchema>>(schema), kArrowSchema));

  struct Shared {
    PyObject* owner;
    const void* buffers[3];
  };
  static const uint8_t no_bytes = 0;
  auto shared = std::make_unique<Shared>(Shared{owner, {nullptr, s.offsets, s.num_bytes ? s.data : &no_bytes}});
  const auto release_array = [](ArrowArray* released) {
    auto* held = static_cast<Shared*>(released->private_data);
    released->release = nullptr;
    // This may run on any thread, and after the interpreter has ended.
    if (Py_IsInitialized()) {
      const PyGILState_STATE state = PyGILState_Ensure();
      Py_DECREF(held->owner);
      PyGILState_Release(state);
    }
    delete held;
  };
  auto array = std::make_unique<Owned<ArrowArray>>();
  const ArrowArray strings{s.count, 0, 0, 3, 0, shared->buffers, nullptr, nullptr, release_array, shared.get()};
  static_cast<ArrowArray&>(*array) = strings;
  Py_INCREF(owner);
  shared.release();
  Ref array_capsule(new_capsule(std::move(array), kArrowArray));
  return or_throw(PyTuple_Pack(2, schema_capsule.get(), array_capsule.get()));
}

}  // namespace stringops::convert
