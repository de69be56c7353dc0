// Functions of the module that import Arrow columns, and zero-copy export of strings of rank 1 as an Arrow array.
#pragma once

#include <Python.h>

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "convert/arguments.h"
#include "convert/arrow_import.h"
#include "convert/arrow_nested.h"
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

// arrow_import(schema, array, stream, fill, op, lists) -> (None, column, num_strings, num_bytes, shares_data,
// shares_offsets); for a column of lists or a dictionary, ("list" or "dictionary", nested, inner, num_elements,
// first_missing), where `inner` is such a tuple of the strings inside, and first_missing is -1 if none is missing. The
// first three arguments are capsules; either `stream` is None, or `schema` and `array` are. `fill`: bytes in place of
// missing strings, or None. `lists`: accept columns of lists.
inline PyObject* arrow_import(PyObject* args) {
  PyObject *schema, *array, *stream, *fill;
  const char* op;
  int lists = 1;
  parse(args, "OOOOs|p", &schema, &array, &stream, &fill, &op, &lists);
  AnyColumn any{op};
  if (fill != Py_None) {
    const char* bytes = PyBytes_AsString(fill);
    if (!bytes) throw Failure{};
    any.fill.emplace(bytes, static_cast<size_t>(PyBytes_Size(fill)));
  }
  if (!lists) {
    any.lists_error = any.op +
                      ": expected strings, got a column of lists (strings, row_splits = "
                      "torch_stringops.as_ragged(column) gives ragged rows)";
  }
  if (stream == Py_None) {
    constexpr const char* kFrom = "`column.__arrow_c_array__()` to give";
    any.read_schema(take<ArrowSchema>(schema, kArrowSchema, op, kFrom));
    any.add(take<ArrowArray>(array, kArrowArray, op, kFrom));
  } else {
    read_stream(take<ArrowArrayStream>(stream, kArrowStream, op, "`column.__arrow_c_stream__()` to give"), any);
  }
  return any.result();
}

inline Column& get_column(PyObject* capsule, const char* caller) {
  return from_capsule<Column>(capsule, kColumn, caller, "`column` to be");
}

// arrow_share(column, of_offsets) -> the address and the size of its data or its offsets, if the column shares them.
// They live as long as the column.
inline PyObject* arrow_share(PyObject* args) {
  PyObject* capsule;
  int of_offsets;
  parse(args, "Op", &capsule, &of_offsets);
  const Column& column = get_column(capsule, "arrow_share");
  if (of_offsets ? !column.shares_offsets() : !column.shares_data()) {
    fail(PyExc_ValueError, column.op + ": expected a column that shares its memory");
  }
  const Chunk& chunk = column.chunks[0];
  // Shared offsets count from the buffer's start, written ones from the first string.
  const int64_t first = column.shares_offsets() ? 0 : chunk.first_byte();
  const void* const memory = of_offsets ? chunk.offsets32() : chunk.data() + first;
  const int64_t size = of_offsets ? chunk.size() + 1 : chunk.first_byte() + chunk.num_bytes() - first;
  const unsigned long long address = reinterpret_cast<uintptr_t>(memory);
  return or_throw(Py_BuildValue("KL", address, static_cast<long long>(size)));
}

// arrow_write(column, data, num_bytes, offsets, num_offsets): no data if the column shares them.
inline PyObject* arrow_write(PyObject* args) {
  PyObject* capsule;
  Buffer data, offsets;
  parse(args, "OKLKL", &capsule, &data.address, &data.count, &offsets.address, &offsets.count);
  Column& column = get_column(capsule, "arrow_write");
  const bool only_offsets = column.shares_data() && data.count == 0;
  if (offsets.count != column.size + 1 || (!only_offsets && data.count != column.num_bytes)) {
    fail(PyExc_ValueError, column.op + ": expected room for the column");
  }
  uint8_t* const bytes = data.output<uint8_t>(column.op, "data");
  column.write(only_offsets ? nullptr : bytes, offsets.output<int32_t>(column.op, "offsets"));
  return new_none();
}

// arrow_positions(nested, begins, ends, count): addresses of int64 for each element; see Nested::write.
inline PyObject* arrow_positions(PyObject* args) {
  PyObject* capsule;
  unsigned long long begins, ends;
  long long count;
  parse(args, "OKKL", &capsule, &begins, &ends, &count);
  const auto& nested = from_capsule<Nested>(capsule, kNested, "arrow_positions", "`nested` to be");
  if (count != nested.size()) fail(PyExc_ValueError, nested.op + ": expected room for every element");
  nested.write(read_address<int64_t>(nested.op, begins, count, "begins"),
               read_address<int64_t>(nested.op, ends, count, "ends"));
  return new_none();
}

// arrow_wants_binary(schema, op): whether the strings of this schema are binary.
inline PyObject* arrow_wants_binary(PyObject* args) {
  PyObject* capsule;
  const char* op;
  parse(args, "Os", &capsule, &op);
  const auto& schema = from_capsule<ArrowSchema>(capsule, kArrowSchema, op, "`requested_schema` to be");
  const std::string format = schema.release ? read_format(schema) : "";
  return or_throw(PyBool_FromLong(format == "z" || format == "Z" || format == "vz" || format.rfind("w:", 0) == 0));
}

}  // namespace stringops::convert
