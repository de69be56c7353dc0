// list[str], NumPy and Arrow <-> buffers: what torch_stringops/interop/ calls. CPython's limited API (3.10),
// no torch. Here are the doors; csrc/convert/ does the work. Buffers come as addresses and sizes, of tensors
// that the caller keeps alive.
#include <Python.h>

#include <memory>
#include <new>
#include <stdexcept>
#include <string>

#include "convert/arrow_export.h"
#include "convert/arrow_import.h"
#include "convert/arrow_nested.h"
#include "convert/failure.h"
#include "convert/fixed_width.h"
#include "convert/from_list.h"
#include "convert/layout.h"
#include "convert/ref.h"
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
  const Shape sizes = read_shape(op, shape, walk.sizes);
  walk.rank = sizes.rank;
  if (num_offsets != sizes.num_offsets) fail(PyExc_ValueError, walk.op + ": expected offsets for every string");
  Write pass{walk, read_address<uint8_t>(op, data, num_bytes, "data"), num_bytes,
             read_address<int32_t>(op, offsets, num_offsets, "offsets")};
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

// Offsets that came from anywhere.
void check_span(const std::string& op, const StringSpan& span) {
  const auto bad = find_bad_offset(span);
  if (!bad) return;
  const std::string after = bad->value > span.num_bytes ? ""
                            : bad->col == 0             ? " first"
                                                        : " after " + std::to_string(bad->previous);
  fail(PyExc_ValueError, op + ": expected `offsets` non-decreasing within [0, " + std::to_string(span.num_bytes) +
                             "] in each row, got " + std::to_string(bad->value) + after + " at row " +
                             std::to_string(bad->row) + ", position " + std::to_string(bad->col));
}

// to_list(data, num_bytes, offsets, num_offsets, shape, as_bytes, errors, op) -> nested lists of str or
// bytes. `errors` is None or one of those that the codec handles itself, so that no Python code runs.
PyObject* to_list(PyObject* args) {
  unsigned long long data, offsets;
  long long num_bytes, num_offsets;
  PyObject* shape;
  int as_bytes;
  const char *errors, *op;
  if (!PyArg_ParseTuple(args, "KLKLO!pzs", &data, &num_bytes, &offsets, &num_offsets, &PyTuple_Type, &shape, &as_bytes,
                        &errors, &op)) {
    throw Failure{};
  }
  Lists lists;
  lists.op = op;
  lists.as_bytes = as_bytes;
  lists.errors = errors;
  const Shape sizes = read_shape(op, shape, lists.sizes);
  lists.rank = sizes.rank;
  if (!lists.rank || num_offsets != sizes.num_offsets) {
    fail(PyExc_ValueError, lists.op + ": expected offsets for every string");
  }
  lists.span = {read_address<const uint8_t>(op, data, num_bytes, "data"), num_bytes,
                read_address<const int32_t>(op, offsets, num_offsets, "offsets"), sizes.rows, sizes.cols};
  check_span(lists.op, lists.span);
  const NoCollection no_collection;
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

// fixed_measure(array, count, width, of_bytes, op) -> (num_bytes, bad_element, bad_unit): the address of `count`
// elements of `width` code points, or bytes. bad_element -1: none.
PyObject* fixed_measure(PyObject* args) {
  unsigned long long array;
  long long count, width;
  int of_bytes;
  const char* op;
  if (!PyArg_ParseTuple(args, "KLLps", &array, &count, &width, &of_bytes, &op)) throw Failure{};
  const int64_t units = count_units(op, count, width);
  const FixedWidthSize size =
      of_bytes ? measure(FixedWidth<uint8_t>{read_address<const uint8_t>(op, array, units, "array"), count, width})
               : measure(FixedWidth<uint32_t>{read_address<const uint32_t>(op, array, units, "array"), count, width});
  return or_throw(Py_BuildValue("LLL", static_cast<long long>(size.num_bytes), static_cast<long long>(size.bad_element),
                                static_cast<long long>(size.bad_unit)));
}

// fixed_write(array, count, width, of_bytes, cols, data, num_bytes, offsets, num_offsets, op) -> whether the
// array is still what was measured.
PyObject* fixed_write(PyObject* args) {
  unsigned long long array, data, offsets;
  long long count, width, cols, num_bytes, num_offsets;
  int of_bytes;
  const char* op;
  if (!PyArg_ParseTuple(args, "KLLpLKLKLs", &array, &count, &width, &of_bytes, &cols, &data, &num_bytes, &offsets,
                        &num_offsets, &op)) {
    throw Failure{};
  }
  const int64_t units = count_units(op, count, width);
  if (cols < 1 || count % cols != 0 || num_offsets != count + count / cols) {
    fail(PyExc_ValueError, std::string(op) + ": expected offsets for every string");
  }
  uint8_t* const bytes = read_address<uint8_t>(op, data, num_bytes, "data");
  int32_t* const ends = read_address<int32_t>(op, offsets, num_offsets, "offsets");
  const bool same =
      of_bytes ? write(FixedWidth<uint8_t>{read_address<const uint8_t>(op, array, units, "array"), count, width}, cols,
                       bytes, num_bytes, ends)
               : write(FixedWidth<uint32_t>{read_address<const uint32_t>(op, array, units, "array"), count, width},
                       cols, bytes, num_bytes, ends);
  return or_throw(PyBool_FromLong(same));
}

constexpr const char* kFromArray = "`column.__arrow_c_array__()`";
constexpr const char* kFromStream = "`column.__arrow_c_stream__()`";

constexpr const char* kNested = "torch_stringops.arrow_nested";

// What arrow_import returns for a column that holds strings inside another type.
PyObject* open_nested(std::shared_ptr<Nested> nested) {
  using Held = std::shared_ptr<Nested>;
  auto inner = std::make_unique<ArrowArrayStream>();
  nested->open_inner(*inner);
  Ref inner_capsule(PyCapsule_New(inner.get(), kArrowStream, free_capsule<ArrowArrayStream>));
  if (!inner_capsule.get()) {
    inner->release(inner.get());
    throw Failure{};
  }
  static_cast<void>(inner.release());
  std::unique_ptr<Held, DropWithGil<Held>> held(new Held(nested));
  Ref capsule(or_throw(PyCapsule_New(held.get(), kNested, [](PyObject* dropped) {
    DropWithGil<Held>()(static_cast<Held*>(PyCapsule_GetPointer(dropped, kNested)));
  })));
  static_cast<void>(held.release());
  return or_throw(Py_BuildValue("sOOLL", nested->is_list() ? "list" : "dictionary", capsule.get(), inner_capsule.get(),
                                static_cast<long long>(nested->size()),
                                static_cast<long long>(nested->first_missing())));
}

// A column of a type that its schema tells: of strings, or of a type that holds strings.
struct AnyColumn {
  std::string op;
  std::unique_ptr<Column, DropWithGil<Column>> strings{new Column};
  std::shared_ptr<Nested> nested;

  void read_schema(ArrowSchema& schema) {
    if (read_nested_type(schema).nesting == Nesting::kNone) {
      strings->read_schema(schema);
    } else {
      nested = std::shared_ptr<Nested>(new Nested(op), DropWithGil<Nested>());
      nested->read_schema(schema);
    }
  }
  void add(ArrowArray& array) {
    if (nested) {
      nested->add(array);
    } else {
      strings->add(array);
    }
  }
};

// arrow_import(schema, array, stream, fill, op) -> (None, column, num_strings, num_bytes, shares_data, shares_offsets);
// of a column of lists or a dictionary, ("list" or "dictionary", nested, inner, num_elements, first_missing), where
// `inner` is a stream of the strings inside, and first_missing -1 if there is none. The first three arguments are
// capsules; either the array or the stream is None, and the schema with the latter. `fill`: bytes for what is missing,
// or None.
PyObject* arrow_import(PyObject* args) {
  PyObject *schema, *array, *stream, *fill;
  const char* op;
  if (!PyArg_ParseTuple(args, "OOOOs", &schema, &array, &stream, &fill, &op)) throw Failure{};
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
  Ref capsule(or_throw(PyCapsule_New(column, kColumn, [](PyObject* dropped) {
    DropWithGil<Column>()(static_cast<Column*>(PyCapsule_GetPointer(dropped, kColumn)));
  })));
  static_cast<void>(any.strings.release());
  return or_throw(Py_BuildValue("OOLLii", Py_None, capsule.get(), size, num_bytes, shares_data, shares_offsets));
}

Column& get_column(PyObject* capsule, const char* caller) {
  return from_capsule<Column>(capsule, kColumn, caller, "`column` to be");
}

// arrow_share(column, of_offsets) -> a DLPack capsule of its data or its offsets, where the column shares
// them.
PyObject* arrow_share(PyObject* args) {
  PyObject* capsule;
  int of_offsets;
  if (!PyArg_ParseTuple(args, "Op", &capsule, &of_offsets)) throw Failure{};
  const Column& column = get_column(capsule, "arrow_share");
  if (of_offsets ? !column.shares_offsets() : !column.shares_data()) {
    fail(PyExc_ValueError, column.op + ": expected a column that shares its memory");
  }
  const std::shared_ptr<Chunk>& chunk = column.chunks[0];
  if (of_offsets) return share_memory(chunk, chunk->offsets32(), chunk->size() + 1, true);
  // Offsets that are shared count from the buffer's start, those that are written from the first string's.
  const int64_t first = column.shares_offsets() ? 0 : chunk->first_byte();
  return share_memory(chunk, chunk->data() + first, chunk->first_byte() + chunk->num_bytes() - first, false);
}

// arrow_write(column, data, num_bytes, offsets, num_offsets): addresses; no data where they are shared.
PyObject* arrow_write(PyObject* args) {
  PyObject* capsule;
  unsigned long long data, offsets;
  long long num_bytes, num_offsets;
  if (!PyArg_ParseTuple(args, "OKLKL", &capsule, &data, &num_bytes, &offsets, &num_offsets)) throw Failure{};
  const Column& column = get_column(capsule, "arrow_write");
  const bool only_offsets = column.shares_data() && num_bytes == 0;
  if (num_offsets != column.size + 1 || (!only_offsets && num_bytes != column.num_bytes)) {
    fail(PyExc_ValueError, column.op + ": expected room for the column");
  }
  uint8_t* const bytes = read_address<uint8_t>(column.op, data, num_bytes, "data");
  column.write(only_offsets ? nullptr : bytes, read_address<int32_t>(column.op, offsets, num_offsets, "offsets"));
  Py_INCREF(Py_None);
  return Py_None;
}

// arrow_positions(nested, begins, ends, count): addresses of int64 for each element; see Nested::write.
PyObject* arrow_positions(PyObject* args) {
  PyObject* capsule;
  unsigned long long begins, ends;
  long long count;
  if (!PyArg_ParseTuple(args, "OKKL", &capsule, &begins, &ends, &count)) throw Failure{};
  const Nested& nested = *from_capsule<std::shared_ptr<Nested>>(capsule, kNested, "arrow_positions", "`nested` to be");
  if (count != nested.size()) fail(PyExc_ValueError, nested.op + ": expected room for every element");
  nested.write(read_address<int64_t>(nested.op, begins, count, "begins"),
               read_address<int64_t>(nested.op, ends, count, "ends"));
  Py_INCREF(Py_None);
  return Py_None;
}

// arrow_wants_binary(schema, op): whether the strings of this schema may be any bytes.
PyObject* arrow_wants_binary(PyObject* args) {
  PyObject* capsule;
  const char* op;
  if (!PyArg_ParseTuple(args, "Os", &capsule, &op)) throw Failure{};
  const auto& schema = from_capsule<ArrowSchema>(capsule, kArrowSchema, op, "`requested_schema` to be");
  const std::string format = schema.release ? read_format(schema) : "";
  return or_throw(PyBool_FromLong(format == "z" || format == "Z" || format == "vz"));
}

// arrow_export(owner, data, num_bytes, offsets, num_offsets, binary, op) -> (schema capsule, array capsule)
PyObject* arrow_export(PyObject* args) {
  PyObject* owner;
  unsigned long long data, offsets;
  long long num_bytes, num_offsets;
  int binary;
  const char* op;
  if (!PyArg_ParseTuple(args, "OKLKLps", &owner, &data, &num_bytes, &offsets, &num_offsets, &binary, &op)) {
    throw Failure{};
  }
  if (num_offsets < 1) fail(PyExc_ValueError, std::string(op) + ": expected offsets");
  const StringSpan strings{read_address<const uint8_t>(op, data, num_bytes, "data"), num_bytes,
                           read_address<const int32_t>(op, offsets, num_offsets, "offsets"), 1, num_offsets - 1};
  check_span(op, strings);
  if (!binary) check_utf8(op, strings);
  return export_arrow(owner, strings, binary);
}

// A text of ours may hold another program's, which need not be UTF-8.
void set_error(const Failure& failure) {
  const Ref text(
      PyUnicode_DecodeUTF8(failure.text.data(), static_cast<Py_ssize_t>(failure.text.size()), "backslashreplace"));
  if (text.get()) PyErr_SetObject(failure.type, text.get());
}

template <PyObject* (*function)(PyObject*)>
PyObject* guarded(PyObject*, PyObject* args) {
  try {
    return function(args);
  } catch (const Failure& failure) {
    if (failure.type) set_error(failure);
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
    {"fixed_measure", guarded<fixed_measure>, METH_VARARGS, nullptr},
    {"fixed_write", guarded<fixed_write>, METH_VARARGS, nullptr},
    {"arrow_import", guarded<arrow_import>, METH_VARARGS, nullptr},
    {"arrow_positions", guarded<arrow_positions>, METH_VARARGS, nullptr},
    {"arrow_share", guarded<arrow_share>, METH_VARARGS, nullptr},
    {"arrow_write", guarded<arrow_write>, METH_VARARGS, nullptr},
    {"arrow_wants_binary", guarded<arrow_wants_binary>, METH_VARARGS, nullptr},
    {"arrow_export", guarded<arrow_export>, METH_VARARGS, nullptr},
    {"uses_layout", guarded<uses_layout>, METH_VARARGS, nullptr},
    {nullptr, nullptr, 0, nullptr},
};

// Runs in every interpreter of the process that imports the module. torch itself corrupts memory in all but the main
// one, and the package imports this module before torch.
int start(PyObject*) {
  if (PyInterpreterState_GetID(PyInterpreterState_Get()) != 0) {
    PyErr_SetString(PyExc_ImportError,
                    "torch_stringops: expected the main interpreter, got a subinterpreter, where torch does not run");
    return -1;
  }
  layout = find_layout();
  return 0;
}

PyModuleDef_Slot slots[] = {{Py_mod_exec, reinterpret_cast<void*>(start)}, {0, nullptr}};

PyModuleDef module = {PyModuleDef_HEAD_INIT, "_convert", nullptr, 0, methods, slots, nullptr, nullptr, nullptr};

}  // namespace
}  // namespace stringops::convert

// NOLINTNEXTLINE(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp): Python wants this name
PyMODINIT_FUNC PyInit__convert() {
  return PyModuleDef_Init(&stringops::convert::module);
}
