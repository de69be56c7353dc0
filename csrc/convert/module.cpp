// The Python module torch_stringops._convert: conversion of lists, NumPy arrays and Arrow columns to and from tensors,
// in CPython's limited API (3.10). Tensors come as addresses and sizes; the caller keeps them alive.
#include <Python.h>

#include <cstring>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "convert/arrow_export.h"
#include "convert/arrow_import.h"
#include "convert/arrow_nested.h"
#include "convert/failure.h"
#include "convert/fixed_width.h"
#include "convert/from_list.h"
#include "convert/items.h"
#include "convert/layout.h"
#include "convert/ref.h"
#include "convert/to_list.h"
#include "core/offsets.h"

namespace stringops::convert {
namespace {

template <class... Out>
void parse(PyObject* args, const char* format, Out... out) {
  if (!PyArg_ParseTuple(args, format, out...)) throw Failure{};
}

// A tensor, as "KL" of a format.
struct Buffer {
  unsigned long long address;
  long long count;

  template <class T>
  T* as(const std::string& op, const char* name) const {
    return read_address<T>(op, address, count, name);
  }
};

PyObject* new_none() {
  Py_INCREF(Py_None);
  return Py_None;
}

// measure(values, max_rank, op) -> (shape, num_bytes). max_rank -1: as deep as the lists are nested.
PyObject* measure(const Layout& layout, PyObject* args) {
  PyObject* values;
  int max_rank;
  const char* op;
  parse(args, "Ois", &values, &max_rank, &op);
  Walk walk{op, layout};
  walk.find_shape(values, max_rank < 0 ? kMaxRank + 1 : max_rank);
  Measure pass{walk};
  walk.rows(values, 0, pass);
  pass.check();
  Ref shape(or_throw(PyTuple_New(walk.rank)));
  for (int d = 0; d < walk.rank; ++d) {
    if (PyTuple_SetItem(shape.get(), d, or_throw(PyLong_FromSsize_t(walk.sizes[d]))) != 0) throw Failure{};
  }
  return or_throw(Py_BuildValue("OL", shape.get(), static_cast<long long>(pass.num_bytes)));
}

// write(values, shape, op, data, num_bytes, offsets, num_offsets)
PyObject* write(const Layout& layout, PyObject* args) {
  PyObject *values, *shape;
  const char* op;
  Buffer data, offsets;
  parse(args, "OO!sKLKL", &values, &PyTuple_Type, &shape, &op, &data.address, &data.count, &offsets.address,
        &offsets.count);
  Walk walk{op, layout};
  const Shape sizes = read_shape(op, shape, walk.sizes);
  walk.rank = sizes.rank;
  if (offsets.count != sizes.num_offsets) fail(PyExc_ValueError, walk.op + ": expected offsets for every string");
  Write pass{walk, data.as<uint8_t>(op, "data"), data.count, offsets.as<int32_t>(op, "offsets")};
  try {
    walk.rows(values, 0, pass);
  } catch (const Failure& failure) {
    // Measure found no fault.
    if (failure.type) pass.fail_changed();
    throw;
  }
  if (pass.at != data.count) pass.fail_changed();
  return new_none();
}

// A span over any addresses; throws unless its offsets are valid.
StringSpan check_span(const std::string& op, const Buffer& data, const Buffer& offsets, int64_t rows, int64_t cols) {
  const StringSpan span{data.as<const uint8_t>(op, "data"), data.count, offsets.as<const int32_t>(op, "offsets"), rows,
                        cols};
  if (const auto bad = find_bad_offset(span)) {
    fail(PyExc_ValueError, op + ": " + describe(*bad, "offsets", span.num_bytes));
  }
  return span;
}

// A span of which only the offsets are read, in rows of cols + 1.
StringSpan offsets_span(const std::string& op, long long num_bytes, const Buffer& offsets, long long cols) {
  if (num_bytes < 0 || cols < 0 || cols > kMaxOffsets || offsets.count < 0 || offsets.count % (cols + 1) != 0) {
    fail(PyExc_ValueError, op + ": expected offsets for every string");
  }
  return {nullptr, num_bytes, offsets.as<const int32_t>(op, "offsets"), offsets.count / (cols + 1), cols};
}

PyObject* validate(const std::string& op, const StringSpan& strings) {
  if (const auto bad = find_bad_offset(strings)) {
    fail(PyExc_ValueError, op + ": " + describe(*bad, "offsets", strings.num_bytes));
  }
  return new_none();
}

// validate(num_bytes, offsets, num_offsets, cols, op): throws unless the offsets are valid.
PyObject* validate_offsets(PyObject* args) {
  long long num_bytes, cols;
  Buffer offsets;
  const char* op;
  parse(args, "LKLLs", &num_bytes, &offsets.address, &offsets.count, &cols, &op);
  return validate(op, offsets_span(op, num_bytes, offsets, cols));
}

// is_compact(num_bytes, offsets, num_offsets, cols, op) -> whether the strings are adjacent, and no other bytes are in
// their data.
PyObject* is_compact_tensor(PyObject* args) {
  long long num_bytes, cols;
  Buffer offsets;
  const char* op;
  parse(args, "LKLLs", &num_bytes, &offsets.address, &offsets.count, &cols, &op);
  return or_throw(PyBool_FromLong(is_compact(offsets_span(op, num_bytes, offsets, cols))));
}

// to_bytes(address, num_bytes) -> bytearray
PyObject* to_bytes(PyObject* args) {
  Buffer data;
  parse(args, "KL", &data.address, &data.count);
  return or_throw(PyByteArray_FromStringAndSize(data.as<const char>("to_bytes", "address"), data.count));
}

// validate_bytes(data, offsets, cols, op): the same as validate, for two bytearrays.
PyObject* validate_bytes(PyObject* args) {
  PyObject *data, *offsets;
  long long cols;
  const char* op;
  parse(args, "O!O!Ls", &PyByteArray_Type, &data, &PyByteArray_Type, &offsets, &cols, &op);
  const Py_ssize_t num_bytes = PyByteArray_Size(offsets);
  if (num_bytes % 4 != 0) fail(PyExc_ValueError, std::string(op) + ": expected offsets of 4 bytes each");
  const Buffer at{reinterpret_cast<uintptr_t>(PyByteArray_AsString(offsets)), num_bytes / 4};
  return validate(op, offsets_span(op, PyByteArray_Size(data), at, cols));
}

// int64_bytes(values) -> the items of a list as int64 in a bytearray; None if one is not an int, but for example a
// bool, or does not fit.
PyObject* int64_bytes(const Layout& layout, PyObject* args) {
  PyObject* values;
  parse(args, "O!", &PyList_Type, &values);
  const Items items = Items::of(values, layout);
  Ref bytes(or_throw(PyByteArray_FromStringAndSize(nullptr, items.size() * int64_t{sizeof(int64_t)})));
  char* const out = PyByteArray_AsString(bytes.get());
  for (int64_t i = 0; i < items.size(); ++i) {
    if (!PyLong_CheckExact(items[i])) return new_none();
    int overflow = 0;
    const int64_t value = PyLong_AsLongLongAndOverflow(items[i], &overflow);
    if (overflow != 0) return new_none();
    std::memcpy(out + i * int64_t{sizeof value}, &value, sizeof value);
  }
  return bytes.release();
}

// to_list(data, num_bytes, offsets, num_offsets, shape, as_bytes, errors, op) -> nested lists of str or bytes. `errors`
// is None or an error handler of the codec itself, so that no Python code runs.
PyObject* to_list(const Layout& layout, PyObject* args) {
  Buffer data, offsets;
  PyObject* shape;
  int as_bytes;
  const char *errors, *op;
  parse(args, "KLKLO!pzs", &data.address, &data.count, &offsets.address, &offsets.count, &PyTuple_Type, &shape,
        &as_bytes, &errors, &op);
  Lists lists(op, layout);
  lists.as_bytes = as_bytes;
  lists.errors = errors;
  const Shape sizes = read_shape(op, shape, lists.sizes);
  lists.rank = sizes.rank;
  if (!lists.rank || offsets.count != sizes.num_offsets) {
    fail(PyExc_ValueError, lists.op + ": expected offsets for every string");
  }
  lists.span = check_span(lists.op, data, offsets, sizes.rows, sizes.cols);
  const DisableCollection disable_collection;
  return lists.list(0);
}

int64_t count_units(const std::string& op, int64_t count, int64_t width) {
  int64_t units = 0;
  if (count < 0 || count > kMaxBytes || width < 0 || __builtin_mul_overflow(count, width, &units)) {
    fail(PyExc_ValueError, op + ": expected an array of at most " + std::to_string(kMaxBytes) + " elements, got " +
                               std::to_string(count) + " of width " + std::to_string(width));
  }
  return units;
}

// Calls f with the FixedWidth at an address: of bytes, or of code points.
template <class F>
auto with_fixed_width(const std::string& op, unsigned long long array, int64_t count, int64_t width, bool of_bytes,
                      F&& f) {
  const Buffer units{array, count_units(op, count, width)};
  if (of_bytes) return f(FixedWidth<uint8_t>{units.as<const uint8_t>(op, "array"), count, width});
  return f(FixedWidth<uint32_t>{units.as<const uint32_t>(op, "array"), count, width});
}

// fixed_measure(array, count, width, of_bytes, op) -> (num_bytes, bad_element, bad_unit): of the address of `count`
// elements of `width` code points, or bytes. bad_element -1: none.
PyObject* fixed_measure(PyObject* args) {
  unsigned long long array;
  long long count, width;
  int of_bytes;
  const char* op;
  parse(args, "KLLps", &array, &count, &width, &of_bytes, &op);
  const auto size = with_fixed_width(op, array, count, width, of_bytes, [](const auto& in) { return measure(in); });
  return or_throw(Py_BuildValue("LLL", static_cast<long long>(size.num_bytes), static_cast<long long>(size.bad_element),
                                static_cast<long long>(size.bad_unit)));
}

// fixed_write(array, count, width, of_bytes, cols, data, num_bytes, offsets, num_offsets, op) -> whether the array is
// unchanged since it was measured.
PyObject* fixed_write(PyObject* args) {
  unsigned long long array;
  long long count, width, cols;
  int of_bytes;
  Buffer data, offsets;
  const char* op;
  parse(args, "KLLpLKLKLs", &array, &count, &width, &of_bytes, &cols, &data.address, &data.count, &offsets.address,
        &offsets.count, &op);
  return with_fixed_width(op, array, count, width, of_bytes, [&](const auto& in) {
    if (cols < 1 || count % cols != 0 || offsets.count != count + count / cols) {
      fail(PyExc_ValueError, std::string(op) + ": expected offsets for every string");
    }
    uint8_t* const bytes = data.as<uint8_t>(op, "data");
    return or_throw(PyBool_FromLong(write(in, cols, bytes, data.count, offsets.as<int32_t>(op, "offsets"))));
  });
}

// arrow_import(schema, array, stream, fill, op) -> (None, column, num_strings, num_bytes, shares_data, shares_offsets);
// for a column of lists or a dictionary, ("list" or "dictionary", nested, inner, num_elements, first_missing), where
// `inner` is a stream of the strings inside, and first_missing is -1 if none is missing. The first three arguments are
// capsules; either `stream` is None, or `schema` and `array` are. `fill`: bytes in place of missing strings, or None.
PyObject* arrow_import(PyObject* args) {
  PyObject *schema, *array, *stream, *fill;
  const char* op;
  parse(args, "OOOOs", &schema, &array, &stream, &fill, &op);
  AnyColumn any;
  any.op = any.strings->op = op;
  if (fill != Py_None) {
    const char* bytes = PyBytes_AsString(fill);
    if (!bytes) throw Failure{};
    any.strings->has_fill = true;
    any.strings->fill.assign(bytes, static_cast<size_t>(PyBytes_Size(fill)));
  }
  if (stream == Py_None) {
    constexpr const char* kFrom = "`column.__arrow_c_array__()` to give";
    any.read_schema(take<ArrowSchema>(schema, kArrowSchema, op, kFrom));
    any.add(take<ArrowArray>(array, kArrowArray, op, kFrom));
  } else {
    read_stream(take<ArrowArrayStream>(stream, kArrowStream, op, "`column.__arrow_c_stream__()` to give"), any);
  }
  if (any.nested) return open_nested(std::move(any.nested));
  Column* const column = any.strings.get();
  const long long size = column->size, num_bytes = column->num_bytes;
  const bool shares_data = column->shares_data(), shares_offsets = column->shares_offsets();
  Ref capsule(new_capsule(std::move(any.strings), kColumn));
  return or_throw(Py_BuildValue("OOLLii", Py_None, capsule.get(), size, num_bytes, shares_data, shares_offsets));
}

Column& get_column(PyObject* capsule, const char* caller) {
  return from_capsule<Column>(capsule, kColumn, caller, "`column` to be");
}

// arrow_share(column, of_offsets) -> a DLPack capsule of its data or its offsets, if the column shares them.
PyObject* arrow_share(PyObject* args) {
  PyObject* capsule;
  int of_offsets;
  parse(args, "Op", &capsule, &of_offsets);
  const Column& column = get_column(capsule, "arrow_share");
  if (of_offsets ? !column.shares_offsets() : !column.shares_data()) {
    fail(PyExc_ValueError, column.op + ": expected a column that shares its memory");
  }
  const std::shared_ptr<Chunk>& chunk = column.chunks[0];
  if (of_offsets) return share_memory(chunk, chunk->offsets32(), chunk->size() + 1, true);
  // Shared offsets count from the buffer's start, written ones from the first string.
  const int64_t first = column.shares_offsets() ? 0 : chunk->first_byte();
  return share_memory(chunk, chunk->data() + first, chunk->first_byte() + chunk->num_bytes() - first, false);
}

// arrow_write(column, data, num_bytes, offsets, num_offsets): no data if the column shares them.
PyObject* arrow_write(PyObject* args) {
  PyObject* capsule;
  Buffer data, offsets;
  parse(args, "OKLKL", &capsule, &data.address, &data.count, &offsets.address, &offsets.count);
  const Column& column = get_column(capsule, "arrow_write");
  const bool only_offsets = column.shares_data() && data.count == 0;
  if (offsets.count != column.size + 1 || (!only_offsets && data.count != column.num_bytes)) {
    fail(PyExc_ValueError, column.op + ": expected room for the column");
  }
  uint8_t* const bytes = data.as<uint8_t>(column.op, "data");
  column.write(only_offsets ? nullptr : bytes, offsets.as<int32_t>(column.op, "offsets"));
  return new_none();
}

// arrow_positions(nested, begins, ends, count): addresses of int64 for each element; see Nested::write.
PyObject* arrow_positions(PyObject* args) {
  PyObject* capsule;
  unsigned long long begins, ends;
  long long count;
  parse(args, "OKKL", &capsule, &begins, &ends, &count);
  const Nested& nested = *from_capsule<std::shared_ptr<Nested>>(capsule, kNested, "arrow_positions", "`nested` to be");
  if (count != nested.size()) fail(PyExc_ValueError, nested.op + ": expected room for every element");
  nested.write(read_address<int64_t>(nested.op, begins, count, "begins"),
               read_address<int64_t>(nested.op, ends, count, "ends"));
  return new_none();
}

// arrow_wants_binary(schema, op): whether the strings of this schema are binary.
PyObject* arrow_wants_binary(PyObject* args) {
  PyObject* capsule;
  const char* op;
  parse(args, "Os", &capsule, &op);
  const auto& schema = from_capsule<ArrowSchema>(capsule, kArrowSchema, op, "`requested_schema` to be");
  const std::string format = schema.release ? read_format(schema) : "";
  return or_throw(PyBool_FromLong(format == "z" || format == "Z" || format == "vz"));
}

// arrow_export(owner, data, num_bytes, offsets, num_offsets, binary, op) -> (schema capsule, array capsule)
PyObject* arrow_export(PyObject* args) {
  PyObject* owner;
  Buffer data, offsets;
  int binary;
  const char* op;
  parse(args, "OKLKLps", &owner, &data.address, &data.count, &offsets.address, &offsets.count, &binary, &op);
  if (offsets.count < 1) fail(PyExc_ValueError, std::string(op) + ": expected offsets");
  const StringSpan strings = check_span(op, data, offsets, 1, offsets.count - 1);
  if (!binary) check_utf8(op, strings);
  return export_arrow(owner, strings, binary);
}

// uses_layout() -> whether objects are read in place; uses_layout(enable) changes it. For tests.
PyObject* uses_layout(Layout& layout, PyObject* args) {
  int enable = -1;
  parse(args, "|p", &enable);
  if (enable >= 0) layout = enable ? find_layout() : Layout{};
  return or_throw(PyBool_FromLong(layout.str_ascii && layout.bytes && layout.list && layout.tuple));
}

// Another library's error text, which ours may quote, need not be UTF-8.
void set_error(const Failure& failure) {
  const Ref text(
      PyUnicode_DecodeUTF8(failure.text.data(), static_cast<Py_ssize_t>(failure.text.size()), "backslashreplace"));
  if (text.get()) PyErr_SetObject(failure.type, text.get());
}

Layout& layout_of(PyObject* module) {
  return *static_cast<Layout*>(PyModule_GetState(module));
}

// An entry point: translates C++ exceptions to Python's.
template <auto function>
PyObject* entry(PyObject* module, PyObject* args) {
  try {
    if constexpr (std::is_invocable_v<decltype(function), PyObject*>) {
      return function(args);
    } else {
      return function(layout_of(module), args);
    }
  } catch (const Failure& failure) {
    if (failure.type) set_error(failure);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

PyMethodDef methods[] = {
    {"measure", entry<measure>, METH_VARARGS, nullptr},
    {"write", entry<write>, METH_VARARGS, nullptr},
    {"validate", entry<validate_offsets>, METH_VARARGS, nullptr},
    {"is_compact", entry<is_compact_tensor>, METH_VARARGS, nullptr},
    {"to_bytes", entry<to_bytes>, METH_VARARGS, nullptr},
    {"validate_bytes", entry<validate_bytes>, METH_VARARGS, nullptr},
    {"int64_bytes", entry<int64_bytes>, METH_VARARGS, nullptr},
    {"to_list", entry<to_list>, METH_VARARGS, nullptr},
    {"fixed_measure", entry<fixed_measure>, METH_VARARGS, nullptr},
    {"fixed_write", entry<fixed_write>, METH_VARARGS, nullptr},
    {"arrow_import", entry<arrow_import>, METH_VARARGS, nullptr},
    {"arrow_positions", entry<arrow_positions>, METH_VARARGS, nullptr},
    {"arrow_share", entry<arrow_share>, METH_VARARGS, nullptr},
    {"arrow_write", entry<arrow_write>, METH_VARARGS, nullptr},
    {"arrow_wants_binary", entry<arrow_wants_binary>, METH_VARARGS, nullptr},
    {"arrow_export", entry<arrow_export>, METH_VARARGS, nullptr},
    {"uses_layout", entry<uses_layout>, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

// Runs in every interpreter that imports the module. torch corrupts memory in all but the main one, and the package
// imports this module before torch.
int start(PyObject* module) {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    PyErr_SetString(PyExc_ImportError,
                    "torch_stringops: expected the main interpreter, got a subinterpreter, where torch does not run");
    return -1;
  }
  layout_of(module) = find_layout();
  return 0;
}

PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void*>(start)}, {0, nullptr}};

PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_convert", nullptr, sizeof(Layout), methods, slots, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace stringops::convert

// NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): required by Python
PyMODINIT_FUNC PyInit__convert() {
  return PyModuleDef_Init(&stringops::convert::module);
}
