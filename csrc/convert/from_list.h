// Converts nested lists in two passes: Measure finds the shape and the number of bytes, Write fills the tensors that
// were allocated in between. Other threads may change the lists between the passes, so Write checks every length again
// and never writes past the end of a tensor. A chunk is bytes and offsets that grow: strings that an iterator yields
// one by one or in short lists.
#pragma once

#include <Python.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "convert/arguments.h"
#include "convert/failure.h"
#include "convert/items.h"
#include "convert/ref.h"
#include "core/codepoints.h"
#include "core/copy_bytes.h"
#include "core/narrow.h"

namespace stringops::convert {

// The distance of prefetching, in items. Measured with strings that are in no cache, 12 to 48 are within 10 %.
constexpr int64_t kPrefetch = 24;

// Whether `o` is a missing value of Python, NumPy or pandas.
inline bool is_missing(PyObject* o) {
  if (o == Py_None || (PyFloat_Check(o) && std::isnan(PyFloat_AsDouble(o)))) return true;
  const std::string type = type_name(o);
  return type == "NAType" || type == "NaTType";
}

// Visits nested lists of one shape row by row: Visit::row(const Items&) gets each innermost list.
struct Walk {
  std::string op;
  const Layout& layout;
  int rank = 0;
  int64_t sizes[kMaxRank] = {};
  int64_t path[kMaxRank] = {};

  // Finds the shape from the first elements, to at most `max_rank` dimensions.
  void find_shape(PyObject* values, int max_rank) {
    if (rank < max_rank && is_list(values)) {
      if (rank == kMaxRank) {
        fail(PyExc_ValueError, op + ": expected lists nested at most " + std::to_string(kMaxRank) + " deep");
      }
      const Items items = Items::of(values, layout);
      sizes[rank++] = items.size();
      if (items.size() != 0) return find_shape(items[0], max_rank);
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

  std::string where(int depth) const { return depth ? " at " + position_text(path, depth) : ""; }

  // Fails because `o` differs from the first element of its level: a list of a certain size, or a string.
  [[noreturn]] void fail_element(PyObject* o, int depth) const {
    const int64_t zeros[kMaxRank] = {};
    const bool first = std::equal(path, path + depth, zeros);
    const std::string like = first ? "" : ", as at " + position_text(zeros, depth);
    if (depth < rank && is_list(o)) {
      const int64_t expected = sizes[depth];
      fail(PyExc_ValueError, op + ": expected " + std::to_string(expected) +
                                 (expected == 1 ? " element" : " elements") + where(depth) + like + ", got " +
                                 std::to_string(Items::of(o, layout).size()));
    }
    if (depth == rank && is_missing(o)) {
      const char* const cure = " (pass missing= to replace it)";
      fail(PyExc_ValueError, op + ": expected no missing strings, got one" + where(depth) + cure);
    }
    const bool nesting = depth < rank ? is_string(o) : is_list(o);
    std::string text = op + ": expected " + (depth < rank ? "a list" : "str or bytes") + where(depth);
    text += (depth < rank || nesting ? like : "") + ", got " + type_name(o);
    fail(nesting ? PyExc_ValueError : PyExc_TypeError, text);
  }

  template <class Visit>
  void rows(PyObject* o, int depth, Visit& visit) {
    if (depth == rank) {  // a single string
      visit.row(Items::single(&o));
      return;
    }
    if (!is_list(o)) fail_element(o, depth);
    const Items items = Items::of(o, layout);
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
    // The exception of the codec has the index.
    Py_ssize_t at = -1;
    Ref ignored(PyUnicode_AsUTF8String(o));
    if (PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) {
      const Caught caught;
      if (PyUnicodeEncodeError_GetStart(caught.value(), &at) != 0) PyErr_Clear();
    } else if (PyErr_Occurred()) {
      throw Failure{};
    }
    fail(PyExc_ValueError, op + ": expected text that UTF-8 can hold" + where(rank) +
                               ", got a lone surrogate at codepoint " + std::to_string(at) +
                               " (encode it yourself, and pass bytes)");
  }

  // Returns the bytes of a string whose layout only the API knows, as an owned reference.
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

// Pass 1 sums up the sizes.
struct Measure {
  Walk& walk;
  int64_t num_bytes = 0;

  int64_t size(PyObject* o, int64_t i) {
    const Leaf leaf = inspect(walk.layout, o);
    int64_t size = 0;
    switch (leaf.storage) {
      case Storage::kBytes:
        return leaf.length;
      case Storage::kUcs1:
        return utf8_size(static_cast<const uint8_t*>(leaf.at), leaf.length);
      case Storage::kUcs2:
        size = utf8_size(static_cast<const uint16_t*>(leaf.at), leaf.length);
        break;
      case Storage::kUcs4:
        size = utf8_size(static_cast<const uint32_t*>(leaf.at), leaf.length);
        break;
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
      num_bytes += size(items[i], i);
      // This is checked before the sum overflows, because a long string may occur any number of times.
      if (num_bytes > kMaxBytes) check();
    }
  }

  void check() const {
    if (num_bytes > kMaxBytes) fail_too_large(walk.op, static_cast<uint64_t>(num_bytes));
  }
};

// Pass 2 writes bytes and offsets. It stays within num_bytes and num_offsets even if the objects have changed.
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
    copy_exact(data + at, from, size);
    at += size;
  }

  template <class Unit>
  void encode(const void* from, int64_t length) {
    const Unit* units = static_cast<const Unit*>(from);
    // This is the most bytes that a unit can need; the exact size is computed only if that might not fit.
    constexpr int64_t kWidest = sizeof(Unit) == 1 ? 2 : sizeof(Unit) == 2 ? 3 : 4;
    if (length > (num_bytes - at) / kWidest) {
      const int64_t size = utf8_size(units, length);
      if (size < 0 || size > num_bytes - at) fail_changed();
    }
    at = write_utf8(units, length, data + at) - data;
  }

  void row(const Items& items) {
    *offsets++ = narrow<int32_t>(at);
    for (int64_t i = 0; i < items.size(); ++i) {
      items.prefetch(i + kPrefetch);
      PyObject* const o = items[i];
      const Leaf leaf = inspect(walk.layout, o);
      switch (leaf.storage) {
        case Storage::kBytes:
          copy(leaf.at, leaf.length);
          break;
        case Storage::kUcs1:
          encode<uint8_t>(leaf.at, leaf.length);
          break;
        case Storage::kUcs2:
          encode<uint16_t>(leaf.at, leaf.length);
          break;
        case Storage::kUcs4:
          encode<uint32_t>(leaf.at, leaf.length);
          break;
        case Storage::kOpaque: {
          Ref bytes(walk.encode(o, i));
          copy(PyBytes_AsString(bytes.get()), PyBytes_Size(bytes.get()));
        }
      }
      *offsets++ = narrow<int32_t>(at);
    }
  }
};

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
