// Appends strings that an iterator yields one by one or in short lists to a chunk: bytes and offsets that grow.
#pragma once

#include <Python.h>

#include <cstdint>

#include "convert/arguments.h"
#include "convert/failure.h"
#include "convert/from_list.h"
#include "convert/ref.h"

namespace stringops::convert {

// The bytearrays of a chunk: `data`, and `offsets` of 4 bytes each. The first offset is there already.
class TextChunk {
 public:
  TextChunk(const char* op, const Layout& layout, PyObject* data, PyObject* offsets)
      : walk_{op, layout}, data_(data), offsets_(offsets) {
    walk_.rank = 1;
  }

  int64_t num_bytes() const { return PyByteArray_Size(data_); }
  int64_t num_strings() const { return PyByteArray_Size(offsets_) / kOffset - 1; }

  // Appends a single string or a list of fewer than max_list strings. Returns false and appends nothing if `item` is
  // something else, or does not fit.
  bool append(PyObject* item, int64_t max_list) {
    const bool single = is_string(item);
    if (!single && !is_list(item)) return false;
    const Items items = single ? Items::single(&item) : Items::of(item, walk_.layout);
    const int64_t count = items.size(), before = num_bytes(), strings = num_strings();
    if (!single && (count >= max_list || (count > 0 && !is_string(items[0])))) return false;
    Measure measure{walk_};
    try {
      measure.row(items);
    } catch (const Failure& failure) {
      if (!failure.type) throw;  // out of memory; other faults are those of an item
      return false;
    }
    if (measure.num_bytes > kMaxBytes - before) return false;
    resize(data_, before + measure.num_bytes);
    resize(offsets_, (strings + 1 + count) * kOffset);
    Write write{walk_, reinterpret_cast<uint8_t*>(PyByteArray_AsString(data_)), num_bytes(),
                reinterpret_cast<int32_t*>(PyByteArray_AsString(offsets_)) + strings, before};
    write.row(items);  // no Python code has run since the strings were measured
    return true;
  }

 private:
  static constexpr int64_t kOffset = sizeof(int32_t);

  static void resize(PyObject* bytes, int64_t size) {
    if (PyByteArray_Resize(bytes, static_cast<Py_ssize_t>(size)) != 0) throw Failure{};
  }

  Walk walk_;
  PyObject* const data_;
  PyObject* const offsets_;
};

// gather_texts(iterator, data, offsets, max_strings, max_bytes, max_list, op) -> a tuple of the first item that
// TextChunk does not append. The tuple is empty if the iterator has ended, or the chunk has max_strings or max_bytes.
inline PyObject* gather_texts(const Layout& layout, PyObject* args) {
  PyObject *iterator, *data, *offsets;
  long long max_strings, max_bytes, max_list;
  const char* op;
  parse(args, "OO!O!LLLs", &iterator, &PyByteArray_Type, &data, &PyByteArray_Type, &offsets, &max_strings, &max_bytes,
        &max_list, &op);
  if (!PyIter_Check(iterator)) fail(PyExc_TypeError, std::string(op) + ": expected an iterator");
  TextChunk chunk(op, layout, data, offsets);
  if (chunk.num_strings() < 0 || max_strings > kMaxOffsets / 2 || max_list > kMaxOffsets / 2) {
    fail(PyExc_ValueError, std::string(op) + ": expected a chunk with its first offset");
  }
  while (chunk.num_strings() < max_strings && chunk.num_bytes() < max_bytes) {
    const Ref item(PyIter_Next(iterator));  // may run Python code
    if (!item.get()) {
      if (PyErr_Occurred()) throw Failure{};
      break;
    }
    if (!chunk.append(item.get(), max_list)) return or_throw(PyTuple_Pack(1, item.get()));
  }
  return or_throw(PyTuple_New(0));
}

}  // namespace stringops::convert
