// list[str] <-> buffers: what torch_stringops/interop/python.py calls. CPython's limited API (3.10), no torch.
//
// Into buffers in two passes over the objects: `measure` finds the shape and the exact number of bytes, then, with the
// tensors allocated, `write` fills them. Between the two any thread may have changed the lists, so `write` believes
// nothing it has not checked again: it compares every length and never passes the end of what it was given.
#include <Python.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include "convert/items.h"
#include "convert/layout.h"
#include "convert/ucs.h"
#include "core/offsets.h"

namespace stringops::convert {
namespace {

// torch and NumPy stop here too.
constexpr int kMaxRank = 64;
constexpr int64_t kPrefetch = 12;

// An exception to be set; without a text, one is set already.
struct Failure {
  PyObject* type = nullptr;
  std::string text;
};

[[noreturn]] void fail(PyObject* type, std::string text) { throw Failure{type, std::move(text)}; }

std::string type_name(PyObject* o) {
  Ref name(PyObject_GetAttrString(reinterpret_cast<PyObject*>(Py_TYPE(o)), "__name__"));
  const char* text = name.get() ? PyUnicode_AsUTF8AndSize(name.get(), nullptr) : nullptr;
  if (!text) PyErr_Clear();
  return text ? text : "an object";
}

// "[1][0]", the place of an element; the first `depth` indices.
std::string place(const int64_t* path, int depth) {
  std::string text;
  for (int d = 0; d < depth; ++d) text += "[" + std::to_string(path[d]) + "]";
  return text;
}

// Walks nested lists of one shape, row by row. Visit::row(const Items&, int64_t row) takes each innermost list.
struct Walk {
  std::string op;
  int rank = 0;
  int64_t sizes[kMaxRank] = {};
  int64_t path[kMaxRank] = {};

  // The shape as the first elements show it, to at most `max_rank` dimensions.
  void find_shape(PyObject* values, int max_rank) {
    while (rank < max_rank && is_list(values)) {
      if (rank == kMaxRank) {
        fail(PyExc_ValueError, op + ": expected lists nested at most " + std::to_string(kMaxRank) + " deep");
      }
      const Items items(values, true);
      sizes[rank++] = items.size();
      if (items.size() == 0) break;
      values = items[0];
    }
    int64_t count = 1;
    for (int d = 0; d < rank; ++d) {
      const int64_t size = std::max<int64_t>(sizes[d], 1);
      if (size > kMaxBytes / count) {
        fail(PyExc_ValueError, op + ": expected at most " + std::to_string(kMaxBytes) + " strings (split the batch)");
      }
      count *= size;
    }
  }

  std::string where(int depth) const { return depth ? " at " + place(path, depth) : ""; }

  // Says why `o` is not what the first element of its level is: a list of the size found there, or a string.
  [[noreturn]] void fail_element(PyObject* o, int depth) const {
    const int64_t zeros[kMaxRank] = {};
    const bool first = std::equal(path, path + depth, zeros);
    const std::string like = first ? "" : ", as at " + place(zeros, depth);
    if (depth < rank && is_list(o)) {
      const int64_t want = sizes[depth];
      fail(PyExc_ValueError, op + ": expected " + std::to_string(want) + (want == 1 ? " element" : " elements") +
                                 where(depth) + like + ", got " + std::to_string(Items(o, true).size()));
    }
    const bool nesting = depth < rank ? is_string(o) : is_list(o);
    std::string text = op + ": expected " + (depth < rank ? "a list" : "str or bytes") + where(depth);
    text += (depth < rank || nesting ? like : "") + ", got " + type_name(o);
    if (o == Py_None) text += " (a string tensor has no missing values: put a string in its place)";
    fail(nesting ? PyExc_ValueError : PyExc_TypeError, text);
  }

  template <class Visit>
  void rows(PyObject* o, int depth, Visit& visit) {
    if (depth == rank) {  // a string alone
      visit.row(Items(&o));
      return;
    }
    if (!is_list(o)) fail_element(o, depth);
    const Items items(o, true);
    if (items.size() != sizes[depth]) fail_element(o, depth);
    if (depth == rank - 1) {
      visit.row(items);
      return;
    }
    for (int64_t i = 0; i < items.size(); ++i) {
      path[depth] = i;
      items.prefetch(i + kPrefetch);
      rows(items[i], depth + 1, visit);
    }
  }

  [[noreturn]] void fail_leaf(PyObject* o, int64_t i) {
    if (rank) path[rank - 1] = i;
    fail_element(o, rank);
  }

  [[noreturn]] void fail_surrogate(PyObject* o, int64_t i) {
    if (rank) path[rank - 1] = i;
    // The index is in the exception that the codec raises.
    Py_ssize_t at = -1;
    Ref ignored(PyUnicode_AsUTF8String(o));
    if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
      PyObject *type, *value, *traceback;
      PyErr_Fetch(&type, &value, &traceback);
      PyErr_NormalizeException(&type, &value, &traceback);
      Ref owned_type(type), owned_value(value), owned_traceback(traceback);
      if (PyUnicodeEncodeError_GetStart(value, &at) != 0) PyErr_Clear();
    } else if (PyErr_Occurred()) {
      throw Failure{};
    }
    fail(PyExc_ValueError, op + ": expected text that UTF-8 can hold" + where(rank) + ", got a lone surrogate at codepoint " +
                               std::to_string(at) + " (encode it yourself, and pass bytes)");
  }

  // Bytes of a string that only the API knows; owned.
  PyObject* encode(PyObject* o, int64_t i) {
    if (PyBytes_Check(o)) {
      Py_INCREF(o);
      return o;
    }
    if (!PyUnicode_Check(o)) fail_leaf(o, i);
    PyObject* bytes = PyUnicode_AsUTF8String(o);
    if (bytes) return bytes;
    if (!PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) throw Failure{};
    PyErr_Clear();
    fail_surrogate(o, i);
  }
};

// Pass 1: the sum of the sizes.
struct Measure {
  Walk& walk;
  int64_t num_bytes = 0;

  int64_t size(PyObject* o, int64_t i) {
    const Leaf leaf = look_at(o);
    int64_t size = 0;
    switch (leaf.storage) {
      case Storage::kBytes: return leaf.length;
      case Storage::kUcs1: return utf8_size(static_cast<const uint8_t*>(leaf.at), leaf.length);
      case Storage::kUcs2: size = utf8_size(static_cast<const uint16_t*>(leaf.at), leaf.length); break;
      case Storage::kUcs4: size = utf8_size(static_cast<const uint32_t*>(leaf.at), leaf.length); break;
      case Storage::kOpaque: {
        Ref bytes(walk.encode(o, i));
        return PyBytes_Size(bytes.get());
      }
    }
    if (size < 0) walk.fail_surrogate(o, i);
    return size;
  }

  void row(const Items& items) {
    for (int64_t i = 0; i < items.size(); ++i) {
      items.prefetch(i + kPrefetch);
      const int64_t more = size(items[i], i);
      num_bytes += more;
      // At most kMaxBytes strings of kMaxBytes each: the sum itself cannot overflow.
      if (more > kMaxBytes) check();
    }
  }

  void check() const {
    if (num_bytes <= kMaxBytes) return;
    fail(PyExc_ValueError, walk.op + ": the result needs at least " + std::to_string(num_bytes) +
                               " bytes; int32 offsets address at most " + std::to_string(kMaxBytes) +
                               " (split the batch)");
  }
};

// Pass 2: bytes and offsets. Stays within num_bytes and num_offsets whatever the objects are now.
struct Write {
  Walk& walk;
  uint8_t* data;
  int64_t num_bytes;
  int32_t* offsets;
  int64_t at = 0;

  [[noreturn]] void fail_changed() {
    fail(PyExc_ValueError, walk.op + ": `values` was modified by another thread during the call (pass a copy)");
  }

  void copy(const void* from, int64_t size) {
    if (size > num_bytes - at) fail_changed();
    if (size) std::memcpy(data + at, from, static_cast<size_t>(size));
    at += size;
  }

  template <class Unit>
  void encode(const void* from, int64_t length) {
    const Unit* units = static_cast<const Unit*>(from);
    // The widest they can be; measured only where that might not fit.
    constexpr int64_t kWidest = sizeof(Unit) == 1 ? 2 : sizeof(Unit) == 2 ? 3 : 4;
    if (length > (num_bytes - at) / kWidest) {
      const int64_t size = utf8_size(units, length);
      if (size < 0 || size > num_bytes - at) fail_changed();
    }
    at = write_utf8(units, length, data + at) - data;
  }

  void row(const Items& items) {
    *offsets++ = static_cast<int32_t>(at);
    for (int64_t i = 0; i < items.size(); ++i) {
      items.prefetch(i + kPrefetch);
      PyObject* const o = items[i];
      const Leaf leaf = look_at(o);
      switch (leaf.storage) {
        case Storage::kBytes: copy(leaf.at, leaf.length); break;
        case Storage::kUcs1: encode<uint8_t>(leaf.at, leaf.length); break;
        case Storage::kUcs2: encode<uint16_t>(leaf.at, leaf.length); break;
        case Storage::kUcs4: encode<uint32_t>(leaf.at, leaf.length); break;
        case Storage::kOpaque: {
          Ref bytes(walk.encode(o, i));
          copy(PyBytes_AsString(bytes.get()), PyBytes_Size(bytes.get()));
        }
      }
      *offsets++ = static_cast<int32_t>(at);
    }
  }
};

PyObject* or_throw(PyObject* o) {
  if (!o) throw Failure{};
  return o;
}

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

// A shape that came from Python: `sizes`, and the number of rows. Empty for one string alone.
int64_t read_shape(PyObject* shape, int64_t* sizes) {
  const Py_ssize_t rank = PyTuple_Size(shape);
  if (rank < 0) throw Failure{};
  if (rank > kMaxRank) fail(PyExc_ValueError, "expected a shape of at most " + std::to_string(kMaxRank) + " dimensions");
  int64_t rows = 1;
  for (Py_ssize_t d = 0; d < rank; ++d) {
    sizes[d] = PyLong_AsSsize_t(PyTuple_GetItem(shape, d));
    if (sizes[d] < 0) {
      if (PyErr_Occurred()) throw Failure{};
      fail(PyExc_ValueError, "expected sizes >= 0");
    }
    if (d < rank - 1) rows *= sizes[d];
  }
  return rows;
}

template <class T>
T* read_address(unsigned long long address, int64_t count, const char* name) {
  T* pointer = reinterpret_cast<T*>(static_cast<uintptr_t>(address));
  if (count < 0 || (count > 0 && !pointer) || address % alignof(T)) {
    fail(PyExc_ValueError, std::string("expected an address for `") + name + "`");
  }
  return pointer;
}

// write(values, shape, op, data, num_bytes, offsets, num_offsets): the last four are addresses and what they hold.
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
  walk.rank = static_cast<int>(PyTuple_Size(shape));
  const int64_t rows = read_shape(shape, walk.sizes);
  const int64_t cols = walk.rank ? walk.sizes[walk.rank - 1] : 1;
  if (num_offsets != rows * (cols + 1)) fail(PyExc_ValueError, walk.op + ": expected offsets for every string");
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

// No collection while many small objects are made: none of them can be garbage, and no Python code runs meanwhile.
class NoCollection {
 public:
  NoCollection() : was_enabled_(PyGC_Disable()) {}
  ~NoCollection() {
    if (was_enabled_) PyGC_Enable();
  }

 private:
  int was_enabled_;
};

// Strings of a shape as nested lists.
struct Lists {
  std::string op;
  StringSpan span;
  int rank = 0;
  int64_t sizes[kMaxRank] = {};
  int64_t path[kMaxRank] = {};
  bool as_bytes = false;
  const char* errors = nullptr;
  int64_t row = 0;

  PyObject* string(int64_t i) {
    const ByteRange range = span.range(row, i);
    const char* begin = reinterpret_cast<const char*>(span.data) + range.begin;
    if (as_bytes) return or_throw(PyBytes_FromStringAndSize(begin, range.size()));
    PyObject* text = PyUnicode_DecodeUTF8(begin, range.size(), errors);
    if (!text) fail_decode(i);
    return text;
  }

  [[noreturn]] void fail_decode(int64_t i) {
    if (!PyErr_ExceptionMatches(PyExc_UnicodeDecodeError)) throw Failure{};
    PyObject *type, *value, *traceback;
    PyErr_Fetch(&type, &value, &traceback);
    PyErr_NormalizeException(&type, &value, &traceback);
    Ref owned_type(type), owned_value(value), owned_traceback(traceback);
    Py_ssize_t at = 0;
    Ref reason(PyUnicodeDecodeError_GetReason(value));
    const char* why = reason.get() ? PyUnicode_AsUTF8AndSize(reason.get(), nullptr) : nullptr;
    if (!why || PyUnicodeDecodeError_GetStart(value, &at) != 0) throw Failure{};
    path[rank - 1] = i;
    fail(PyExc_ValueError, op + ": invalid UTF-8 at " + place(path, rank) + ", byte " + std::to_string(at) + ": " + why +
                               " (pass errors=\"replace\", or as_bytes=True)");
  }

  PyObject* list(int depth) {
    const int64_t size = sizes[depth];
    Ref list(or_throw(PyList_New(size)));
    PyObject** items = layout.list ? read_at<PyObject**>(list.get(), layout.list) : nullptr;
    for (int64_t i = 0; i < size; ++i) {
      path[depth] = i;
      PyObject* item = depth == rank - 1 ? string(i) : this->list(depth + 1);
      if (items) {
        items[i] = item;
      } else if (PyList_SetItem(list.get(), i, item) != 0) {
        throw Failure{};
      }
    }
    if (depth == rank - 1) ++row;
    return list.release();
  }
};

// to_list(data, num_bytes, offsets, num_offsets, shape, as_bytes, errors, op) -> nested lists of str or bytes.
// `errors` is None or one of those that the codec handles itself, so that no Python code runs.
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
  lists.rank = static_cast<int>(PyTuple_Size(shape));
  lists.as_bytes = as_bytes;
  lists.errors = errors;
  const int64_t rows = read_shape(shape, lists.sizes);
  const int64_t cols = lists.rank ? lists.sizes[lists.rank - 1] : 0;
  if (!lists.rank || num_offsets != rows * (cols + 1)) {
    fail(PyExc_ValueError, lists.op + ": expected offsets for every string");
  }
  lists.span = {read_address<const uint8_t>(data, num_bytes, "data"), num_bytes,
                read_address<const int32_t>(offsets, num_offsets, "offsets"), rows, cols};
  if (const auto bad = find_bad_offset(lists.span)) {
    const std::string after = bad->value > num_bytes ? ""
                              : bad->col == 0        ? " first"
                                                     : " after " + std::to_string(bad->previous);
    fail(PyExc_ValueError, lists.op + ": expected `offsets` non-decreasing within [0, " + std::to_string(num_bytes) +
                               "] in each row, got " + std::to_string(bad->value) + after + " at row " +
                               std::to_string(bad->row) + ", position " + std::to_string(bad->col));
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
