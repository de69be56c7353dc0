// list[str] <-> buffers: what torch_stringops/interop/python.py calls. CPython's limited API (3.10), no
// torch. Here are the doors; csrc/convert/ does the work. Buffers come as addresses and sizes, of tensors
// that the caller keeps alive.
#include <Python.h>

#include <new>
#include <stdexcept>
#include <string>

#include "convert/failure.h"
#include "convert/from_list.h"
#include "convert/layout.h"
#include "convert/to_list.h"
#include "core/offsets.h"

namespace stringops::convert {
namespace {

// measure(values, max_rank, op) -> (shape, num_bytes). max_rank -1: as deep as the lists go.
PyObject* measure(PyObject* args) {
  PyObject* values;
  int max_rank;
  const char* op;
  if (!PyArg_ParseTuple(args, "Ois", &values, &max_rank, &op)) throw Failure{};
  Walk walk{op};
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

// write(values, shape, op, data, num_bytes, offsets, num_offsets): the last four are addresses and what they
// hold.
PyObject* write(PyObject* args) {
  PyObject *values, *shape;
  const char* op;
  unsigned long long data, offsets;
  long long num_bytes, num_offsets;
  if (!PyArg_ParseTuple(args, "OO!sKLKL", &values, &PyTuple_Type, &shape, &op, &data, &num_bytes, &offsets,
                        &num_offsets)) {
    throw Failure{};
  }
  Walk walk{op};
  const Shape sizes = read_shape(shape, walk.sizes);
  walk.rank = sizes.rank;
  if (num_offsets != sizes.num_offsets)
    fail(PyExc_ValueError, walk.op + ": expected offsets for every string");
  Write pass{walk, read_address<uint8_t>(data, num_bytes, "data"), num_bytes,
             read_address<int32_t>(offsets, num_offsets, "offsets")};
  try {
    walk.rows(values, 0, pass);
  } catch (const Failure& failure) {
    // Measured without complaint a moment ago.
    if (failure.type) pass.fail_changed();
    throw;
  }
  if (pass.at != num_bytes) pass.fail_changed();
  Py_INCREF(Py_None);
  return Py_None;
}

// to_list(data, num_bytes, offsets, num_offsets, shape, as_bytes, errors, op) -> nested lists of str or
// bytes. `errors` is None or one of those that the codec handles itself, so that no Python code runs.
PyObject* to_list(PyObject* args) {
  unsigned long long data, offsets;
  long long num_bytes, num_offsets;
  PyObject* shape;
  int as_bytes;
  const char *errors, *op;
  if (!PyArg_ParseTuple(args, "KLKLO!pzs", &data, &num_bytes, &offsets, &num_offsets, &PyTuple_Type, &shape,
                        &as_bytes, &errors, &op)) {
    throw Failure{};
  }
  Lists lists;
  lists.op = op;
  lists.as_bytes = as_bytes;
  lists.errors = errors;
  const Shape sizes = read_shape(shape, lists.sizes);
  lists.rank = sizes.rank;
  if (!lists.rank || num_offsets != sizes.num_offsets) {
    fail(PyExc_ValueError, lists.op + ": expected offsets for every string");
  }
  lists.span = {read_address<const uint8_t>(data, num_bytes, "data"), num_bytes,
                read_address<const int32_t>(offsets, num_offsets, "offsets"), sizes.rows, sizes.cols};
  if (const auto bad = find_bad_offset(lists.span)) {
    const std::string after = bad->value > num_bytes ? ""
                              : bad->col == 0        ? " first"
                                                     : " after " + std::to_string(bad->previous);
    fail(PyExc_ValueError, lists.op + ": expected `offsets` non-decreasing within [0, " +
                               std::to_string(num_bytes) + "] in each row, got " +
                               std::to_string(bad->value) + after + " at row " + std::to_string(bad->row) +
                               ", position " + std::to_string(bad->col));
  }
  const NoCollection no_collection;
  return lists.list(0);
}

template <PyObject* (*function)(PyObject*)>
PyObject* guarded(PyObject*, PyObject* args) {
  try {
    return function(args);
  } catch (const Failure& failure) {
    if (failure.type) PyErr_SetString(failure.type, failure.text.c_str());
  } catch (const std::bad_alloc&) {
    PyErr_NoMemory();
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  }
  return nullptr;
}

// uses_layout() -> tells whether objects are read in place, for tests. With an argument: from now on.
PyObject* uses_layout(PyObject* args) {
  int enable = -1;
  if (!PyArg_ParseTuple(args, "|p", &enable)) throw Failure{};
  if (enable >= 0) layout = enable ? find_layout() : Layout{};
  return or_throw(PyBool_FromLong(layout.str_ascii && layout.bytes && layout.list && layout.tuple));
}

PyMethodDef methods[] = {
    {"measure", guarded<measure>, METH_VARARGS, nullptr},
    {"write", guarded<write>, METH_VARARGS, nullptr},
    {"to_list", guarded<to_list>, METH_VARARGS, nullptr},
    {"uses_layout", guarded<uses_layout>, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef module = {
    PyModuleDef_HEAD_INIT, "_convert", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace stringops::convert

PyMODINIT_FUNC PyInit__convert() {
  stringops::convert::layout = stringops::convert::find_layout();
  return PyModule_Create(&stringops::convert::module);
}
