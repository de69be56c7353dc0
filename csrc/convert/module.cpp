// The Python module torch_stringops._convert: conversion of lists, NumPy arrays and Arrow columns to and from tensors,
// in CPython's limited API (3.10), and subword tokenizers on single texts. Tensors come as addresses and sizes; the
// caller keeps them alive.
#include <Python.h>

#include <cstring>
#include <new>
#include <stdexcept>
#include <string>
#include <type_traits>

#include "convert/arguments.h"
#include "convert/arrow_functions.h"
#include "convert/column_functions.h"
#include "convert/failure.h"
#include "convert/from_list.h"
#include "convert/items.h"
#include "convert/layout.h"
#include "convert/numpy_functions.h"
#include "convert/offsets_functions.h"
#include "convert/reader_functions.h"
#include "convert/ref.h"
#include "convert/to_list.h"
#include "convert/tokenizer_functions.h"
#include "core/offsets.h"
#include "core/python_exception.h"

namespace stringops::convert {
namespace {

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
  Write pass{walk, data.output<uint8_t>(op, "data"), data.count, offsets.output<int32_t>(op, "offsets")};
  try {
    walk.rows(values, 0, pass);
  } catch (const Failure& failure) {
    // Measure found no fault, so the list has changed.
    if (failure.type) pass.fail_changed();
    throw;
  }
  if (pass.at != data.count) pass.fail_changed();
  return new_none();
}

// Returns strings at any addresses; throws unless their offsets are valid.
StringRows check_rows(const std::string& op, const Buffer& data, const Buffer& offsets, int64_t rows, int64_t cols) {
  const StringRows strings{
      data.as<const uint8_t>(op, "data"), data.count, offsets.as<const int32_t>(op, "offsets"), rows, cols, cols + 1};
  if (const auto bad = find_bad_offset(strings)) {
    fail(PyExc_ValueError, op + ": " + describe(*bad, "offsets", strings.num_bytes));
  }
  return strings;
}

// int64_bytes(values) -> the items of a list as int64 in a bytearray, or None if one is not an int (a bool, for
// example) or does not fit.
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
  lists.rows = check_rows(lists.op, data, offsets, sizes.rows, sizes.cols);
  const DisableCollection disable_collection;
  return lists.list(0);
}

// arrow_export(owner, data, num_bytes, offsets, num_offsets, binary, op) -> (schema capsule, array capsule)
PyObject* arrow_export(PyObject* args) {
  PyObject* owner;
  Buffer data, offsets;
  int binary;
  const char* op;
  parse(args, "OKLKLps", &owner, &data.address, &data.count, &offsets.address, &offsets.count, &binary, &op);
  if (offsets.count < 1) fail(PyExc_ValueError, std::string(op) + ": expected offsets");
  const StringSpan strings = check_rows(op, data, offsets, 1, offsets.count - 1).row(0);
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

// The error text of another library, which this one may quote, need not be UTF-8.
void set_error(const Failure& failure) {
  const Ref text(
      PyUnicode_DecodeUTF8(failure.text.data(), static_cast<Py_ssize_t>(failure.text.size()), "backslashreplace"));
  if (text.get()) PyErr_SetObject(failure.type, text.get());
}

Layout& layout_of(PyObject* module) {
  return *static_cast<Layout*>(PyModule_GetState(module));
}

// Without a GIL, one call at a time runs, as with it: its memory is not that of a call of another thread. Python
// suspends the section when a thread waits, or gives up what was the GIL.
class OneCall {
 public:
#ifdef Py_GIL_DISABLED
  explicit OneCall(PyObject* module) { PyCriticalSection_Begin(&section_, module); }
  ~OneCall() { PyCriticalSection_End(&section_); }
  OneCall(const OneCall&) = delete;
  OneCall& operator=(const OneCall&) = delete;

 private:
  PyCriticalSection section_;
#else
  explicit OneCall(PyObject*) {}
#endif
};

// Returns call(), or null after setting the Python error of its exception.
template <class Call>
PyObject* translating(PyObject* module, Call&& call) {
  const OneCall one(module);
  try {
    return call();
  } catch (const Failure& failure) {
    if (failure.type) set_error(failure);
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const pybind11::builtin_exception& error) {
    error.set_error();
  } catch (const std::invalid_argument& error) {
    PyErr_SetString(PyExc_ValueError, error.what());
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

// An entry point, whose arguments are a tuple.
template <auto function>
PyObject* entry(PyObject* module, PyObject* args) {
  return translating(module, [&] {
    if constexpr (std::is_invocable_v<decltype(function), PyObject*>) {
      return function(args);
    } else {
      return function(layout_of(module), args);
    }
  });
}

// An entry point of `count` arguments, which are not put into a tuple.
template <auto function, Py_ssize_t count>
PyObject* fast_entry(PyObject* module, PyObject* const* args, Py_ssize_t num_args) {
  return translating(module, [&] {
    if (num_args != count) fail(PyExc_TypeError, "expected " + std::to_string(count) + " arguments");
    return function(layout_of(module), args);
  });
}

template <auto function, Py_ssize_t count>
PyMethodDef fast_method(const char* name) {
  PyObject* (*const entry)(PyObject*, PyObject* const*, Py_ssize_t) = fast_entry<function, count>;
  return {name, reinterpret_cast<PyCFunction>(reinterpret_cast<void*>(entry)), METH_FASTCALL, nullptr};
}

PyMethodDef methods[] = {
    {"measure", entry<measure>, METH_VARARGS, nullptr},
    {"write", entry<write>, METH_VARARGS, nullptr},
    {"validate", entry<validate_offsets>, METH_VARARGS, nullptr},
    {"is_compact", entry<is_compact_tensor>, METH_VARARGS, nullptr},
    {"reshape_offsets", entry<reshape_tensor_offsets>, METH_VARARGS, nullptr},
    {"gather_texts", entry<gather_texts>, METH_VARARGS, nullptr},
    {"int64_bytes", entry<int64_bytes>, METH_VARARGS, nullptr},
    {"to_list", entry<to_list>, METH_VARARGS, nullptr},
    {"line_ranges", entry<line_ranges>, METH_VARARGS, nullptr},
    {"column_gather", entry<column_gather>, METH_VARARGS, nullptr},
    {"fixed_measure", entry<fixed_measure>, METH_VARARGS, nullptr},
    {"fixed_write", entry<fixed_write>, METH_VARARGS, nullptr},
    {"string_measure", entry<string_measure>, METH_VARARGS, nullptr},
    {"string_write", entry<string_write>, METH_VARARGS, nullptr},
    {"arrow_import", entry<arrow_import>, METH_VARARGS, nullptr},
    {"arrow_positions", entry<arrow_positions>, METH_VARARGS, nullptr},
    {"arrow_share", entry<arrow_share>, METH_VARARGS, nullptr},
    {"arrow_write", entry<arrow_write>, METH_VARARGS, nullptr},
    {"arrow_wants_binary", entry<arrow_wants_binary>, METH_VARARGS, nullptr},
    {"arrow_export", entry<arrow_export>, METH_VARARGS, nullptr},
    {"uses_layout", entry<uses_layout>, METH_VARARGS, nullptr},
    {"open_tokenizer", entry<open_tokenizer>, METH_VARARGS, nullptr},
    fast_method<encode_text, 3>("encode_text"),
    fast_method<decode_ids, 4>("decode_ids"),
    {"new_streams", entry<new_streams>, METH_VARARGS, nullptr},
    fast_method<stream_step, 4>("stream_step"),
    {"stream_steps", entry<stream_steps>, METH_VARARGS, nullptr},
    {"json_cut", entry<json_cut>, METH_VARARGS, nullptr},
    {"json_vocabulary", entry<json_vocabulary>, METH_VARARGS, nullptr},
    {"json_pieces", entry<json_pieces>, METH_VARARGS, nullptr},
    {"json_merges", entry<json_merges>, METH_VARARGS, nullptr},
    {"json_tokens", entry<json_tokens>, METH_VARARGS, nullptr},
    {"sentencepiece_pieces", entry<sentencepiece_pieces>, METH_VARARGS, nullptr},
    {"reset_stream", entry<reset_stream>, METH_VARARGS, nullptr},
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

PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void*>(start)},
#ifdef Py_GIL_DISABLED
                            {Py_mod_gil, Py_MOD_GIL_NOT_USED},
#endif
                            {0, nullptr}};

PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_convert", nullptr, sizeof(Layout), methods, slots, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace stringops::convert

// NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): required by Python
PyMODINIT_FUNC PyInit__convert() {
  return PyModuleDef_Init(&stringops::convert::module);
}
